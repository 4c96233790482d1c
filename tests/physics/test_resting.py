"""What lies still: the ground carries the weight, layers carry what is above them, and nothing gains energy."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg

GRAVITY = 9.81
SIDE = 0.3
DELTA = 3e-3
SETTINGS = sg.Settings(contact_distance=DELTA)


def pile(layers, *, cells=6, friction=0.3, start=1e-3, densities=None):
    """Sheets above each other, turned so that no vertex is over another; `start` [m] more than δ apart."""
    scene = sg.Scene(friction=friction)
    scene.add_ground(name="ground")
    for k in range(layers):
        scene.add_cloth(
            sg.shapes.grid(SIDE, SIDE, cells=cells),
            area_density=0.2 if densities is None else densities[k],
            position=(0.004 * k, -0.003 * k, (k + 1) * (DELTA + start)),
            rotation=(0.0, 0.0, 0.15 * k),
            name=f"sheet-{k}",
        )
    return sg.Simulation(scene, settings=SETTINGS)


def energies(sim, steps):
    """Total energy at the start and after each step [J], and the reports."""
    first = sim._completed(sg.StepReport()).total_energy
    reports = [sim.step() for _ in range(steps)]
    return np.array([first, *(r.total_energy for r in reports)]), reports


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_the_ground_carries_exactly_the_weight(friction):
    """Force on the ground = -m g z; on the sheet + m g z, within 1 %, and no force sideways."""
    sim = pile(1, friction=friction)
    for _ in range(60):
        sim.step()
    weight = GRAVITY * 0.2 * SIDE**2
    force = sim.contact_force("ground")
    assert force == pytest.approx([0.0, 0.0, -weight], abs=0.01 * weight)
    assert np.array_equal(sim.contact_force("sheet-0"), -force)
    assert sum(c.normal_force for c in sim.contacts()) == pytest.approx(weight, rel=0.01)
    assert sim.min_distance == pytest.approx(DELTA, rel=0.01)


def test_each_layer_carries_what_is_above_it():
    """Two layers of 0.2 and 0.5 kg/m²: the ground carries both weights; the pair force between them is the weight of
    the upper one, within 1 %. The resultant on the lower sheet is its own weight.
    """
    sim = pile(2, densities=(0.2, 0.5))
    for _ in range(150):
        sim.step()
    lower, upper = GRAVITY * 0.2 * SIDE**2, GRAVITY * 0.5 * SIDE**2
    assert sim.contact_force("ground")[2] == pytest.approx(-(lower + upper), rel=0.01)
    assert sim.contact_force("sheet-0")[2] == pytest.approx(lower, rel=0.01)
    # The upper sheet may overhang and touch the ground: what the lower one carries is what the ground does not.
    pair = {frozenset((c.body_a, c.body_b)) for c in sim.contacts()}
    assert frozenset(("sheet-0", "sheet-1")) in pair
    force = np.zeros(3)
    for c in sim.contacts():
        if {c.body_a, c.body_b} in ({"sheet-0", "sheet-1"}, {"ground", "sheet-1"}):
            force += (1.0 if c.body_a == "sheet-1" else -1.0) * (c.normal_force * c.normal + c.friction_force)
    assert force == pytest.approx([0.0, 0.0, upper], abs=0.01 * upper)


@pytest.mark.parametrize("layers", [1, 3])
def test_a_pile_comes_to_rest_and_gains_no_energy(layers):
    """After settling every speed is below the solver's tolerance. The energy never rises above an earlier value by more
    than a velocity error of that tolerance can lift the pile in one step, m g dt · 5e-4 m/s: it does not add up.
    """
    sim = pile(layers)
    energy, reports = energies(sim, 200)
    allowed = layers * 0.2 * SIDE**2 * GRAVITY * sim.dt * sg.SolverSettings().residual
    growth = (energy - np.minimum.accumulate(energy)).max()
    assert growth <= allowed, f"grew by {growth:.1e} J, {allowed:.1e} J is allowed"
    speed = max(r.max_speed for r in reports[-50:])
    assert speed < sg.SolverSettings().residual, f"{speed:.1e} m/s at rest"
    assert reports[-1].failsafe_substeps == 0
    assert sim.intersections() == 0


def test_a_resting_sheet_does_not_drift():
    """With friction the centre of mass stays where it is: over 1 s it moves less than the tolerance times 1 s / 100."""
    sim = pile(2, friction=0.5)
    for _ in range(100):
        sim.step()
    before = sim.state.q.copy()
    for _ in range(250):
        sim.step()
    drift = np.abs(sim.state.q - before).max()
    assert drift < 0.01 * sg.SolverSettings().residual * 250, f"drifted {1e3 * drift:.4f} mm in 1 s"


@pytest.mark.parametrize("depth", [0.5, 0.9])
def test_a_start_too_close_keeps_its_distance(depth):
    """A sheet that starts at (1 - depth) δ is neither pushed out nor does gravity bring it nearer."""
    scene = sg.Scene()
    scene.add_ground()
    scene.add_cloth(sg.shapes.grid(SIDE, SIDE, cells=6), position=(0.0, 0.0, (1.0 - depth) * DELTA), name="sheet")
    sim = sg.Simulation(scene, settings=sg.Settings(contact_distance=DELTA))
    start = sim.bodies["sheet"].positions
    for _ in range(60):
        assert sim.step().max_speed < sim.contact_tolerance
    assert np.abs(sim.bodies["sheet"].positions - start).max() < 0.01 * sim.contact_tolerance
