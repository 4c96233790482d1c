"""The last resort: when refinement, halving and the solver all fail, nothing intersects, and the report says so."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from reference.ipc_check import IpcCheck
from signorini.gallery import SCENES
from signorini.methods.failsafes.scale_back import remove_approach
from signorini.methods.trial_motion import TrialMotion
from signorini.model.rigid_bodies import FreeSpin
from support.crowded_scenes import pinched_sheet, thrown_together

HOPELESS = sg.Settings(
    max_refinements=1, max_halvings=0, solver=sg.SolverSettings(name="ica", max_outer=1, max_inner=1, contact_repeats=1)
)


def run(sim, steps):
    check = IpcCheck(sim)
    reports = [check.step() for _ in range(steps)]
    check.assert_clean()
    assert np.isfinite(sim.state.q).all()
    assert np.isfinite(sim.state.v).all()
    return reports


def failsafes(reports):
    """The steps that say FAILSAFE, which are exactly those with an emergency sub-step."""
    for r in reports:
        assert (r.status is sg.StepStatus.FAILSAFE) == (r.failsafe_substeps > 0)
    return [r for r in reports if r.failsafe_substeps]


@pytest.mark.parametrize("dt", [4e-3, 20e-3])
def test_hopeless_settings_never_intersect(dt):
    """One refinement, no halving, one sweep of the solver, sheets that fly at each other at 10 m/s: emergency steps are
    needed and reported, and ipctk finds neither an intersection nor a crossing in any leg.
    """
    scene = sg.Scene(friction=0.3)
    scene.add_ground()
    for k in range(3):
        scene.add_cloth(
            sg.shapes.grid(0.3, 0.3, cells=7),
            position=(0.02 * k, 0.01 * k, 0.03 + 0.05 * k),
            rotation=(0.0, 0.0, 0.3 * k),
            velocity=(0.0, 0.0, -5.0 if k else 5.0),
        )
    sim = sg.Simulation(scene, dt=dt, settings=HOPELESS)
    reports = run(sim, 15)
    assert len(failsafes(reports)) > 3
    assert sim.time == pytest.approx(15 * dt, rel=1e-12), "every step covers all of dt"


def test_hopeless_settings_with_solids_and_rigid_bodies():
    """The same with a spinning rigid box, a soft one and a sheet: emergency steps keep everything apart."""
    sim = sg.Simulation(thrown_together(), dt=4e-3, settings=HOPELESS)
    reports = run(sim, 40)
    assert len(failsafes(reports)) > 3


def test_removing_the_approach_conserves_momentum():
    """Inelastic impulses between two tumbling boxes: they no longer approach, P is kept to rounding, and so is L about the
    contact, whose two points are along the normal.
    """
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        where = {
            "position": (0.13 * k, 0.02 * k, 0.0),
            "rotation": (0.2, 0.5 * k, 0.3),
            "velocity": (1.0 - 2.0 * k, 0.0, 0.1),
        }
        scene.add_rigid(
            sg.shapes.box(0.1, 0.1, 0.1), mass=1.0 + k, angular_velocity=(2.0, 1.0, 4.0 * k), name=f"{k}", **where
        )
    sim = sg.Simulation(scene, dt=4e-3, settings=sg.Settings(contact_distance=0.05))
    model, state, near = sim._world.model, sim.state, sim._moment.near.contacts
    assert len(near)
    J = model.rigids.world_inertia(state.rotations)
    none = np.zeros((model.surface.vertex_count, 3))
    spin = FreeSpin(np.zeros((2, 3)), J, np.zeros((2, 3)))
    trial = TrialMotion(sim._world, sim._moment, sim.dt, spin=spin)
    v = remove_approach(trial, near, state.v, none)
    surface_map = model.surface_map.turned(state.rotations)

    def approach(velocity):
        moving = surface_map.velocities(velocity)[near.vertices] * near.weights[:, :, None]
        return (moving.sum(axis=1) * near.normal).sum(axis=1)

    def momenta(velocity):
        L = np.cross(state.q, model.mass[:, None] * velocity)
        L[model.rigids.spins] = np.einsum("bij,bj->bi", J, velocity[model.rigids.spins])
        return model.mass @ velocity, L.sum(axis=0)

    assert approach(state.v).min() < -0.5
    assert approach(v).min() > -1e-3
    for before, after in zip(momenta(state.v), momenta(v), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-12)


def test_hopeless_settings_on_a_folding_cloth():
    """The falling cloth with one refinement and a solver of one sweep: never an intersection, and it still comes down."""
    sim = sg.Simulation(SCENES["falling-cloth"].build(resolution=15), dt=10e-3, settings=HOPELESS)
    height = sim.bodies["sheet"].positions[:, 2].mean()
    reports = run(sim, 50)
    assert failsafes(reports)
    assert sim.bodies["sheet"].positions[:, 2].mean() < 0.8 * height


def test_an_emergency_step_does_not_add_energy():
    """The approaching velocity is removed by inelastic impulses: kinetic energy in an emergency step without gravity
    never exceeds that before it.
    """
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    mesh = sg.shapes.grid(0.3, 0.3, cells=6)
    scene.add_cloth(mesh, velocity=(0.0, 0.0, 5.0))
    scene.add_cloth(mesh, position=(0.02, 0.01, 0.05), rotation=(0.0, 0.0, 0.3), velocity=(0.0, 0.0, -5.0))
    sim = sg.Simulation(scene, dt=10e-3, settings=HOPELESS)
    kinetic = [sim._completed(sg.StepReport()).kinetic_energy, *(r.kinetic_energy for r in run(sim, 20))]
    assert max(kinetic) <= kinetic[0] * (1.0 + 1e-9)


def test_the_default_settings_need_no_emergency_for_the_same():
    """The same impact at 10 m/s with default settings: no fail-safe, no intersection."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    mesh = sg.shapes.grid(0.3, 0.3, cells=6)
    scene.add_cloth(mesh, velocity=(0.0, 0.0, 5.0))
    scene.add_cloth(mesh, position=(0.02, 0.01, 0.05), rotation=(0.0, 0.0, 0.3), velocity=(0.0, 0.0, -5.0))
    assert not failsafes(run(sg.Simulation(scene, dt=4e-3), 30))


