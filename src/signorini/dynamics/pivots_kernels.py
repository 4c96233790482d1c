"""Kernel that places the pivots of rigid bodies (`pivots`)."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def place_pivots(bodies, normals, points, turns, movable, sweeps, tolerance, pivots):
    """Project the pivots (b, 3) on the conditions of the contacts in turn, until all hold or `sweeps` are done.

    bodies (m, 2): rigid bodies of both sides, -1 for others; normals (m, 3) from the second to the first; points (m, 3) [m];
    turns (b, 3) [rad]; movable (b,): pivots that may be moved. A condition may be missed by `tolerance` [m] times the square of
    the larger angle. Returns the sweeps.
    """
    c = np.empty((2, 3))
    for sweep in range(sweeps):
        moved = False
        for m in range(len(bodies)):
            n = normals[m]
            second, third, size, square = 0.0, 0.0, 0.0, 0.0
            for side in range(2):
                b = bodies[m, side]
                if b < 0:
                    continue
                sign, w, p = 1.0 - 2.0 * side, turns[b], pivots[b]
                ax, ay, az = points[m, 0] - p[0], points[m, 1] - p[1], points[m, 2] - p[2]
                angle = w[0] ** 2 + w[1] ** 2 + w[2] ** 2
                along = w[0] * n[0] + w[1] * n[1] + w[2] * n[2]
                for i in range(3):
                    c[side, i] = sign * (angle * n[i] - along * w[i])
                    size += movable[b] * c[side, i] ** 2
                second += c[side, 0] * ax + c[side, 1] * ay + c[side, 2] * az
                across = (
                    n[0] * (w[1] * az - w[2] * ay) + n[1] * (w[2] * ax - w[0] * az) + n[2] * (w[0] * ay - w[1] * ax)
                )
                third += sign * angle * across
                square = max(square, angle)
            missing = abs(third) - second
            if missing > tolerance * square and size > 0.0:
                moved = True
                for side in range(2):
                    b = bodies[m, side]
                    if b >= 0 and movable[b]:
                        for i in range(3):
                            pivots[b, i] -= missing / size * c[side, i]
        if not moved:
            return sweep
    return sweeps
