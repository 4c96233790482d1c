"""Rigid and soft bodies: momentum through a free collision, towers, heavy on light, weights."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.geometry import tet_shapes
from signorini.geometry.lattice import lattice

GRAVITY = 9.81
TIGHT = sg.SolverSettings(tolerance=1e-10, relative_tolerance=1e-10)
SOFT = {"young": 5e4, "poisson": 0.3, "density": 300.0, "mass_damping": 0.0, "stiffness_damping": 2e-3}


def add(scene, kind, size, name, **where):
    """A block of 300 kg/m³, rigid, of tetrahedra, or embedded in coarser ones."""
    if kind == "rigid":
        return scene.add_rigid(sg.shapes.box(*size), density=300.0, name=name, **where)
    if kind == "embedded":
        surface = sg.shapes.box(*size, cells=2)
        return scene.add_soft_solid(lattice(surface, cell=0.7 * max(size)), surface=surface, name=name, **SOFT, **where)
    return scene.add_soft_solid(tet_shapes.box_tets(*size, cells=2), name=name, **SOFT, **where)


def momenta(sim):
    """Linear momentum and angular momentum about the origin, and the scales of both."""
    model, state = sim._world.model, sim.state
    m, q, v = model.mass[:, None], state.q, state.v
    spins = model.rigids.spins
    L = np.cross(q, m * v)
    L[spins] = model.rigids.momentum(state.rotations, v[spins])
    return (m * v).sum(axis=0), L.sum(axis=0), np.abs(m * v).sum(), np.abs(L).sum()


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize(("first", "second"), [("rigid", "rigid"), ("rigid", "tets"), ("embedded", "rigid")])
def test_momentum_through_a_free_collision(first, second, friction):
    """Two tumbling blocks hit each other: linear momentum to 1e-10, angular momentum to the moment of the impulses.

    An impulse acts on two points that are δ = 1 mm apart: along the normal this has no moment (rigid and frictionless: 1e-9),
    for friction it is δ · impulse. Elastic forces are linearised once a step, which costs angular momentum of first order in
    dt. Both are below 2 % at 1 ms.
    """
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0), friction=friction)
    size = (0.1, 0.07, 0.05)
    add(scene, first, size, "a", velocity=(1.0, 0.1, 0.0), rotation=(0.3, 0.2, 0.1))
    add(scene, second, size, "b", position=(0.16, 0.02, 0.01), rotation=(0.0, 0.6, 0.9), velocity=(-1.0, 0.0, 0.2))
    sim = sg.Simulation(scene, dt=1e-3, settings=sg.Settings(solver=TIGHT, linear_tolerance=1e-12))
    if first == "rigid":
        sim.bodies["a"].angular_velocity = (3.0, -5.0, 2.0)
    P0, L0, p_scale, l_scale = momenta(sim)
    before = sim._world.model.mass @ np.abs(sim.state.v)
    reports = [sim.step() for _ in range(160)]
    assert max(r.active_count for r in reports) > 0
    assert not any(r.failsafe_substeps for r in reports)
    P1, L1, _, _ = momenta(sim)
    exact = first == second == "rigid" and friction == 0.0
    assert np.abs(P1 - P0).max() < 1e-10 * p_scale
    assert np.abs(L1 - L0).max() < (1e-9 if exact else 2e-2) * l_scale
    assert np.abs(sim._world.model.mass @ np.abs(sim.state.v) - before).max() > 0.05 * p_scale, "they must have met"
    assert reports[-1].total_energy <= reports[0].total_energy * (1.0 + 1e-9)


@pytest.mark.parametrize("kind", ["rigid", "tets", "embedded"])
def test_a_resting_block_presses_with_its_weight(kind):
    """Force within 1 % of the weight, no torque about the centre, and pressures that add up to the force."""
    scene = sg.Scene(friction=0.4)
    add(scene, kind, (0.12, 0.1, 0.06), "block", position=(0.3, -0.2, 0.0325))
    scene.add_ground(name="ground")
    sim = sg.Simulation(scene, dt=4e-3, settings=sg.Settings(solver=sg.SolverSettings(tolerance=5e-5)))
    for _ in range(250):
        report = sim.step()
    weight = GRAVITY * 300.0 * 0.12 * 0.1 * 0.06
    force = sim.contact_force("block")
    np.testing.assert_allclose(force, (0.0, 0.0, weight), atol=0.01 * weight)
    assert np.array_equal(sim.contact_force("ground"), -force)
    torque = sim.contact_torque("block")
    assert np.abs(torque).max() < 0.01 * weight * 0.06
    about_origin = sim.contact_torque("block", about=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(about_origin, np.cross((0.3, -0.2, 0.0), (0.0, 0.0, weight)), atol=0.02 * weight * 0.3)
    np.testing.assert_allclose(sim.contact_torque("ground", about=(0.0, 0.0, 0.0)), -about_origin, atol=1e-9)
    pressure, bottom = sim.contact_pressure("block"), sim.bodies["block"].positions[:, 2] < 0.02
    assert (pressure >= 0.0).all()
    assert not pressure[~bottom].any()
    assert pressure[bottom].max() > 0.2 * weight / (0.12 * 0.1)
    assert report.kinetic_energy < 1e-6


def test_a_tower_of_ten_rigid_boxes_stands():
    """Boxes of 0.1 m turned against each other: after 1 s none has moved by more than a millimetre."""
    scene = sg.Scene(friction=0.5)
    for k in range(10):
        scene.add_rigid(
            sg.shapes.box(0.1, 0.1, 0.05),
            density=500.0,
            position=(0.004 * (-1) ** k, 0.0, 0.0255 + 0.0505 * k),
            rotation=(0.0, 0.0, 0.3 * k),
            name=f"box {k}",
        )
    scene.add_ground(name="ground")
    sim = sg.Simulation(scene, dt=4e-3, settings=sg.Settings(contact_distance=5e-4))
    start = np.array([sim.bodies[f"box {k}"].center for k in range(10)])
    forces = []
    for _ in range(250):
        report = sim.step()
        forces.append(-sim.contact_force("ground")[2])
        assert report.min_distance > 0.0
    moved = np.array([sim.bodies[f"box {k}"].center for k in range(10)]) - start
    assert np.abs(moved).max() < 1e-3
    turned = [np.linalg.norm(sim.bodies[f"box {k}"].rotation - (0.0, 0.0, 0.3 * k)) for k in range(10)]
    assert max(turned) < 0.02
    assert np.mean(forces[100:]) == pytest.approx(10 * GRAVITY * 500.0 * 0.1 * 0.1 * 0.05, rel=0.01)
    assert sim.intersections() == 0


def test_a_heavy_box_rests_on_a_light_soft_one():
    """1000 : 1 in mass. The soft block (E = 1 MPa) is compressed by about σ/E, and the ground carries both."""
    scene = sg.Scene(friction=0.5)
    size = (0.1, 0.1, 0.05)
    light = scene.add_soft_solid(
        tet_shapes.box_tets(*size, cells=(3, 3, 2)),
        density=40.0, young=1e6, poisson=0.3, stiffness_damping=0.02, model="corotational",
        position=(0.0, 0.0, 0.026), name="light",
    )  # fmt: skip
    mass = light.tets.volume() * 40.0
    scene.add_rigid(sg.shapes.box(0.12, 0.12, 0.1), mass=1000.0 * mass, position=(0.0, 0.0, 0.1025), name="heavy")
    scene.add_ground(name="ground")
    sim = sg.Simulation(scene, dt=4e-3, settings=sg.Settings(contact_distance=5e-4))
    for _ in range(250):
        report = sim.step()
    weight = GRAVITY * 1000.0 * mass
    assert sim.contact_force("heavy")[2] == pytest.approx(weight, rel=0.01)
    assert -sim.contact_force("ground")[2] == pytest.approx(1.001 * weight, rel=0.01)
    height = np.ptp(sim.bodies["light"].positions[:, 2])
    strain = weight / 0.01 / 1e6
    assert 0.5 * strain < 1.0 - height / 0.05 < 1.2 * strain  # friction at both ends stiffens it
    assert report.failsafe_substeps == 0
    assert sim.intersections() == 0


def test_a_spinning_top_keeps_its_momentum_in_the_time_loop():
    """A free brick, 2,000 steps: P and L to 1e-12, energy to 1e-7; it follows gravity's parabola."""
    scene = sg.Scene(gravity=(0.0, 0.0, -1.0))
    scene.add_rigid(
        sg.shapes.box(0.2, 0.1, 0.04), density=700.0, angular_velocity=(0.1, 4.0, 0.2), velocity=(1, 0, 3), name="b"
    )
    sim = sg.Simulation(scene, dt=2e-3)
    body, model = sim.bodies["b"], sim._world.model
    L0 = model.rigids.momentum(sim.state.rotations, sim.state.v[1:])
    first = sim.step()
    for _ in range(1999):
        report = sim.step()
    L1 = model.rigids.momentum(sim.state.rotations, sim.state.v[1:])
    np.testing.assert_allclose(L1, L0, atol=1e-12 * np.linalg.norm(L0))
    np.testing.assert_allclose(body.velocity, (1.0, 0.0, -1.0), atol=1e-10)
    spin = report.kinetic_energy - 0.5 * 0.56 * body.velocity @ body.velocity
    spin0 = first.kinetic_energy - 0.5 * 0.56 * (1.0 + 2.998**2)
    assert spin == pytest.approx(spin0, rel=1e-7)


