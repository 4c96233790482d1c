"""The fail-safes of CMR on whole simulations: each continues where the run would stop or lose motion without it."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from reference.ipc_check import IpcCheck
from signorini.collision.contact_set import empty_contacts
from signorini.collision.detect import Impacts
from signorini.contact.mlcp import Response
from signorini.gallery import SCENES
from signorini.methods.failsafes import failsafe
from support.crowded_scenes import thrown_together

APPLY = {"impact-zones": "apply_impact_zones", "inelastic-projection": "apply_inelastic_projection"}
FAILSAFES = list(APPLY)


def hopeless(name):
    """Settings with which nothing fast can be resolved without the fail-safe: one refinement, one sweep, no halving."""
    solver = sg.SolverSettings(name="ica", max_outer=1, max_inner=1, contact_repeats=1)
    return sg.Settings(failsafe=name, max_refinements=1, max_halvings=0, solver=solver)


def take_away(monkeypatch, name):
    """Make a fail-safe give up at once."""
    monkeypatch.setattr(failsafe, APPLY[name], lambda *_: (None, Impacts(empty_contacts(), np.inf)))


def count_successes(monkeypatch, name):
    """The outcomes of a fail-safe from here on."""
    outcomes, apply = [], getattr(failsafe, APPLY[name])

    def counted(*args):
        moment, impacts = apply(*args)
        outcomes.append(moment is not None)
        return moment, impacts

    monkeypatch.setattr(failsafe, APPLY[name], counted)
    return outcomes


def run(sim, steps):
    check = IpcCheck(sim)
    reports = [check.step() for _ in range(steps)]
    check.assert_clean()
    assert np.isfinite(sim.state.v).all()
    return reports


def crash_and_a_far_sheet(name):
    """Sheets that fly at each other at 10 m/s, and ten metres away one that falls freely."""
    scene = sg.Scene(friction=0.3)
    mesh = sg.shapes.grid(0.3, 0.3, cells=6)
    for k in range(3):
        place = {"position": (0.02 * k, 0.01 * k, 0.05 * k), "rotation": (0.0, 0.0, 0.3 * k)}
        scene.add_cloth(mesh, velocity=(0.0, 0.0, -5.0 if k else 5.0), **place)
    scene.add_cloth(mesh, position=(10.0, 0.0, 0.0), velocity=(3.0, 0.0, 0.0), name="far")
    return sg.Simulation(scene, dt=10e-3, settings=hopeless(name))


def fall(sim, steps):
    """How far the far sheet has moved (3,) [m], and how far backward Euler lets it fall (3,) [m]."""
    start = sim.bodies["far"].positions.copy()
    reports = run(sim, steps)
    assert any(r.failsafe_substeps for r in reports)
    moved = sim.bodies["far"].positions - start
    assert np.ptp(moved, axis=0).max() < 1e-9
    return moved[0], np.array([3.0 * steps * sim.dt, 0.0, -9.81 * sim.dt**2 * steps * (steps + 1) / 2.0])


@pytest.mark.parametrize("name", [*FAILSAFES, "scale-back"])
def test_what_is_far_away_does_not_feel_it(name):
    """A crash is resolved where it happens: the far sheet falls as if it were alone, to 1e-9 m. In steps that are divided because
    of the crash it falls a little less far, as backward Euler does in sub-steps."""
    moved, expected = fall(crash_and_a_far_sheet(name), 12)
    np.testing.assert_allclose(moved[:2], expected[:2], atol=1e-9)
    assert expected[2] - 1e-9 < moved[2] < -9.81 * 0.12**2 / 2.0 + 1e-9


def no_response(problem, *_):
    """A contact solver that never finds an impulse."""
    return Response(
        dv=np.zeros((problem.node_count, 3)),
        impulse=np.zeros((problem.contact_count, 3)),
        outer_iterations=1,
        inner_iterations=1,
        converged=False,
        diverged=False,
        normal_residual=np.inf,
        friction_residual=np.inf,
        dynamics_residual=np.inf,
        dynamics_relative=np.inf,
        penetration_velocity=np.inf,
        infeasible=np.zeros(0, np.int32),
    )


def pushed(name):
    """A plate that lifts a sheet at 2 m/s, with a solver that does nothing."""
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=6), position=(0.0, 0.0, 0.07), name="sheet")
    motion = sg.motions.Translate(velocity=(0.0, 0.0, 2.0))
    scene.add_kinematic(sg.shapes.box(0.4, 0.4, 0.1, cells=3), motion=motion, name="plate")
    return sg.Simulation(scene, dt=4e-3, settings=sg.Settings(failsafe=name, solver=no_response))


@pytest.mark.parametrize("name", FAILSAFES)
def test_a_plate_pushes_a_sheet_without_any_solver(name, monkeypatch):
    """With a solver that does nothing, only the fail-safe can move the sheet out of the way of the plate."""
    outcomes = count_successes(monkeypatch, name)
    sim = pushed(name)
    run(sim, 30)
    assert sum(outcomes) > 10
    assert all(outcomes)
    gap = sim.bodies["sheet"].positions[:, 2] - sim.bodies["plate"].positions[:, 2].max()
    assert gap.min() > 0.0
    assert gap.max() < 0.02


@pytest.mark.parametrize("name", FAILSAFES)
def test_without_it_the_plate_cannot_go_on(name, monkeypatch):
    """The same without the fail-safe: standing still is not safe, and the simulation stops."""
    take_away(monkeypatch, name)
    sim = pushed(name)
    with pytest.raises(sg.SimulationStoppedError, match="no room left between 'plate' and 'sheet'"):
        for _ in range(30):
            sim.step()
    assert sim.time < 0.02


@pytest.mark.parametrize("name", FAILSAFES)
def test_bodies_of_all_kinds(name, monkeypatch):
    """A spinning rigid box, a soft one and a sheet fly at each other above the ground: never an intersection."""
    outcomes = count_successes(monkeypatch, name)
    sim = sg.Simulation(thrown_together(), dt=4e-3, settings=hopeless(name))
    reports = run(sim, 40)
    assert len(outcomes) == sum(r.failsafe_substeps for r in reports)
    assert sum(outcomes) > 5
    assert np.mean(outcomes) > 0.8, "scaling back is the exception"


@pytest.mark.parametrize("name", FAILSAFES)
def test_a_folding_cloth_comes_down(name, monkeypatch):
    """Self-contact in folds on the ground with hopeless settings."""
    outcomes = count_successes(monkeypatch, name)
    sim = sg.Simulation(SCENES["falling-cloth"].build(resolution=12), dt=10e-3, settings=hopeless(name))
    height = sim.bodies["sheet"].positions[:, 2].mean()
    run(sim, 80)
    assert sum(outcomes) > 5
    assert np.mean(outcomes) > 0.8
    assert sim.bodies["sheet"].positions[:, 2].mean() < 0.7 * height


@pytest.mark.parametrize("name", FAILSAFES)
def test_momentum_and_kinetic_energy_of_a_crash(name):
    """Two sheets without gravity: P is kept through all steps, and no fail-safe step raises the kinetic energy."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    mesh = sg.shapes.grid(0.3, 0.3, cells=6)
    scene.add_cloth(mesh, velocity=(0.0, 0.0, 5.0))
    scene.add_cloth(mesh, position=(0.02, 0.01, 0.05), rotation=(0.0, 0.0, 0.3), velocity=(0.3, 0.0, -5.0))
    sim = sg.Simulation(scene, dt=10e-3, settings=hopeless(name))
    mass = sim._world.model.mass
    P = mass @ sim.state.v
    kinetic = 0.5 * mass @ (sim.state.v**2).sum(axis=1)
    reports = run(sim, 3)
    assert reports[0].failsafe_substeps == 1, "the first step is the crash"
    assert reports[0].kinetic_energy < 0.9 * kinetic
    np.testing.assert_allclose(mass @ sim.state.v, P, atol=1e-8)


@pytest.mark.parametrize("name", FAILSAFES)
def test_a_pinch_still_stops_with_names(name):
    """Where scripted bodies leave no room, scaling back is tried last and the message is the same."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=8), name="sheet")
    for body, side in (("hammer", 1.0), ("anvil", -1.0)):
        motion = sg.motions.Translate(velocity=(0.0, 0.0, -1.0 * side))
        mesh = sg.shapes.box(0.2, 0.2, 0.1, cells=(2, 2, 1))
        scene.add_kinematic(mesh, position=(0.0, 0.0, 0.07 * side), motion=motion, name=body)
    sim = sg.Simulation(scene, dt=4e-3, settings=sg.Settings(failsafe=name))
    check = IpcCheck(sim)
    with pytest.raises(sg.SimulationStoppedError, match=r"no room left between .*'sheet'"):
        for _ in range(10):
            check.step()
    check.assert_clean()
    assert 0.008 <= sim.time < 0.02
