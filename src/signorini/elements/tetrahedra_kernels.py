"""Loops over tetrahedra: assembly and energy, for any constitutive law.

`assemble`, `energy` and `stress` are templates: `SolidLaw` compiles a copy of each with the kernels of the law in place of the
names `element` and `energy_density`. The kernels of a law give forces and stiffness blocks of the nodes 1, 2 and 3; those of
node 0 follow because the forces of an element sum to zero and a translation meets no resistance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.compiled import kernel
from signorini.elements.shared_rows_kernels import first_row, touches
from signorini.parallel.crew_kernels import meet

element: Any = None
energy_density: Any = None
"""The kernels of a law; only the copies that `SolidLaw` compiles have them."""


@kernel
def deformation_gradient(nodes, e, rest_inverse, q, F):
    """Fill F (3, 3) = [x1 − x0, x2 − x0, x3 − x0] D⁻¹ of element e."""
    n0, n1, n2, n3 = nodes[e, 0], nodes[e, 1], nodes[e, 2], nodes[e, 3]
    for a in range(3):
        d1, d2, d3 = q[n1, a] - q[n0, a], q[n2, a] - q[n0, a], q[n3, a] - q[n0, a]
        for c in range(3):
            F[a, c] = d1 * rest_inverse[e, 0, c] + d2 * rest_inverse[e, 1, c] + d3 * rest_inverse[e, 2, c]


@kernel
def _complete(K, whole):
    """The blocks of all four nodes, whole (4, 4, 3, 3), from K[a, b], a ≤ b, of the nodes 1, 2, 3."""
    for a in range(3):
        for b in range(a, 3):
            for i in range(3):
                for j in range(3):
                    whole[a + 1, b + 1, i, j] = K[a, b, i, j]
                    whole[b + 1, a + 1, j, i] = K[a, b, i, j]
    for a in range(1, 4):
        for i in range(3):
            for j in range(3):
                row = -(whole[a, 1, i, j] + whole[a, 2, i, j] + whole[a, 3, i, j])
                whole[a, 0, i, j] = row
                whole[0, a, j, i] = row
    for i in range(3):
        for j in range(3):
            whole[0, 0, i, j] = -(whole[0, 1, i, j] + whole[0, 2, i, j] + whole[0, 3, i, j])


@kernel
def _scatter(
    nodes, e, entries, f, whole, v_lin, frame_velocity, w_force, w_C, w_K, beta, first, end, data, b
):  # fmt: skip
    """Add w_force f + w_K K v_lin + w_C β K frame_velocity to b and (w_C β + w_K) K to the matrix, in rows `first` to `end`."""
    damping = w_C * beta
    weight = w_K + damping
    for a in range(4):
        if nodes[e, a] < first or nodes[e, a] >= end:
            continue
        at = b[nodes[e, a]]
        for i in range(3):
            at[i] += w_force * (f[a - 1, i] if a > 0 else -(f[0, i] + f[1, i] + f[2, i]))
        for m in range(4):
            n = nodes[e, m]
            v0 = w_K * v_lin[n, 0] + damping * frame_velocity[n, 0]
            v1 = w_K * v_lin[n, 1] + damping * frame_velocity[n, 1]
            v2 = w_K * v_lin[n, 2] + damping * frame_velocity[n, 2]
            if v0 != 0.0 or v1 != 0.0 or v2 != 0.0:
                for i in range(3):
                    at[i] += whole[a, m, i, 0] * v0 + whole[a, m, i, 1] * v1 + whole[a, m, i, 2] * v2
            block = data[entries[e, a, m]]
            for i in range(3):
                for j in range(3):
                    block[i, j] += weight * whole[a, m, i, j]


@kernel
def from_stress(P, C, G, volume, f, K):
    """Fill f (3, 3) and K (3, 3, 3, 3) of an element (see `SolidLaw`) from its stress and its elasticity tensor.

    P (3, 3) is the first Piola-Kirchhoff stress ∂Ψ/∂F [Pa], C (3, 3, 3, 3) its derivative C[i, k, j, l] = ∂P_ik/∂F_jl.
    """
    for a in range(3):
        for i in range(3):
            f[a, i] = -volume * (P[i, 0] * G[a, 0] + P[i, 1] * G[a, 1] + P[i, 2] * G[a, 2])
        for b in range(a, 3):
            for i in range(3):
                for j in range(3):
                    total = 0.0
                    for k in range(3):
                        for m in range(3):
                            total += G[a, k] * C[i, k, j, m] * G[b, m]
                    K[a, b, i, j] = volume * total


def assemble(
    crew, rank, nodes, rest_inverse, volume, lame_mu, lame_lambda, shape, stiffness_damping, entries, q, v_lin,
    frame_velocity, w_force, w_C, w_K, data, b,
):  # fmt: skip
    """Add w_C C + w_K K to the matrix and w_force F + w_K K v_lin + w_C C frame_velocity to the right-hand side; C = β K.

    What a velocity has beyond `frame_velocity` (n, 3) deforms, and is damped (Otaduy2009 Eq. 3).
    entries (t, 4, 4): where the block of each pair of an element's nodes is in `data`. Threads share the rows
    (`shared_rows_kernels`).
    """
    size = meet(crew, rank)
    if size == 0:
        return
    first, end = first_row(rank, size, len(b)), first_row(rank + 1, size, len(b))
    F, f = np.empty((3, 3)), np.empty((3, 3))
    work = np.empty((12, 3, 3))
    K = np.empty((3, 3, 3, 3))
    whole = np.empty((4, 4, 3, 3))
    for e in range(len(volume)):
        if not touches(nodes[e], first, end):
            continue
        deformation_gradient(nodes, e, rest_inverse, q, F)
        element(F, rest_inverse[e], volume[e], lame_mu[e], lame_lambda[e], shape[e], work, f, K)
        _complete(K, whole)
        _scatter(
            nodes, e, entries, f, whole, v_lin, frame_velocity, w_force, w_C, w_K, stiffness_damping[e], first, end, data,
            b,
        )  # fmt: skip
    meet(crew, rank)


def energy(nodes, rest_inverse, volume, lame_mu, lame_lambda, shape, q):
    """Σ V Ψ(F) [J]."""
    F = np.empty((3, 3))
    work = np.empty((12, 3, 3))
    total = 0.0
    for e in range(len(volume)):
        deformation_gradient(nodes, e, rest_inverse, q, F)
        total += volume[e] * energy_density(F, lame_mu[e], lame_lambda[e], shape[e], work)
    return total


def stress(F, lame_mu, lame_lambda, shape, P):
    """Fill P (t, 3, 3), the first Piola-Kirchhoff stress ∂Ψ/∂F [Pa], for deformation gradients F (t, 3, 3)."""
    work = np.empty((12, 3, 3))
    f, K, unit = np.empty((3, 3)), np.empty((3, 3, 3, 3)), np.eye(3)
    for e in range(len(F)):  # with unit gradients and volume the force on node a is minus column a of P
        element(F[e], unit, 1.0, lame_mu[e], lame_lambda[e], shape[e], work, f, K)
        for i in range(3):
            for k in range(3):
                P[e, i, k] = -f[k, i]
