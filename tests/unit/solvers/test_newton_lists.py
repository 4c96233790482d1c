"""The contacts that Newton's method does not visit: they stay open wherever the nodes go within their path."""

from __future__ import annotations

import numpy as np
import pytest

from reference.problems import random_mlcp
from signorini.contact.friction_cone_kernels import OPEN, project
from signorini.contact.mlcp import Mlcp
from signorini.contact.residuals import build_local_response
from signorini.linalg.ordering import order_nodes
from signorini.linalg.ordering_kernels import gather_rows
from signorini.solvers.newton import list_kernels
from signorini.solvers.newton.list_kernels import REACH
from signorini.solvers.newton.matrix import NewtonMatrix, build_newton_matrix
from signorini.solvers.newton.rows_kernels import D, X
from signorini.solvers.newton.steps_kernels import start_velocities
from signorini.solvers.problem_arrays import ProblemArrays, problem_arrays
from signorini.solvers.relaxation.arrays import build_relaxation

PATH = 0.3
"""How far nodes go [m/s]."""


def started(problem: Mlcp, x: np.ndarray) -> tuple[ProblemArrays, NewtonMatrix]:
    """The arrays at a start x (n, 3), and a path."""
    prepared = build_local_response(problem)
    arrays = problem_arrays(problem, prepared)
    ordering = order_nodes(problem.A, problem.jacobian_indptr, problem.jacobian_nodes, blocks=2)
    matrix = build_newton_matrix(problem, build_relaxation(problem, prepared, ordering))
    gather_rows(x, ordering.order, matrix.vectors[X])
    start_velocities(arrays, matrix)
    matrix.path[REACH] = PATH
    return arrays, matrix


def velocities(problem: Mlcp, x: np.ndarray) -> np.ndarray:
    return (problem.jacobian() @ x.ravel()).reshape(-1, 3) + problem.bias()


def groups_of(matrix: NewtonMatrix) -> range:
    return range(len(matrix.groups) - 1)


@pytest.mark.parametrize("seed", range(6))
def test_contacts_that_are_not_visited_stay_open(seed):
    rng = np.random.default_rng(seed)
    problem = random_mlcp(rng, contacts=80, stiffness=100.0, friction=0.7)
    problem.gap[:] = rng.uniform(0.0, 3.0, 80) * problem.dt
    x = rng.normal(size=(problem.node_count, 3))
    arrays, matrix = started(problem, x)
    lam, rho = np.zeros((80, 3)), np.full(80, 2.0)
    lam[:5, 0] = 0.1
    rho[5:8] = 0.0
    for group in groups_of(matrix):
        list_kernels.list_contacts(arrays, matrix, group, rho, lam)
    listed = matrix.is_listed > 0
    assert listed[:5].all()
    assert not listed[5:8].any()
    assert 10 < listed.sum() < 75
    shift = matrix.shift.copy()
    for _ in range(200):
        turn = rng.normal(size=x.shape)
        u = velocities(problem, x + PATH * turn / np.linalg.norm(turn, axis=1, keepdims=True))
        for c in np.flatnonzero(~listed & (rho > 0.0)):
            assert project(-rho[c] * (u[c, 0] + shift[c]), -rho[c] * u[c, 1], -rho[c] * u[c, 2], 0.7)[3] == OPEN


def test_contacts_that_come_within_reach_are_listed_with_fresh_velocities():
    rng = np.random.default_rng(7)
    problem = random_mlcp(rng, contacts=60, stiffness=100.0, friction=0.4)
    problem.gap[:] = rng.uniform(0.0, 3.0, 60) * problem.dt
    x, d = rng.normal(size=(2, problem.node_count, 3))
    arrays, matrix = started(problem, x)
    lam, rho = np.zeros((60, 3)), np.ones(60)
    for group in groups_of(matrix):
        list_kernels.list_contacts(arrays, matrix, group, rho, lam)
    before = matrix.is_listed.copy()
    x += 0.5 * d
    gather_rows(x, matrix.ordering.order, matrix.vectors[X])
    gather_rows(d, matrix.ordering.order, matrix.vectors[D])
    matrix.path[REACH] = np.inf
    for group in groups_of(matrix):
        list_kernels.extend_list(arrays, matrix, group, rho, matrix.vectors[D])
    assert matrix.is_listed.all()
    assert matrix.listed_count.sum() == 60
    new = before == 0
    assert 0 < new.sum() < 60
    np.testing.assert_allclose(matrix.u[new], velocities(problem, x)[new], atol=1e-12)
    np.testing.assert_allclose(matrix.ud[new], (problem.jacobian() @ d.ravel()).reshape(-1, 3)[new], atol=1e-12)
