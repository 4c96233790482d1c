"""Arrays of Newton's method on a contact problem: its matrix, its iterates, and what threads tell each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.contact.mlcp import Floats, Ints, Mlcp
from signorini.linalg.coarse_space import CoarseSpace, no_coarse_space
from signorini.linalg.ordering import Ordering
from signorini.linalg.split_matrix import SplitMatrix
from signorini.linalg.vector4_kernels import padded_blocks
from signorini.solvers.newton.list_kernels import find_breadths
from signorini.solvers.relaxation.arrays import Relaxation
from signorini.solvers.room import Room

VECTORS = 6
"""Vectors of nodes in `NewtonMatrix.vectors`."""
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
    groups: Ints
    """(blocks + 2,) of `Relaxation`: where the contacts of each block begin in `members`."""
    members: Ints
    """(m,) contacts by group."""
    listed: Ints
    """(m,) contacts of each group that Newton's method visits, from the start of the group on: see `list_kernels`."""
    listed_count: Ints
    """(blocks + 1,) how many."""
    is_listed: np.ndarray
    """(m,) whether a contact is one of them."""
    breadth: Floats
    """(m,) how much nearer to closing a contact can come for each m/s by which its nodes change at most."""
    path: Floats
    """(3,) how far nodes have gone at most since the others were looked at, how far they may go, and how far they went in all
    Newton steps of this update [m/s]."""
    active: np.ndarray
    """(m,) whether a contact has an impulse that depends on its velocity."""
    fresh: np.ndarray
    """(1,) whether K must be assembled from nothing: its pattern is new, or penalties have changed."""
    touched: Ints
    """(m,) contacts of each group that are not open all along a line search."""
    touched_count: Ints
    """(blocks + 1,) how many."""
    H: Floats
    """(m, 3, 3) derivative of the impulse of every active contact."""
    assembled: Floats
    """(m, 3, 3) what K contains of each contact in place of H."""
    change: Floats
    """(blocks + 1, 3, 3) what is added to that of one contact of each group."""
    HB: Floats
    """(blocks + 1, 12 e) blocks `change` G_k of that contact, with rows of four."""
    u: Floats
    """(m, 3) velocities of the contacts [m/s]."""
    ud: Floats
    """(m, 3) their change along a Newton step."""
    p: Floats
    """(m, 3) projected impulses [N s]."""
    shift: Floats
    """(m,) De Saxcé shifts [m/s]."""
    jump: Floats
    """(m, 4) change of the trial impulses by the last update of the multipliers, over the penalties [m/s], and the factor by
    which the update changed the penalty."""
    vectors: Floats
    """(VECTORS, 4n) vectors of nodes in the order of K: see `steps_kernels`."""
    work: Floats
    """(8, 4n) of conjugate gradients."""
    parts: Floats
    """(blocks + 1, 16) sums and maxima of each block."""
    goals: Floats
    """(2,) accuracy that Newton's method must reach: relative residual, residual as a velocity [m/s]."""
    reached: Floats
    """(3,) both as they are, and the length of the last step."""
    orders: np.ndarray
    """(4,) what thread 0 wants the others to do next, how Newton's method goes on, whether more contacts must be listed, and how
    the next update begins."""
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
    ordering, groups = relaxation.ordering, len(relaxation.groups) - 1
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
        groups=relaxation.groups,
        members=relaxation.members,
        listed=np.empty(m, np.int32),
        listed_count=np.zeros(groups, np.int32),
        is_listed=np.zeros(m, np.uint8),
        breadth=_breadths(problem, relaxation),
        path=np.zeros(3),
        active=np.zeros(m, np.uint8),
        fresh=np.ones(1, np.int64),
        touched=np.empty(m, np.int32),
        touched_count=np.zeros(groups, np.int32),
        H=np.empty((m, 3, 3)),
        assembled=np.zeros((m, 3, 3)),
        change=np.empty((groups, 3, 3)),
        HB=np.zeros((groups, 12 * max(1, int(sizes.max(initial=0))))),
        u=np.empty((m, 3)),
        ud=np.empty((m, 3)),
        p=np.empty((m, 3)),
        shift=np.empty(m),
        jump=np.empty((m, 4)),
        vectors=room.take("newton_vectors", VECTORS, 4 * n),
        work=room.take("work", 8, 4 * max(n, FEWEST)),
        parts=np.zeros((groups, 16)),
        goals=np.zeros(2),
        reached=np.zeros(3),
        orders=np.zeros(4, np.int64),
        coarse=no_coarse_space(wanted=problem.A.points is not None),
    )


def _breadths(problem: Mlcp, relaxation: Relaxation) -> Floats:
    breadth = np.empty(problem.contact_count)
    find_breadths(problem.jacobian_indptr, relaxation.blocks, problem.friction, breadth)
    return breadth
