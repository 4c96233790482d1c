"""The dense LCP oracles against problems with known solutions; they must be right before they judge anything."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from reference.lcp import enumerate_lcp, read_lcp, solve_lemke
from signorini.contact.mlcp import Mlcp
from signorini.linalg.block_matrix import BlockMatrix
from signorini.settings import SolverSettings
from signorini.solvers import solve

DATA = os.environ.get("SIGNORINI_EXTERNAL_DATA")
external = pytest.mark.skipif(DATA is None, reason="SIGNORINI_EXTERNAL_DATA is not set: no LCP collection")
NAMES = ["CPS_2", "CPS_5", "deudeu", "exp_murty", "exp_murty2", "ortiz", "trivial"]


def collection(name: str) -> tuple[np.ndarray, np.ndarray]:
    return read_lcp(Path(DATA or "") / "lcp" / f"lcp_{name}.dat")


@external
@pytest.mark.parametrize("name", NAMES)
def test_enumeration_finds_the_one_solution(name):
    M, q = collection(name)
    solutions = enumerate_lcp(M, q)
    assert len(solutions) == 1
    z = solutions[0]
    assert z.min() >= -1e-12 and (M @ z + q).min() >= -1e-9 and abs(z @ (M @ z + q)) <= 1e-9
    if name == "exp_murty":
        np.testing.assert_allclose(z, [1, 0, 0, 0, 0, 0], atol=1e-12)
    if name == "ortiz":
        np.testing.assert_allclose(z, [2 / 3, 0, 1 / 3, 0], atol=1e-12)


@external
@pytest.mark.parametrize("name", NAMES)
def test_lemke_agrees_with_enumeration(name):
    M, q = collection(name)
    z = solve_lemke(M, q)
    assert z is not None
    np.testing.assert_allclose(z, enumerate_lcp(M, q)[0], atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_lemke_agrees_with_enumeration_on_random_definite_matrices(seed):
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(7, 7))
    M, q = R @ R.T + 0.1 * np.eye(7), rng.normal(size=7)
    (z,) = enumerate_lcp(M, q)
    np.testing.assert_allclose(solve_lemke(M, q), z, atol=1e-8)


def as_contact_problem(M: np.ndarray, q: np.ndarray) -> Mlcp:
    """A frictionless contact problem whose Delassus matrix is the definite M: A = M^-1 in every axis, J = x axis."""
    n = len(q)
    pattern = np.arange(n, dtype=np.int32)
    blocks = np.einsum("ij,ab->ijab", np.linalg.inv(M), np.eye(3)).reshape(-1, 3, 3)
    return Mlcp(
        A=BlockMatrix(np.arange(0, n * n + 1, n, dtype=np.int32), np.tile(pattern, n), np.ascontiguousarray(blocks)),
        jacobian_indptr=np.arange(n + 1, dtype=np.int32),
        jacobian_nodes=pattern,
        jacobian_blocks=np.tile(np.eye(3), (n, 1, 1)),
        gap=np.zeros(n),
        free_velocity=np.column_stack([q, np.zeros((n, 2))]),
        friction=np.zeros(n),
        dt=1.0,
    )


@external
@pytest.mark.parametrize("name", ["deudeu", "trivial"])
@pytest.mark.parametrize("solver", ["ica", "full-anticipation"])
def test_solvers_solve_the_symmetric_definite_ones(name, solver):
    M, q = collection(name)
    settings = SolverSettings().adapted(name=solver, tolerance=1e-9, relative_tolerance=1e-9)
    response = solve(as_contact_problem(M, q), settings)
    assert response.converged
    np.testing.assert_allclose(response.impulse[:, 0], enumerate_lcp(M, q)[0], atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("solver", ["ica", "full-anticipation"])
def test_solvers_agree_with_enumeration(seed, solver):
    rng = np.random.default_rng(100 + seed)
    R = rng.normal(size=(6, 6))
    M, q = R @ R.T + np.eye(6), rng.normal(size=6)
    settings = SolverSettings().adapted(name=solver, tolerance=1e-10, relative_tolerance=1e-10, max_outer=20_000)
    response = solve(as_contact_problem(M, q), settings)
    assert response.converged
    np.testing.assert_allclose(response.impulse[:, 0], enumerate_lcp(M, q)[0], atol=1e-7)
