"""The assembled Newton matrix and the conjugate gradients on it, against dense NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from reference.problems import random_mlcp
from signorini.contact.mlcp import Mlcp
from signorini.contact.residuals import build_local_response
from signorini.linalg.block_matrix_kernels import invert_blocks
from signorini.linalg.ordering import order_nodes
from signorini.linalg.ordering_kernels import gather_rows, scatter_rows
from signorini.linalg.ssor_kernels import conjugate_gradients
from signorini.parallel.team import lone_crew
from signorini.solvers.newton.matrix import NewtonMatrix, build_newton_matrix
from signorini.solvers.newton.matrix_kernels import build_pattern, cover_active
from signorini.solvers.newton.steps_kernels import renew_rows
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.relaxation.arrays import build_relaxation


def random_blocks(rng: np.random.Generator, count: int) -> np.ndarray:
    B = rng.normal(size=(count, 3, 3))
    return np.einsum("cij,ckj->cik", B, B)


def assembled(problem: Mlcp, active: np.ndarray, H: np.ndarray) -> NewtonMatrix:
    prepared = build_local_response(problem)
    arrays = problem_arrays(problem, prepared)
    ordering = order_nodes(problem.A, problem.jacobian_indptr, problem.jacobian_nodes, blocks=3)
    matrix = build_newton_matrix(problem, build_relaxation(problem, prepared, ordering))
    matrix.H[active] = H
    matrix.listed[:], matrix.listed_count[:] = matrix.members, np.diff(matrix.groups)
    groups = range(len(matrix.groups) - 1)
    # First a smaller set: the pattern must grow with the active contacts. Then another one in the same pattern.
    for chosen in (active[: len(active) // 2], active, active[::2], active):
        matrix.active[:] = 0
        matrix.active[chosen] = 1
        if sum(cover_active(matrix, group) for group in groups):
            build_pattern(arrays, matrix)
        matrix.H[active] = H
        for group in groups:
            renew_rows(arrays, matrix, group)
        matrix.fresh[0] = 0
    assert not sum(cover_active(matrix, group) for group in groups)
    return matrix


def dense(matrix: NewtonMatrix) -> np.ndarray:
    """K in the order of the nodes."""
    split, order = matrix.split, matrix.ordering.order
    n = len(order)
    D, L = split.D[:-1].reshape(-1, 3, 3), split.L[:-1].reshape(-1, 3, 3)
    K = np.zeros((n, 3, n, 3))
    for i in range(n):
        K[order[i], :, order[i]] = D[i]
        for k in range(split.L_indptr[i], split.L_indptr[i + 1]):
            j = split.L_indices[k]
            assert j < i
            K[order[i], :, order[j]] += L[k]
            K[order[j], :, order[i]] += L[k].T
    return K.reshape(3 * n, 3 * n)


def dense_twin(problem: Mlcp, active: np.ndarray, H: np.ndarray) -> np.ndarray:
    G = problem.jacobian().toarray()
    K = problem.A.to_scipy().toarray()
    for s, c in enumerate(active):
        K += G[3 * c : 3 * c + 3].T @ H[s] @ G[3 * c : 3 * c + 3]
    return K


@pytest.mark.parametrize("seed", range(4))
def test_assembled_matrix_is_a_plus_contacts(seed):
    rng = np.random.default_rng(seed)
    problem = random_mlcp(rng, rows=4, columns=5, contacts=30, stiffness=50.0, duplicates=3, empty=2)
    active = np.sort(rng.choice(problem.contact_count, size=20, replace=False)).astype(np.int32)
    H = 0.1 * random_blocks(rng, 20)
    K = dense(assembled(problem, active, H))
    np.testing.assert_allclose(K, dense_twin(problem, active, H), atol=1e-12 * np.abs(K).max())


def test_a_contact_may_name_a_node_twice():
    problem = random_mlcp(np.random.default_rng(9), rows=3, columns=3, contacts=6)
    problem.jacobian_nodes[1:3] = problem.jacobian_nodes[0]
    active, H = np.arange(6, dtype=np.int32), random_blocks(np.random.default_rng(1), 6)
    K = dense(assembled(problem, active, H))
    np.testing.assert_allclose(K, dense_twin(problem, active, H), atol=1e-12 * np.abs(K).max())


@pytest.mark.parametrize("stiffness", [1.0, 1000.0])
def test_conjugate_gradients_solve_the_system(stiffness):
    rng = np.random.default_rng(3)
    problem = random_mlcp(rng, rows=6, columns=6, contacts=40, stiffness=stiffness)
    active, H = np.arange(40, dtype=np.int32), random_blocks(rng, 40)
    matrix = assembled(problem, active, H)
    K, order, n = matrix.split, matrix.ordering.order, problem.node_count
    K.D_inv[:] = K.D
    invert_blocks(K.D_inv[:-1].reshape(n, 3, 3))
    g, d = rng.normal(size=(n, 3)), np.empty((n, 3))
    right, solution = np.zeros(4 * n), np.zeros(4 * n)
    gather_rows(g, order, right)
    arguments = lone_crew(), 0, K, right
    iterations = conjugate_gradients(*arguments, 1e-10, 0.0, 1000, solution, matrix.work)
    scatter_rows(solution, order, d)
    exact = np.linalg.solve(dense(matrix), g.ravel()).reshape(-1, 3)
    assert 0 < iterations < 3 * n
    np.testing.assert_allclose(d, exact, atol=1e-8 * np.abs(exact).max())
    assert conjugate_gradients(*arguments, 1e-10, 0.0, 3, solution, matrix.work) == 4
    assert conjugate_gradients(*arguments, 0.9999, 0.0, 1000, solution, matrix.work) <= 1
