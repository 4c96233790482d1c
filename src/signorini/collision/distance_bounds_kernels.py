"""Kernels of the distance bounds: path lengths of primitives, and the pairs that these may have brought near.

`first` and `second` are the path lengths [m] of the primitives of the two sides of pairs, `between` [m] is how far the frames of
two bodies have moved relative to each other; it has but one entry if no frame moves.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.compiled import kernel

ROUND_UP = 1.0 + 2.0**-50
"""Factor that exceeds the rounding of a sum or of a length: sums of rounded-up lengths are never too short."""


@kernel
def lengthen(from_x, to_x, triangles, edges, vertex, triangle, edge):
    """Add the length of a motion to the path lengths; a primitive moves as far as its fastest vertex.

    Returns the longest path of a vertex. A motion from or to nan is infinitely long.
    """
    longest, most = np.empty(len(vertex)), 0.0
    for v in range(len(vertex)):
        dx, dy, dz = to_x[v, 0] - from_x[v, 0], to_x[v, 1] - from_x[v, 1], to_x[v, 2] - from_x[v, 2]
        longest[v] = math.sqrt(dx * dx + dy * dy + dz * dz) * ROUND_UP
        if not longest[v] < np.inf:  # nan too, which the maxima below would lose
            longest[v] = np.inf
        vertex[v] = (vertex[v] + longest[v]) * ROUND_UP
        most = max(most, vertex[v])
    for t in range(len(triangle)):
        step = max(longest[triangles[t, 0]], longest[triangles[t, 1]], longest[triangles[t, 2]])
        triangle[t] = (triangle[t] + step) * ROUND_UP
    for e in range(len(edge)):
        edge[e] = (edge[e] + max(longest[edges[e, 0]], longest[edges[e, 1]])) * ROUND_UP
    return most


@kernel
def separate(from_shift, to_shift, between):
    """Add the relative motion of the frames of each two bodies."""
    for a in range(len(between)):
        for b in range(a):
            square = 0.0
            for k in range(3):
                apart = (to_shift[a, k] - from_shift[a, k]) - (to_shift[b, k] - from_shift[b, k])
                square += apart * apart
            between[a, b] = (between[a, b] + math.sqrt(square) * ROUND_UP) * ROUND_UP
            between[b, a] = between[a, b]


@kernel
def spent(first, second, between, first_body, second_body, i, j):
    """How much nearer primitive i of the first side and j of the second can have come [m]."""
    length = first[i] + second[j]
    return length + between[first_body[i], second_body[j]] if len(between) > 1 else length


@kernel
def find_motions(from_x, to_x, bend, triangles, edges, vertex, triangle, edge):
    """Fill in the mean displacement (k, 3) [m] of the corners of each primitive and how far one may differ from it, as (k, 4).

    `bend` (v,) [m] is added to what vertices differ by, if it is not empty. Returns how far a vertex moves at most, inf for nan.
    """
    longest = 0.0
    for v in range(len(vertex)):
        dx, dy, dz = to_x[v, 0] - from_x[v, 0], to_x[v, 1] - from_x[v, 1], to_x[v, 2] - from_x[v, 2]
        off = bend[v] if len(bend) else 0.0
        vertex[v, 0], vertex[v, 1], vertex[v, 2], vertex[v, 3] = dx, dy, dz, off
        length = math.sqrt(dx * dx + dy * dy + dz * dz) * ROUND_UP + off
        longest = max(longest, length) if length < np.inf else np.inf
    for t in range(len(triangle)):
        a, b, c = vertex[triangles[t, 0]], vertex[triangles[t, 1]], vertex[triangles[t, 2]]
        x, y, z = (a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0
        square = (a[0] - x) ** 2 + (a[1] - y) ** 2 + (a[2] - z) ** 2
        square = max(square, (b[0] - x) ** 2 + (b[1] - y) ** 2 + (b[2] - z) ** 2)
        square = max(square, (c[0] - x) ** 2 + (c[1] - y) ** 2 + (c[2] - z) ** 2)
        triangle[t, 0], triangle[t, 1], triangle[t, 2] = x, y, z
        triangle[t, 3] = math.sqrt(square) * ROUND_UP + max(a[3], b[3], c[3])
    for e in range(len(edge)):
        a, b = vertex[edges[e, 0]], vertex[edges[e, 1]]
        x, y, z = 0.5 * (a[0] - b[0]), 0.5 * (a[1] - b[1]), 0.5 * (a[2] - b[2])
        edge[e, 0], edge[e, 1], edge[e, 2] = a[0] - x, a[1] - y, a[2] - z
        edge[e, 3] = math.sqrt(x * x + y * y + z * z) * ROUND_UP + max(a[3], b[3])
    return longest


@kernel
def relative_motion(first, second, i, j):
    """How much nearer primitive i of the first side and j of the second can come by their displacements (k, 4) [m].

    It is also what the displacements of both sides, less the mean of all corners, add up to at most.
    """
    x, y, z = first[i, 0] - second[j, 0], first[i, 1] - second[j, 1], first[i, 2] - second[j, 2]
    return math.sqrt(x * x + y * y + z * z) * ROUND_UP + (first[i, 3] + second[j, 3])


@kernel
def select_near(
    pairs, bound, far, loss, before_first, before_second, before_between, first, second, between, first_body, second_body,
    first_motion, second_motion, rows, taken, distance,
):  # fmt: skip
    """Fill in the rows of pairs that may be nearer than `far` [m], the pairs, and what is known of their distances [m].

    Returns their number. Path lengths `before` the last motion and that motion may tell more than the path lengths since then:
    neighbours move together. A bound that is raised loses `loss` [m], more than its rounding.
    """
    count = 0
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        used = spent(first, second, between, first_body, second_body, i, j)
        known = bound[p] - used
        if known > far:
            continue
        better = bound[p] - spent(before_first, before_second, before_between, first_body, second_body, i, j) - loss
        better -= relative_motion(first_motion, second_motion, i, j)
        if better > known:
            bound[p], known = better + used, better
            if known > far:
                continue
        rows[count], taken[count, 0], taken[count, 1], distance[count] = p, i, j, known
        count += 1
    return count


@kernel
def select_approaching(
    pairs, bound, far, longest, first, second, between, first_body, second_body, first_motion, second_motion, rows, taken,
    distance,
):  # fmt: skip
    """The same of pairs that may be nearer than `far` [m] in a motion, whose `longest` displacement [m] spares most a look.

    What is known is at its start.
    """
    count = 0
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        known = bound[p] - spent(first, second, between, first_body, second_body, i, j)
        if known - 4.0 * longest > far or known - relative_motion(first_motion, second_motion, i, j) > far:
            continue
        rows[count], taken[count, 0], taken[count, 1], distance[count] = p, i, j, known
        count += 1
    return count


@kernel
def learn(taken, distance, rows, first, second, between, first_body, second_body, bound):
    """Write bounds from lower bounds of the distances [m] that a test has found."""
    for k in range(len(rows)):
        used = spent(first, second, between, first_body, second_body, taken[k, 0], taken[k, 1])
        bound[rows[k]] = distance[k] + used


@kernel
def largest(values):
    """The largest absolute value of an array, nan left out."""
    most = 0.0
    for value in values.ravel():
        if abs(value) > most:
            most = abs(value)
    return most
