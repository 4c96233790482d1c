"""Total energy never grows without external work: in flight, through contact, and in a falling cloth that folds."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import SCENES


def energy_of(sim):
    return sim._completed(sg.StepReport()).total_energy


@pytest.mark.parametrize(("damping", "newton", "allowed"), [(1e-3, 1, 1e-12), (0.0, 2, 1e-12), (0.0, 1, 1e-3)])
def test_free_flight_of_a_vibrating_sheet(damping, newton, allowed):
    """Without gravity E(n+1) ≤ E(n) for backward Euler: a stretched and bent sheet that is let go never gains energy, to
    rounding, with damping or with two Newton iterations. One linearisation without any damping is not quite backward
    Euler: it may gain what the curvature of the force over a step adds, 0.1 % of the energy at most.
    """
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    mesh = sg.shapes.grid(0.4, 0.4, cells=8)
    material = sg.ClothMaterial(
        membrane_stiffness=300.0,
        shear_stiffness=30.0,
        bending_rigidity=1e-4,
        damping_time=damping,
        bending_damping_time=damping,
    )
    x = mesh.vertices.copy()
    x[:, :2] *= 1.02
    x[:, 2] = 0.02 * np.sin(8.0 * x[:, 0])
    scene.add_cloth(mesh, material=material, initial_vertices=x, name="sheet")
    sim = sg.Simulation(scene, dt=2e-3, settings=sg.Settings(newton_iterations=newton))
    energy = [energy_of(sim)]
    for _ in range(200):
        energy.append(sim.step().total_energy)
    growth = (energy - np.minimum.accumulate(energy)).max()
    assert energy[0] > 1e-3
    assert growth <= allowed * energy[0], f"grew by {growth:.1e} J of {energy[0]:.1e} J"


def test_fall_and_impact():
    """With gravity as a potential: E falls by m g² dt²/2 per step in free fall (backward Euler), and only falls at the
    impact, where the motion is lost.
    """
    scene = sg.Scene(friction=0.3)
    scene.add_ground()
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=6), area_density=0.2, position=(0.0, 0.0, 0.1), name="sheet")
    sim = sg.Simulation(scene)
    energy = [energy_of(sim)]
    for n in range(1, 101):
        report = sim.step()
        energy.append(report.total_energy)
        if report.contact_count == 0 and n < 20:
            lost = 0.5 * 0.2 * 0.3**2 * 9.81**2 * sim.dt**2
            assert energy[-2] - energy[-1] == pytest.approx(lost, rel=1e-6)
    # At rest a velocity error of the solver's tolerance can lift the sheet by as much: m g dt · 5e-4 m/s.
    growth = (energy - np.minimum.accumulate(energy)).max()
    assert growth <= 0.2 * 0.3**2 * 9.81 * sim.dt * sim.contact_tolerance, f"grew by {growth:.1e} J"
    assert report.contact_count > 0


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.8])
def test_small_falling_cloth(friction):
    """The gallery's falling cloth on 20 × 20 vertices: no external work from the first step on, so that the total energy
    never rises above an earlier value by more than the solver's tolerance can account for: 1e-6 of the energy lost.
    """
    sim = sg.Simulation(SCENES["falling-cloth"].build(resolution=20, friction=friction), dt=4e-3)
    energy = [energy_of(sim)]
    for _ in range(250):
        energy.append(sim.step().total_energy)
    energy = np.array(energy)
    growth = (energy - np.minimum.accumulate(energy)).max()
    assert energy[0] - energy[-1] > 0.5, "it must have fallen"
    assert growth <= 1e-6 * (energy[0] - energy[-1]), f"grew by {growth:.1e} J"
