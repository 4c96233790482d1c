"""Force, stiffness and slip of friction elements at hinges."""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.elements.hinges_kernels import angle, angle_and_gradient


@kernel
def assemble(nodes, stiffness, limit, set_angle, entries, q, v_lin, w_force, w_K, data, b):
    """Add w_K K to the matrix and w_force F + w_K K v_lin to the right-hand side (Otaduy2009 Eq. 3).

    A slipping element keeps its stiffness in the matrix: the moment of the next step is not known to stay at its limit, and
    the matrix stays positive definite. Within one step this acts as damping of rate k dt.
    """
    for h in range(len(limit)):
        theta, gradients = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3])
        moment = -min(max(stiffness[h] * (theta - set_angle[h]), -limit[h]), limit[h])
        rate = 0.0
        for n in range(4):
            i, (x, y, z) = nodes[h, n], gradients[n]
            rate += x * v_lin[i, 0]
            rate += y * v_lin[i, 1]
            rate += z * v_lin[i, 2]
        pull = w_force * moment + w_K * stiffness[h] * rate
        weight = w_K * stiffness[h]
        for n in range(4):
            i, (x, y, z) = nodes[h, n], gradients[n]
            b[i, 0] += pull * x
            b[i, 1] += pull * y
            b[i, 2] += pull * z
            x, y, z = weight * x, weight * y, weight * z
            for m in range(4):
                k, (u, v, w) = entries[h, n, m], gradients[m]
                data[k, 0, 0] += x * u
                data[k, 0, 1] += x * v
                data[k, 0, 2] += x * w
                data[k, 1, 0] += y * u
                data[k, 1, 1] += y * v
                data[k, 1, 2] += y * w
                data[k, 2, 0] += z * u
                data[k, 2, 1] += z * v
                data[k, 2, 2] += z * w


@kernel
def slip(nodes, stiffness, limit, q, set_angle):
    """Move the set angle of every element that is beyond its limit."""
    for h in range(len(limit)):
        theta = angle(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3])
        reach = limit[h] / stiffness[h]
        set_angle[h] = min(max(set_angle[h], theta - reach), theta + reach)


@kernel
def energy(nodes, stiffness, limit, set_angle, q):
    """Σ ½ k (θ − θ_s)² within the limit [J]: what the elements give back when they are released."""
    total = 0.0
    for h in range(len(limit)):
        theta = angle(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3])
        moment = min(abs(stiffness[h] * (theta - set_angle[h])), limit[h])
        total += 0.5 * moment * moment / stiffness[h]
    return total
