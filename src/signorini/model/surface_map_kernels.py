"""Loops over the entries of a surface map."""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.model.rigid_bodies_kernels import rotate


@kernel
def turn_arms(rotor, rest_arms, rotations, arms):
    """arm = R rest_arm where there is a rotor."""
    for e in range(len(rotor)):
        if rotor[e] >= 0:
            x, y, z = rotate(rotations[rotor[e]], rest_arms[e, 0], rest_arms[e, 1], rest_arms[e, 2])
            arms[e, 0], arms[e, 1], arms[e, 2] = x, y, z


@kernel
def positions(indptr, nodes, weights, rotor, rest_arms, q, rotations, x):
    """x = Σ weight q + Σ R rest_arm."""
    for i in range(len(indptr) - 1):
        sx = sy = sz = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = nodes[e]
            sx += weights[e] * q[j, 0]
            sy += weights[e] * q[j, 1]
            sz += weights[e] * q[j, 2]
            if rotor[e] >= 0:
                ax, ay, az = rotate(rotations[rotor[e]], rest_arms[e, 0], rest_arms[e, 1], rest_arms[e, 2])
                sx += ax
                sy += ay
                sz += az
        x[i, 0], x[i, 1], x[i, 2] = sx, sy, sz


@kernel
def velocities(indptr, nodes, weights, arms, v, out):
    """out = Σ weight v + v × arm."""
    for i in range(len(indptr) - 1):
        sx = sy = sz = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = nodes[e]
            ax, ay, az = arms[e, 0], arms[e, 1], arms[e, 2]
            sx += weights[e] * v[j, 0] + v[j, 1] * az - v[j, 2] * ay
            sy += weights[e] * v[j, 1] + v[j, 2] * ax - v[j, 0] * az
            sz += weights[e] * v[j, 2] + v[j, 0] * ay - v[j, 1] * ax
        out[i, 0], out[i, 1], out[i, 2] = sx, sy, sz
