"""The loop over contacts that fills frames and Jacobian blocks."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def tangents(n, vx, vy, vz, frame):
    """Rows n, t1, t2 with t1 along the tangential part of (vx, vy, vz); any tangent when that part vanishes."""
    along = vx * n[0] + vy * n[1] + vz * n[2]
    tx, ty, tz = vx - along * n[0], vy - along * n[1], vz - along * n[2]
    size = np.sqrt(tx * tx + ty * ty + tz * tz)
    if not size > 1e-9 * (1.0 + abs(along)):
        if abs(n[0]) < 0.6:
            tx, ty, tz = 1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]
        else:
            tx, ty, tz = -n[1] * n[0], 1.0 - n[1] * n[1], -n[1] * n[2]
        size = np.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx / size, ty / size, tz / size
    frame[0, 0], frame[0, 1], frame[0, 2] = n[0], n[1], n[2]
    frame[1, 0], frame[1, 1], frame[1, 2] = tx, ty, tz
    frame[2, 0] = n[1] * tz - n[2] * ty
    frame[2, 1] = n[2] * tx - n[0] * tz
    frame[2, 2] = n[0] * ty - n[1] * tx


@njit(cache=True)
def build(vertices, weights, normal, velocity, movable, frames, u_free, indptr, nodes, blocks):
    """Frames, free contact velocities and the Jacobian in row form; returns the number of its blocks."""
    count = 0
    for c in range(len(vertices)):
        vx = vy = vz = 0.0
        for k in range(4):
            i = vertices[c, k]
            if i >= 0:
                w = weights[c, k]
                vx += w * velocity[i, 0]
                vy += w * velocity[i, 1]
                vz += w * velocity[i, 2]
        tangents(normal[c], vx, vy, vz, frames[c])
        for r in range(3):
            u_free[c, r] = frames[c, r, 0] * vx + frames[c, r, 1] * vy + frames[c, r, 2] * vz
        for k in range(4):
            i = vertices[c, k]
            if i >= 0 and movable[i] and weights[c, k] != 0.0:
                nodes[count] = i
                for r in range(3):
                    for a in range(3):
                        blocks[count, r, a] = weights[c, k] * frames[c, r, a]
                count += 1
        indptr[c + 1] = count
    return count
