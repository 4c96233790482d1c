"""Coarse spaces of rigid motions, and conjugate gradients with them, against dense twins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import signorini as sg
from signorini.dynamics import unconstrained
from signorini.dynamics.assembly import LinearSystem, assemble
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.linalg import coarse_space
from signorini.linalg.block_matrix import BlockMatrix
from signorini.linalg.coarse_space import CoarseSpace, build_coarse_space
from signorini.linalg.coarse_space_kernels import prolong, restrict, set_up, solve_coarse
from signorini.linalg.ordering_kernels import gather_rows, scatter_rows
from signorini.linalg.split_matrix import SplitMatrix, pattern_of
from signorini.linalg.ssor_kernels import conjugate_gradients
from signorini.linalg.two_level_kernels import two_level_gradients
from signorini.model.build import build_model
from signorini.parallel.team import Team


def thin_mat(cells: int = 12, *, young: float = 1e8) -> LinearSystem:
    """A stiff mat with a ball above it, whose two nodes are coupled to nothing."""
    scene = sg.Scene()
    mesh = sg.shapes.box_tets(1.0, 1.0, 0.01, cells=(cells, cells, 1))
    scene.add_soft_solid(mesh, young=young, poisson=0.3, density=1000.0)
    scene.add_rigid(sg.shapes.sphere(0.1), density=1000.0, position=(0, 0, 0.5))
    model, state = build_model(scene)
    return assemble(model, state, 1e-2)


def prepared(A: BlockMatrix) -> tuple[SplitMatrix, CoarseSpace, np.ndarray]:
    pattern = pattern_of(A)
    return pattern.split(A), build_coarse_space(A, pattern.ordering), pattern.ordering.order


def dense_modes(A: BlockMatrix, coarse: CoarseSpace, order: np.ndarray) -> np.ndarray:
    """Z (3n, 6g): translations and, about the mean of each group, rotations of its nodes."""
    assert A.points is not None
    Z = np.zeros((A.node_count, 3, len(coarse.solution)))
    group = np.empty(len(order), np.int64)
    group[order] = coarse.group
    for g in range(len(coarse.solution) // 6):
        nodes = np.flatnonzero(group == g)
        arms = A.points[nodes] - A.points[nodes].mean(axis=0)
        arms /= np.abs(arms).max()
        Z[nodes, :, 6 * g : 6 * g + 3] = np.eye(3)
        for k in range(3):
            Z[nodes, :, 6 * g + 3 + k] = np.cross(np.eye(3)[k], arms)
    return Z.reshape(-1, len(coarse.solution))


def test_groups_are_connected_and_leave_out_lonely_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coarse_space, "GROUP_NODES", 20)
    A = thin_mat().A
    _, coarse, order = prepared(A)
    group = np.empty(len(order), np.int64)
    group[order] = coarse.group
    assert (group == -1).sum() == 2
    assert set(group[group >= 0]) == set(range(len(coarse.solution) // 6))
    graph = A.to_scipy()[::3, ::3]
    sizes = [np.count_nonzero(group == g) for g in range(group.max() + 1)]
    assert max(sizes) <= 4 * np.mean(sizes)
    for g in range(group.max() + 1):
        nodes = np.flatnonzero(group == g)
        assert connected_components(graph[nodes][:, nodes])[0] == 1


def test_coarse_matrix_restriction_and_prolongation_are_those_of_rigid_motions() -> None:
    A = thin_mat(cells=8).A
    K, coarse, order = prepared(A)
    Z, full, rng = dense_modes(A, coarse, order), A.to_scipy().toarray(), np.random.default_rng(1)
    set_up(K, coarse)
    r, c = rng.normal(size=(A.node_count, 3)), rng.normal(size=Z.shape[1])
    flat, total, x = np.zeros(4 * len(order)), np.zeros_like(c), c.copy()
    gather_rows(r, order, flat)
    restrict(coarse.group, coarse.arm, 0, len(order), flat, total)
    np.testing.assert_allclose(total, Z.T @ r.ravel(), atol=1e-12 * np.abs(r).sum())
    prolong(coarse.group, coarse.arm, 0, len(order), c, flat)
    moved = np.empty_like(r)
    scatter_rows(flat, order, moved)
    np.testing.assert_allclose(moved - r, (Z @ c).reshape(-1, 3), atol=1e-12)
    solve_coarse(coarse.C, coarse.last, x)
    np.testing.assert_allclose(x, np.linalg.solve(Z.T @ full @ Z, c), rtol=1e-6)


def test_motions_that_groups_cannot_make_are_left_out() -> None:
    """Two nodes in a line do not turn about it: a singular matrix, of which the rest is solved."""
    A = BlockMatrix(
        np.array([0, 2, 4], np.int32), np.array([0, 1, 0, 1], np.int32),
        np.array([3.0, -1.0, -1.0, 3.0])[:, None, None] * np.eye(3), np.array([[0.0, 0, 0], [1.0, 0, 0]]),
    )  # fmt: skip
    K, coarse, order = prepared(A)
    set_up(K, coarse)
    Z = dense_modes(A, coarse, order)
    c = Z.T @ np.array([1.0, 2.0, 3.0, -1.0, 4.0, 1.0])
    x = c.copy()
    solve_coarse(coarse.C, coarse.last, x)
    np.testing.assert_allclose(Z.T @ A.to_scipy() @ Z @ x, c, atol=1e-12)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-8])
def test_the_solution_is_reached_in_a_fraction_of_the_iterations(tolerance: float) -> None:
    s = thin_mat(cells=24)
    K, coarse, order = prepared(s.A)
    rng, n = np.random.default_rng(0), s.A.node_count
    b, g, work = rng.normal(size=(n, 3)), np.zeros(4 * n), np.empty((8, 4 * n))
    b -= b.mean(axis=0)
    b[:, 2] = np.cos(3.0 * s.A.points[:, 0])  # type: ignore[index]
    gather_rows(b, order, g)
    d = np.zeros((2, 4 * n))
    plain = Team().run(1, conjugate_gradients, K, g, tolerance, 0.0, 5000, d[0], work)
    two = Team().run(1, two_level_gradients, K, coarse, g, tolerance, 0.0, 5000, d[1], work)
    assert two < 0.3 * plain
    assert Team().run(1, two_level_gradients, K, coarse, g, tolerance, 0.0, two - 1, d[0], work) == two
    if tolerance < 1e-6:
        v = np.empty_like(b)
        scatter_rows(d[1], order, v)
        exact = solve_unconstrained(s.A, b, np.zeros_like(b), tolerance=tolerance, direct_below=10**9)
        np.testing.assert_allclose(v, exact, atol=1e-5 * np.abs(exact).max())


@pytest.mark.parametrize(("threads", "barrier"), [(2, 0), (2, 7), (3, 12)])
def test_the_number_of_threads_changes_no_bit(threads: int, barrier: int) -> None:
    """Also if threads are dismissed on the way, at some barrier."""
    s = thin_mat(cells=20)
    K, coarse, _ = prepared(s.A)
    n = s.A.node_count
    assert len(K.starts) > 2
    g, results = np.random.default_rng(0).normal(size=4 * n), []
    for team in (Team(), Team(patient=True, last_barrier=barrier)):
        d, work = np.zeros(4 * n), np.zeros((8, 4 * n))
        count = team.run(1 if not results else threads, two_level_gradients, K, coarse, g, 1e-2, 0.0, 500, d, work)
        results.append((count, d.reshape(n, 4)[:, :3].tobytes()))
    assert results[0] == results[1]


def test_free_motion_of_a_stiff_mat_is_that_of_the_factorisation(monkeypatch: pytest.MonkeyPatch) -> None:
    s = thin_mat(cells=24)
    s.b[:, 2] += 0.1 * np.abs(s.b).max() * np.cos(9.0 * s.A.points[:, 0])  # type: ignore[index]
    exact = solve_unconstrained(s.A, s.b, np.zeros_like(s.b), tolerance=1e-9, direct_below=10**9)
    monkeypatch.setattr(unconstrained, "_solve_direct", lambda A, b: pytest.fail("it was factorised"))
    monkeypatch.setattr(unconstrained, "MAX_ITERATIONS", 800)
    v = solve_unconstrained(s.A, s.b, np.zeros_like(s.b), tolerance=1e-9, direct_below=0)
    np.testing.assert_allclose(v, exact, atol=1e-5 * np.abs(exact).max())
    with pytest.raises(pytest.fail.Exception, match="factorised"):  # without the points it takes more
        A = BlockMatrix(s.A.indptr, s.A.indices, s.A.data)
        solve_unconstrained(A, s.b, np.zeros_like(s.b), tolerance=1e-9, direct_below=0)
