"""Arrays of the Newton matrix of a contact problem, as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.contact.mlcp import Floats, Ints, Mlcp


class NewtonMatrix(NamedTuple):
    """K = A + G' H G: its diagonal blocks D and strictly lower triangle L, and what their assembly needs."""

    covered: np.ndarray
    """(m,) contacts that the pattern has places for."""
    pair_indptr: Ints
    """(m+1,) where the pairs of nodes of each contact begin; e nodes make e (e - 1) / 2."""
    pair_entry: Ints
    row_start: Ints
    row_columns: Ints
    row_source: Ints
    seen: Ints
    L_indptr: Ints
    """(n+1,); the last is -1 until the pattern has been built."""
    L_indices: Ints
    L_A: Floats
    L: Floats
    D: Floats
    D_inv: Floats
    HB: Floats
    work: Floats
    """(5, n, 3) of conjugate gradients."""


def build_newton_matrix(problem: Mlcp) -> NewtonMatrix:
    """Room for the Newton matrices of a problem, whichever contacts become active."""
    n, m = problem.node_count, problem.contact_count
    sizes = np.diff(problem.jacobian_indptr)
    pair_indptr = np.zeros(m + 1, dtype=np.int32)
    np.cumsum(sizes * (sizes - 1) // 2, out=pair_indptr[1:])
    pairs = int(pair_indptr[-1])
    entries = len(problem.A.indices) // 2 + pairs
    return NewtonMatrix(
        covered=np.zeros(m, dtype=np.uint8),
        pair_indptr=pair_indptr,
        pair_entry=np.empty(pairs, dtype=np.int32),
        row_start=np.empty(n + 1, dtype=np.int32),
        row_columns=np.empty(pairs, dtype=np.int32),
        row_source=np.empty(pairs, dtype=np.int32),
        seen=np.empty(n, dtype=np.int32),
        L_indptr=np.full(n + 1, -1, dtype=np.int32),
        L_indices=np.empty(entries, dtype=np.int32),
        L_A=np.empty((entries, 3, 3)),
        L=np.empty((entries, 3, 3)),
        D=np.empty((n, 3, 3)),
        D_inv=np.empty((n, 3, 3)),
        HB=np.empty((max(1, int(sizes.max(initial=0))), 3, 3)),
        work=np.empty((5, n, 3)),
    )
