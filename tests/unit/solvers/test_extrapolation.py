"""Extrapolation of relaxation against dense least squares, and what it is good for: fewer iterations, never a worse residual."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.problems import random_mlcp
from signorini.settings import SolverSettings
from signorini.solvers import augmented_lagrangian, extrapolation_kernels, solve


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_the_combination_is_that_of_dense_least_squares(seed, period):
    rng = np.random.default_rng(seed)
    n, m = 7, 4
    X, R, P = (rng.normal(size=(period, 3 * k)) for k in (n, n, m))
    differences = np.diff(R, axis=0).T
    gamma = np.linalg.lstsq(differences, R[-1], rcond=None)[0]
    expected_dv = X[-1] - np.diff(X, axis=0).T @ gamma
    expected_p = (P[-1] - np.diff(P, axis=0).T @ gamma).reshape(m, 3)
    mu = rng.uniform(0.0, 1.0, m)
    expected_p[:, 0] = np.maximum(expected_p[:, 0], 0.0)
    length = np.linalg.norm(expected_p[:, 1:], axis=1)
    expected_p[:, 1:] *= np.minimum(1.0, mu * expected_p[:, 0] / np.maximum(length, 1e-300))[:, None]
    dv, p = X[-1].reshape(n, 3).copy(), P[-1].reshape(m, 3).copy()
    extrapolation_kernels.extrapolate((X, R, P), mu, dv, p)
    np.testing.assert_allclose(dv.ravel(), expected_dv, atol=1e-6)
    np.testing.assert_allclose(p, expected_p, atol=1e-6)


def test_iterates_of_a_linear_iteration_lead_to_its_fixed_point():
    """Three modes, four iterates: exact, but for what keeps the least squares from being singular."""
    rng = np.random.default_rng(0)
    modes, fixed = rng.normal(size=(3, 6)), rng.normal(size=6)
    rates = np.array([0.9, 0.2, -0.7])
    X = np.array([fixed + (rates**k) @ modes for k in range(4)])
    R = np.array([((rates**k) * (1.0 - rates)) @ modes for k in range(4)])
    dv, p = X[-1].reshape(2, 3).copy(), np.zeros((1, 3))
    extrapolation_kernels.extrapolate((X.copy(), R, np.zeros((4, 3))), np.zeros(1), dv, p)
    assert np.linalg.norm(dv.ravel() - fixed) < 1e-3 * np.linalg.norm(X[-1] - fixed)


@pytest.mark.parametrize("seed", range(3))
def test_relaxation_needs_fewer_iterations_with_it(monkeypatch, seed):
    monkeypatch.setattr(augmented_lagrangian._Solve, "update_multipliers", lambda *_: False)
    problem = random_mlcp(np.random.default_rng(seed), rows=8, columns=8, contacts=40, stiffness=20.0, friction=0.3)
    counts = []
    for period in (0, 6):
        monkeypatch.setattr(
            augmented_lagrangian, "ROUNDS", (augmented_lagrangian.Round(100_000, 100_001, period, 0, 1.0),)
        )
        response = solve(problem, SolverSettings(tolerance=1e-7, relative_tolerance=1e-7))
        assert response.converged
        counts.append(response.outer_iterations)
    assert counts[1] < 0.7 * counts[0]
