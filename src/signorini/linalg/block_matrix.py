"""Sparse symmetric matrices of 3x3 blocks, compressed by rows, with a fixed pattern.

All entries of the pattern are stored (both triangles), columns of a row in increasing order, so that one row is one
contiguous run for products and for Gauss-Seidel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.linalg import block_matrix_kernels as kernels


@dataclass(frozen=True, slots=True)
class BlockMatrix:
    """An n x n matrix of 3x3 blocks in block-CSR form."""

    indptr: NDArray[np.int32]
    """(n+1,) start of each block row."""
    indices: NDArray[np.int32]
    """(nnz,) block column of each entry, increasing within a row."""
    data: NDArray[np.float64]
    """(nnz, 3, 3)"""
    points: NDArray[np.float64] | None = None
    """(n, 3) where the nodes are [m], if known: what a coarse space of rigid motions needs. No product depends on it."""

    def __repr__(self) -> str:
        return (
            f"BlockMatrix of {self.node_count} × {self.node_count} blocks of 3 × 3, {len(self.indices)} of them stored"
        )

    @property
    def node_count(self) -> int:
        return len(self.indptr) - 1

    def times(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The product A x for x of shape (n, 3)."""
        y = np.empty(x.shape)
        kernels.multiply(self.indptr, self.indices, self.data, x, y)
        return y

    def diagonal_blocks(self) -> NDArray[np.float64]:
        """D_A: the (n, 3, 3) blocks on the diagonal."""
        D = np.zeros((self.node_count, 3, 3))
        kernels.diagonal(self.indptr, self.indices, self.data, D)
        return D

    def inverse_diagonal_blocks(self) -> NDArray[np.float64]:
        """D_A^-1 block by block, (n, 3, 3)."""
        D = self.diagonal_blocks()
        kernels.invert_blocks(D)
        return D

    def mass_norm(self) -> float:
        """Norm of the masses of the nodes: what A does to a common translation, to which elasticity adds nothing."""
        return float(np.linalg.norm(self.times(np.ones((self.node_count, 3))).sum(axis=1)) / 3.0)

    def to_scipy(self) -> sp.csr_matrix:
        """The same matrix as a scalar (3n, 3n) scipy matrix."""
        n = self.node_count
        return sp.csr_matrix(sp.bsr_matrix((self.data, self.indices, self.indptr), shape=(3 * n, 3 * n)))


def build_pattern(node_count: int, pairs: NDArray[np.integer]) -> BlockMatrix:
    """A zero matrix whose pattern is the diagonal and both directions of every (i, j) in `pairs`, (p, 2)."""
    i = np.concatenate([np.arange(node_count), pairs[:, 0], pairs[:, 1]])
    j = np.concatenate([np.arange(node_count), pairs[:, 1], pairs[:, 0]])
    pattern = sp.csr_matrix((np.ones(len(i)), (i, j)), shape=(node_count, node_count))
    pattern.sum_duplicates()
    pattern.sort_indices()
    return BlockMatrix(
        pattern.indptr.astype(np.int32), pattern.indices.astype(np.int32), np.zeros((len(pattern.indices), 3, 3))
    )


def find_entries(matrix: BlockMatrix, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> NDArray[np.int32]:
    """The index into `data` of each block (row, column); every one must be in the pattern."""
    entries = np.empty(rows.shape, dtype=np.int32)
    flat_rows = np.ascontiguousarray(rows, dtype=np.int32).ravel()
    flat_columns = np.ascontiguousarray(columns, dtype=np.int32).ravel()
    missing = kernels.find_entries(matrix.indptr, matrix.indices, flat_rows, flat_columns, entries.ravel())
    assert missing == 0, "a block is not in the pattern"
    return entries
