"""Order of the nodes of a matrix in which blocks of them can be worked on at the same time (decision 0016)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signorini.linalg import ordering_kernels as kernels
from signorini.linalg.block_matrix import BlockMatrix

Ints = NDArray[np.int32]
BLOCK_SIZES = ((600, 1), (5000, 2), (20_000, 4), (80_000, 8))
"""Nodes below which so many blocks are made; 16 above. More blocks leave more nodes between them, which only one thread works on
and which the others have to hand over to it: with two blocks 4 % of 2,500 nodes of a cloth, with four 9 %."""


class Ordering(NamedTuple):
    """An order of nodes: blocks without couplings between them, then the nodes that separate them."""

    order: Ints
    """(n,) the node at each place."""
    place: Ints
    """(n,) the place of each node."""
    starts: Ints
    """(blocks + 1,) the place where each block begins; the last is where the separating nodes begin."""


def block_count(nodes: int) -> int:
    """The number of blocks of a matrix with so many nodes; it does not depend on the number of threads, nor do results then."""
    return next((blocks for limit, blocks in BLOCK_SIZES if nodes < limit), 16)


def order_nodes(
    A: BlockMatrix, contact_indptr: Ints | None = None, contact_nodes: Ints | None = None, *, blocks: int | None = None
) -> Ordering:
    """An order in which neither A nor contacts couple two blocks; contact c couples its nodes [indptr[c]:indptr[c + 1]]."""
    n = A.node_count
    if contact_indptr is None or contact_nodes is None:
        contact_indptr, contact_nodes = np.zeros(1, np.int32), np.zeros(0, np.int32)
    node_indptr, node_contacts = np.empty(n + 1, np.int32), np.empty(len(contact_nodes), np.int32)
    kernels.contacts_of_nodes(contact_indptr, contact_nodes, node_indptr, node_contacts)
    graph = (A.indptr, A.indices, contact_indptr, contact_nodes, node_indptr, node_contacts)
    order, place = np.empty(n, np.int32), np.empty(n, np.int32)
    starts = np.empty((blocks or block_count(n)) + 1, np.int32)
    kernels.order_nodes(graph, starts, order, place)
    return Ordering(order, place, starts)
