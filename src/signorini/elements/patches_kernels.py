"""Loops over patches of tetrahedra: assembly and energy of their mean deformation, for any constitutive law.

The mean deformation gradient of a patch is linear in its nodes, F = Σ x_n g_n', with the means g_n of the gradients of the
shape functions. A law that gives stress and stiffness with unit gradients and volume therefore gives those of a patch. Like the
loops over tetrahedra these are templates: `SolidLaw` compiles copies of them with the kernels of a law.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.compiled import kernel

element: Any = None
energy_density: Any = None
"""The kernels of a law; only the copies that `SolidLaw` compiles have them."""


@kernel
def mean_gradient(nodes, count, gradients, x, H):
    """Fill H (3, 3) = Σ x_n g_n' over the nodes (count,) of a patch; the g_n sum to zero, so places count from the first."""
    first = x[nodes[0]]
    for i in range(3):
        for c in range(3):
            H[i, c] = 0.0
    for n in range(1, count):
        at = x[nodes[n]]
        for i in range(3):
            d = at[i] - first[i]
            for c in range(3):
                H[i, c] += d * gradients[n, c]


@kernel
def fill_lower(K):
    """Fill the blocks K[b, a] = K[a, b]' below the diagonal."""
    for a in range(3):
        for b in range(a):
            for i in range(3):
                for j in range(3):
                    K[a, b, i, j] = K[b, a, j, i]


@kernel
def add_forces(nodes, count, gradients, f, K, w_force, velocity, b):
    """Add w_force f and what K does to velocities with the gradient `velocity` (3, 3) to b; f (3, 3) is changed."""
    for a in range(3):
        for i in range(3):
            total = w_force * f[a, i]
            for c in range(3):
                total += (
                    K[a, c, i, 0] * velocity[0, c] + K[a, c, i, 1] * velocity[1, c] + K[a, c, i, 2] * velocity[2, c]
                )
            f[a, i] = total
    for n in range(count):
        at, g = b[nodes[n]], gradients[n]
        for i in range(3):
            at[i] += g[0] * f[0, i] + g[1] * f[1, i] + g[2] * f[2, i]


@kernel
def add_blocks(count, entries, gradients, K, weight, half, data):
    """Add weight Σ_ab g_m[a] g_n[b] K[a, b] to the block of every pair m, n of nodes; half (3, 3, 3) is scratch."""
    for n in range(count):
        g0, g1, g2 = weight * gradients[n, 0], weight * gradients[n, 1], weight * gradients[n, 2]
        for a in range(3):
            for i in range(3):
                for j in range(3):
                    half[a, i, j] = g0 * K[a, 0, i, j] + g1 * K[a, 1, i, j] + g2 * K[a, 2, i, j]
        for m in range(n + 1):
            h0, h1, h2 = gradients[m, 0], gradients[m, 1], gradients[m, 2]
            upper, lower = data[entries[m, n]], data[entries[n, m]]
            for i in range(3):
                for j in range(3):
                    value = h0 * half[0, i, j] + h1 * half[1, i, j] + h2 * half[2, i, j]
                    upper[i, j] += value
                    if m != n:
                        lower[j, i] += value


def assemble_patches(
    nodes, count, gradients, volume, lame_mu, lame_lambda, shape, stiffness_damping, entries, q, v_lin, frame_velocity,
    w_force, w_C, w_K, data, b,
):  # fmt: skip
    """Add w_C C + w_K K to the matrix and w_force F + w_K K v_lin + w_C C frame_velocity to the right-hand side; C = β K."""
    F, H, f, unit = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.eye(3)
    velocity, half = np.empty((3, 3)), np.empty((3, 3, 3))
    work = np.empty((12, 3, 3))
    K = np.empty((3, 3, 3, 3))
    for e in range(len(volume)):
        own, g = nodes[e], gradients[e]
        mean_gradient(own, count[e], g, q, F)
        element(F, unit, volume[e], lame_mu[e], lame_lambda[e], shape[e], work, f, K)
        fill_lower(K)
        damping = w_C * stiffness_damping[e]
        mean_gradient(own, count[e], g, v_lin, velocity)
        mean_gradient(own, count[e], g, frame_velocity, H)
        for i in range(3):
            for c in range(3):
                velocity[i, c] = w_K * velocity[i, c] + damping * H[i, c]
        add_forces(own, count[e], g, f, K, w_force, velocity, b)
        add_blocks(count[e], entries[e], g, K, w_K + damping, half, data)


def patches_energy(nodes, count, gradients, volume, lame_mu, lame_lambda, shape, q):
    """Σ V Ψ(F) [J]."""
    F = np.empty((3, 3))
    work = np.empty((12, 3, 3))
    total = 0.0
    for e in range(len(volume)):
        mean_gradient(nodes[e], count[e], gradients[e], q, F)
        total += volume[e] * energy_density(F, lame_mu[e], lame_lambda[e], shape[e], work)
    return total
