"""The default solver on what is hard to tell from infeasible: wedges, mass ratios, and compromises that are near the best."""

from __future__ import annotations

import numpy as np
import pytest

from reference.feasibility import least_violation, random_feasible, random_infeasible, random_wedge, violations, wedge
from reference.problems import random_mlcp
from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.settings import SolverSettings
from signorini.solvers import augmented_lagrangian, measure, solve
from signorini.studies.problems.rigid_boxes import box_matrix
from signorini.studies.problems.rows import ContactRows, cross_matrix

TOLERANCE = 5e-4
SETTINGS = SolverSettings(tolerance=TOLERANCE)


def stack(masses: np.ndarray, *, friction: float) -> Mlcp:
    """Boxes of 0.2 m on top of each other that gravity has pulled for 10 ms, four contacts each."""
    side, dt, count = 0.2, 0.01, len(masses)
    v_free = np.zeros((2 * count, 3))
    v_free[0::2, 2] = -9.81 * dt
    rows = ContactRows()
    for i in range(count):
        for corner in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            nodes, maps = [], []
            for box, sign in ((i, 1.0), (i - 1, -1.0))[: 1 if i == 0 else 2]:
                arm = 0.5 * side * np.array([*corner, -sign])
                nodes += [2 * box, 2 * box + 1]
                maps += [sign * np.eye(3), -sign * cross_matrix(arm)]
            rows.add(nodes, maps, normal=np.array([0.0, 0.0, 1.0]), gap=0.0)
    return rows.build(box_matrix(masses, np.full((count, 3), side)), v_free, friction=friction, dt=dt)


def check_compromise(problem: Mlcp) -> float:
    """The worst violation over the least possible one, after the checks that always hold."""
    least = least_violation(problem)
    response = solve(problem, SETTINGS)
    assert not response.converged and len(response.infeasible)
    assert response.certificate is not None
    assert response.certificate.sum() == pytest.approx(1.0) and response.certificate.min() >= 0.0
    violation = violations(problem, response.dv)
    assert np.delete(violation, response.infeasible).max(initial=0.0) <= TOLERANCE
    return float(violation.max() / least)


def test_a_node_that_can_only_leave_sideways_is_not_infeasible():
    response = solve(wedge(), SETTINGS)
    assert response.converged and len(response.infeasible) == 0 and response.certificate is None
    np.testing.assert_allclose(response.dv, [[4.0, 0.0, 0.1]], atol=0.02)


@pytest.mark.parametrize("make", [random_feasible, random_wedge])
def test_feasible_problems_are_solved(make):
    for seed in range(60):
        response = solve(make(np.random.default_rng(seed)), SETTINGS)
        assert response.converged and len(response.infeasible) == 0


@pytest.mark.slow
@pytest.mark.parametrize("make", [random_feasible, random_wedge])
def test_five_hundred_feasible_problems_are_solved(make):
    unsolved = [s for s in range(500) if not solve(make(np.random.default_rng(1000 + s)), SETTINGS).converged]
    assert unsolved == []


def test_compromises_satisfy_what_is_not_named_and_are_near_the_least_violation():
    problems = [random_infeasible(np.random.default_rng(seed)) for seed in range(10_000, 10_025)]
    factors = [check_compromise(p) for p in problems if least_violation(p) >= 0.01]
    assert len(factors) >= 15 and max(factors) <= 2.0


@pytest.mark.slow
def test_five_hundred_compromises_are_near_the_least_violation():
    problems = [random_infeasible(np.random.default_rng(seed)) for seed in range(10_000, 10_600)]
    factors = np.array([check_compromise(p) for p in problems if least_violation(p) >= 0.01])
    assert len(factors) >= 500
    assert np.median(factors) <= 1.05 and np.quantile(factors, 0.95) <= 1.3 and factors.max() <= 2.5


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("light_first", [True, False])
@pytest.mark.parametrize(("count", "ratio"), [(2, 1e4), (2, 1e8), (10, 1e4), (10, 1e5), (10, 1e6)])
def test_stacks_of_very_unequal_boxes_are_solved(count, ratio, light_first, friction):
    masses = np.where((np.arange(count) % 2 == 0) == light_first, 1.0, ratio)
    problem = stack(masses, friction=friction)
    response = solve(problem, SETTINGS)
    assert response.converged and len(response.infeasible) == 0
    np.testing.assert_allclose(response.dv[0::2, 2], 0.0981, atol=2.0 * count * TOLERANCE)


def test_a_misleading_start_is_followed_by_a_cold_one(monkeypatch):
    """A warm start that no turn gets away from: the answer is that of a cold start, and not the verdict."""
    problem = random_mlcp(np.random.default_rng(3), contacts=30, stiffness=100.0, friction=0.5)
    turns = augmented_lagrangian._Solve.take_turns
    calls = []

    def only_when_cold(self, *limits):
        calls.append(bool(self.impulse.any()))
        if not calls[-1]:
            turns(self, *limits)
        else:
            self.measure()

    monkeypatch.setattr(augmented_lagrangian._Solve, "take_turns", only_when_cold)
    monkeypatch.setattr(augmented_lagrangian._Solve, "let_slide", lambda self: None)
    start = WarmStart(np.zeros((problem.node_count, 3)), np.tile([1e3, 0.0, 0.0], (problem.contact_count, 1)))
    assert solve(problem, SETTINGS, start).converged
    assert calls == [True, False]


def test_what_is_not_solved_is_never_worse_than_its_start(monkeypatch):
    """Turns that make things worse: the start, or zero, is returned."""
    problem = random_mlcp(np.random.default_rng(3), contacts=30, stiffness=100.0, friction=0.5)

    def worsen(self, *_):
        self.impulse = self.impulse + 2e10
        self.dv = self.dv - 1e6
        self.measure()

    monkeypatch.setattr(augmented_lagrangian._Solve, "take_turns", worsen)
    monkeypatch.setattr(augmented_lagrangian._Solve, "let_slide", worsen)
    response = solve(problem, SETTINGS)
    zero = measure(problem, np.zeros_like(response.dv), np.zeros_like(response.impulse))
    assert not response.converged
    assert response.penetration_velocity <= zero.penetration_velocity
    assert np.abs(response.impulse).max() < 1.0
