"""Unsolved responses that are scaled back: no energy from nothing, whatever the solver left."""

from __future__ import annotations

import numpy as np
import pytest

from reference.problems import random_mlcp
from signorini.contact.bounded_response import bounded_response
from signorini.contact.mlcp import Mlcp
from signorini.contact.residuals import measured_response
from signorini.settings import SolverSettings
from signorini.solvers import solve

TOLERANCE = 5e-4


def free_motion(problem: Mlcp) -> np.ndarray:
    """v* (3n,) with G v* = u_free: the problems are made from one, and fixed obstacles."""
    v, *_ = np.linalg.lstsq(problem.jacobian().toarray(), problem.free_velocity.ravel(), rcond=None)
    assert np.allclose(problem.jacobian() @ v, problem.free_velocity.ravel(), atol=1e-9)
    return v


def energies(problem: Mlcp, dv: np.ndarray) -> tuple[float, float]:
    A, v = problem.A.to_scipy(), free_motion(problem)
    after = v + dv.ravel()
    return float(v @ A @ v), float(after @ A @ after)


@pytest.mark.parametrize("kind", ["explained", "unrelated", "pulling", "huge"])
@pytest.mark.parametrize("seed", range(5))
def test_garbage_never_adds_energy(kind, seed):
    rng = np.random.default_rng(seed)
    problem = random_mlcp(rng, contacts=30, stiffness=100.0, friction=0.5)
    impulse = rng.normal(size=(problem.contact_count, 3)) * 10.0 ** rng.uniform(
        -6.0, 2.0, size=(problem.contact_count, 1)
    )
    if kind != "pulling":
        impulse[:, 0] = np.abs(impulse[:, 0])
    if kind == "huge":
        impulse *= 2e10
    force = problem.jacobian().T @ impulse.ravel()
    dv = np.linalg.solve(problem.A.to_scipy().toarray(), force).reshape(-1, 3)
    if kind == "unrelated":
        dv = rng.normal(size=dv.shape) * 1e3
    garbage = measured_response(problem, dv, impulse, tolerance=TOLERANCE)
    bounded = bounded_response(problem, garbage)
    before, after = energies(problem, bounded.dv)
    assert after <= before * (1.0 + 1e-9)
    assert not bounded.converged
    assert np.abs(bounded.impulse).max() < 1.0  # nodes of a gram that move at less than a metre a second
    again = measured_response(problem, bounded.dv, bounded.impulse, tolerance=TOLERANCE)
    assert bounded.normal_residual == again.normal_residual
    assert bounded.penetration_velocity == again.penetration_velocity


def test_a_solution_is_hardly_changed():
    problem = random_mlcp(np.random.default_rng(1), contacts=30, stiffness=100.0, friction=0.5)
    solved = solve(problem, SolverSettings(tolerance=1e-7, relative_tolerance=1e-7))
    bounded = bounded_response(problem, solved)
    np.testing.assert_allclose(bounded.dv, solved.dv, rtol=1e-5, atol=1e-9)
    assert not bounded.converged


def test_what_is_not_finite_becomes_nothing():
    problem = random_mlcp(np.random.default_rng(2), contacts=10)
    response = solve(problem, SolverSettings())
    response.dv[0, 0] = np.nan
    bounded = bounded_response(problem, response)
    assert not bounded.dv.any() and not bounded.impulse.any()
    assert bounded.penetration_velocity == pytest.approx(-problem.bias()[:, 0].min())
