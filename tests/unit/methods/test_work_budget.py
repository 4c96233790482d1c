"""Budget of work of a step: every loop of a step draws on it, so that none can go on for minutes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from reference.problems import random_mlcp
from signorini.contact.residuals import measured_response
from signorini.errors import ProblemTooLargeError
from signorini.methods import cmr, substeps, work_budget
from signorini.methods.failsafes import impact_zones, inelastic_projection, scale_back
from signorini.methods.failsafes.failsafe import failsafe_step
from signorini.methods.report import Tally
from signorini.methods.trial_motion import TrialMotion
from signorini.methods.work_budget import DENSE_BUDGET, DENSE_ITERATIONS, WorkBudget
from signorini.settings import FailsafeName, SolverSettings
from signorini.solvers import full_anticipation, solve

ROUNDS = {
    "inelastic-projection": (inelastic_projection, "project_velocity"),
    "impact-zones": (impact_zones, "move_zones"),
}
"""The fail-safes that work in rounds, and what each does once in every round."""


def sheets(failsafe: FailsafeName) -> sg.Simulation:
    """A sheet that flies into two others, one after the other."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    for k in range(3):
        velocity = (0.0, 0.0, 0.0 if k else 4.4)
        scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=4), position=(0.0, 0.0, 0.012 * k), velocity=velocity)
    return sg.Simulation(scene, dt=5e-3, settings=sg.Settings(contact_distance=5e-3, failsafe=failsafe))


def counted(monkeypatch: pytest.MonkeyPatch, failsafe: str) -> list[int]:
    """The rounds of a fail-safe from now on: the list grows by one in each."""
    module, name = ROUNDS[failsafe]
    original, rounds = getattr(module, name), []

    def count(*arguments):
        rounds.append(1)
        return original(*arguments)

    monkeypatch.setattr(module, name, count)
    return rounds


def test_impacts_that_are_stopped_and_come_back_are_not_projected_again(monkeypatch):
    """In scene 103 of the campaign the same 49 impacts came back a hundred times, and were added each time: 37 s of a step."""
    sim = sheets("inelastic-projection")
    rounds, find, first = counted(monkeypatch, "inelastic-projection"), TrialMotion.find_impacts, []

    def find_the_same(motion, placed):
        first.append(find(motion, placed))
        return first[0]

    monkeypatch.setattr(TrialMotion, "find_impacts", find_the_same)
    end, impacts = inelastic_projection.apply_inelastic_projection(
        sim._world, sim._moment, sim.dt, sim.state.v, Tally()
    )
    assert len(impacts.contacts) > 0
    assert end is None
    assert len(rounds) == 1


@pytest.mark.parametrize("failsafe", ROUNDS)
def test_rounds_of_a_failsafe_are_work_and_end_with_the_budget(monkeypatch, failsafe):
    """The chain of impacts needs several rounds; without a budget left there is none, and the motion is scaled back."""
    sim = sheets(failsafe)
    rounds, tally = counted(monkeypatch, failsafe), Tally(work=WorkBudget(30.0, 1e5))
    end, _ = failsafe_step(sim._world, sim._moment, sim.dt, sim.state.v, tally)
    assert end is not None
    assert len(rounds) > 1
    checks = Tally(work=WorkBudget(30.0, 1e5))
    checks.work.count_check(0)
    assert tally.work.done > (1 + len(rounds)) * checks.work.done
    rounds.clear()
    spent = Tally(work=WorkBudget(30.0, 1e5, done=1e7))
    end, _ = failsafe_step(sim._world, sim._moment, sim.dt, sim.state.v, spent)
    assert end is not None
    assert not rounds


