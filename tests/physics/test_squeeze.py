"""Layers between closing plates: they share the room that is left, in steps that are solved and take bounded work."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg


def squeezed_sheets(friction: float) -> sg.Simulation:
    """Three sheets between plates that close at 0.5 m/s."""
    scene, gap, speed = sg.Scene(friction=friction), 0.06, 0.5
    for k in range(3):
        scene.add_cloth(sg.shapes.grid(1, 1, cells=5), position=(0, 0, gap * (k + 1)), name=f"sheet {k}")
    plate = sg.shapes.box(1.4, 1.4, 0.05)
    scene.add_kinematic(plate, position=(0, 0, -0.025), name="lower")
    down = sg.motions.Translate(velocity=(0, 0, -speed))
    scene.add_kinematic(plate, position=(0, 0, 4 * gap + 0.025), motion=down, name="upper")
    return sg.Simulation(scene, dt=8e-3)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_three_sheets_share_the_room_between_closing_plates(friction: float) -> None:
    """One step took 36 s, the next 132 s; without friction sheets left at up to 139 m/s."""
    sim = squeezed_sheets(friction)
    reports = [sim.step() for _ in range(46)]
    assert any(r.shared_solves for r in reports)
    assert all(r.solves == r.solves_converged and not r.failsafe_substeps and not r.over_budget for r in reports)
    assert max(r.max_speed for r in reports) < 2.0
    assert sim.intersections() == 0
    distances = np.array([r.min_distance for r in reports])
    assert 0.0 < distances[-1] < 0.8 * distances[30]


def test_a_stiff_soft_cube_keeps_the_momentum_of_what_hits_it() -> None:
    """77 % of it vanished: errors of the impulses were judged by the stiffness, which no rigid motion feels."""
    size, mass = 0.01, 1e-3
    scene = sg.Scene(gravity=(0, 0, 0), friction=0.3)
    scene.add_rigid(sg.shapes.sphere(size / 2, subdivisions=2), mass=mass, velocity=(1, 0, 0), name="ball")
    scene.add_soft_solid(
        sg.shapes.box_tets(size, size, size, cells=1), density=mass / size**3, young=1e10, mass_damping=0.0,
        position=(1.1 * size, 0.2 * size, 0), name="cube",
    )  # fmt: skip
    sim = sg.Simulation(scene, dt=4e-3)
    nodes = sim._world.model.bodies["cube"].nodes
    masses = sim._world.model.mass[nodes]
    reports = [sim.step() for _ in range(3)]
    assert any(r.active_count for r in reports)
    total = mass * sim.bodies["ball"].velocity + masses @ sim.state.v[nodes]
    np.testing.assert_allclose(total / mass, [1.0, 0.0, 0.0], atol=1e-3)
