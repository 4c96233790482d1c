"""Coarse space of a matrix: what makes conjugate gradients fast on stiff, thin bodies (decision 0022).

The slow modes of such a body bend all of it. They are nearly rigid motions of pieces of it, which a small matrix solves for.
"""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import reverse_cuthill_mckee

from signorini.linalg import coarse_space_kernels as kernels
from signorini.linalg.block_matrix import BlockMatrix
from signorini.linalg.ordering import Ints, Ordering

Floats = NDArray[np.float64]
GROUP_NODES = 48
"""Nodes of a group on average."""
MOST_GROUPS = 160
"""Groups at most: their matrix has 960 rows then, of which each reaches over 100 to 200 columns in a mat."""


class CoarseSpace(NamedTuple):
    """Groups of nodes that move rigidly, and the room for their matrix; without groups if there is no coarse space."""

    group: Ints
    """(n,) the group at each place of an `Ordering`, -1 for none."""
    arm: Floats
    """(3n,) from the centre of the group, over its size."""
    C: Floats
    """(6g, 6g) the factorised matrix of the groups."""
    last: Ints
    """(6g,) the last column of each of its rows."""
    sums: Floats
    """(blocks + 1, 6g) restricted residuals of the blocks."""
    solution: Floats
    """(6g,)"""
    wanted: NDArray[np.int64]
    """(1,) 1 if there could be a coarse space and there is none yet."""


def no_coarse_space(wanted: bool = False) -> CoarseSpace:
    """A coarse space without groups."""
    none = np.zeros((0, 0))
    return CoarseSpace(
        np.zeros(0, np.int32), np.zeros(0), none, np.zeros(0, np.int32), none, np.zeros(0), np.array([int(wanted)])
    )


def build_coarse_space(
    A: BlockMatrix, ordering: Ordering, contact_indptr: Ints | None = None, contact_nodes: Ints | None = None
) -> CoarseSpace:
    """The coarse space of matrices with the nodes of A, in an order, at the points of A.

    Contact c couples its nodes [indptr[c]:indptr[c + 1]] too, and so the groups of these.
    """
    assert A.points is not None
    groups, count = _groups_of(A)
    pairs = [np.repeat(groups, np.diff(A.indptr)), groups[A.indices]]
    if contact_indptr is not None and contact_nodes is not None and len(contact_nodes):
        first = np.repeat(contact_nodes[contact_indptr[:-1].clip(max=len(contact_nodes) - 1)], np.diff(contact_indptr))
        pairs = [np.concatenate([pairs[0], groups[first]]), np.concatenate([pairs[1], groups[contact_nodes]])]
    groups = _numbered_along(groups, count, pairs[0], pairs[1])
    group, arm = groups[ordering.order], np.empty(3 * A.node_count)
    kernels.set_arms(A.points, ordering.order, group, np.empty(count), count, arm)
    size = 6 * count
    sums = np.zeros((len(ordering.starts), size))
    last = np.empty(size, np.int32)
    return CoarseSpace(group, arm, np.empty((size, size)), last, sums, np.empty(size), np.zeros(1, np.int64))


_KNOWN: dict[int, tuple[weakref.ref[Ints], tuple[Ints, int]]] = {}
"""Groups by the address of the columns of their pattern: all matrices of a simulation share those."""


def _groups_of(A: BlockMatrix) -> tuple[Ints, int]:
    """Groups (n,) of the nodes and their number. They depend on the pattern alone, so that a resumed run has the same."""
    key = id(A.indices)
    known = _KNOWN.get(key)
    if known is not None and known[0]() is A.indices:
        return known[1]
    n = A.node_count
    most = min(MOST_GROUPS, n // GROUP_NODES + 1)
    group, work = np.empty(n, np.int32), np.empty((2, n), np.int32)
    count = kernels.grow_groups(A.indptr, A.indices, np.empty(most, np.int32), work[0], work[1], group)
    _KNOWN[key] = weakref.ref(A.indices, lambda _: _KNOWN.pop(key, None)), (group, count)
    return group, count


def _numbered_along(group: Ints, count: int, one: Ints, other: Ints) -> Ints:
    """The same groups, numbered so that those that are coupled have near numbers (Cuthill and McKee): a narrow envelope."""
    if not count:  # nothing is coupled, as where all bodies are rigid
        return group
    both = (one >= 0) & (other >= 0)
    keys = np.unique(one[both].astype(np.int64) * count + other[both])
    one, other = (part.astype(np.int32) for part in np.divmod(keys, count))
    graph = sp.csr_matrix(
        (np.ones(2 * len(keys)), (np.append(one, other), np.append(other, one))), shape=(count, count)
    )
    number = np.empty(count + 1, np.int32)
    number[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(count, dtype=np.int32)
    number[count] = -1  # of the nodes without a group
    return number[group]