def test_failing_substeps_of_an_adaptive_step_share_one_budget(monkeypatch):
    """Each of them had the budget of a whole step: 179 that a fail-safe ended took 59 s (scene 459 of the campaign)."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1000.0, velocity=(1.0, 0.0, 0.0))
    sim = sg.Simulation(scene, dt="auto", settings=sg.Settings(integrator="bdf2"))
    attempts = []

    def unsolved(world, start, end_time, tally, **_):
        attempts.append(1)
        tally.work.count_attempt(world.model.node_count, 0)
        tally.work.done += 0.1 * tally.work.budget
        return cmr.Attempt(None, None, start.state.v)

    monkeypatch.setattr(substeps, "attempt_step", unsolved)
    report = sim.step()
    assert report.over_budget
    assert len(attempts) < 15
    assert report.budget_used < 1.2
    assert report.substeps < 30


def test_substeps_that_the_error_asks_for_are_no_reason_to_end_a_step():
    """Each adds what a typical step needs to the budget that they share."""
    work = WorkBudget(30.0, 1e5)
    for _ in range(64):
        work.done += 1e5
        assert not work.is_spent
        work.add_substep()
    work.done += 0.8 * 30.0 * 1e5
    assert not work.is_spent
    work.done += 1e5
    assert work.is_spent
    assert work.per_substep == pytest.approx(1e5 * (1.0 + 25.0 / 64.0))


def test_repeats_and_failsafes_have_reserves_within_the_budget():
    """They were added to the budget, so that a step whose energy grew ended at 1.25 times of it or more."""
    work, budget = WorkBudget(30.0, 1e5), 30.0 * 1e5
    work.done = 0.85 * budget
    assert work.is_spent
    assert work.may_repeat_for_energy()
    work.done = 0.9 * budget
    assert not work.may_repeat_for_energy()
    assert work.may_go_on_in_failsafe
    work.done = 0.95 * budget
    assert not work.may_go_on_in_failsafe


def test_a_solve_uses_no_more_than_is_left():
    """The examination for contradictions went beyond, and so did every part of a problem that is solved in parts."""
    problem = random_mlcp(np.random.default_rng(3), rows=12, columns=12, contacts=300, friction=0.8, stiffness=1e4)
    for most in (1, 500, 2000):
        response = solve(problem, SolverSettings(tolerance=1e-12, max_iterations=most))
        assert not response.converged
        assert response.inner_iterations <= 1.1 * most + 200


@pytest.mark.parametrize("failsafe", ["scale-back", *ROUNDS])
def test_a_motion_is_not_retried_where_no_work_is_left(monkeypatch, failsafe):
    """It was scaled back to a part, a half of that, and so on until nothing was hit, after a check of what a zone would hit."""
    sim = sheets(failsafe)
    retries, shorten = [], scale_back.shortened

    def record(*arguments, **options):
        retries.append(shorten(*arguments, **options))
        return retries[-1]

    monkeypatch.setattr(scale_back, "shortened", record)
    spent = Tally(work=WorkBudget(30.0, 1e5, done=1e7))
    end, _ = failsafe_step(sim._world, sim._moment, sim.dt, sim.state.v, spent)
    assert end is not None
    checks = Tally(work=WorkBudget(30.0, 1e5))
    checks.work.count_check(len(sim._moment.candidates))
    assert spent.work.done - 1e7 < 3.0 * checks.work.done
    assert all(set(parts) == {0.0, 1.0} for parts in retries)
    failsafe_step(sim._world, sim._moment, sim.dt, sim.state.v, Tally())
    assert failsafe != "scale-back" or any(0.0 < part < 1.0 for part in retries[-1])


@pytest.mark.parametrize("name", ["full-anticipation", "ica", "rigid-refinement", "standard-contact"])
def test_solvers_end_after_the_iterations_that_are_left(name):
    """Only the default solver did: with 1,600 contacts full anticipation took minutes (scene 917 of the campaign)."""
    problem = random_mlcp(np.random.default_rng(3), rows=7, columns=6, contacts=60, friction=0.4, stiffness=1000.0)
    free = solve(problem, SolverSettings(name=name, tolerance=1e-8))
    limited = solve(problem, SolverSettings(name=name, tolerance=1e-8, max_iterations=4))
    assert free.inner_iterations > 20
    assert limited.inner_iterations < 4 + SolverSettings().max_inner


def test_full_anticipation_sweeps_no_further_than_its_tolerance_asks_for():
    """It went on to a part of 1e-11 of the velocities whatever the tolerance."""
    problem = random_mlcp(
        np.random.default_rng(3), rows=7, columns=6, contacts=60, friction=0.4, stiffness=1000.0, duplicates=5
    )
    coarse, exact = (
        solve(problem, SolverSettings(name="full-anticipation", tolerance=tolerance)) for tolerance in (5e-4, 1e-8)
    )
    assert coarse.converged
    assert max(coarse.normal_residual, coarse.friction_residual) < 1e-3 * 5e-4
    assert coarse.inner_iterations < 0.8 * exact.inner_iterations


def test_dense_matrices_cost_what_they_really_do():
    """A sweep costs the square of the contacts, and the matrix a linear system for each row: 29 s with 7,200 nodes and 1,900
    contacts, counted as 2.7."""
    problem = random_mlcp(np.random.default_rng(3), rows=12, columns=12, contacts=600)
    nothing = np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3))
    response = measured_response(problem, *nothing, tolerance=1e-3, inner_iterations=100)
    done = {}
    for dense in (False, True):
        work = WorkBudget(30.0, 1e3, dense=dense)
        work.count_attempt(problem.node_count, 0)
        start = work.done
        left = work.iterations_left(problem)
        assert left is not None
        if dense:
            assert 10 * DENSE_ITERATIONS < left < 0.5 * DENSE_BUDGET / (work_budget.SWEEP * 1800**2)
        work.count_solve(response)
        done[dense] = work.done - start
    assert done[True] > 20.0 * done[False]
    large = Tally(work=WorkBudget(dense=True)).work
    empty = np.zeros((7200, 3)), np.zeros((1900, 3))
    large.count_solve(replace(response, dv=empty[0], impulse=empty[1], inner_iterations=0, outer_iterations=0))
    assert 1e7 < large.done < 3e7


def test_solves_with_dense_matrices_share_a_budget_of_seconds():
    """A typical step of scene 917 of the campaign took 5 CPU s, so that its third one might take 164."""
    problem = random_mlcp(np.random.default_rng(3), rows=12, columns=12, contacts=600)
    work = WorkBudget(30.0, 1e7, dense=True)
    work.count_attempt(problem.node_count, 0)
    assert work.budget == pytest.approx(DENSE_BUDGET + 30.0 * work.attempt)
    for _ in range(32):  # sub-steps that the error asks for add only what they cost without their solves
        work.add_substep()
    assert work.budget + work.extended < 1.5 * DENSE_BUDGET
    assert WorkBudget(30.0, 1e7).budget == 30.0 * 1e7


def pressed_sheet() -> sg.Simulation:
    """A sheet that falls on a plane, with a solver of dense matrices."""
    scene = sg.Scene()
    scene.add_ground()
    scene.add_cloth(
        sg.shapes.grid(0.2, 0.2, cells=4), position=(0.0, 0.0, 0.003), velocity=(0.0, 0.0, -1.0), name="sheet"
    )
    settings = sg.Settings(contact_distance=2e-3, solver=SolverSettings(name="full-anticipation"))
    return sg.Simulation(scene, dt=5e-3, settings=settings)


@pytest.mark.parametrize("reason", ["too large for the solver", "too costly for the budget"])
def test_a_problem_that_is_too_large_is_named_and_the_step_goes_on(monkeypatch, reason):
    """An exception ended the run in the middle, with the advice to take another solver."""
    sim = pressed_sheet()
    if reason == "too large for the solver":
        monkeypatch.setattr(full_anticipation, "LARGEST", 6)
    else:
        monkeypatch.setattr(work_budget, "FORMED", 1e7)
    reports = [sim.step() for _ in range(4)]
    hit = next(r for r in reports if r.solves > r.solves_converged)
    assert hit.status is sg.StepStatus.FAILSAFE
    assert hit.unsolved_bodies == "ground | sheet"
    assert sim.intersections() == 0
    with pytest.raises(ProblemTooLargeError, match="use solver 'ica'"):
        monkeypatch.setattr(full_anticipation, "LARGEST", 6)
        solve(random_mlcp(np.random.default_rng(3), contacts=3), SolverSettings(name="full-anticipation"))
