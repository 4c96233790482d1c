"""The collision loop on whole scenes: free of intersection by ipctk, physical, adaptive, and the same every time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from reference.ipc_check import IpcCheck
from signorini.geometry.tet_shapes import box_tets
from signorini.methods.collision_loop import collision_loop
from support.crowded_scenes import pinched_sheet

FRAME = 1.0 / 60.0
SOFT = sg.ClothMaterial(
    membrane_stiffness=50.0,
    shear_stiffness=5.0,
    bending_rigidity=1e-5,
    damping_time=1e-2,
    bending_damping_time=2e-2,
)
METHODS = [("volume", "newmark"), ("impulses", "newmark"), ("volume", "backward-euler"), ("impulses", "backward-euler")]


def settings(method, integrator="newmark", **loop):
    return sg.Settings(method=method, collision_loop=sg.CollisionLoopSettings(integrator=integrator, **loop))


def over_a_ball(method, *, cells=10, dt=FRAME, **loop):
    """A soft sheet falls on a sphere and slides to the ground."""
    scene = sg.Scene(friction=0.3, air_drag=1.0)
    scene.add_cloth(
        sg.shapes.grid(0.5, 0.5, cells=cells),
        material=SOFT,
        position=(0.0, 0.0, 0.36),
        name="sheet",
        model="mass-spring",
    )
    scene.add_kinematic(sg.shapes.sphere(0.12, edge=0.05), position=(0.03, 0.02, 0.2), name="ball")
    scene.add_ground()
    return sg.Simulation(scene, dt=dt, settings=settings(method, **loop))


def run(sim, steps):
    check = IpcCheck(sim)
    reports = [check.step() for _ in range(steps)]
    check.assert_clean()
    assert sim.intersections() == 0
    assert min(r.min_distance for r in reports) > 0.0
    return reports


@pytest.mark.parametrize(("method", "integrator"), METHODS)
def test_a_sheet_on_a_sphere_and_the_ground(method, integrator):
    """Every collision step is free of intersection and of crossings; the sheet drapes, touches the ground and calms down."""
    sim = over_a_ball(method, integrator=integrator, max_loops=4)
    reports = run(sim, 60)
    assert not sum(r.failsafe_substeps for r in reports)
    assert max(r.contact_count for r in reports) > 50
    height = sim.bodies["sheet"].positions[:, 2]
    assert height.max() == pytest.approx(0.32, abs=0.02), "it rests on the top of the sphere"
    assert height.min() < 0.01
    assert reports[-1].total_energy < reports[0].total_energy
    assert reports[-1].kinetic_energy < 0.05 * max(r.kinetic_energy for r in reports)


def test_both_forms_agree_with_the_default_method_on_where_the_sheet_ends():
    """Mean height after one second, of the collision loop at short collision steps and of CMR: within 3 mm."""
    heights = []
    for method in ("volume", "impulses", "cmr"):
        sim = over_a_ball(method, dt=FRAME if method != "cmr" else FRAME / 4, max_loops=2)
        for _ in range(60 if method != "cmr" else 240):
            sim.step()
        heights.append(sim.bodies["sheet"].positions[:, 2].mean())
    assert np.ptp(heights) < 3e-3, heights


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_all_kinds_of_bodies(method):
    """A soft box, a spinning rigid box, a pinned sheet with an attached rigid ball and a moving plate, above the ground."""
    scene = sg.Scene(friction=0.4)
    scene.add_ground()
    box = sg.shapes.box(0.1, 0.1, 0.06, cells=2)
    scene.add_rigid(box, density=300.0, position=(0.0, 0.0, 0.05), angular_velocity=(1, 4, 2), name="rigid")
    tets = box_tets(0.12, 0.12, 0.06, cells=2)
    scene.add_soft_solid(tets, density=300.0, young=1e4, poisson=0.3, position=(0.01, 0.0, 0.15), name="soft")
    cloth = scene.add_cloth(
        sg.shapes.grid(0.3, 0.3, cells=7), material=SOFT, position=(0, 0, 0.25), name="sheet", model="mass-spring"
    )
    cloth.pin([0, 7])
    ball = sg.shapes.sphere(0.02, edge=0.02)
    scene.add_rigid(ball, mass=0.01, position=cloth.positions[63] + [0.0, 0.0, 0.03], name="ball")
    scene.attach("sheet", [63], to="ball")
    plate = sg.motions.Translate(velocity=(0.3, 0.0, 0.0))
    scene.add_kinematic(box, position=(-0.3, 0.0, 0.04), motion=plate, name="plate")
    sim = sg.Simulation(scene, dt=FRAME, settings=settings(method, max_loops=8))
    reports = run(sim, 40)
    assert max(r.contact_count for r in reports) > 50
    assert sim.bodies["rigid"].positions[:, 2].min() > 0.0
    assert np.abs(sim.state.v).max() < 20.0


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_a_box_slides_to_a_halt_as_coulomb_says(method):
    """Deceleration μ g of a rigid box on the ground within 3 %, and it stays at rest."""
    mu, speed = 0.2, 1.0
    scene = sg.Scene(friction=mu)
    scene.add_ground()
    scene.add_rigid(
        sg.shapes.box(0.2, 0.2, 0.05), mass=1.0, position=(0, 0, 0.0255), velocity=(speed, 0, 0), name="box"
    )
    sim = sg.Simulation(scene, dt=FRAME / 4, settings=sg.Settings(method=method, contact_distance=0.001))
    while sim.time < 0.3:
        sim.step()
    velocity = sim.state.v[0, 0]
    assert speed - velocity == pytest.approx(mu * 9.81 * sim.time, rel=0.03)
    while sim.time < 0.8:
        sim.step()
    assert abs(sim.state.v[0, 0]) < 1e-3
    assert sim.intersections() == 0


def thrown(method="volume", **loop):
    """Three sheets fly at each other at 12 m/s: more than a whole frame can resolve."""
    scene = sg.Scene(gravity=(0, 0, 0), friction=0.3)
    for k, speed in enumerate((6.0, 0.0, -6.0)):
        scene.add_cloth(
            sg.shapes.grid(0.3, 0.3, cells=9),
            material=SOFT,
            position=(0.01 * k, 0.02 * k, 0.03 * k),
            rotation=(0.05 * k, 0.0, 0.4 * k),
            velocity=(0.0, 0.0, speed),
            name=f"sheet {k}",
        )
    return sg.Simulation(scene, dt=FRAME, settings=settings(method, **loop))


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_a_failed_step_is_taken_back_and_tried_with_fewer_loops(method):
    """What cannot be resolved at once is retried; the number of loops is remembered, and grows again after successes."""
    sim = thrown(method)
    reports, loops = [], []
    check = IpcCheck(sim)
    for _ in range(12):
        reports.append(check.step())
        loops.append(int(sim.checkpoint()["collision_loops"]))
    check.assert_clean()
    tried = [r for r in reports if r.halvings]
    assert tried
    assert all(r.status is not sg.StepStatus.ACCEPTED for r in tried)
    assert min(loops) < 16
    assert max(loops[loops.index(min(loops)) :]) > min(loops), "larger steps again"
    for r in reports:
        assert r.collision_interval <= FRAME * (1 + 1e-12)
        assert r.collision_interval * r.substeps >= FRAME * (1 - 1e-12)
        assert (r.collision_interval == pytest.approx(FRAME)) == (r.substeps == 1)
    assert sim.time == pytest.approx(12 * FRAME, rel=1e-12)


HOPELESS = {"outer": 1, "inner": 1, "damping": 0.01, "sweeps": 1}


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_impact_zones_are_the_last_resort(method):
    """A response that resolves next to nothing: one loop fails too, and rigid zones keep everything apart, as reported."""
    sim = thrown(method, **HOPELESS)
    reports = run(sim, 6)
    if method == "volume":
        assert sum(r.failsafe_substeps for r in reports) > 0
    for r in reports:
        assert (r.status is sg.StepStatus.FAILSAFE) == (r.failsafe_substeps > 0)


def test_without_impact_zones_the_simulation_stops_and_names_the_bodies():
    sim = thrown("volume", impact_zones=False, **HOPELESS)
    with pytest.raises(sg.SimulationStoppedError, match="'sheet 1' and 'sheet 2'") as caught:
        for _ in range(6):
            q = sim.state.q.copy()
            sim.step()
    assert "impact_zones" in str(caught.value)
    assert np.array_equal(sim.state.q, q), "the state is the one before the step"
    assert sim.intersections() == 0


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_a_pinched_sheet_stops_with_names(method):
    """Two plates close on a sheet: there is no room left, and the message says between whom."""
    scene = pinched_sheet(cells=6, material=SOFT, model="mass-spring")
    sim = sg.Simulation(scene, dt=4e-3, settings=settings(method))
    check = IpcCheck(sim)
    with pytest.raises(sg.SimulationStoppedError, match="'sheet'") as caught:
        for _ in range(10):
            check.step()
    assert "'hammer'" in str(caught.value) or "'anvil'" in str(caught.value)
    check.assert_clean()
    assert sim.time < 0.02


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_two_runs_and_a_continued_one_are_bit_identical(method):
    one, two = over_a_ball(method), over_a_ball(method)
    saved = None
    for k in range(30):
        a, b = one.step(), two.step()
        assert (a.contact_count, a.halvings, a.outer_iterations) == (b.contact_count, b.halvings, b.outer_iterations)
        if k == 17:
            saved = {name: np.array(value) for name, value in one.checkpoint().items()}
    assert one.state.q.tobytes() == two.state.q.tobytes()
    fresh = over_a_ball(method)
    fresh.restore(saved)
    for _ in range(12):
        fresh.step()
    assert fresh.state.q.tobytes() == one.state.q.tobytes()
    assert fresh.state.v.tobytes() == one.state.v.tobytes()


def test_a_state_that_is_no_longer_finite_is_named(monkeypatch):
    sim = over_a_ball("volume", cells=4)
    broken = replace(sim.state, q=np.full_like(sim.state.q, np.nan))
    monkeypatch.setattr(collision_loop, "integrate", lambda *_: broken)
    with pytest.raises(sg.SimulationStoppedError, match="no longer finite"):
        sim.step()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cfl", 0.0),
        ("normals", "end"),
        ("integrator", "euler"),
        ("solve_tolerance", 1.0),
        ("impact_zones", 1),
        ("outer", 0),
    ],
)
def test_wrong_settings_are_named(field, value):
    with pytest.raises(sg.InputError, match=field):
        sg.CollisionLoopSettings(**{field: value})
