"""Assembled sparse matrix B = G D_A^-1 G' of all contacts, without the part of nodes that the sweeps handle by their velocity.

Implements: Otaduy2010 §3 (Eq. 3) and §4
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Floats, Ints, Mlcp
from signorini.contact.residuals import LocalResponse, build_local_response
from signorini.errors import ProblemTooLargeError
from signorini.solvers import contact_system_kernels as kernels

LARGEST = 150_000_000
"""Entries of the assembled matrix at most: 1.2 GB, and half as much again for its columns."""


class ContactSystem(NamedTuple):
    """B = B_s + B_d: B_s assembled from some nodes, B_d = G_2 D_22^-1 G_2' left as its factors for the others."""

    indptr: NDArray[np.int64]
    """(m+1,) start of every block row of B_s."""
    columns: Ints
    """(b,) contact of every block."""
    blocks: Floats
    """(b, r, r): r = 1, only normals, if no contact has friction; otherwise r = 3."""
    rigid_indptr: Ints
    """(m+1,) start of every contact in `rigid_entries`."""
    rigid_entries: Ints
    """Indices into the Jacobian blocks of the problem that act on the nodes which are not assembled."""


def build_contact_system(
    problem: Mlcp, rigid_nodes: NDArray[np.bool_], *, prepared: LocalResponse | None = None
) -> ContactSystem:
    """Assemble B_s from the nodes that are not `rigid_nodes` (n,); with none of them rigid, B_s is all of B.

    The cost is the number of pairs of contacts that share an assembled node: n² for a rigid body with n contacts that is
    assembled, and O(n) where only a few contacts share a node.
    """
    prepared = prepared or build_local_response(problem)
    rigid = rigid_nodes[problem.jacobian_nodes]
    indptr, entries = _select(problem, ~rigid)
    rigid_indptr, rigid_entries = _select(problem, rigid)
    nodes = problem.jacobian_nodes[entries]
    owner = np.repeat(np.arange(problem.contact_count, dtype=np.int32), np.diff(indptr))
    by_node = np.argsort(nodes, kind="stable")
    node_indptr = np.zeros(problem.node_count + 1, dtype=np.int32)
    node_indptr[1:] = np.cumsum(np.bincount(nodes, minlength=problem.node_count))
    at_node = (node_indptr, owner[by_node], entries[by_node])
    counts = np.zeros(problem.contact_count, dtype=np.int64)
    kernels.count_blocks(indptr, nodes, *at_node[:2], np.full(len(counts), -1, dtype=np.int32), counts)
    row_indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    rows = 3 if problem.friction.any() else 1
    size = int(row_indptr[-1]) * rows * rows
    if size > LARGEST:
        raise ProblemTooLargeError(
            f"the assembled matrix of {problem.contact_count} contacts has {size:,} entries, more than {LARGEST:,}: use "
            "solver 'rigid-refinement', 'ica' or 'augmented-lagrangian', which do not assemble it"
        )
    columns = np.empty(int(row_indptr[-1]), dtype=np.int32)
    blocks = np.zeros((len(columns), rows, rows))
    kernels.fill_blocks(
        indptr, nodes, entries, *at_node, problem.jacobian_blocks, prepared.response, row_indptr,
        np.full(len(counts), -1, dtype=np.int64), columns, blocks,
    )  # fmt: skip
    return ContactSystem(row_indptr, columns, blocks, rigid_indptr, rigid_entries)


def _select(problem: Mlcp, chosen: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """The chosen Jacobian blocks by contact: (m+1,) starts and their indices."""
    entries = np.flatnonzero(chosen).astype(np.int32)
    total = np.concatenate([[0], np.cumsum(chosen)])
    return total[problem.jacobian_indptr].astype(np.int32), entries
