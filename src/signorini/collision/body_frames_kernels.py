"""Kernels of the frames of bodies: mean motions, positions in the frames, and how far two frames may be apart.

`rides`, `sweep` and `margin` are those of `collision/body_frames.BodyFrames`.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.compiled import kernel

RIDE_PART = 0.5
"""A frame rides with its body if the vertices move less than this part of their displacements in it: a body that only sways or
turns is seen from the world."""
ROUNDING = 1e-12
"""Part of the displacement of two frames by which the box of it is larger: 4,500 times the rounding of a product."""


@kernel
def choose(x0, x1, vertex_body, margin, rides, sweep):
    """Fill `rides` and `sweep`: which frames move with the mean displacement x0 → x1 of their bodies, and that displacement."""
    count, far, near = np.zeros(len(rides)), np.zeros(len(rides)), np.zeros(len(rides))
    for v in range(len(x0)):
        body = vertex_body[v]
        count[body] += 1.0
        far[body] += math.sqrt((x1[v, 0] - x0[v, 0]) ** 2 + (x1[v, 1] - x0[v, 1]) ** 2 + (x1[v, 2] - x0[v, 2]) ** 2)
        for k in range(3):
            sweep[body, k] += x1[v, k] - x0[v, k]
    for body in range(len(rides)):
        for k in range(3):
            sweep[body, k] /= max(count[body], 1.0)
    for v in range(len(x0)):
        mean = sweep[vertex_body[v]]
        dx, dy, dz = x1[v, 0] - x0[v, 0] - mean[0], x1[v, 1] - x0[v, 1] - mean[1], x1[v, 2] - x0[v, 2] - mean[2]
        near[vertex_body[v]] += math.sqrt(dx * dx + dy * dy + dz * dz)
    for body in range(len(rides)):
        mean = sweep[body]
        length = math.sqrt(mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2])
        rides[body] = length > margin and near[body] < RIDE_PART * far[body]
        if not rides[body]:
            mean[:] = 0.0


@kernel
def place(start, x, vertex_body, rides, shift, relative):
    """Fill the shift (b + 1, 3) of each frame since `start`, and the positions (v, 3) relative to the frames."""
    count = np.zeros(len(rides))
    shift[:] = 0.0
    for v in range(len(x)):
        body = vertex_body[v]
        if rides[body]:
            count[body] += 1.0
            for k in range(3):
                shift[body, k] += x[v, k] - start[v, k]
    for body in range(len(rides)):
        for k in range(3):
            shift[body, k] /= max(count[body], 1.0)
    for v in range(len(x)):
        for k in range(3):
            relative[v, k] = x[v, k] - shift[vertex_body[v], k]


@kernel
def are_moving(rides, a, b):
    """Whether the frames of two bodies may move relative to each other."""
    return a != b and (rides[a] or rides[b])


@kernel
def sweep_between(rides, sweep, margin, a, b):
    """The box (low, high) in which the frame of body b moves, seen from that of body a."""
    margin = margin if are_moving(rides, a, b) else 0.0
    dx, dy, dz = sweep[b, 0] - sweep[a, 0], sweep[b, 1] - sweep[a, 1], sweep[b, 2] - sweep[a, 2]
    mx, my, mz = margin + ROUNDING * abs(dx), margin + ROUNDING * abs(dy), margin + ROUNDING * abs(dz)
    return (
        (min(0.0, dx) - mx, min(0.0, dy) - my, min(0.0, dz) - mz),
        (max(0.0, dx) + mx, max(0.0, dy) + my, max(0.0, dz) + mz),
    )


@kernel
def are_expected(rides, sweep, margin, shift):
    """Whether all pairs of frames, shifted by (b + 1, 3), are in the boxes in which they move relative to each other."""
    for a in range(len(rides)):
        for b in range(a + 1, len(rides)):
            if are_moving(rides, a, b):
                for k in range(3):
                    expected, apart = sweep[b, k] - sweep[a, k], shift[b, k] - shift[a, k]
                    if not (min(0.0, expected) - margin <= apart <= max(0.0, expected) + margin):
                        return False
    return True


@kernel
def covers(low, high, x):
    """Whether all x (v, 3) are in their boxes."""
    for i in range(len(x)):
        for k in range(3):
            if not (low[i, k] <= x[i, k] <= high[i, k]):
                return False
    return True
