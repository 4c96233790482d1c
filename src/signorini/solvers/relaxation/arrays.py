"""Arrays of relaxation: the contact problem in an order that several threads can work with, and room for iterates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.contact.mlcp import Floats, Ints, Mlcp
from signorini.contact.residuals import LocalResponse
from signorini.linalg.ordering import Ordering
from signorini.linalg.split_matrix import SplitMatrix, build_pattern
from signorini.solvers.relaxation import row_kernels as kernels
from signorini.solvers.relaxation_rules import LONGEST_PERIOD
from signorini.solvers.room import Room

VECTORS = 8
"""Vectors of nodes in `Relaxation.vectors`."""


class Relaxation(NamedTuple):
    """A contact problem for relaxation. Vectors have four numbers a node in the order of `split`, the fourth without meaning."""

    ordering: Ordering
    split: SplitMatrix
    """The matrix A."""
    groups: Ints
    """(blocks + 2,) where the contacts of each block begin in `members`; those of the last group touch nodes between blocks."""
    members: Ints
    """(m,) contacts by group."""
    nodes: Ints
    """(k,) four times the place of the node of every block of G."""
    blocks: Floats
    """(9k + 1,) G, flat."""
    push: Floats
    """(9k + 1,) the transpose of D_A^-1 G_k' of every block, flat."""
    root: Floats
    """(n,) √ of the mean of the diagonal of each block of A."""
    listed: Ints
    """(m,) contacts of each group that are swept, from the start of the group on."""
    counts: Ints
    """(blocks + 1,) how many that are."""
    vectors: Floats
    """(VECTORS, 4n)"""
    best_impulse: Floats
    """(m, 3)"""
    node_history: Floats
    """(3, period, 4n) iterates dv, their weighted residuals, and U_A dv."""
    impulse_history: Floats
    """(period, 3m)"""
    cut: Floats
    """(m, 3) what an extrapolation cuts off from impulses outside of their friction cones."""
    parts: Floats
    """(blocks + 1, 64) sums and maxima of each block."""
    orders: np.ndarray
    """(1,) what thread 0 has found out."""


def build_relaxation(
    problem: Mlcp, prepared: LocalResponse, ordering: Ordering, room: Room | None = None
) -> Relaxation:
    """The arrays of a problem, the largest of them in a room, by default one of its own."""
    room = room or Room()
    n, m, k = problem.node_count, problem.contact_count, len(problem.jacobian_nodes)
    split = build_pattern(problem.A, ordering).split(problem.A)
    blocks = len(ordering.starts) - 1
    groups, members, nodes = np.empty(blocks + 2, np.int32), np.empty(m, np.int32), np.empty(k, np.int32)
    kernels.group_contacts(
        problem.jacobian_indptr, problem.jacobian_nodes, ordering.place, ordering.starts, groups, members, nodes
    )
    flat, push = np.empty(9 * k + 1), np.empty(9 * k + 1)
    kernels.flatten_blocks(problem.jacobian_blocks, prepared.response, flat, push)
    root = np.sqrt(np.einsum("nii->n", split.D[:-1].reshape(n, 3, 3)) / 3.0)
    return Relaxation(
        ordering=ordering,
        split=split,
        groups=groups,
        members=members,
        nodes=nodes,
        blocks=flat,
        push=push,
        root=root,
        listed=np.empty(m, np.int32),
        counts=np.zeros(blocks + 1, np.int32),
        vectors=room.take("vectors", VECTORS, 4 * n),
        best_impulse=np.zeros((m, 3)),
        node_history=room.take("node_history", 3, LONGEST_PERIOD, 4 * n),
        impulse_history=room.take("impulse_history", LONGEST_PERIOD, 3 * m),
        cut=np.zeros((m, 3)),
        parts=np.zeros((blocks + 1, 64)),
        orders=np.zeros(1, np.int64),
    )
