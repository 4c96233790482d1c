"""Leaving out contacts that are far from closing: the same answer, and those that were needed after all are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.problems import random_mlcp, spring_matrix
from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.settings import SolverSettings
from signorini.solvers import measure, near_contacts, near_contacts_kernels, solve
from signorini.solvers.near_contacts import solve_near

TIGHT = SolverSettings(tolerance=1e-8, relative_tolerance=1e-8)


@pytest.fixture
def choosy(monkeypatch):
    """Choose also among few contacts."""
    monkeypatch.setattr(near_contacts, "FEW", 1)
    monkeypatch.setattr(near_contacts, "MOST", 1.01)


def with_far_contacts(seed: int, *, friction: float = 0.5) -> Mlcp:
    """A random problem of which most contacts are far from closing."""
    rng = np.random.default_rng(seed)
    problem = random_mlcp(rng, rows=5, columns=5, contacts=60, stiffness=100.0, friction=friction)
    problem.gap[20:] += 10.0 * problem.dt
    return problem


def recorded(problem: Mlcp, warm_start: WarmStart | None = None) -> tuple[Response, list[int]]:
    """The response, and how many contacts each call saw."""
    seen: list[int] = []

    def solve_part(part: Mlcp, start: WarmStart | None) -> Response:
        seen.append(part.contact_count)
        return solve(part, TIGHT, start)

    return solve_near(problem, warm_start, solve_part), seen


@pytest.mark.parametrize("seed", range(4))
def test_far_contacts_are_left_out_and_the_answer_is_that_of_all(choosy, seed):
    problem = with_far_contacts(seed)
    response, seen = recorded(problem)
    assert seen[0] <= 25
    assert response.converged
    assert response.impulse.shape == (60, 3)
    r = measure(problem, response.dv, response.impulse)
    assert max(r.normal, r.friction, r.dynamics, r.penetration_velocity) <= 1e-8
    assert max(response.normal_residual, response.penetration_velocity) == pytest.approx(
        max(r.normal, r.penetration_velocity), abs=1e-12
    )


def test_a_contact_that_is_pushed_shut_joins(choosy):
    """Two nodes move as one; the floor lifts them at 1 m/s against a lever that opens at 2 m/s and closes three times as fast."""
    A = spring_matrix(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.array([[0, 1]]), 1e6)
    problem = Mlcp(
        A,
        np.array([0, 1, 2], np.int32),
        np.array([0, 1], np.int32),
        np.stack([np.eye(3), -3.0 * np.eye(3)]),
        gap=np.zeros(2),
        free_velocity=np.array([[-1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]),
        friction=np.zeros(2),
        dt=1e-3,
    )
    problem.free_velocity[0, 0] = -0.5
    response, seen = recorded(problem)
    assert seen == [1]
    problem.free_velocity[0, 0] = -1.0
    _, seen = recorded(problem)
    assert seen == [1, 2]
    assert response.dv[:, 0] == pytest.approx(0.5, abs=1e-3)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_rows_and_velocities_are_those_of_dense_matrices(seed, share):
    rng = np.random.default_rng(seed)
    problem = random_mlcp(rng, rows=3, columns=3, contacts=12, stiffness=1.0)
    G = np.zeros((12, 3, problem.node_count, 3))
    for c in range(12):
        for k in range(problem.jacobian_indptr[c], problem.jacobian_indptr[c + 1]):
            G[c, :, problem.jacobian_nodes[k]] += problem.jacobian_blocks[k]
    x = rng.normal(size=(problem.node_count, 3))
    u = np.empty(12)
    rows = problem.jacobian_indptr, problem.jacobian_nodes, problem.jacobian_blocks
    near_contacts_kernels.normal_velocities(*rows, problem.free_velocity, problem.gap, problem.dt, x, u)
    expected = np.einsum("cjb,jb->c", G[:, 0], x) + problem.free_velocity[:, 0] + problem.gap / problem.dt
    np.testing.assert_allclose(u, expected, rtol=1e-12, atol=1e-12)
    chosen = np.flatnonzero(rng.random(12) < share).astype(np.int32)
    part = near_contacts._restricted(problem, chosen)
    for s, c in enumerate(chosen):
        dense = np.zeros((3, problem.node_count, 3))
        for k in range(part.jacobian_indptr[s], part.jacobian_indptr[s + 1]):
            dense[:, part.jacobian_nodes[k]] += part.jacobian_blocks[k]
        np.testing.assert_array_equal(dense, G[c])
    np.testing.assert_array_equal(part.gap, problem.gap[chosen])