def pinched(settings=None, dt=4e-3):
    """Two boxes of 0.2 m close on a sheet of 0.3 m between them at 1 m/s each and would meet at 20 ms."""
    return sg.Simulation(pinched_sheet(), dt=dt, settings=settings)


@pytest.mark.parametrize("dt", [4e-3, 20e-3])
def test_a_pinched_cloth_stops_with_names_and_time(dt):
    """The gap is 40 mm - 2 t: it is shut at t = 20 ms. Before that the simulation stops, with a message that names the
    bodies and the time, and the state is the one before the step: free of intersection, and readable.
    """
    sim = pinched(dt=dt)
    check = IpcCheck(sim)
    with pytest.raises(sg.SimulationStoppedError) as caught:
        for _ in range(20):
            q, v, time, index = sim.state.q.copy(), sim.state.v.copy(), sim.time, sim.step_index
            check.step()
    message = str(caught.value)
    assert "'sheet'" in message
    assert "'hammer'" in message or "'anvil'" in message
    stopped = float(re.search(r"t = ([0-9.e-]+) s", message).group(1))
    assert time <= stopped < 0.02
    assert "change their motion" in message, "the remedy is named"
    assert np.array_equal(sim.state.q, q)
    assert np.array_equal(sim.state.v, v)
    assert (sim.time, sim.step_index) == (time, index)
    assert sim.intersections() == 0
    check.assert_clean()
    with pytest.raises(sg.SimulationStoppedError):
        sim.step()


