"""The room of a squeeze: the least common part that contacts give up, against a linear program, and what shares nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from signorini.contact.mlcp import Mlcp
from signorini.contact.room_sharing import share_room
from signorini.settings import SolverSettings
from signorini.solvers import solve
from signorini.studies.problems.rows import ContactRows

TOLERANCE = 1e-4
DT = 0.01


def column(layers: int, closing: float, *, friction: float = 0.0, tilt: float = 0.0) -> tuple[Mlcp, np.ndarray]:
    """Particles of 1 kg one above the other between two plates that close at `closing` [m/s], and the distances [m].

    `tilt` [rad] turns the normals alternately, so that without friction the particles could leave sideways.
    """
    from signorini.linalg.block_matrix import build_pattern

    A = build_pattern(layers, np.zeros((0, 2), np.int32))
    A.data[:] = np.eye(3)
    rows = ContactRows()
    v_free = np.zeros((layers, 3))
    for k in range(layers + 1):
        nodes = [i for i in (k, k - 1) if 0 <= i < layers]
        maps = [np.eye(3) if i == k else -np.eye(3) for i in nodes]
        lean = tilt * (-1.0) ** k
        rows.add(nodes, maps, normal=np.array([np.sin(lean), 0.0, np.cos(lean)]), gap=0.0)
    problem = rows.build(A, v_free, friction=friction, dt=DT)
    free = problem.free_velocity.copy()
    free[-1, 0] -= closing
    return replace(problem, free_velocity=free), np.linspace(1e-3, 2e-3, layers + 1)


def least_part(problem: Mlcp, distance: np.ndarray) -> float:
    """The least s ≥ 0 with J x + b + s d/dt ≥ 0 for some x without tangential motion, by a linear program."""
    J = problem.jacobian()[::3].toarray()
    n = J.shape[1]
    cost = np.r_[np.zeros(n), 1.0]
    bounds = [(None, None) if i % 3 == 2 else (0.0, 0.0) for i in range(n)] + [(0.0, None)]
    found = linprog(cost, A_ub=-np.c_[J, distance / problem.dt], b_ub=problem.bias()[:, 0], bounds=bounds)
    assert found.success
    return float(found.x[-1])


@pytest.mark.parametrize("layers", [1, 2, 5])
@pytest.mark.parametrize("closing", [0.01, 0.05])
def test_all_layers_give_up_the_same_part(layers, closing):
    problem, distance = column(layers, closing)
    share = share_room(problem, distance, tolerance=TOLERANCE)
    assert share is not None
    assert share.part == pytest.approx(least_part(problem, distance), rel=0.02)
    assert share.part == pytest.approx(closing * DT / distance.sum(), rel=0.02)
    np.testing.assert_allclose(share.distance / distance, share.part, rtol=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("tilt", [0.0, 0.02])
def test_the_problem_is_solved_after_its_room_was_shared(friction, tilt):
    """Also without friction, where a particle would otherwise have to leave sideways at fifty times the closing speed."""
    problem, distance = column(4, 0.05, friction=friction, tilt=tilt)
    share = share_room(problem, distance, tolerance=TOLERANCE)
    assert share is not None
    eased = replace(problem, gap=problem.gap + 1.3 * share.distance)
    response = solve(eased, SolverSettings(tolerance=TOLERANCE))
    assert response.converged
    assert np.abs(response.dv).max() < 0.1


@pytest.mark.parametrize("closing", [0.0, -0.1])
def test_nothing_is_given_up_where_there_is_room(closing):
    problem, distance = column(3, closing)
    assert share_room(problem, distance, tolerance=TOLERANCE) is None


def test_only_what_is_squeezed_gives_up_room():
    """A particle that touches none of those in the squeeze keeps its distance."""
    problem, distance = column(2, 0.05)
    lone, far = column(1, -1.0)
    shift = problem.node_count
    both = Mlcp(
        _joined(problem, lone), np.concatenate([problem.jacobian_indptr, problem.jacobian_indptr[-1] + lone.jacobian_indptr[1:]]),
        np.concatenate([problem.jacobian_nodes, shift + lone.jacobian_nodes]),
        np.concatenate([problem.jacobian_blocks, lone.jacobian_blocks]), np.concatenate([problem.gap, lone.gap]),
        np.concatenate([problem.free_velocity, lone.free_velocity]), np.concatenate([problem.friction, lone.friction]),
        DT, problem.contact_distance,
    )  # fmt: skip
    share = share_room(both, np.concatenate([distance, far]), tolerance=TOLERANCE)
    assert share is not None
    assert (share.distance[:3] > 0.0).all()
    assert (share.distance[3:] == 0.0).all()


def _joined(a: Mlcp, b: Mlcp):
    from signorini.linalg.block_matrix import build_pattern

    A = build_pattern(a.node_count + b.node_count, np.zeros((0, 2), np.int32))
    A.data[:] = np.eye(3)
    return A


def test_the_solver_ends_with_the_proof_if_no_compromise_is_asked_for():
    problem, _ = column(2, 0.05, friction=0.5)
    quick = solve(problem, SolverSettings(tolerance=TOLERANCE, compromise=False))
    full = solve(problem, SolverSettings(tolerance=TOLERANCE))
    assert quick.certificate is not None
    assert full.certificate is not None
    assert not quick.converged
    assert len(quick.infeasible)
    assert quick.inner_iterations <= full.inner_iterations


def test_a_solve_ends_after_its_iterations():
    """From a cold start the problem below needs more; what is returned then is named unsolved."""
    from reference.problems import random_mlcp

    problem = random_mlcp(np.random.default_rng(3), contacts=40, stiffness=300.0, friction=0.5)
    full = solve(problem, SolverSettings(tolerance=1e-9))
    short = solve(problem, SolverSettings(tolerance=1e-9, max_iterations=10))
    assert full.converged
    assert not short.converged
    assert short.outer_iterations < full.outer_iterations
