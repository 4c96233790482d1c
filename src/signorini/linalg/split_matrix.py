"""A symmetric block matrix as its diagonal and its lower triangle, in an order that several threads can work with."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signorini.linalg import ordering_kernels as kernels
from signorini.linalg.block_matrix import BlockMatrix
from signorini.linalg.block_matrix_kernels import invert_blocks
from signorini.linalg.ordering import Ints, Ordering, order_nodes
from signorini.linalg.vector4_kernels import padded_blocks

Floats = NDArray[np.float64]


class SplitMatrix(NamedTuple):
    """K = L + D + L' in the order of `Ordering`; blocks are flat, nine numbers each, with one number behind the last."""

    starts: Ints
    """(blocks + 1,) of `Ordering`."""
    L_indptr: Ints
    """(n + 1,)"""
    L_indices: Ints
    """Columns of each row, in no order."""
    L: Floats
    D: Floats
    D_inv: Floats


class SplitPattern(NamedTuple):
    """Which blocks of a matrix of a fixed pattern go where."""

    ordering: Ordering
    L_indptr: Ints
    L_indices: Ints
    L_source: Ints
    D_source: Ints

    def split(self, A: BlockMatrix) -> SplitMatrix:
        """The parts of a matrix of this pattern."""
        n, lower = A.node_count, len(self.L_source)
        L, D = padded_blocks(lower), padded_blocks(n)
        kernels.gather_blocks(A.data, self.L_source, L)
        kernels.gather_blocks(A.data, self.D_source, D)
        D_inv = D.copy()
        invert_blocks(D_inv[:-1].reshape(n, 3, 3))
        return SplitMatrix(self.ordering.starts, self.L_indptr, self.L_indices, L, D, D_inv)


def build_pattern(A: BlockMatrix, ordering: Ordering) -> SplitPattern:
    """The pattern of a matrix in an order."""
    n, lower = A.node_count, (len(A.indices) - A.node_count) // 2
    arrays = (np.empty(n + 1, np.int32), np.empty(lower, np.int32), np.empty(lower, np.int32), np.empty(n, np.int32))
    kernels.split_pattern(A.indptr, A.indices, ordering.order, ordering.place, *arrays)
    return SplitPattern(ordering, *arrays)


_KNOWN: dict[int, tuple[weakref.ref[Ints], SplitPattern]] = {}
"""Patterns by the address of their columns: all matrices of a simulation share those."""


def pattern_of(A: BlockMatrix) -> SplitPattern:
    """The pattern of a matrix in an order of its own, computed once for all matrices that share the array `indices`."""
    key = id(A.indices)
    known = _KNOWN.get(key)
    if known is not None and known[0]() is A.indices:
        return known[1]
    pattern = build_pattern(A, order_nodes(A))
    _KNOWN[key] = weakref.ref(A.indices, lambda _: _KNOWN.pop(key, None)), pattern
    return pattern