@pytest.mark.parametrize("settings", [None, HOPELESS], ids=["default", "hopeless"])
@pytest.mark.parametrize("shape", ["sphere", "box"])
def test_a_fast_obstacle_hits_a_cloth(shape, settings):
    """10 m/s at dt = 20 ms: 0.2 m per step through a free sheet. It is carried along, never passed."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0), friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=9), name="sheet")
    mesh = sg.shapes.sphere(0.1, edge=0.05) if shape == "sphere" else sg.shapes.box(0.15, 0.15, 0.1, cells=2)
    scene.add_kinematic(
        mesh, position=(0.01, 0.02, -0.3), motion=sg.motions.Translate(velocity=(0.0, 0.0, 10.0)), name="bullet"
    )
    sim = sg.Simulation(scene, dt=20e-3, settings=replace(settings or sg.Settings(), contact_distance=5e-3))
    run(sim, 8)
    top = sim.bodies["bullet"].positions[:, 2].max()
    assert top == pytest.approx(-0.3 + (0.1 if shape == "sphere" else 0.05) + 10.0 * 0.16, rel=1e-9)
    middle = sim.bodies["sheet"].positions[np.argmin(np.abs(sim.scene.bodies["sheet"].positions[:, :2]).sum(axis=1))]
    if shape == "sphere":  # it lies on the sphere, in front of it
        arm = middle - (0.01, 0.02, top - 0.1)
        assert np.linalg.norm(arm) > 0.098
        assert arm[2] > 0.05
    else:
        assert middle[2] > top


@pytest.mark.parametrize("halvings", [10, 11, 12])
def test_many_halvings_end(halvings):
    """`max_halvings` above what the time grid of a step resolves (2^10) must not cut sub-steps of no length for ever."""
    sim = pinched(sg.Settings(max_halvings=halvings))
    with pytest.raises(sg.SimulationStoppedError, match="no room left"):
        for _ in range(6):
            sim.step()
    assert sim.intersections() == 0


def test_the_room_of_a_pinch_is_shared_until_there_is_none():
    """Two plates close on a sheet: its contacts give up their distance step by step, every problem is solved, and the sheet is
    not shot out; the stop names it, with almost no room left.
    """
    scene = sg.Scene(friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=8), name="sheet")
    plate = sg.shapes.box(0.3, 0.3, 0.02, cells=4)
    for name, side in (("upper", 1.0), ("lower", -1.0)):
        motion = sg.motions.Translate(velocity=(0.0, 0.0, -0.05 * side))
        scene.add_kinematic(plate, motion=motion, position=(0.0, 0.0, 0.02 * side), name=name)
    sim = sg.Simulation(scene, dt=4e-3, settings=sg.Settings(contact_distance=2.5e-3))
    reports = []
    with pytest.raises(sg.SimulationStoppedError, match=r"no room left between '(lower|sheet)' and '(sheet|upper)'"):
        for _ in range(200):
            reports.append(sim.step())
    assert all(r.solves == r.solves_converged and r.failsafe_substeps == 0 for r in reports[:-1])
    assert sum(r.shared_solves > 0 for r in reports) > 3
    assert reports[-1].min_distance < 0.1 * sim.contact_distance
    assert np.abs(sim.bodies["sheet"].velocities).max() < 0.2


def test_a_crushed_block_that_cannot_move_has_no_speed():
    """A block of 3 cm is pressed to 54 % of its height and buckles: the calm motion that cannot move it takes its vibration.

    Before, it vibrated at 30 m/s without moving, in 32 fail-safe sub-steps of every further step.
    """
    scene = sg.Scene(friction=1.8)
    scene.add_ground()
    material = sg.SolidMaterial(young=8.5e6, poisson=0.078, density=1000.0, model="neo-hookean")
    cube = sg.shapes.box_tets(0.03, 0.03, 0.03, cells=2)
    scene.add_soft_solid(cube, material=material, position=(0, 0, 0.0153), name="block")
    pressed = sg.motions.Translate(velocity=(0.0, 0.0, -0.01612 / 0.15), stop=0.15)
    scene.add_kinematic(sg.shapes.box(0.06, 0.06, 0.006), position=(0, 0, 0.0369), motion=pressed)
    sim = sg.Simulation(scene, dt=0.0078808)
    stuck = 0
    for _ in range(30):
        before = sim.bodies["block"].positions.copy()
        report = sim.step()
        moved = np.abs(sim.bodies["block"].positions - before).max()
        stuck += moved < 1e-12 and report.max_speed > 1e-3
    assert stuck == 0
    assert sim.intersections() == 0
