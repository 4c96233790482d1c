"""Rows of the matrix that each thread of a crew assembles.

Every thread goes through all elements, and adds what they have for rows of its own: nodes from `first_row` of its rank to that of
the next. An element across two ranges is computed by both threads. Each row is summed in the order of the elements, whatever the
number of threads.
"""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def first_row(rank, size, rows):
    """The first of so many rows that thread `rank` of `size` assembles; that of the next thread is one beyond the last."""
    return rank * rows // size


@kernel
def touches(nodes, first, end):
    """Whether an element with these nodes has rows from `first` to before `end`."""
    inside = False
    for n in range(len(nodes)):
        inside |= first <= nodes[n] < end
    return inside
