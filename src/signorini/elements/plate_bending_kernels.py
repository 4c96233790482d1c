"""Moments, forces, stiffness and energy of plate bending: angles of hinges, coupled by a matrix of flexibilities.

The moments M of the hinges solve F M = θ − θ₀ with the constant, sparse, positive definite matrix F (row e: `flexibility[e]` on
the diagonal, `coupling[e, k]` in column e + `offset[e, k]`). It is as well conditioned as a mass matrix on any mesh, whence
conjugate gradients with its diagonal need some twenty iterations. The stiffness F⁻¹ is dense; the matrix of the step gets the
diagonal D ⪰ F⁻¹ (`bound`) instead, and b what D has too much at the predicted velocity p, so that only the change of the velocity
within the step meets it: mass dt² (D − F⁻¹) is added to what bends, and the forces are exact.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.compiled import kernel
from signorini.elements.hinges_kernels import angle, angle_and_gradient

MOMENT_TOLERANCE, ENERGY_TOLERANCE = 1e-8, 1e-6
"""Residual of the moments over their right-hand side, for forces and for the energy, whose error is the square of that."""
MOST_ITERATIONS = 400


@kernel
def solve(flexibility, coupling, offset, y, tolerance, x):
    """Fill x with F⁻¹ y by conjugate gradients, to a residual of `tolerance` times y; returns the number of iterations."""
    n = len(y)
    r, p, Fp, inverse = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    rho = 0.0
    for e in range(n):
        inverse[e] = 1.0 / flexibility[e]
        x[e] = 0.0
        r[e] = y[e]
        p[e] = y[e] * inverse[e]
        rho += r[e] * p[e]
    small = tolerance * tolerance * rho
    for iteration in range(MOST_ITERATIONS):
        if rho <= small or rho == 0.0:
            return iteration
        curvature = 0.0
        for e in range(n):
            total = flexibility[e] * p[e]
            for k in range(4):
                total += coupling[e, k] * p[e + offset[e, k]]
            Fp[e] = total
            curvature += total * p[e]
        alpha = rho / curvature
        before, rho = rho, 0.0
        for e in range(n):
            x[e] += alpha * p[e]
            r[e] -= alpha * Fp[e]
            rho += r[e] * r[e] * inverse[e]
        beta = rho / before
        for e in range(n):
            p[e] = r[e] * inverse[e] + beta * p[e]
    return MOST_ITERATIONS


@kernel
def assemble(
    nodes, rest_angle, flexibility, coupling, offset, bound, damping_time, entries, q, v_lin, predicted, w_force, w_C, w_K,
    data, b,
):  # fmt: skip
    """Add (w_C τ + w_K) D to the matrix, and to b the forces with the corrections that the module describes.

    entries (h, 4, 4): where the block of each pair of the hinge's nodes is in `data`.
    """
    h = len(rest_angle)
    gradient, excess, moment, load = np.empty((h, 4, 3)), np.empty(h), np.empty(h), np.empty(h)
    for e in range(h):
        theta, by = angle_and_gradient(q, nodes[e, 0], nodes[e, 1], nodes[e, 2], nodes[e, 3])
        rate_lin, rate = 0.0, 0.0
        for n in range(4):
            i, (x, y, z) = nodes[e, n], by[n]
            gradient[e, n, 0], gradient[e, n, 1], gradient[e, n, 2] = x, y, z
            rate_lin += x * v_lin[i, 0] + y * v_lin[i, 1] + z * v_lin[i, 2]
            rate += x * predicted[i, 0] + y * predicted[i, 1] + z * predicted[i, 2]
        weight = w_K + w_C * damping_time[e]
        load[e] = w_force * (theta - rest_angle[e]) + weight * rate - w_K * rate_lin
        excess[e] = weight * bound[e] * rate
    solve(flexibility, coupling, offset, load, MOMENT_TOLERANCE, moment)
    for e in range(h):
        pull = excess[e] - moment[e]
        weight = (w_K + w_C * damping_time[e]) * bound[e]
        for n in range(4):
            i, x, y, z = nodes[e, n], gradient[e, n, 0], gradient[e, n, 1], gradient[e, n, 2]
            b[i, 0] += pull * x
            b[i, 1] += pull * y
            b[i, 2] += pull * z
            x, y, z = weight * x, weight * y, weight * z
            for m in range(4):
                k, u, v, w = entries[e, n, m], gradient[e, m, 0], gradient[e, m, 1], gradient[e, m, 2]
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
def bent(nodes, rest_angle, q, out):
    """θ − θ₀ of every hinge."""
    for e in range(len(rest_angle)):
        out[e] = angle(q, nodes[e, 0], nodes[e, 1], nodes[e, 2], nodes[e, 3]) - rest_angle[e]


@kernel
def energy(nodes, rest_angle, flexibility, coupling, offset, q):
    """½ (θ − θ₀)' F⁻¹ (θ − θ₀) [J]."""
    theta, moment = np.empty(len(rest_angle)), np.empty(len(rest_angle))
    bent(nodes, rest_angle, q, theta)
    solve(flexibility, coupling, offset, theta, ENERGY_TOLERANCE, moment)
    total = 0.0
    for e in range(len(theta)):
        total += 0.5 * theta[e] * moment[e]
    return total


@kernel
def crease(nodes, rest_angle, flexibility, coupling, offset, bound, limit, q, plastic):
    """Move the plastic angle of every hinge whose moment is beyond its limit; D bounds the stiffness, so none overshoots."""
    theta, moment = np.empty(len(rest_angle)), np.empty(len(rest_angle))
    bent(nodes, rest_angle, q, theta)
    for e in range(len(theta)):
        theta[e] -= plastic[e]
    solve(flexibility, coupling, offset, theta, MOMENT_TOLERANCE, moment)
    for e in range(len(theta)):
        if abs(moment[e]) > limit[e]:
            plastic[e] += math.copysign((abs(moment[e]) - limit[e]) / bound[e], moment[e])
