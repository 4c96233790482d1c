"""Arrays of the Newton matrix of a contact problem, as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.contact.mlcp import Floats, Ints, Mlcp
from signorini.linalg.coarse_space import CoarseSpace, no_coarse_space
from signorini.linalg.ordering import Ordering
from signorini.linalg.split_matrix import SplitMatrix
from signorini.linalg.vector4_kernels import padded_blocks
from signorini.solvers.relaxation.arrays import Relaxation
from signorini.solvers.room import Room

FEWEST = 8
"""Nodes for which there is work space at least: conjugate gradients keep the sums of blocks there too."""


class NewtonMatrix(NamedTuple):
    """K = A + G' H G: its diagonal blocks and strictly lower triangle, and what their assembly needs."""

    ordering: Ordering
    """The order of nodes in K, in which no contact couples two blocks."""
    split: SplitMatrix
    """The last of its L_indptr is -1 until the pattern has been built."""
    A: SplitMatrix
    """A itself."""
    covered: np.ndarray
    """(m,) contacts that the pattern has places for."""
    pair_indptr: Ints
    """(m+1,) where the pairs of nodes of each contact begin; e nodes make e (e - 1) / 2."""
    pair_entry: Ints
    row_start: Ints
    row_columns: Ints
    row_source: Ints
    seen: Ints
    L_A: Floats
    """The blocks of A in L."""
    D_A: Floats
    """(9n + 1,) the diagonal blocks of A."""
    places: Ints
    """(k,) the place of the node of every block of G."""
    blocks: Floats
    """(9k + 1,) G, flat."""
    last: Ints
    """(m,) the contacts that were active in the last assembly."""
    last_count: np.ndarray
    """(1,) how many; -1 if nothing was assembled in this pattern yet."""
    HB: Floats
    """Blocks H_c G_k of one contact, with rows of four."""
    right: Floats
    """(4n,) right-hand side of a Newton step, in the order of K."""
    solution: Floats
    """(4n,)"""
    work: Floats
    """(8, 4n) of conjugate gradients."""
    orders: np.ndarray
    """(1,) what thread 0 wants the others to do next."""
    coarse: CoarseSpace
    """Without groups until a Newton step is slow."""


def build_newton_matrix(problem: Mlcp, relaxation: Relaxation, room: Room | None = None) -> NewtonMatrix:
    """Arrays for the Newton matrices of a problem, whichever contacts become active; the largest in a room."""
    room = room or Room()
    n, m = problem.node_count, problem.contact_count
    sizes = np.diff(problem.jacobian_indptr)
    pair_indptr = np.zeros(m + 1, dtype=np.int32)
    np.cumsum(sizes * (sizes - 1) // 2, out=pair_indptr[1:])
    pairs = int(pair_indptr[-1])
    entries = len(problem.A.indices) // 2 + pairs
    ordering = relaxation.ordering
    split = SplitMatrix(
        starts=ordering.starts,
        L_indptr=np.full(n + 1, -1, dtype=np.int32),
        L_indices=np.empty(entries, dtype=np.int32),
        L=room.take("L", 9 * entries + 1),
        D=padded_blocks(n),
        D_inv=padded_blocks(n),
    )
    return NewtonMatrix(
        ordering=ordering,
        split=split,
        A=relaxation.split,
        covered=np.zeros(m, dtype=np.uint8),
        pair_indptr=pair_indptr,
        pair_entry=np.empty(pairs, dtype=np.int32),
        row_start=np.empty(n + 1, dtype=np.int32),
        row_columns=np.empty(pairs, dtype=np.int32),
        row_source=np.empty(pairs, dtype=np.int32),
        seen=np.empty(n, dtype=np.int32),
        L_A=room.take("L_A", 9 * entries + 1),
        D_A=relaxation.split.D,
        places=relaxation.nodes // 4,
        blocks=relaxation.blocks,
        last=np.empty(m, np.int32),
        last_count=np.full(1, -1),
        HB=np.zeros(12 * max(1, int(sizes.max(initial=0)))),
        right=np.zeros(4 * n),
        solution=np.zeros(4 * n),
        work=room.take("work", 8, 4 * max(n, FEWEST)),
        orders=np.zeros(1, np.int64),
        coarse=no_coarse_space(wanted=problem.A.points is not None),
    )
