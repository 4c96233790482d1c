"""Verdicts of infeasibility: never on a feasible problem, always with a certificate that holds, and with the least yielding."""

from __future__ import annotations

import numpy as np
import pytest

from reference.feasibility import (
    least_violation,
    node_problem,
    random_feasible,
    random_infeasible,
    random_wedge,
    violations,
    wedge,
)
from signorini.contact.feasibility import Feasibility, examine
from signorini.contact.mlcp import Mlcp
from signorini.contact.residuals import build_local_response

TOLERANCE = 5e-4


def examined(problem: Mlcp) -> Feasibility:
    found = examine(problem, build_local_response(problem), tolerance=TOLERANCE)
    assert found is not None
    return found


def test_a_narrow_wedge_is_feasible():
    found = examined(wedge())
    assert len(found.infeasible) == 0 and not found.certificate.any()
    assert violations(wedge(), found.dv).max() <= TOLERANCE


@pytest.mark.parametrize("make", [random_feasible, random_wedge])
def test_feasible_problems_get_no_verdict_and_a_motion_that_satisfies_them(make):
    for seed in range(20):
        problem = make(np.random.default_rng(seed))
        found = examined(problem)
        assert len(found.infeasible) == 0 and not found.certificate.any()
        assert violations(problem, found.dv).max() <= TOLERANCE


def test_certificates_prove_what_they_claim():
    proven = 0
    for seed in range(10_000, 10_020):
        problem = random_infeasible(np.random.default_rng(seed))
        if least_violation(problem) < 0.01:
            continue
        y = examined(problem).certificate
        J, b = problem.jacobian()[0::3], problem.bias()[:, 0]
        assert y.min() >= 0.0 and y.sum() == pytest.approx(1.0)
        # Weak duality: no velocity of up to a hundred metres a second violates less than this.
        bound = -(y @ b) - 100.0 * np.linalg.norm((J.T @ y).reshape(-1, 3), axis=1).sum()
        assert 0.0 < bound <= least_violation(problem) * (1.0 + 1e-6)
        proven += 1
    assert proven > 10


def test_the_contradicting_contacts_of_a_squeeze_yield_alike():
    """Three walls above and one below: springs of their own would leave three quarters to the one below."""
    normals = np.array([[0.0, 0.0, -1.0]] * 3 + [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    problem = node_problem(normals, np.array([0.4, 0.4, 0.4, 0.6, 0.1]), np.eye(3))
    found = examined(problem)
    assert found.infeasible.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(found.yielding, [0.5, 0.5, 0.5, 0.5, 0.0], rtol=1e-3)
    assert found.certificate[:3].sum() == pytest.approx(0.5, rel=1e-6)
    assert found.certificate[4] == 0.0


def test_friction_keeps_a_node_from_being_squeezed_out_sideways():
    """Walls that are 0.02 rad from parallel: without friction the node leaves at 10 m/s, and that is a solution."""
    normals = np.array([[0.0, 0.0, 1.0], [np.sin(0.02), 0.0, -np.cos(0.02)]])
    closing = np.full(2, 0.1)
    assert len(examined(node_problem(normals, closing, np.eye(3))).infeasible) == 0
    rough = examined(node_problem(normals, closing, np.eye(3), friction=0.3))
    assert rough.infeasible.tolist() == [0, 1]


def test_a_contact_that_nothing_can_move_is_its_own_certificate():
    problem = node_problem(np.array([[0.0, 0.0, 1.0]]), np.array([0.1]), np.eye(3))
    stuck = Mlcp(
        problem.A, np.array([0, 1, 1], np.int32), problem.jacobian_nodes, problem.jacobian_blocks, np.zeros(2),
        np.array([[-0.1, 0.0, 0.0], [-0.2, 0.0, 0.0]]), np.zeros(2), problem.dt,
    )  # fmt: skip
    found = examined(stuck)
    assert found.infeasible.tolist() == [1]
    np.testing.assert_allclose(found.certificate, [0.0, 1.0])
    np.testing.assert_allclose(found.yielding, [0.0, 0.2])
