"""Relaxation in blocks: its kernels against dense NumPy and against the plain sweeps of ICA, and threads that change no bit."""

from __future__ import annotations

import numpy as np
import pytest

from reference.problems import random_mlcp
from signorini.contact.mlcp import Mlcp
from signorini.contact.residuals import build_local_response
from signorini.contact.residuals_kernels import B_11, B_22, B_NN
from signorini.linalg.ordering import order_nodes
from signorini.parallel.team import Team
from signorini.solvers import augmented_lagrangian_loop_kernels, ica_kernels
from signorini.solvers.newton.matrix import build_newton_matrix
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.relaxation import loop_kernels as relaxation_loop_kernels
from signorini.solvers.relaxation import row_kernels as relaxation_kernels
from signorini.solvers.relaxation.arrays import Relaxation, build_relaxation
from signorini.solvers.relaxation_rules import Rules

RULES = Rules(
    cone=True, paper=False, tolerance=1e-6, relative_tolerance=1e-6, allowed_penetration=1e-6, max_outer=200, max_inner=10,
    repeats=3, horizon=1000, growth=0.0, strikes=2, look_back=1000, patience=1000, refresh=8, period=6,
)  # fmt: skip


def prepared(seed: int, blocks: int, **options) -> tuple[Mlcp, tuple, Relaxation]:
    problem = random_mlcp(
        np.random.default_rng(seed), rows=7, columns=7, contacts=60, stiffness=10.0, friction=0.4, **options
    )
    local = build_local_response(problem)
    ordering = order_nodes(problem.A, problem.jacobian_indptr, problem.jacobian_nodes, blocks=blocks)
    return problem, problem_arrays(problem, local), build_relaxation(problem, local, ordering)


def nodes_of(vector: np.ndarray, relaxation: Relaxation) -> np.ndarray:
    """A vector of four numbers a node, as (n, 3) in the order of the nodes."""
    return vector.reshape(-1, 4)[relaxation.ordering.place, :3]


def vector_of(x: np.ndarray, relaxation: Relaxation) -> np.ndarray:
    padded = np.full((len(x), 4), 1e6)
    padded[:, :3] = x[relaxation.ordering.order]
    return padded.ravel()


@pytest.mark.parametrize("blocks", [1, 3])
def test_an_iteration_is_that_of_dense_gauss_seidel(blocks):
    problem, _, relaxation = prepared(0, blocks)
    rng, K, n = np.random.default_rng(1), relaxation.split, problem.node_count
    x, f = (rng.normal(size=(n, 3)) for _ in range(2))
    rows = (3 * relaxation.ordering.order[:, None] + np.arange(3)).ravel()
    A = problem.A.to_scipy().toarray()[np.ix_(rows, rows)]
    block = np.kron(np.arange(n), np.ones(3))
    lower, upper = np.where(block[:, None] >= block, A, 0.0), np.where(block[:, None] < block, A, 0.0)
    x_rows, f_rows = x[relaxation.ordering.order].ravel(), f[relaxation.ordering.order].ravel()
    exact = np.linalg.solve(lower, f_rows - upper @ x_rows)
    vectors = [vector_of(v, relaxation) for v in (x, f)]
    before, fresh, z, z0 = (np.zeros(4 * n) for _ in range(4))
    relaxation_kernels.start_rows(K, vectors[1], vectors[0], before, fresh)
    part = np.zeros(8)
    arguments = vectors[1], vectors[0], fresh, before, z, z0, part
    relaxation_kernels.settle_rows(K, 0, n, *arguments)
    np.testing.assert_allclose(part[1], ((A @ x_rows - f_rows) ** 2).sum(), rtol=1e-9)
    relaxation_kernels.relax_rows(K, 0, n, vectors[1], before, vectors[0], fresh)
    relaxation_kernels.settle_rows(K, 0, n, *arguments)
    np.testing.assert_allclose(vectors[0].reshape(-1, 4)[:, :3].ravel(), exact, atol=1e-10 * np.abs(exact).max())
    r = A @ exact - f_rows
    w = np.einsum("nij,nj->ni", problem.A.inverse_diagonal_blocks()[relaxation.ordering.order], r.reshape(n, 3))
    np.testing.assert_allclose(part[:3], [np.abs(w).max(), r @ r, f_rows @ f_rows], rtol=1e-6)
    np.testing.assert_allclose(z.reshape(-1, 4)[:, :3], exact.reshape(n, 3) - w, atol=1e-9 * np.abs(exact).max())


def test_a_sweep_in_one_block_is_that_of_ica():
    problem, arrays, relaxation = prepared(2, 1, duplicates=3, empty=2)
    rng, m = np.random.default_rng(3), problem.contact_count
    z = rng.normal(size=(problem.node_count, 3))
    mine, other = np.zeros((m, 3)), np.zeros((m, 3))
    vector, listed = vector_of(z, relaxation), np.empty(m, np.int32)
    for _ in range(3):
        changes = [
            relaxation_kernels.sweep_group(arrays, relaxation, g, RULES, 0.1, True, vector, mine) for g in range(2)
        ]
        change, count = ica_kernels.sweep_contacts(
            arrays.indptr, arrays.nodes, arrays.blocks, arrays.response, arrays.local, arrays.bias, arrays.mu,
            True, 3, 0.1, listed, -1, z, other,
        )  # fmt: skip
        np.testing.assert_allclose(mine, other, atol=1e-12)
        np.testing.assert_allclose(nodes_of(vector, relaxation), z, atol=1e-12)
        np.testing.assert_allclose(max(changes), change, rtol=1e-9)
        assert relaxation.counts.sum() == count


def relaxed(team: Team, size: int, seed: int) -> tuple:
    problem, arrays, relaxation = prepared(seed, 4)
    dv, p, counts = np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3)), np.zeros(2, np.int64)
    status = team.run(size, relaxation_loop_kernels.iterate, arrays, relaxation, RULES, dv, p, counts)
    return status, dv.tobytes(), p.tobytes(), counts.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_threads_change_no_bit(seed):
    team = Team(patient=True)
    alone = relaxed(team, 1, seed)
    assert all(relaxed(team, size, seed) == alone for size in (2, 3, 8))
    assert alone[0] == relaxation_loop_kernels.CONVERGED and alone[3][0] > 6  # it extrapolated


def test_threads_that_are_dismissed_at_any_barrier_change_no_bit():
    alone = relaxed(Team(), 1, 0)
    for barrier in range(1, 60):
        assert relaxed(Team(patient=True, last_barrier=barrier), 2, 0) == alone, barrier


def multiplied(team: Team, size: int) -> tuple:
    problem, arrays, relaxation = prepared(1, 4)
    matrix = build_newton_matrix(problem, relaxation)
    x, p, counts = np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3)), np.zeros(3, np.int64)
    rho = 3.0 / (arrays.local[:, [B_NN, B_11, B_22]].sum(axis=1) / 3.0)
    rules = (rho, True, 1e-6, 1e-6, 60, 3000)
    status = team.run(size, augmented_lagrangian_loop_kernels.iterate, arrays, matrix, *rules, x, p, counts)
    return status, x.tobytes(), p.tobytes(), counts.tolist()


def test_the_augmented_lagrangian_is_the_same_with_threads_that_stay_or_are_dismissed():
    alone = multiplied(Team(), 1)
    assert alone[0] == augmented_lagrangian_loop_kernels.CONVERGED
    for size, barrier in ((2, 0), (3, 0), *((2, k) for k in range(1, 60))):
        assert multiplied(Team(patient=True, last_barrier=barrier), size) == alone, (size, barrier)
