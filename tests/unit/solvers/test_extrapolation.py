"""Extrapolation of relaxation against dense least squares, and what it is good for: fewer iterations, never a worse residual."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.problems import random_mlcp
from signorini.settings import SolverSettings
from signorini.solvers import rounds, solve
from signorini.solvers.relaxation import extrapolation_kernels as kernels


def history(X: np.ndarray, R: np.ndarray, U: np.ndarray) -> np.ndarray:
    """(3, period, 4n) of rows (period, 3n), with a number in every fourth place that must not matter."""
    period, n = len(X), X.shape[1] // 3
    full = np.full((3, period, n, 4), 1e6)
    for what, rows in enumerate((X, R, U)):
        full[what, :, :, :3] = rows.reshape(period, n, 3)
    return full.reshape(3, period, 4 * n)


def extrapolated(X: np.ndarray, R: np.ndarray, U: np.ndarray, cuts: list[int]) -> tuple[np.ndarray, ...]:
    """gamma, x, U x and D^-1 r of the combination, with nodes in blocks that end at the cuts, and roots of 1."""
    table, last, n = history(X, R, U), len(X) - 1, X.shape[1] // 3
    bounds = [0, *cuts, n]
    parts, x, upper, z = np.zeros((len(bounds) - 1, 64)), np.zeros(4 * n), np.zeros(4 * n), np.zeros(4 * n)
    for b, part in enumerate(parts):
        kernels.products(table, last, bounds[b], bounds[b + 1], part)
    gamma = kernels.weights(parts, last)
    for b in range(len(parts)):
        kernels.combine_rows(table, last, gamma, bounds[b], bounds[b + 1], np.ones(n), x, upper, z)
    return gamma, *(vector.reshape(n, 4)[:, :3].ravel() for vector in (x, upper, z))


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(7, 200))
def test_the_combination_is_that_of_dense_least_squares(seed, period, n):
    rng = np.random.default_rng(seed)
    X, R, U = (rng.normal(size=(period, 3 * n)) for _ in range(3))
    expected = np.linalg.lstsq(np.diff(R, axis=0).T, R[-1], rcond=None)[0]
    gamma, x, upper, residual = extrapolated(X, R, U, [n // 3, n // 2])
    np.testing.assert_allclose(gamma, expected, atol=1e-6)
    for got, rows in ((x, X), (upper, U), (residual, R)):
        np.testing.assert_allclose(got, rows[-1] - np.diff(rows, axis=0).T @ expected, atol=1e-5)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_impulses_are_combined_and_cut_off_at_their_cones(seed, period):
    rng = np.random.default_rng(seed)
    m = 5
    P, gamma, mu = rng.normal(size=(period, 3 * m)), rng.normal(size=period - 1), rng.uniform(0.0, 1.0, m)
    free = (P[-1] - np.diff(P, axis=0).T @ gamma).reshape(m, 3)
    expected = free.copy()
    expected[:, 0] = np.maximum(expected[:, 0], 0.0)
    length = np.linalg.norm(expected[:, 1:], axis=1)
    expected[:, 1:] *= np.minimum(1.0, mu * expected[:, 0] / np.maximum(length, 1e-300))[:, None]
    p, cut = np.zeros((m, 3)), np.zeros((m, 3))
    kernels.combine_impulses(P, period - 1, gamma, np.arange(m, dtype=np.int32), mu, p, cut)
    np.testing.assert_allclose(p, expected, atol=1e-9)
    np.testing.assert_allclose(p + cut, free, atol=1e-9)


def test_iterates_of_a_linear_iteration_lead_to_its_fixed_point():
    """Three modes, four iterates: exact, but for what keeps the least squares from being singular."""
    rng = np.random.default_rng(0)
    modes, fixed = rng.normal(size=(3, 6)), rng.normal(size=6)
    rates = np.array([0.9, 0.2, -0.7])
    X = np.array([fixed + (rates**k) @ modes for k in range(4)])
    R = np.array([((rates**k) * (1.0 - rates)) @ modes for k in range(4)])
    x = extrapolated(X, R, X, [])[1]
    assert np.linalg.norm(x - fixed) < 1e-3 * np.linalg.norm(X[-1] - fixed)


@pytest.mark.parametrize("seed", range(3))
def test_relaxation_needs_fewer_iterations_with_it(monkeypatch, seed):
    for other in ("update_multipliers", "polish"):
        monkeypatch.setattr(rounds.Rounds, other, lambda *_: False)
    problem = random_mlcp(np.random.default_rng(seed), rows=8, columns=8, contacts=40, stiffness=20.0, friction=0.3)
    counts = []
    for period in (0, 6):
        monkeypatch.setattr(rounds, "ROUNDS", (rounds.Round(100_000, 100_000, 0.0, 2, 100_001, period, 0, 1.0),))
        response = solve(problem, SolverSettings(tolerance=1e-7, relative_tolerance=1e-7))
        assert response.converged
        counts.append(response.outer_iterations)
    assert counts[1] < 0.7 * counts[0]
