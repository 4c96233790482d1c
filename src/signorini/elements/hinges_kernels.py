"""Angle, force, stiffness and energy of hinges.

The stiffness is the Gauss-Newton part k ∇θ ∇θ': positive semidefinite by construction.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def angle_and_gradient(q, i0, i1, i2, i3, gradient):
    """θ = atan2((n1 × n2)·ê, n1·n2) with n1 = e × (x2 − x0), n2 = (x3 − x0) × e; `gradient` (4, 3) is filled."""
    ex, ey, ez = q[i1, 0] - q[i0, 0], q[i1, 1] - q[i0, 1], q[i1, 2] - q[i0, 2]
    ax, ay, az = q[i2, 0] - q[i0, 0], q[i2, 1] - q[i0, 1], q[i2, 2] - q[i0, 2]
    bx, by, bz = q[i3, 0] - q[i0, 0], q[i3, 1] - q[i0, 1], q[i3, 2] - q[i0, 2]
    n1x, n1y, n1z = ey * az - ez * ay, ez * ax - ex * az, ex * ay - ey * ax
    n2x, n2y, n2z = by * ez - bz * ey, bz * ex - bx * ez, bx * ey - by * ex
    e2 = ex * ex + ey * ey + ez * ez
    e = np.sqrt(e2)
    sine = ((n1y * n2z - n1z * n2y) * ex + (n1z * n2x - n1x * n2z) * ey + (n1x * n2y - n1y * n2x) * ez) / max(e, 1e-300)
    cosine = n1x * n2x + n1y * n2y + n1z * n2z
    # A collapsed triangle has no normal; the floor keeps the force finite until contact and springs reopen it.
    floor = 1e-12 * e2 * e2
    g1 = -e / max(n1x * n1x + n1y * n1y + n1z * n1z, floor + 1e-300)
    g2 = -e / max(n2x * n2x + n2y * n2y + n2z * n2z, floor + 1e-300)
    s1 = (ax * ex + ay * ey + az * ez) / max(e2, 1e-300)
    s2 = (bx * ex + by * ey + bz * ez) / max(e2, 1e-300)
    gradient[2, 0], gradient[2, 1], gradient[2, 2] = g1 * n1x, g1 * n1y, g1 * n1z
    gradient[3, 0], gradient[3, 1], gradient[3, 2] = g2 * n2x, g2 * n2y, g2 * n2z
    for a in range(3):
        gradient[0, a] = -(1.0 - s1) * gradient[2, a] - (1.0 - s2) * gradient[3, a]
        gradient[1, a] = -s1 * gradient[2, a] - s2 * gradient[3, a]
    return np.arctan2(sine, cosine)


@kernel
def angles(nodes, q, out):
    """θ of every hinge."""
    gradient = np.empty((4, 3))
    for h in range(len(nodes)):
        out[h] = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3], gradient)


@kernel
def assemble(nodes, rest_angle, stiffness, damping, entries, q, v_lin, w_force, w_C, w_K, data, b):
    """Add w_C C + w_K K to the matrix and w_force F + w_K K v_lin to the right-hand side (Otaduy2009 Eq. 3).

    entries (h, 4, 4): where the block of each pair of the hinge's nodes is in `data`.
    """
    gradient = np.empty((4, 3))
    for h in range(len(rest_angle)):
        theta = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3], gradient)
        moment = -stiffness[h] * (theta - rest_angle[h])
        rate = 0.0
        for n in range(4):
            for a in range(3):
                rate += gradient[n, a] * v_lin[nodes[h, n], a]
        pull = w_force * moment + w_K * stiffness[h] * rate
        weight = w_C * damping[h] + w_K * stiffness[h]
        for n in range(4):
            for a in range(3):
                b[nodes[h, n], a] += pull * gradient[n, a]
            for m in range(4):
                entry = entries[h, n, m]
                for a in range(3):
                    ga = weight * gradient[n, a]
                    for c in range(3):
                        data[entry, a, c] += ga * gradient[m, c]


@kernel
def energy(nodes, rest_angle, stiffness, q):
    """Σ ½ k (θ − θ₀)² [J]."""
    gradient = np.empty((4, 3))
    total = 0.0
    for h in range(len(rest_angle)):
        theta = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3], gradient)
        total += 0.5 * stiffness[h] * (theta - rest_angle[h]) ** 2
    return total
