"""Line search along a Newton step: the root of the slope of the augmented Lagrangian, which grows along the line."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.linalg.ssor_kernels import sum_of_lanes
from signorini.linalg.vector4_kernels import load, plus_product, spread
from signorini.solvers.augmented_lagrangian_kernels import contact_slope
from signorini.solvers.newton.list_kernels import AHEAD, GONE, REACH, TOTAL
from signorini.solvers.newton.rows_kernels import listed_of

AX_D, D_AD, AT_LOW, AT_HIGH, LARGEST = 4, 5, 6, 7, 9
"""Columns of `NewtonMatrix.parts`: (A x)·d, d·A d, the slopes of the contacts at both ends of an interval, and the largest
change of a node along d, squared."""
SUFFICIENT = 0.3
"""Part of the first slope at which the line search ends: Newton steps that are corrected anyway need no exact minimum."""
LONGEST = 1e6
"""Length of step, in Newton steps, beyond which the line search takes what it has."""
BISECTIONS = 30
"""Halvings of the interval by the line search at most."""


@kernel
def find_slopes(problem, matrix, b, begin, end, Ax, d, Ad, rho, lam):
    """What the rows and contacts of a block add to the slopes at x and at x + d."""
    first, second, largest = spread(0.0), spread(0.0), 0.0
    for i in range(begin, end):
        v = load(d, 4 * i)
        largest = max(largest, d[4 * i] ** 2 + d[4 * i + 1] ** 2 + d[4 * i + 2] ** 2)
        first, second = plus_product(first, load(Ax, 4 * i), v), plus_product(second, load(Ad, 4 * i), v)
    matrix.parts[b, AX_D], matrix.parts[b, D_AD] = sum_of_lanes(first), sum_of_lanes(second)
    matrix.parts[b, LARGEST] = largest
    find_contact_slopes(problem, matrix, b, 0.0, 1.0, rho, lam)


@kernel
def find_contact_slopes(problem, matrix, group, low, high, rho, lam):
    """Slopes of the contacts of a group at both ends of an interval, and a list of those that are not open at both.

    A contact that is open at both ends is open between them (the polar cone is convex).
    """
    at_low = at_high = 0.0
    first, count = matrix.groups[group], 0
    for c in listed_of(matrix, group):
        a, open_low = contact_slope(c, low, lam, rho, matrix.u, matrix.ud, matrix.shift, problem.mu)
        b, open_high = contact_slope(c, high, lam, rho, matrix.u, matrix.ud, matrix.shift, problem.mu)
        at_low += a
        at_high += b
        if not (open_low and open_high):
            matrix.touched[first + count] = c
            count += 1
    matrix.parts[group, AT_LOW], matrix.parts[group, AT_HIGH] = at_low, at_high
    matrix.touched_count[group] = count


@kernel
def search_line(problem, matrix, rho, lam):
    """A step t with |φ'(t)| <= SUFFICIENT |φ'(0)| from the sums of `find_slopes`, by doubling and then bisecting."""
    parts, groups = matrix.parts, matrix.groups
    Ax_d, d_Ad = parts[:, AX_D].sum(), parts[:, D_AD].sum()
    goal = SUFFICIENT * abs(Ax_d + parts[:, AT_LOW].sum())
    low, high = 0.0, 1.0
    while True:
        slope = Ax_d + high * d_Ad + parts[:, AT_HIGH].sum()
        if abs(slope) <= goal or high > LONGEST:
            return high
        if slope > 0.0:
            break
        low, high = high, 2.0 * high
        for group in range(len(parts)):
            find_contact_slopes(problem, matrix, group, low, high, rho, lam)
    t = high
    for _ in range(BISECTIONS):
        t = 0.5 * (low + high)
        slope = Ax_d + t * d_Ad
        for group in range(len(parts)):
            for c in matrix.touched[groups[group] : groups[group] + matrix.touched_count[group]]:
                slope += contact_slope(c, t, lam, rho, matrix.u, matrix.ud, matrix.shift, problem.mu)[0]
        if abs(slope) <= goal:
            break
        if slope > 0.0:
            high = t
        else:
            low = t
    return t


@kernel
def choose_length(problem, matrix, rho, lam):
    """How far to go along d, as matrix.reached[2]; whether contacts must be listed first that are not, and could close before.

    Contacts that are not listed can only shorten a step: one that reaches none of them is the same with all of them.
    """
    path, t = matrix.path, search_line(problem, matrix, rho, lam)
    length = t * np.sqrt(matrix.parts[:, LARGEST].max())
    matrix.orders[2] = not path[GONE] + length <= path[REACH] and path[REACH] < np.inf
    if matrix.orders[2]:
        path[GONE], path[REACH] = 0.0, AHEAD * length if length < np.inf else np.inf
    else:
        path[GONE] += length
        path[TOTAL] += length
        matrix.reached[2] = t
