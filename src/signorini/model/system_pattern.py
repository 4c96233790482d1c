"""Pattern of the system matrix: which nodes elements couple, and where the blocks of each element are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements
from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries
from signorini.model.folding import reduced_pairs
from signorini.model.rigid_attachments import RigidAttachments

Ints = NDArray[np.int32]


def system_pattern(node_count: int, elements: Sequence[Elements], attachments: RigidAttachments) -> BlockMatrix:
    """The zero matrix of n nodes with a block for each pair that elements couple, directly or through attachments."""
    couples = np.concatenate([*(_couples(e.nodes) for e in elements), np.zeros((0, 2), np.int32)])
    return build_pattern(node_count, reduced_pairs(node_count, couples, attachments))


def element_entries(pattern: BlockMatrix, elements: Sequence[Elements]) -> tuple[Ints, ...]:
    """Indices (e, k, k) of the blocks of the k × k pairs of nodes, for each set of elements."""
    return tuple(_entries(pattern, e.nodes) for e in elements)


def _couples(nodes: Ints) -> Ints:
    """The pairs (p, 2) of different nodes that elements (e, k) couple."""
    k = nodes.shape[1]
    pairs = [nodes[:, [a, b]] for a in range(k) for b in range(a + 1, k)]
    return np.concatenate([*pairs, np.zeros((0, 2), np.int32)])


def _entries(pattern: BlockMatrix, nodes: Ints) -> Ints:
    k = nodes.shape[1]
    return find_entries(pattern, np.repeat(nodes, k, axis=1), np.tile(nodes, (1, k))).reshape(-1, k, k)
