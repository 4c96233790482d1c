"""Unit quaternions (x, y, z, w) and the free rotation of rigid bodies."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

LARGEST_TURN = 0.1
"""Free rotation is followed in pieces of about at most this angle [rad]; the error of one is of fifth order."""
SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
MOST_PIECES = 2000
MOST_ITERATIONS = 50
"""Of the fixed-point iteration of an implicit midpoint step; pieces of LARGEST_TURN need about ten."""


@kernel
def rotate(r, x, y, z):
    """The vector (x, y, z) turned by the quaternion r."""
    # v + 2 w (u × v) + 2 u × (u × v)
    tx, ty, tz = 2.0 * (r[1] * z - r[2] * y), 2.0 * (r[2] * x - r[0] * z), 2.0 * (r[0] * y - r[1] * x)
    return (
        x + r[3] * tx + r[1] * tz - r[2] * ty,
        y + r[3] * ty + r[2] * tx - r[0] * tz,
        z + r[3] * tz + r[0] * ty - r[1] * tx,
    )


@kernel
def rotate_back(r, x, y, z):
    """The vector (x, y, z) turned by the inverse of the quaternion r."""
    tx, ty, tz = 2.0 * (r[2] * y - r[1] * z), 2.0 * (r[0] * z - r[2] * x), 2.0 * (r[1] * x - r[0] * y)
    return (
        x + r[3] * tx + r[2] * ty - r[1] * tz,
        y + r[3] * ty + r[0] * tz - r[2] * tx,
        z + r[3] * tz + r[1] * tx - r[0] * ty,
    )


@kernel
def turn(r, x, y, z, out):
    """out = exp(rotation vector x, y, z) r, normalised."""
    angle = np.sqrt(x * x + y * y + z * z)
    half = 0.5 * angle
    s = 0.5 - half * half / 12.0 if angle < 1e-4 else np.sin(half) / angle
    ex, ey, ez, ew = s * x, s * y, s * z, np.cos(half)
    a = ew * r[0] + ex * r[3] + ey * r[2] - ez * r[1]
    b = ew * r[1] + ey * r[3] + ez * r[0] - ex * r[2]
    c = ew * r[2] + ez * r[3] + ex * r[1] - ey * r[0]
    d = ew * r[3] - ex * r[0] - ey * r[1] - ez * r[2]
    size = 1.0 / np.sqrt(a * a + b * b + c * c + d * d)
    out[0], out[1], out[2], out[3] = a * size, b * size, c * size, d * size


@kernel
def turn_all(rotations, vectors, out):
    """out = exp(vector) rotation for each body."""
    for i in range(len(rotations)):
        turn(rotations[i], vectors[i, 0], vectors[i, 1], vectors[i, 2], out[i])


@kernel
def rotate_all(rotations, vectors, out):
    """out = R vector for each pair."""
    for i in range(len(rotations)):
        x, y, z = rotate(rotations[i], vectors[i, 0], vectors[i, 1], vectors[i, 2])
        out[i, 0], out[i, 1], out[i, 2] = x, y, z


@kernel
def turn_between(start, end, out):
    """The rotation vector, of at most π, that turns the orientation `start` into `end`."""
    x = -end[3] * start[0] + end[0] * start[3] - end[1] * start[2] + end[2] * start[1]
    y = -end[3] * start[1] + end[1] * start[3] - end[2] * start[0] + end[0] * start[2]
    z = -end[3] * start[2] + end[2] * start[3] - end[0] * start[1] + end[1] * start[0]
    w = end[0] * start[0] + end[1] * start[1] + end[2] * start[2] + end[3] * start[3]
    if w < 0.0:
        x, y, z, w = -x, -y, -z, -w
    s = np.sqrt(x * x + y * y + z * z)
    factor = 2.0 if s < 1e-9 else 2.0 * np.arctan2(s, w) / s
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@kernel
def turns_between(start, end, out):
    """The rotation vector of each body."""
    for i in range(len(start)):
        turn_between(start[i], end[i], out[i])


@kernel
def tensor_times(r, tensor, x, y, z):
    """R tensor R' (x, y, z) for the orientation r and a symmetric (3, 3) tensor in the body's frame."""
    x, y, z = rotate_back(r, x, y, z)
    return rotate(
        r,
        tensor[0, 0] * x + tensor[0, 1] * y + tensor[0, 2] * z,
        tensor[1, 0] * x + tensor[1, 1] * y + tensor[1, 2] * z,
        tensor[2, 0] * x + tensor[2, 1] * y + tensor[2, 2] * z,
    )


@kernel
def tensors_times(rotations, tensors, vectors, out):
    """R tensor R' vector for each body."""
    for i in range(len(rotations)):
        x, y, z = tensor_times(rotations[i], tensors[i], vectors[i, 0], vectors[i, 1], vectors[i, 2])
        out[i, 0], out[i, 1], out[i, 2] = x, y, z


