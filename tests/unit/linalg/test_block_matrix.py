"""Block matrices against dense ones."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries


def random_matrix(n: int, seed: int) -> tuple[BlockMatrix, np.ndarray]:
    """A random symmetric positive definite block matrix, and its dense twin."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, n, (2 * n, 2))
    pattern = build_pattern(n, pairs)
    dense = np.zeros((3 * n, 3 * n))
    for i, j in pairs.tolist():
        if i != j:
            block = rng.normal(size=(3, 3))
            dense[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += block
            dense[3 * j : 3 * j + 3, 3 * i : 3 * i + 3] += block.T
    shift = 1.0 + max(0.0, -np.linalg.eigvalsh(dense).min())
    for i in range(n):
        half = rng.normal(size=(3, 3))
        dense[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] += half @ half.T + shift * np.eye(3)
    data = np.empty_like(pattern.data)
    for i in range(n):
        for k in range(pattern.indptr[i], pattern.indptr[i + 1]):
            j = pattern.indices[k]
            data[k] = dense[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
    return BlockMatrix(pattern.indptr, pattern.indices, data), dense


@pytest.mark.parametrize("n", [1, 2, 17])
def test_product_and_conversion_are_those_of_the_dense_matrix(n: int) -> None:
    A, dense = random_matrix(n, seed=n)
    x = np.random.default_rng(0).normal(size=(n, 3))
    np.testing.assert_allclose(A.to_scipy().toarray(), dense)
    np.testing.assert_allclose(A.times(x).ravel(), dense @ x.ravel(), atol=1e-12)
    assert A.node_count == n


def test_diagonal_blocks_and_their_inverses() -> None:
    A, dense = random_matrix(9, seed=4)
    D, inverse = A.diagonal_blocks(), A.inverse_diagonal_blocks()
    for i in range(9):
        block = dense[3 * i : 3 * i + 3, 3 * i : 3 * i + 3]
        np.testing.assert_array_equal(D[i], block)
        np.testing.assert_allclose(inverse[i], np.linalg.inv(block), rtol=1e-10, atol=1e-14)


def test_diagonal_blocks_do_not_alias_the_matrix() -> None:
    A, _ = random_matrix(3, seed=1)
    before = A.data.copy()
    A.inverse_diagonal_blocks()
    np.testing.assert_array_equal(A.data, before)


def test_pattern_has_the_diagonal_and_both_directions_once_in_order() -> None:
    A = build_pattern(5, np.array([[0, 3], [3, 0], [0, 3], [4, 1], [2, 2]]))
    rows = [A.indices[A.indptr[i] : A.indptr[i + 1]].tolist() for i in range(5)]
    assert rows == [[0, 3], [1, 4], [2], [0, 3], [1, 4]]
    assert A.data.shape == (9, 3, 3)
    assert not A.data.any()
    assert A.indptr.dtype == A.indices.dtype == np.int32


def test_pattern_without_pairs_is_the_diagonal() -> None:
    A = build_pattern(3, np.zeros((0, 2), dtype=np.int32))
    np.testing.assert_array_equal(A.indices, [0, 1, 2])


def test_entries_are_found_in_any_shape() -> None:
    A, _ = random_matrix(8, seed=5)
    row_of = np.repeat(np.arange(8), np.diff(A.indptr))
    order = np.random.default_rng(1).permutation(len(A.indices))[: len(A.indices) // 2 * 2]
    entries = find_entries(A, row_of[order].reshape(2, -1), A.indices[order].reshape(2, -1))
    np.testing.assert_array_equal(entries, order.reshape(2, -1))
    assert entries.dtype == np.int32


@pytest.mark.parametrize(("row", "column"), [(0, 1), (0, 3), (3, 0), (2, 1)])
def test_missing_entry_breaks_an_invariant(row: int, column: int) -> None:
    A = build_pattern(4, np.array([[0, 2]]))
    with pytest.raises(AssertionError, match="not in the pattern"):
        find_entries(A, np.array([row]), np.array([column]))
