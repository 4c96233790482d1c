"""Elastic forces without stiffness, and a bound of the largest frequency: the inner loops of the explicit half-kicks."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements.hinges_kernels import angle_and_gradient


@kernel
def add_spring_forces(nodes, rest_length, stiffness, compression, q, force):
    """force += k (l − L) d on the first node of every spring and the opposite on the second."""
    for s in range(len(rest_length)):
        i, j = nodes[s, 0], nodes[s, 1]
        dx, dy, dz = q[j, 0] - q[i, 0], q[j, 1] - q[i, 1], q[j, 2] - q[i, 2]
        length = np.sqrt(dx * dx + dy * dy + dz * dz)
        k = stiffness[s] if length >= rest_length[s] else compression[s]
        pull = k * (length - rest_length[s]) / max(length, 1e-12 * rest_length[s])
        force[i, 0] += pull * dx
        force[i, 1] += pull * dy
        force[i, 2] += pull * dz
        force[j, 0] -= pull * dx
        force[j, 1] -= pull * dy
        force[j, 2] -= pull * dz


@kernel
def add_hinge_forces(nodes, rest_angle, stiffness, q, force):
    """force −= k (θ − θ₀) ∇θ of every hinge."""
    gradient = np.empty((4, 3))
    for h in range(len(rest_angle)):
        theta = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3], gradient)
        moment = -stiffness[h] * (theta - rest_angle[h])
        for n in range(4):
            for a in range(3):
                force[nodes[h, n], a] += moment * gradient[n, a]


@kernel
def add_hinge_friction_forces(nodes, stiffness, limit, set_angle, q, force):
    """force −= clamp(k (θ − θ_s), ±limit) ∇θ of every friction element."""
    gradient = np.empty((4, 3))
    for h in range(len(limit)):
        theta = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3], gradient)
        moment = -min(max(stiffness[h] * (theta - set_angle[h]), -limit[h]), limit[h])
        for n in range(4):
            for a in range(3):
                force[nodes[h, n], a] += moment * gradient[n, a]


@kernel
def frequency_bound(indptr, data, diagonal, mass):
    """max over the nodes of Σ_j |K_ij| / m_i (Gershgorin, Frobenius norms of the blocks): at least ω² of any mode [1/s²].

    data (nnz, 3, 3) holds M + K; `diagonal` are the places of the diagonal blocks. Nodes without mass are left out.
    """
    largest = 0.0
    for i in range(len(mass)):
        if mass[i] <= 0.0:
            continue
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            square = 0.0
            for a in range(3):
                for c in range(3):
                    entry = data[k, a, c]
                    if k == diagonal[i] and a == c:
                        entry -= mass[i]
                    square += entry * entry
            total += np.sqrt(square)
        largest = max(largest, total / mass[i])
    return largest
