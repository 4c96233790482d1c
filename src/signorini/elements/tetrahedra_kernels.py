"""Assembly and energy of tetrahedra of both materials.

The element kernels give forces and stiffness blocks of the nodes 1, 2 and 3; those of node 0 follow because the forces of an
element sum to zero and a translation meets no resistance.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements import corotational_kernels, neo_hookean_kernels
from signorini.linalg.rotation_kernels import decompose


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
def _scatter(nodes, e, entries, f, whole, v_lin, way, dt, beta, data, b):
    """Add dt f + dt² K v_lin + dt β K way to b and (dt β + dt²) K to the matrix."""
    damping = dt * beta
    weight = dt * dt + damping
    for a in range(4):
        at = b[nodes[e, a]]
        for i in range(3):
            at[i] += dt * (f[a - 1, i] if a > 0 else -(f[0, i] + f[1, i] + f[2, i]))
        for m in range(4):
            n = nodes[e, m]
            v0 = dt * dt * v_lin[n, 0] + damping * way[n, 0]
            v1 = dt * dt * v_lin[n, 1] + damping * way[n, 1]
            v2 = dt * dt * v_lin[n, 2] + damping * way[n, 2]
            if v0 != 0.0 or v1 != 0.0 or v2 != 0.0:
                for i in range(3):
                    at[i] += whole[a, m, i, 0] * v0 + whole[a, m, i, 1] * v1 + whole[a, m, i, 2] * v2
            block = data[entries[e, a, m]]
            for i in range(3):
                for j in range(3):
                    block[i, j] += weight * whole[a, m, i, j]


@kernel
def assemble(
    nodes,
    rest_inverse,
    volume,
    lame_mu,
    lame_lambda,
    stiffness_damping,
    neo_hookean,
    entries,
    q,
    v_lin,
    way,
    dt,
    data,
    b,
):
    """Add dt C + dt² K to the matrix and dt F + dt² K v_lin + dt C way to the right-hand side (Otaduy2009 Eq. 3); C = β K.

    What a velocity has beyond `way` (n, 3) deforms, and is damped.
    entries (t, 4, 4): where the block of each pair of an element's nodes is in `data`.
    """
    F, R, B, U, V = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    h, f = np.empty((3, 3)), np.empty((3, 3))
    sigma = np.empty(3)
    frame = np.empty((6, 3, 3))
    K = np.empty((3, 3, 3, 3))
    whole = np.empty((4, 4, 3, 3))
    for e in range(len(volume)):
        deformation_gradient(nodes, e, rest_inverse, q, F)
        mu, lam, G = lame_mu[e], lame_lambda[e], rest_inverse[e]
        decompose(F, not neo_hookean[e], B, U, sigma, V, R)
        if neo_hookean[e]:
            neo_hookean_kernels.element(sigma, U, V, G, volume[e], mu, lam, True, frame, f, K)
        else:
            corotational_kernels.element(F, R, G, volume[e], mu, lam, h, f, K)
        _complete(K, whole)
        _scatter(nodes, e, entries, f, whole, v_lin, way, dt, stiffness_damping[e], data, b)


@kernel
def energy(nodes, rest_inverse, volume, lame_mu, lame_lambda, neo_hookean, q):
    """Σ V Ψ(F) [J]."""
    F, R, B, U, V = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    sigma = np.empty(3)
    total = 0.0
    for e in range(len(volume)):
        deformation_gradient(nodes, e, rest_inverse, q, F)
        decompose(F, not neo_hookean[e], B, U, sigma, V, R)
        if neo_hookean[e]:
            total += volume[e] * neo_hookean_kernels.energy_density(sigma, lame_mu[e], lame_lambda[e])
        else:
            total += volume[e] * corotational_kernels.energy_density(F, R, lame_mu[e], lame_lambda[e])
    return total
