"""The unconstrained solve: conjugate gradients, factorisation and the way from one to the other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.dynamics import unconstrained
from signorini.dynamics.assembly import LinearSystem, assemble
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.geometry import shapes
from signorini.linalg.block_matrix import BlockMatrix
from signorini.linalg.ordering import order_nodes
from signorini.linalg.split_matrix import build_pattern, pattern_of
from signorini.model.build import build_model
from signorini.model.state import State
from signorini.scene.scene import Scene


def system(dt: float = 4e-3, *, pinned: bool = True) -> LinearSystem:
    scene = Scene()
    cloth = scene.add_cloth(shapes.grid(0.5, 0.5, cells=8), material="denim")
    if pinned:
        cloth.pin([0, 8])
    model, state = build_model(scene)
    rng = np.random.default_rng(0)
    q = state.q + 0.01 * rng.normal(size=state.q.shape)
    return assemble(model, State(q, rng.normal(size=q.shape), 0.0), dt)


def gauss_seidel_preconditioner(A: BlockMatrix) -> np.ndarray:
    """(D + L) D⁻¹ (D + L') with 3x3 blocks in the order in which A is split, dense."""
    order, n = pattern_of(A).ordering.order, A.node_count
    rows = np.ix_(*2 * [(3 * order[:, None] + np.arange(3)).ravel()])
    full = A.to_scipy().toarray()[rows]
    block = np.kron(np.arange(n), np.ones(3))
    D = np.where(block[:, None] == block, full, 0.0)
    lower = np.where(block[:, None] >= block, full, 0.0)
    M = np.empty_like(full)
    M[rows] = lower @ np.linalg.inv(D) @ lower.T
    return M


@pytest.mark.parametrize("direct_below", [0, 10**6], ids=["pcg", "direct"])
@pytest.mark.parametrize("dt", [1e-3, 2e-2])
def test_both_ways_give_the_solution_of_numpy(dt: float, direct_below: int) -> None:
    s = system(dt)
    exact = np.linalg.solve(s.A.to_scipy().toarray(), s.b.ravel()).reshape(-1, 3)
    v = solve_unconstrained(s.A, s.b, np.zeros_like(s.b), tolerance=1e-10, direct_below=direct_below)
    np.testing.assert_allclose(v, exact, atol=1e-6 * np.abs(exact).max())
    assert v.flags.c_contiguous


@pytest.mark.parametrize("tolerance", [1e-2, 1e-5, 1e-9])
def test_conjugate_gradients_reach_the_promised_residual(tolerance: float) -> None:
    s = system()
    v = solve_unconstrained(s.A, s.b, np.zeros_like(s.b), tolerance=tolerance, direct_below=0)
    M = gauss_seidel_preconditioner(s.A)

    def norm(r: np.ndarray) -> float:
        return float(np.sqrt(r.ravel() @ np.linalg.solve(M, r.ravel())))

    assert norm(s.b - s.A.times(v)) <= 1.01 * tolerance * norm(s.b)


def test_guess_is_not_changed_and_an_exact_one_is_returned() -> None:
    s = system()
    exact = solve_unconstrained(s.A, s.b, np.zeros_like(s.b), tolerance=1e-8, direct_below=10**6)
    guess = exact.copy()
    v = solve_unconstrained(s.A, s.b, guess, tolerance=1e-6, direct_below=0)
    np.testing.assert_array_equal(v, exact)
    np.testing.assert_array_equal(guess, exact)
    assert v is not guess


def test_too_few_iterations_fall_back_to_the_factorisation(monkeypatch: pytest.MonkeyPatch) -> None:
    s = system()
    monkeypatch.setattr(unconstrained, "MAX_ITERATIONS", 2)
    v = solve_unconstrained(s.A, s.b, np.zeros_like(s.b), tolerance=1e-9, direct_below=0)
    exact = np.linalg.solve(s.A.to_scipy().toarray(), s.b.ravel()).reshape(-1, 3)
    np.testing.assert_allclose(v, exact, atol=1e-9 * np.abs(exact).max())


@pytest.mark.parametrize("guess", [0.0, 1.0])
def test_zero_right_hand_side_has_the_solution_zero(guess: float) -> None:
    s = system(pinned=False)
    v = solve_unconstrained(s.A, np.zeros_like(s.b), np.full_like(s.b, guess), tolerance=1e-5, direct_below=0)
    np.testing.assert_allclose(v, 0.0, atol=1e-12)


@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_split_gives_the_lower_triangle_and_the_diagonal_in_the_order_of_blocks(blocks: int) -> None:
    A = system().A
    pattern = build_pattern(A, order_nodes(A, blocks=blocks))
    K, order, n = pattern.split(A), pattern.ordering.order, A.node_count
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    exact = A.to_scipy().toarray()[np.ix_(rows, rows)]
    block = np.kron(np.arange(n), np.ones(3))
    L, D, D_inv = (part[:-1].reshape(-1, 3, 3) for part in (K.L, K.D, K.D_inv))
    below = sp.bsr_matrix((L, K.L_indices, K.L_indptr), shape=(3 * n, 3 * n)).toarray()
    np.testing.assert_array_equal(below, np.where(block[:, None] > block, exact, 0.0))
    np.testing.assert_array_equal(D, A.diagonal_blocks()[order])
    np.testing.assert_allclose(D_inv @ D, np.broadcast_to(np.eye(3), (n, 3, 3)), atol=1e-9)


def test_conjugate_gradients_need_far_fewer_steps_than_unknowns(monkeypatch: pytest.MonkeyPatch) -> None:
    # Half of the unknowns: true of conjugate directions only; steepest descent takes thousands on this stiff system.
    s = system(2e-2)
    monkeypatch.setattr(unconstrained, "MAX_ITERATIONS", 3 * s.A.node_count // 2)
    assert unconstrained._conjugate_gradients(s.A, s.b, np.zeros_like(s.b), 1e-9)