def test_a_thin_ring_is_not_convex():
    """A rigid ring falls over a standing pin: the pin stays in its hole, which a convex hull would not have."""
    scene = sg.Scene(friction=0.2)
    scene.add_rigid(sg.shapes.torus(0.1, 0.01, edge=0.02), density=2000.0, position=(0.02, 0.0, 0.15), name="ring")
    scene.add_kinematic(sg.shapes.cylinder(0.02, 0.2, edge=0.03), position=(0.0, 0.0, 0.101), name="pin")
    scene.add_ground(name="ground")
    sim = sg.Simulation(scene, dt=4e-3)
    for _ in range(150):
        sim.step()
    ring = sim.bodies["ring"]
    assert ring.center[2] < 0.02
    assert np.linalg.norm(ring.center[:2]) < 0.08
    assert sim.intersections() == 0


@pytest.mark.parametrize("rate", [30.0, 60.0, 100.0])
def test_a_fast_rod_hits_the_ground_with_hardly_any_halving(rate):
    """Constraints are linearised about the tentative rotation: without that, each of these needs many halved steps."""
    scene = sg.Scene(friction=0.3)
    scene.add_ground(name="ground")
    scene.add_rigid(
        sg.shapes.box(0.3, 0.05, 0.02),
        density=500.0,
        position=(0.0, 0.0, 0.16),
        velocity=(0.0, 0.0, -1.0),
        angular_velocity=(0.0, rate, 3.0),
        name="rod",
    )
    sim = sg.Simulation(scene, dt=4e-3)
    reports = [sim.step() for _ in range(150)]
    assert max(r.active_count for r in reports) > 0
    assert sum(r.halvings for r in reports) <= 2
    energy = np.array([r.total_energy for r in reports])
    assert energy.max() <= energy[0] * (1.0 + 1e-6)
