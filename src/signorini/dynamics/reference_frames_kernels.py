"""Kernels of the rotating reference frames: sums over the nodes of bodies, and motions of bodies at their nodes.

`owner` (k,) is the body of each node, `mass` (k,) [kg] that of the node.
"""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def centre(mass, owner, values, sums, out):
    """Values (k, 3) less their mean over the body; sums (s, 4) must be zero."""
    for i in range(len(owner)):
        total, m = sums[owner[i]], mass[i]
        for a in range(3):
            total[a] += m * values[i, a]
        total[3] += m
    for i in range(len(owner)):
        total = sums[owner[i]]
        for a in range(3):
            out[i, a] = values[i, a] - total[a] / total[3]


@kernel
def sum_moments(mass, owner, first, second, out):
    """Add m a b' of the vectors of all nodes (k, 3) to those of their bodies (s, 3, 3)."""
    for i in range(len(owner)):
        x, y, z = mass[i] * first[i, 0], mass[i] * first[i, 1], mass[i] * first[i, 2]
        total = out[owner[i]]
        for a in range(3):
            total[0, a] += x * second[i, a]
            total[1, a] += y * second[i, a]
            total[2, a] += z * second[i, a]


@kernel
def rotate(matrices, owner, vectors, out):
    """Vectors (k, 3) multiplied by the matrices (s, 3, 3) of their bodies."""
    for i in range(len(owner)):
        R = matrices[owner[i]]
        for a in range(3):
            out[i, a] = R[a, 0] * vectors[i, 0] + R[a, 1] * vectors[i, 1] + R[a, 2] * vectors[i, 2]


@kernel
def spin_velocities(spin, owner, arms, out):
    """ω × r of angular velocities (s, 3) and arms (k, 3)."""
    for i in range(len(owner)):
        w, x, y, z = spin[owner[i]], arms[i, 0], arms[i, 1], arms[i, 2]
        out[i, 0], out[i, 1], out[i, 2] = w[1] * z - w[2] * y, w[2] * x - w[0] * z, w[0] * y - w[1] * x
