"""Angle, force, stiffness and energy of hinges, with dry friction where there is any.

The stiffness is the Gauss-Newton part k ∇θ ∇θ': positive semidefinite by construction. Spring and friction of a hinge share its
gradient. `sticking` and `limit` are empty where nothing rubs.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements.shared_rows_kernels import first_row, touches
from signorini.parallel.crew_kernels import meet


@kernel
def shape(q, i0, i1, i2, i3):
    """The edge e, x2 − x0, x3 − x0, and the normals n1 = e × (x2 − x0), n2 = (x3 − x0) × e of a hinge."""
    ex, ey, ez = q[i1, 0] - q[i0, 0], q[i1, 1] - q[i0, 1], q[i1, 2] - q[i0, 2]
    ax, ay, az = q[i2, 0] - q[i0, 0], q[i2, 1] - q[i0, 1], q[i2, 2] - q[i0, 2]
    bx, by, bz = q[i3, 0] - q[i0, 0], q[i3, 1] - q[i0, 1], q[i3, 2] - q[i0, 2]
    n1 = (ey * az - ez * ay, ez * ax - ex * az, ex * ay - ey * ax)
    n2 = (by * ez - bz * ey, bz * ex - bx * ez, bx * ey - by * ex)
    return (ex, ey, ez), (ax, ay, az), (bx, by, bz), n1, n2


@kernel
def angle_between(e, length, n1, n2):
    """θ = atan2((n1 × n2)·ê, n1·n2)."""
    (ex, ey, ez), (n1x, n1y, n1z), (n2x, n2y, n2z) = e, n1, n2
    sine = (n1y * n2z - n1z * n2y) * ex + (n1z * n2x - n1x * n2z) * ey + (n1x * n2y - n1y * n2x) * ez
    return np.arctan2(sine / max(length, 1e-300), n1x * n2x + n1y * n2y + n1z * n2z)


@kernel
def angle(q, i0, i1, i2, i3):
    """θ of a hinge."""
    e, _, _, n1, n2 = shape(q, i0, i1, i2, i3)
    return angle_between(e, np.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), n1, n2)


@kernel
def angle_and_gradient(q, i0, i1, i2, i3):
    """θ of a hinge and its gradients by x0, x1, x2, x3, as tuples: arrays could alias what is written to."""
    e, a, b, n1, n2 = shape(q, i0, i1, i2, i3)
    e2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    length = np.sqrt(e2)
    # A collapsed triangle has no normal; the floor keeps the force finite until contact and springs reopen it.
    floor = 1e-12 * e2 * e2
    g1 = -length / max(n1[0] * n1[0] + n1[1] * n1[1] + n1[2] * n1[2], floor + 1e-300)
    g2 = -length / max(n2[0] * n2[0] + n2[1] * n2[1] + n2[2] * n2[2], floor + 1e-300)
    s1 = (a[0] * e[0] + a[1] * e[1] + a[2] * e[2]) / max(e2, 1e-300)
    s2 = (b[0] * e[0] + b[1] * e[1] + b[2] * e[2]) / max(e2, 1e-300)
    by_2, by_3 = (g1 * n1[0], g1 * n1[1], g1 * n1[2]), (g2 * n2[0], g2 * n2[1], g2 * n2[2])
    gradients = combined(1.0 - s1, by_2, 1.0 - s2, by_3), combined(s1, by_2, s2, by_3), by_2, by_3
    return angle_between(e, length, n1, n2), gradients


@kernel
def combined(s, a, t, b):
    """−s a − t b."""
    return (-s * a[0] - t * b[0], -s * a[1] - t * b[1], -s * a[2] - t * b[2])


@kernel
def angles(nodes, q, out):
    """θ of every hinge."""
    for h in range(len(nodes)):
        out[h] = angle(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3])


@kernel
def friction_moment(theta, set_angle, stiffness, limit):
    """Moment of a friction element: elastic up to its limit."""
    return -min(max(stiffness * (theta - set_angle), -limit), limit)


@kernel
def assemble(
    crew, rank, nodes, rest_angle, stiffness, damping, sticking, limit, set_angle, entries, q, v_lin, w_force, w_C, w_K, data, b
):  # fmt: skip
    """Add w_C C + w_K K to the matrix and w_force F + w_K K v_lin to the right-hand side (Otaduy2009 Eq. 3).

    entries (h, 4, 4): where the block of each pair of the hinge's nodes is in `data`. A slipping friction element keeps its
    stiffness in the matrix: the moment of the next step is not known to stay at its limit, and the matrix stays positive
    definite. Within one step this acts as damping of rate k dt. Threads share the rows (`shared_rows_kernels`).
    """
    size = meet(crew, rank)
    if size == 0:
        return
    first, end = first_row(rank, size, len(b)), first_row(rank + 1, size, len(b))
    for h in range(len(rest_angle)):
        if not touches(nodes[h], first, end):
            continue
        theta, gradients = angle_and_gradient(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3])
        k, moment = stiffness[h], -stiffness[h] * (theta - rest_angle[h])
        if len(limit):
            k += sticking[h]
            moment += friction_moment(theta, set_angle[h], sticking[h], limit[h])
        rate = 0.0
        for n in range(4):
            i, (x, y, z) = nodes[h, n], gradients[n]
            rate += x * v_lin[i, 0]
            rate += y * v_lin[i, 1]
            rate += z * v_lin[i, 2]
        pull = w_force * moment + w_K * k * rate
        weight = w_C * damping[h] + w_K * k
        for n in range(4):
            i, (x, y, z) = nodes[h, n], gradients[n]
            if i < first or i >= end:
                continue
            b[i, 0] += pull * x
            b[i, 1] += pull * y
            b[i, 2] += pull * z
            x, y, z = weight * x, weight * y, weight * z
            for m in range(4):
                entry, (u, v, w) = entries[h, n, m], gradients[m]
                data[entry, 0, 0] += x * u
                data[entry, 0, 1] += x * v
                data[entry, 0, 2] += x * w
                data[entry, 1, 0] += y * u
                data[entry, 1, 1] += y * v
                data[entry, 1, 2] += y * w
                data[entry, 2, 0] += z * u
                data[entry, 2, 1] += z * v
                data[entry, 2, 2] += z * w
    meet(crew, rank)


@kernel
def slip(nodes, sticking, limit, q, set_angle):
    """Move the set angle of every friction element that is beyond its limit."""
    for h in range(len(limit)):
        theta = angle(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3])
        reach = limit[h] / sticking[h]
        set_angle[h] = min(max(set_angle[h], theta - reach), theta + reach)


@kernel
def energy(nodes, rest_angle, stiffness, sticking, limit, set_angle, q):
    """Σ ½ k (θ − θ₀)², and of friction ½ k (θ − θ_s)² within the limit [J]: what the elements give back when released."""
    total = 0.0
    for h in range(len(rest_angle)):
        theta = angle(q, nodes[h, 0], nodes[h, 1], nodes[h, 2], nodes[h, 3])
        total += 0.5 * stiffness[h] * (theta - rest_angle[h]) ** 2
        if len(limit):
            moment = friction_moment(theta, set_angle[h], sticking[h], limit[h])
            total += 0.5 * moment * moment / sticking[h]
    return total
