"""The interior-point method and the complementarity problems on it, against Clarabel and by enumeration."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.lcp import enumerate_lcp
from signorini.linalg import interior_point_kernels as kernels
from signorini.linalg.interior_point import Complementarity, solve_qp

seeds = st.integers(0, 2**32 - 1)


def solve_by_clarabel(Q, c, A, b):
    """min c'x + 1/2 x'Qx subject to A x >= b, x >= 0."""
    n, m = len(c), len(b)
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-10
    rows = sp.csc_matrix(-np.vstack([A, np.eye(n)]))
    right = np.concatenate([-b, np.zeros(n)])
    cones = [clarabel.NonnegativeConeT(m + n)]
    solution = clarabel.DefaultSolver(sp.csc_matrix(np.triu(Q)), c, rows, right, cones, options).solve()
    assert str(solution.status) in ("Solved", "AlmostSolved")
    return np.array(solution.x)


def random_qp(rng, n, m):
    """Feasible, and strictly convex, so that there is one minimum."""
    root = rng.standard_normal((n, n))
    A = rng.standard_normal((m, n))
    inside = rng.uniform(0.1, 1.0, n)
    return root @ root.T + 0.1 * np.eye(n), 3.0 * rng.standard_normal(n), A, A @ inside - rng.uniform(0.0, 0.5, m)


def contacts(rng, rows, columns, *, copies=0):
    """J M^-1 J' and J a of contacts, some of them twice: what bodies that can yield lead to."""
    J = rng.standard_normal((rows, columns))
    J = np.vstack([J, J[:copies]])
    mass = 10.0 ** rng.uniform(-2.0, 2.0, columns)
    return (J / mass) @ J.T, J @ rng.standard_normal(columns)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_factor_and_substitution_solve(n):
    rng = np.random.default_rng(n)
    root = rng.standard_normal((n, n))
    K = root @ root.T + np.eye(n)
    L, x = K.copy(), rng.standard_normal(n)
    b = x.copy()
    assert kernels.factorise(L, n, 0.0)
    kernels.substitute(L, n, x)
    assert K @ x == pytest.approx(b, abs=1e-10)
    assert np.tril(L) == pytest.approx(np.linalg.cholesky(K), abs=1e-10)
    assert not kernels.factorise(-K, n, 0.0)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, n=st.integers(1, 12), m=st.integers(0, 10))
def test_qp_agrees_with_clarabel(seed, n, m):
    Q, c, A, b = random_qp(np.random.default_rng(seed), n, m)
    ours, theirs = solve_qp(Q, c, A, b), solve_by_clarabel(Q, c, A, b)
    assert ours.converged
    assert ours.x.min() >= 0.0 and (A @ ours.x - b).min(initial=0.0) >= -1e-8

    def value(x):
        return c @ x + 0.5 * x @ Q @ x

    assert value(ours.x) <= value(theirs) + 1e-7 * (1.0 + abs(value(theirs)))
    assert ours.x == pytest.approx(theirs, abs=1e-5 * (1.0 + np.abs(theirs).max()))


@settings(max_examples=25, deadline=None)
@given(seed=seeds, n=st.integers(1, 8))
def test_complementarity_is_the_one_found_by_enumeration(seed, n):
    rng = np.random.default_rng(seed)
    W, b = contacts(rng, n, n + 3)
    solution = Complementarity(W).solve(b, rng.random(n) < 0.5)
    expected = enumerate_lcp(W, b)
    assert solution.converged and expected
    assert solution.x == pytest.approx(expected[0], rel=1e-6, abs=1e-9 * np.abs(b).max())


@settings(max_examples=20, deadline=None)
@given(seed=seeds, n=st.integers(2, 25), copies=st.integers(1, 2), scale=st.sampled_from([1e-9, 1.0, 1e9]))
def test_redundant_contacts_are_solved_whatever_the_units(seed, n, copies, scale):
    """Contacts that are there twice: the forces are not unique, what they do is."""
    rng = np.random.default_rng(seed)
    W, b = contacts(rng, n, n + 3, copies=copies)
    solution = Complementarity(scale * W).solve(b, np.ones(len(b), dtype=bool))
    size = np.sqrt(W.diagonal())
    assert solution.converged
    assert (solution.x >= 0.0).all()
    assert (solution.slack / size).min() >= -1e-7 * np.abs(b / size).max()
    assert solution.x @ solution.slack * scale <= 1e-7 * (b / size) @ (b / size)


def test_the_guess_does_not_change_the_answer():
    rng = np.random.default_rng(5)
    W, b = contacts(rng, 30, 60)
    problem = Complementarity(W)
    first = problem.solve(b, np.ones(30, dtype=bool))
    for _ in range(20):
        other = problem.solve(b, rng.random(30) < 0.5)
        assert other.x == pytest.approx(first.x, rel=1e-9, abs=1e-12 * first.x.max())
    again = problem.solve(b, first.x > 0.0)
    assert again.iterations == 0, "a right guess needs no interior-point iterations"


def test_the_program_of_the_paper_has_the_same_solution():
    """Hong2004 §4: minimise f d̈ = f'(W f + b) subject to W f ≥ −b, f ≥ 0; the minimum is zero."""
    rng = np.random.default_rng(2)
    W, b = contacts(rng, 12, 20)
    forces = Complementarity(W).solve(b, np.ones(12, dtype=bool)).x
    literal = solve_qp(2.0 * W, b, W, -b)
    assert literal.converged
    assert literal.x @ (W @ literal.x + b) == pytest.approx(0.0, abs=1e-8)
    assert literal.x == pytest.approx(forces, rel=1e-4, abs=1e-5 * forces.max())


def test_contacts_that_contradict_each_other_share_the_violation():
    """A node pressed from both sides by walls that do not yield: no force opens both gaps."""
    W = np.array([[1.0, -1.0], [-1.0, 1.0]])
    solution = Complementarity(W).solve(np.array([-1.0, -1.0]), np.ones(2, dtype=bool))
    assert np.isfinite(solution.x).all()
    assert solution.slack == pytest.approx([-1.0, -1.0], abs=1e-3)


def test_nothing_to_do():
    assert Complementarity(np.eye(2)).solve(np.zeros(2), np.ones(2, dtype=bool)).x == pytest.approx([0.0, 0.0])
    assert solve_qp(np.eye(2), np.array([1.0, 2.0])).x == pytest.approx([0.0, 0.0], abs=1e-9)
