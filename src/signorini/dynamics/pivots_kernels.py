"""Kernel that places the pivots of rigid bodies (`pivots`)."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def place_pivots(bodies, normals, points, turns, sweeps, tolerance, pivots):
    """Project the pivots (b, 3) on the conditions of the contacts in turn, until all hold or `sweeps` are done.

    bodies (m, 2): rigid bodies of both sides, -1 for others; normals (m, 3) from the second to the first; points (m, 3) [m];
    turns (b, 3) [rad]; a condition may be missed by `tolerance` times the square of the larger angle [m]. Returns the sweeps.
    """
    c = np.empty((2, 3))
    for sweep in range(sweeps):
        moved = False
        for m in range(len(bodies)):
            value, size, square = 0.0, 0.0, 0.0
            for side in range(2):
                b = bodies[m, side]
                if b < 0:
                    continue
                sign = 1.0 - 2.0 * side
                turn, normal = turns[b], normals[m]
                angle = turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2
                along = turn[0] * normal[0] + turn[1] * normal[1] + turn[2] * normal[2]
                for i in range(3):
                    c[side, i] = sign * (angle * normal[i] - along * turn[i])
                    value += c[side, i] * (points[m, i] - pivots[b, i])
                    size += c[side, i] ** 2
                square = max(square, angle)
            if value < -tolerance * square and size > 0.0:
                moved = True
                for side in range(2):
                    b = bodies[m, side]
                    if b >= 0:
                        for i in range(3):
                            pivots[b, i] += value / size * c[side, i]
        if not moved:
            return sweep
    return sweeps
