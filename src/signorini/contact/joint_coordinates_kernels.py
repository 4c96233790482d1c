"""Jacobian blocks of contacts in the coordinates of mechanisms."""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def change_coordinates(
    indptr, nodes, blocks, mechanism, place, T, virtual_start, virtual, out_indptr, out_nodes, out_blocks
):
    """Replace the blocks of the nodes of mechanisms by those of their coordinates; returns the number of blocks.

    mechanism (n,) is the number of a node's mechanism or -1, T[place[node]] (3, 3 k) the velocity of the node for each of the
    coordinates, which are three to a virtual node: virtual[virtual_start[m]:virtual_start[m + 1]].
    """
    count = 0
    for c in range(len(indptr) - 1):
        for e in range(indptr[c], indptr[c + 1]):
            m = mechanism[nodes[e]]
            if m < 0:
                out_nodes[count] = nodes[e]
                for a in range(3):
                    for b in range(3):
                        out_blocks[count, a, b] = blocks[e, a, b]
                count += 1
                continue
            seen = False
            for f in range(indptr[c], e):
                seen = seen or mechanism[nodes[f]] == m
            if seen:
                continue
            for k in range(virtual_start[m + 1] - virtual_start[m]):
                out_nodes[count] = virtual[virtual_start[m] + k]
                for a in range(3):
                    for b in range(3):
                        total = 0.0
                        for f in range(e, indptr[c + 1]):
                            if mechanism[nodes[f]] == m:
                                t = T[place[nodes[f]]]
                                for i in range(3):
                                    total += blocks[f, a, i] * t[i, 3 * k + b]
                        out_blocks[count, a, b] = total
                count += 1
        out_indptr[c + 1] = count
    return count
