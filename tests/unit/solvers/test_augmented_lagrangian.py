"""The default solver: against Clarabel, against full anticipation, at its edges, and on what cannot be solved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reference.clarabel_qp import solve_clarabel, solve_clarabel_friction
from reference.measures import relative_error
from reference.problems import random_mlcp
from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.settings import SolverSettings
from signorini.solvers import augmented_lagrangian, measure, solve
from signorini.solvers.iterates import Iterates
from signorini.studies.problems.rigid_boxes import box_matrix
from signorini.studies.problems.rows import ContactRows
from signorini.studies.problems.special import Pinch, make_heavy_boxes, make_pinched

TIGHT = SolverSettings(tolerance=1e-9, relative_tolerance=1e-9)


@pytest.mark.parametrize("stiffness", [1.0, 100.0, 10_000.0])
@pytest.mark.parametrize("seed", range(3))
def test_frictionless_answers_are_those_of_clarabel(stiffness, seed):
    problem = random_mlcp(
        np.random.default_rng(seed), rows=6, columns=6, contacts=50, stiffness=stiffness, duplicates=4
    )
    response = solve(problem, TIGHT)
    assert response.converged
    assert relative_error(problem, response.dv, solve_clarabel(problem)[0]) <= 1e-6


@pytest.mark.parametrize("friction", [0.3, 0.8])
@pytest.mark.parametrize("stiffness", [10.0, 1000.0])
@pytest.mark.parametrize("seed", range(3))
def test_frictional_answers_are_those_of_an_independent_method(friction, stiffness, seed):
    problem = random_mlcp(
        np.random.default_rng(seed), rows=5, columns=5, contacts=40, stiffness=stiffness, friction=friction
    )
    response = solve(problem, TIGHT)
    assert response.converged
    assert np.abs(response.impulse[:, 1:]).max() > 0.0
    # The interior-point method itself ends near 1e-6 on the stiff ones.
    assert relative_error(problem, response.dv, solve_clarabel_friction(problem)) <= (
        1e-6 if stiffness < 100.0 else 1e-5
    )


@pytest.mark.parametrize("stiffness", [1.0, 10_000.0])
def test_answers_do_not_depend_on_the_orientation_of_the_tangents(stiffness):
    problem = random_mlcp(np.random.default_rng(2), rows=5, columns=5, contacts=30, stiffness=stiffness, friction=0.5)
    cosine, sine = np.cos(0.7), np.sin(0.7)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, cosine, sine], [0.0, -sine, cosine]])
    turned = replace(
        problem, jacobian_blocks=turn @ problem.jacobian_blocks, free_velocity=problem.free_velocity @ turn.T
    )
    first, second = solve(problem, TIGHT), solve(turned, TIGHT)
    assert first.converged and second.converged
    assert relative_error(problem, second.dv, first.dv) <= 1e-6


def test_a_solution_as_start_is_returned_at_once():
    problem = random_mlcp(np.random.default_rng(4), rows=6, columns=6, contacts=50, stiffness=100.0, friction=0.3)
    first = solve(problem, replace(TIGHT, tolerance=1e-6))
    again = solve(problem, SolverSettings(), WarmStart(first.dv, first.impulse))
    assert first.converged and again.converged
    assert again.outer_iterations == 0
    np.testing.assert_array_equal(again.dv, first.dv)


@pytest.mark.parametrize("turn", [0, 1])
def test_each_of_the_two_methods_solves_alone(monkeypatch, turn):
    """Relaxation on a soft problem, the augmented Lagrangian on a stiff one: neither hides behind the other."""
    blocked = ("update_multipliers", "relax")[turn]
    monkeypatch.setattr(augmented_lagrangian._Solve, blocked, lambda *_: False)
    problem = random_mlcp(
        np.random.default_rng(5), rows=6, columns=6, contacts=40, stiffness=(1.0, 3000.0)[turn], friction=0.3
    )
    assert solve(problem, SolverSettings()).converged


def test_relaxation_gives_up_at_once_on_a_stiff_problem(monkeypatch):
    monkeypatch.setattr(augmented_lagrangian._Solve, "update_multipliers", lambda *_: False)
    monkeypatch.setattr(augmented_lagrangian, "ROUNDS", augmented_lagrangian.ROUNDS[:1])
    problem = random_mlcp(np.random.default_rng(5), rows=8, columns=8, contacts=60, stiffness=10_000.0, friction=0.3)
    attempt = augmented_lagrangian._Solve(problem, SolverSettings(), None)
    assert not attempt.relax(augmented_lagrangian.ROUNDS[0])
    assert attempt.outer <= 30


@pytest.mark.parametrize("mass", [1.0, 80.0])
def test_heavy_boxes_on_a_light_sheet(mass):
    problem = make_heavy_boxes(mass=mass, stiffness_ratio=100.0, friction=0.5, side=10).problem
    response = solve(problem, SolverSettings(tolerance=1e-4, relative_tolerance=3e-4))
    assert response.converged
    residuals = measure(problem, response.dv, response.impulse)
    assert max(residuals.normal, residuals.friction, residuals.dynamics) <= 1e-4


def squeezed_box(speed: float) -> Mlcp:
    """A box between a floor and a ceiling that comes down at `speed`; a second box beside it just rests."""
    A = box_matrix(np.array([1.0, 1.0]), np.full((2, 3), 0.1))
    rows = ContactRows()
    v_free = np.zeros((4, 3))
    v_free[[0, 2], 2] = -0.04
    for node in (0, 2):
        rows.add([node], [np.eye(3)], normal=np.array([0.0, 0.0, 1.0]), gap=0.0)
    down = np.array([0.0, 0.0, -1.0])
    rows.add([0], [np.eye(3)], normal=down, gap=0.0, prescribed=np.array([0.0, 0.0, speed]))
    return rows.build(A, v_free, friction=0.3, dt=0.01, contact_distance=1e-3)


def test_contradicting_contacts_are_named_and_share_the_violation():
    response = solve(squeezed_box(0.5), SolverSettings())
    assert not response.converged and not response.diverged
    assert response.infeasible.tolist() == [0, 2]
    # The box yields to both, half each, with a little room; the one that is not squeezed is solved as usual.
    assert response.dv[0, 2] - 0.04 == pytest.approx(-0.25, abs=0.01 * 0.25 + 2.0 * 5e-4)
    assert response.dv[2, 2] == pytest.approx(0.04, rel=1e-3)
    assert np.isfinite(response.impulse).all()


@pytest.mark.parametrize(("speed", "friction"), [(1.0, 0.8), (1.0, 0.3), (0.1, 0.3)])
def test_a_pinched_sheet_is_recognised_and_stays_calm(speed, friction):
    pinch = Pinch(overlap_speed=speed, friction=friction)
    response = solve(make_pinched(pinch).problem, SolverSettings())
    assert not response.converged and len(response.infeasible) >= pinch.pinched**2
    assert np.abs(response.dv).max() < 3.0 * speed + 0.2


def test_a_sheet_that_might_slip_out_of_a_pinch_stays_calm_without_a_verdict():
    """Its normals are 0.02 rad from opposite: leaving at 0.5 m/s is possible by them, and friction prevents it."""
    problem = make_pinched(Pinch(overlap_speed=0.01, friction=0.3)).problem
    response = solve(problem, SolverSettings())
    assert not response.converged
    assert np.abs(response.dv).max() < 0.23
    violation = -(problem.jacobian()[0::3] @ response.dv.ravel() + problem.bias()[:, 0])
    assert np.delete(violation, response.infeasible).max() < 0.01


def test_a_feasible_problem_names_no_contact():
    for seed in range(5):
        problem = random_mlcp(np.random.default_rng(seed), contacts=40, stiffness=1000.0, friction=0.8, duplicates=10)
        response = solve(problem, SolverSettings())
        assert response.converged and len(response.infeasible) == 0


def test_numbers_that_are_not_finite_are_reported():
    problem = random_mlcp(np.random.default_rng(0), contacts=10)
    problem.free_velocity[3, 0] = np.nan
    response = solve(problem, SolverSettings())
    assert response.diverged and not response.converged


def test_an_iterate_that_is_not_a_number_is_no_solution():
    problem = random_mlcp(np.random.default_rng(1), contacts=8, stiffness=1.0, friction=0.8)
    iterates = Iterates(problem, SolverSettings(tolerance=1e-6), None)
    assert iterates.offer(np.full_like(iterates.dv, np.nan), iterates.impulse) == np.inf
    assert not iterates.is_solved
