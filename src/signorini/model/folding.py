"""Nodes that are part of a rigid body are eliminated from the system: T'AT and T'b.

T maps the velocity of the body's two nodes to that of an attached node, [I, −[arm]×]. The attached node's own row becomes that
of a lonely particle at rest, which nothing couples to: numbering and pattern stay the same, and no solver needs to know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.linalg.block_matrix import BlockMatrix, find_entries
from signorini.model import folding_kernels as kernels
from signorini.model.rigid_attachments import RigidAttachments

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Folding:
    """Map of the blocks of attached nodes into the reduced matrix."""

    entries: Ints
    """(f,) blocks in a row or column of an attached node."""
    row_attachment: Ints
    """(f,) number of the attachment of the block's row, or -1."""
    column_attachment: Ints
    """(f,)"""
    targets: Ints
    """(f, 2, 2) blocks that receive T'AT; -1 where a side has one node only."""
    diagonal: Ints
    """(a,) diagonal blocks of the attached nodes."""


def reduced_pairs(node_count: int, pairs: NDArray[np.integer], attachments: RigidAttachments) -> NDArray[np.integer]:
    """The coupled pairs (p, 2) of nodes, with those that appear when attached nodes are replaced by their bodies."""
    if not len(attachments):
        return pairs
    n, a = node_count, attachments
    ones = np.ones(len(pairs) + n)
    every = np.arange(n)
    base = sp.csr_matrix((ones, (np.append(pairs[:, 0], every), np.append(pairs[:, 1], every))), shape=(n, n))
    rows = np.concatenate([np.setdiff1d(every, a.nodes), a.nodes, a.nodes])
    columns = np.concatenate([np.setdiff1d(every, a.nodes), a.linear, a.linear + 1])
    T = sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    reduced = sp.coo_matrix(T.T @ (base + base.T) @ T)
    return np.concatenate([pairs, np.column_stack([reduced.row, reduced.col])])


def build_folding(pattern: BlockMatrix, attachments: RigidAttachments) -> Folding:
    """Find the blocks of a pattern made from `reduced_pairs` that `fold` moves."""
    n, indices = pattern.node_count, pattern.indices
    number = np.full(n, -1, np.int32)
    number[attachments.nodes] = np.arange(len(attachments), dtype=np.int32)
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(pattern.indptr))
    entries = np.flatnonzero((number[rows] >= 0) | (number[indices] >= 0)).astype(np.int32)
    row, column = rows[entries], indices[entries]
    targets = np.full((len(entries), 2, 2), -1, np.int32)
    for a in range(2):
        for b in range(2):
            there = ((number[row] >= 0) | (a == 0)) & ((number[column] >= 0) | (b == 0))
            i = np.where(number[row] >= 0, attachments.linear[number[row]] + a, row)[there]
            j = np.where(number[column] >= 0, attachments.linear[number[column]] + b, column)[there]
            targets[there, a, b] = find_entries(pattern, i, j)
    own = find_entries(pattern, attachments.nodes, attachments.nodes)
    return Folding(entries, number[row], number[column], targets, own)


def fold(
    folding: Folding, attachments: RigidAttachments, rotations: Floats, data: Floats, b: Floats, mass: Floats
) -> None:
    """Replace the assembled A (its blocks `data`) and b by T'AT and T'b, in place."""
    arms = attachments.arms(rotations)
    kernels.fold_matrix(folding.entries, folding.row_attachment, folding.column_attachment, folding.targets, arms, data)
    kernels.fold_vector(attachments.nodes, attachments.linear, arms, b)
    data[folding.diagonal] = mass[attachments.nodes, None, None] * np.eye(3)
