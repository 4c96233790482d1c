"""Force, stiffness and slip of friction elements at hinges."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements.hinges_kernels import angle_and_gradient


@kernel
def assemble(nodes, stiffness, limit, set_angle, entries, q, v_lin, w_force, w_K, data, b):
    """Add w_K K to the matrix and w_force F + w_K K v_lin to the right-hand side (Otaduy2009 Eq. 3).

    A slipping element keeps its stiffness in the matrix: the moment of the next step is not known to stay at its limit, and
    the matrix stays positive definite. Within one step this acts as damping of rate k dt.
    """
    gradient = np.empty((4, 3))
    for h in range(len(limit)):
        theta = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3], gradient)
        moment = -min(max(stiffness[h] * (theta - set_angle[h]), -limit[h]), limit[h])
        rate = 0.0
        for n in range(4):
            for a in range(3):
                rate += gradient[n, a] * v_lin[nodes[h, n], a]
        pull = w_force * moment + w_K * stiffness[h] * rate
        weight = w_K * stiffness[h]
        for n in range(4):
            for a in range(3):
                b[nodes[h, n], a] += pull * gradient[n, a]
            for m in range(4):
                entry = entries[h, n, m]
                for a in range(3):
                    for c in range(3):
                        data[entry, a, c] += weight * gradient[n, a] * gradient[m, c]


@kernel
def slip(nodes, stiffness, limit, q, set_angle):
    """Move the set angle of every element that is beyond its limit."""
    gradient = np.empty((4, 3))
    for h in range(len(limit)):
        theta = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3], gradient)
        reach = limit[h] / stiffness[h]
        set_angle[h] = min(max(set_angle[h], theta - reach), theta + reach)


@kernel
def energy(nodes, stiffness, limit, set_angle, q):
    """Σ ½ k (θ − θ_s)² within the limit [J]: what the elements give back when they are released."""
    gradient = np.empty((4, 3))
    total = 0.0
    for h in range(len(limit)):
        theta = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3], gradient)
        moment = min(abs(stiffness[h] * (theta - set_angle[h])), limit[h])
        total += 0.5 * moment * moment / stiffness[h]
    return total
