"""The highest frequency of single elements."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def highest_rate(
    nodes, rest_inverse, lame_mu, lame_lambda, stiffness_damping, neo_hookean, density, q, ratio, iterations
):
    """The largest |eigenvalue| [1/s] of the motion of any single element with its share of the mass; no body has a larger one.

    It is ω times `ratio`, or more if the element is overdamped. With the gradients of the shape functions as rows of H, waves
    are eigenvectors of ε → sym(σ(ε) H'H). At rest H is G; shear keeps to it, while the volume of a deformed Neo-Hookean
    element changes with G cof F'.
    """
    F, H = np.empty((3, 3)), np.empty((3, 3))
    S, strain, stress = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    highest = 0.0
    for e in range(len(density)):
        square = stiffest_wave(rest_inverse[e], lame_mu[e], lame_lambda[e], iterations, S, strain, stress)
        if neo_hookean[e]:
            deformation(nodes[e], rest_inverse[e], q, F)
            for i in range(3):
                a, b = (i + 1) % 3, (i + 2) % 3
                for k in range(3):
                    H[k, i] = 0.0
                    for j in range(3):
                        c, d = (j + 1) % 3, (j + 2) % 3
                        H[k, i] += (F[a, c] * F[b, d] - F[a, d] * F[b, c]) * rest_inverse[e, k, j]
            square = max(square, stiffest_wave(H, lame_mu[e], lame_lambda[e], iterations, S, strain, stress))
        omega = ratio * np.sqrt(4.0 * square / density[e])
        damped = 0.5 * stiffness_damping[e] * omega
        highest = max(highest, omega if damped <= 1.0 else omega * (damped + np.sqrt(damped * damped - 1.0)))
    return highest


@kernel
def deformation(nodes, G, q, F):
    """Fill F (3, 3) = [q1 − q0, q2 − q0, q3 − q0] G of an element."""
    for i in range(3):
        start = q[nodes[0], i]
        x1, x2, x3 = q[nodes[1], i] - start, q[nodes[2], i] - start, q[nodes[3], i] - start
        for j in range(3):
            F[i, j] = x1 * G[0, j] + x2 * G[1, j] + x3 * G[2, j]


@kernel
def stiffest_wave(H, mu, lam, iterations, S, strain, stress):
    """The largest eigenvalue of ε → sym(σ(ε) S), S = Σ h h' over the rows h of H and minus their sum, by power iteration."""
    trace = 0.0
    for i in range(3):
        total = H[0, i] + H[1, i] + H[2, i]
        for j in range(3):
            S[i, j] = H[0, i] * H[0, j] + H[1, i] * H[1, j] + H[2, i] * H[2, j] + total * (H[0, j] + H[1, j] + H[2, j])
        trace += S[i, i]
    size = 0.0
    strain[:] = S / trace
    for _ in range(iterations):
        pressure = lam * (strain[0, 0] + strain[1, 1] + strain[2, 2])
        for i in range(3):
            for j in range(3):
                stress[i, j] = 2.0 * mu * strain[i, j] + (pressure if i == j else 0.0)
        before, size = strain[0, 0] ** 2 + strain[1, 1] ** 2 + strain[2, 2] ** 2, 0.0
        before += 2.0 * (strain[0, 1] ** 2 + strain[0, 2] ** 2 + strain[1, 2] ** 2)
        for i in range(3):
            for j in range(i, 3):
                total = 0.0
                for k in range(3):
                    total += stress[i, k] * S[k, j] + S[i, k] * stress[k, j]
                strain[i, j] = 0.5 * total
                strain[j, i] = strain[i, j]
                size += strain[i, j] * strain[i, j] * (1.0 if i == j else 2.0)
        size = np.sqrt(size)
        scale = 1.0 / size
        size /= np.sqrt(before)
        for i in range(3):
            for j in range(3):
                strain[i, j] *= scale
    return size
