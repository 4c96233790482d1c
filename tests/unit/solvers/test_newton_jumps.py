"""The step that follows the solution of an update of the multipliers to the next, against dense NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from reference.problems import random_mlcp
from signorini.contact.residuals import build_local_response
from signorini.linalg.ordering import order_nodes
from signorini.linalg.ordering_kernels import gather_rows, scatter_rows
from signorini.parallel.team import lone_crew
from signorini.settings import SolverSettings
from signorini.solvers import solve
from signorini.solvers.newton import jump_kernels
from signorini.solvers.newton.matrix import build_newton_matrix
from signorini.solvers.newton.rows_kernels import F, X
from signorini.solvers.newton.steps_kernels import CONVERGED, FOLLOW, FOLLOW_STIFFER, START, minimise, start_velocities
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.relaxation.arrays import build_relaxation

RULES = 1e-9, 1e-9, 10_000
"""Tolerance [m/s], relative tolerance, conjugate-gradient iterations at most."""


def project(a: np.ndarray, mu: float) -> np.ndarray:
    """The points of the cones nearest to a (m, 3)."""
    tau = np.maximum(np.hypot(a[:, 1], a[:, 2]), 1e-300)
    side = np.maximum(a[:, 0] + mu * tau, 0.0) / (1.0 + mu * mu)
    p = np.where(
        (tau <= mu * a[:, 0])[:, None], a, np.column_stack([side, *(mu * side * a[:, k] / tau for k in (1, 2))])
    )
    return np.where((mu * tau <= -a[:, 0])[:, None], 0.0, p)


@pytest.mark.parametrize("factor", [1.0, 10.0])
def test_jumps_and_what_they_push(factor):
    rng = np.random.default_rng(3)
    problem = random_mlcp(rng, contacts=40, friction=0.5)
    prepared = build_local_response(problem)
    ordering = order_nodes(problem.A, problem.jacobian_indptr, problem.jacobian_nodes, blocks=2)
    matrix = build_newton_matrix(problem, build_relaxation(problem, prepared, ordering))
    matrix.listed[:], matrix.listed_count[:] = matrix.members, np.diff(matrix.groups)
    u, p, H = rng.normal(size=(40, 3)), rng.normal(size=(40, 3)), rng.normal(size=(40, 3, 3))
    lam, new_lam, shift, new_shift = *rng.normal(size=(2, 40, 3)), *rng.uniform(size=(2, 40))
    rho = rng.uniform(1.0, 2.0, 40)
    stiff = np.where(np.arange(40) % 2, factor * rho, rho)
    jump_kernels.begin_jump(lam, rho, u, shift, matrix.jump)
    jump_kernels.end_jump(new_lam, stiff, u, new_shift, matrix.jump)
    normal = np.array([1.0, 0.0, 0.0])
    before = lam - rho[:, None] * (u + shift[:, None] * normal)
    after = new_lam - stiff[:, None] * (u + new_shift[:, None] * normal)
    np.testing.assert_allclose(matrix.jump[:, :3], (after - before) / stiff[:, None], atol=1e-13)
    np.testing.assert_allclose(matrix.jump[:, 3], stiff / rho, rtol=1e-15)
    matrix.assembled[:], matrix.p[:] = H, p
    for group in range(len(matrix.groups) - 1):
        jump_kernels.restiffen(matrix, group)
    assert matrix.active.all()
    np.testing.assert_allclose(matrix.H, (stiff / rho)[:, None, None] * H, rtol=1e-14)
    arrays, f = problem_arrays(problem, prepared), np.empty((problem.node_count, 3))
    matrix.vectors[F] = 0.0
    for group in range(len(matrix.groups) - 1):
        jump_kernels.push_jumps(arrays, matrix, group)
    scatter_rows(matrix.vectors[F], ordering.order, f)
    pushed = p + np.einsum("cij,cj->ci", H, (after - before) / stiff[:, None])
    np.testing.assert_allclose(f.ravel(), problem.jacobian().T @ pushed.ravel(), atol=1e-12)


@pytest.mark.parametrize("factor", [1.0, 100.0])
def test_an_update_that_follows_needs_fewer_newton_steps(factor):
    """From a solution: shifts change by 1 mm/s, half of the penalties grow by a factor. Both ways lead to the same velocities."""
    rng = np.random.default_rng(5)
    problem = random_mlcp(rng, rows=8, columns=8, contacts=80, stiffness=300.0, friction=0.4)
    prepared, m = build_local_response(problem), 80
    solution = solve(problem, SolverSettings(tolerance=1e-10, relative_tolerance=1e-10))
    arrays = problem_arrays(problem, prepared)
    ordering = order_nodes(problem.A, problem.jacobian_indptr, problem.jacobian_nodes, blocks=2)
    steps, ends = [], []
    for order in (START, FOLLOW_STIFFER if factor > 1.0 else FOLLOW):
        matrix = build_newton_matrix(problem, build_relaxation(problem, prepared, ordering))
        gather_rows(solution.dv + 1e-3 * np.ones_like(solution.dv), ordering.order, matrix.vectors[X])
        start_velocities(arrays, matrix)
        lam, rho, counts = solution.impulse.copy(), np.full(m, 20.0), np.zeros(3, np.int64)
        matrix.path[:], matrix.orders[3], matrix.fresh[0], matrix.goals[:] = np.inf, START, 1, 1e-9
        crew = lone_crew()
        assert minimise(crew, 0, 1, arrays, matrix, rho, RULES, lam, counts) == CONVERGED
        jump_kernels.begin_jump(lam, rho, matrix.u, matrix.shift, matrix.jump)
        matrix.shift[:] += np.where(np.arange(m) % 2, 1e-3, -1e-3)
        rho[::2] *= factor
        jump_kernels.end_jump(lam, rho, matrix.u, matrix.shift, matrix.jump)
        matrix.orders[3], matrix.fresh[0] = order, 1
        first = counts[1]
        assert minimise(crew, 0, 1, arrays, matrix, rho, RULES, lam, counts) == CONVERGED
        steps.append(counts[1] - first)
        x = np.empty((problem.node_count, 3))
        scatter_rows(matrix.vectors[X], ordering.order, x)
        ends.append(x)
        a = lam - rho[:, None] * (matrix.u + matrix.shift[:, None] * np.array([1.0, 0.0, 0.0]))
        np.testing.assert_allclose(matrix.p, project(a, 0.4), atol=1e-12)
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-7)
    assert steps[1] < steps[0]
