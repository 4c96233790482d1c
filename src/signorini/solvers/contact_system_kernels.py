"""Kernels that assemble B = G D_A^-1 G' contact by contact.

Implements: Otaduy2010 §3 (Eq. 3)
"""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def count_blocks(indptr, nodes, node_indptr, node_contacts, mark, counts):
    """counts[c] = how many contacts, c included, share a node with contact c; mark (m,) starts as -1."""
    for c in range(len(counts)):
        found = 0
        for s in range(indptr[c], indptr[c + 1]):
            j = nodes[s]
            for t in range(node_indptr[j], node_indptr[j + 1]):
                e = node_contacts[t]
                if mark[e] != c:
                    mark[e] = c
                    found += 1
        counts[c] = found


@kernel
def fill_blocks(
    indptr, nodes, entries, node_indptr, node_contacts, node_entries, jacobian, response, row_indptr, place, columns, blocks
):  # fmt: skip
    """Block (c, e) of B is the sum of G_cj (D_j^-1 G_ej') over the common nodes j; place (m,) starts as -1, blocks as 0."""
    rows = blocks.shape[1]
    for c in range(len(row_indptr) - 1):
        first = row_indptr[c]
        next_free = first
        for s in range(indptr[c], indptr[c + 1]):
            j = nodes[s]
            k = entries[s]
            for t in range(node_indptr[j], node_indptr[j + 1]):
                e = node_contacts[t]
                at = place[e]
                if at < first:
                    at = next_free
                    place[e] = at
                    columns[at] = e
                    next_free += 1
                other = node_entries[t]
                if rows == 1:
                    blocks[at, 0, 0] += (
                        jacobian[k, 0, 0] * response[other, 0, 0]
                        + jacobian[k, 0, 1] * response[other, 1, 0]
                        + jacobian[k, 0, 2] * response[other, 2, 0]
                    )
                    continue
                for a in range(rows):
                    for b in range(rows):
                        blocks[at, a, b] += (
                            jacobian[k, a, 0] * response[other, 0, b]
                            + jacobian[k, a, 1] * response[other, 1, b]
                            + jacobian[k, a, 2] * response[other, 2, b]
                        )
