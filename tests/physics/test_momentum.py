"""Two free sheets collide without gravity: impulses act and react, and nothing is gained."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg

STEPS = 60


def colliding(*, friction, offset=(0.05, 0.03), turn=0.4, speed=1.0, mass_ratio=2.0, tolerance=5e-4):
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0), friction=friction)
    mesh = sg.shapes.grid(0.3, 0.3, cells=8)
    scene.add_cloth(mesh, area_density=0.2, velocity=(0.2, 0.1, speed), name="lower")
    scene.add_cloth(
        mesh,
        area_density=0.2 * mass_ratio,
        position=(*offset, 0.02),
        rotation=(0.1, 0.0, turn),
        velocity=(-0.3, 0.0, -speed),
        name="upper",
    )
    # The tilted sheet must start clear of the flat one.
    lift = 0.01 - scene.bodies["upper"].positions[:, 2].min()
    scene.bodies["upper"].positions[:, 2] += max(0.0, lift)
    settings = sg.Settings(solver=sg.SolverSettings(tolerance=tolerance, max_outer=20000))
    return sg.Simulation(scene, dt=4e-3, settings=settings)


def momenta(sim):
    m, q, v = sim._world.model.mass[:, None], sim.state.q, sim.state.v
    return (m * v).sum(axis=0), np.cross(q, m * v).sum(axis=0)


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_collision_conserves_momentum(friction):
    """Σ m v is constant to 1e-8 of Σ |m v| (internal forces cancel in pairs, whatever the solver's tolerance)... """