@kernel
def world_tensors(rotations, tensors, out):
    """R tensor R' of each body, exactly symmetric."""
    for i in range(len(rotations)):
        for c in range(3):
            x, y, z = tensor_times(rotations[i], tensors[i], 1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2))
            out[i, 0, c], out[i, 1, c], out[i, 2, c] = x, y, z
        for a in range(3):
            for c in range(a):
                out[i, a, c] = out[i, c, a] = 0.5 * (out[i, a, c] + out[i, c, a])


@kernel
def midpoint_velocity(r, inverse_inertia, lx, ly, lz, h, middle):
    """ω of an implicit midpoint step of length h, that at half of its rotation, and its last change (sum of |Δω|)."""
    x, y, z = tensor_times(r, inverse_inertia, lx, ly, lz)
    size, change = abs(x) + abs(y) + abs(z), 0.0
    for _ in range(MOST_ITERATIONS):
        turn(r, 0.5 * h * x, 0.5 * h * y, 0.5 * h * z, middle)
        nx, ny, nz = tensor_times(middle, inverse_inertia, lx, ly, lz)
        change = abs(nx - x) + abs(ny - y) + abs(nz - z)
        x, y, z = nx, ny, nz
        if change <= 1e-15 * size:
            break
    return x, y, z, change


@kernel
def midpoint_piece(r, inverse_inertia, lx, ly, lz, h, middle):
    """One implicit midpoint step of length h, in place."""
    x, y, z, _ = midpoint_velocity(r, inverse_inertia, lx, ly, lz, h, middle)
    turn(r, h * x, h * y, h * z, r)


@kernel
def midpoint_turns(inverse_inertia, momentum, out, change):
    """Rotation vectors (b, 3) [rad] of one midpoint step of length one from no rotation, and their last changes (b,) [rad]."""
    start, middle = np.array([0.0, 0.0, 0.0, 1.0]), np.empty(4)
    for i in range(len(momentum)):
        x, y, z, last = midpoint_velocity(
            start, inverse_inertia[i], momentum[i, 0], momentum[i, 1], momentum[i, 2], 1.0, middle
        )
        out[i, 0], out[i, 1], out[i, 2], change[i] = x, y, z, last


@kernel
def spin_freely(rotations, momentum, inverse_inertia, dt, out):
    """Orientations after dt without torque: dR/dt = [ω]× R with ω = R J⁻¹ R' L and L constant.

    Suzuki's composition of five midpoint steps is of fourth order and symmetric in time: the energy does not drift.
    """
    middle = np.empty(4)
    for i in range(len(rotations)):
        lx, ly, lz = momentum[i, 0], momentum[i, 1], momentum[i, 2]
        for a in range(4):
            out[i, a] = rotations[i, a]
        x, y, z = tensor_times(out[i], inverse_inertia[i], lx, ly, lz)
        speed = np.sqrt(x * x + y * y + z * z)
        pieces = int(min(max(np.ceil(speed * dt / LARGEST_TURN), 1.0), MOST_PIECES))
        # Of more turns than that only the first are followed: the end is then another instant of the same free motion.
        h = min(dt, MOST_PIECES * LARGEST_TURN / max(speed, 1e-300)) / pieces
        for _ in range(pieces):
            for stage in range(5):
                part = 1.0 - 4.0 * SUZUKI if stage == 2 else SUZUKI
                midpoint_piece(out[i], inverse_inertia[i], lx, ly, lz, part * h, middle)
