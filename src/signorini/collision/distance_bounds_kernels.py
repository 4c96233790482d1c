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
def lengthen(from_x, to_x, bend, part, triangles, edges, vertex, triangle, edge):
    """Add `part` times the length of a motion to the path lengths; a primitive moves as far as its fastest vertex.

    `bend` (v,) [m] is added to the straight line of each vertex, if it is not empty. A motion from or to nan is infinitely long.
    """
    longest = np.empty(len(vertex))
    for v in range(len(vertex)):
        dx, dy, dz = to_x[v, 0] - from_x[v, 0], to_x[v, 1] - from_x[v, 1], to_x[v, 2] - from_x[v, 2]
        longest[v] = math.sqrt(dx * dx + dy * dy + dz * dz) * ROUND_UP
        if len(bend):
            longest[v] += bend[v]
        longest[v] *= part
        if not longest[v] < np.inf:  # nan too, which the maxima below would lose
            longest[v] = np.inf
        vertex[v] = (vertex[v] + longest[v]) * ROUND_UP
    for t in range(len(triangle)):
        step = max(longest[triangles[t, 0]], longest[triangles[t, 1]], longest[triangles[t, 2]])
        triangle[t] = (triangle[t] + step) * ROUND_UP
    for e in range(len(edge)):
        edge[e] = (edge[e] + max(longest[edges[e, 0]], longest[edges[e, 1]])) * ROUND_UP


@kernel
def separate(from_shift, to_shift, part, between):
    """Add `part` times the relative motion of the frames of each two bodies."""
    for a in range(len(between)):
        for b in range(a):
            square = 0.0
            for k in range(3):
                apart = (to_shift[a, k] - from_shift[a, k]) - (to_shift[b, k] - from_shift[b, k])
                square += apart * apart
            between[a, b] = (between[a, b] + part * math.sqrt(square) * ROUND_UP) * ROUND_UP
            between[b, a] = between[a, b]


@kernel
def spent(first, second, between, first_body, second_body, i, j):
    """How much nearer primitive i of the first side and j of the second can have come [m]."""
    length = first[i] + second[j]
    return length + between[first_body[i], second_body[j]] if len(between) > 1 else length


@kernel
def select(pairs, bound, far, first, second, between, first_body, second_body, rows):
    """Fill in the rows of pairs that may be nearer than `far` [m]; returns their number."""
    count = 0
    for p in range(len(pairs)):
        if not bound[p] - spent(first, second, between, first_body, second_body, pairs[p, 0], pairs[p, 1]) > far:
            rows[count] = p
            count += 1
    return count


@kernel
def take(pairs, rows, bound, first, second, between, first_body, second_body, taken, distance):
    """Fill in the pairs in some rows, and what the bounds say of their distances [m]."""
    for k in range(len(rows)):
        p = rows[k]
        taken[k, 0], taken[k, 1] = pairs[p, 0], pairs[p, 1]
        distance[k] = bound[p] - spent(first, second, between, first_body, second_body, pairs[p, 0], pairs[p, 1])


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
