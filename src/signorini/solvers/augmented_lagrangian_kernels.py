"""The pieces of the augmented Lagrangian method: contact velocities, forces, Newton systems, line search.

u = G x + bias is the velocity of the contacts, bias their free velocity with gap/dt on the normal; a = lam - rho (u + s n) is
the trial impulse with the De Saxcé shift s, p = P_K(a) its projection onto the cone.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from signorini.dynamics.block_matrix_kernels import copy_rows, invert_blocks, multiply
from signorini.dynamics.unconstrained_kernels import precondition
from signorini.solvers.cone_kernels import OPEN, derivative, project


@njit(cache=True)
def contact_velocity(indptr, nodes, blocks, x, u):
    """u = G x."""
    for c in range(len(indptr) - 1):
        u0 = u1 = u2 = 0.0
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            x0, x1, x2 = x[j, 0], x[j, 1], x[j, 2]
            u0 += blocks[k, 0, 0] * x0 + blocks[k, 0, 1] * x1 + blocks[k, 0, 2] * x2
            u1 += blocks[k, 1, 0] * x0 + blocks[k, 1, 1] * x1 + blocks[k, 1, 2] * x2
            u2 += blocks[k, 2, 0] * x0 + blocks[k, 2, 1] * x1 + blocks[k, 2, 2] * x2
        u[c, 0], u[c, 1], u[c, 2] = u0, u1, u2


@njit(cache=True)
def project_all(lam, rho, u, shift, mu, p):
    """p = P_K(lam - rho (u + s n)) of every contact; a contact with rho = 0 moves nothing and gets no impulse."""
    for c in range(len(rho)):
        r = rho[c]
        if r == 0.0:
            p[c, 0] = p[c, 1] = p[c, 2] = 0.0
            continue
        p0, p1, p2, _ = project(
            lam[c, 0] - r * (u[c, 0] + shift[c]), lam[c, 1] - r * u[c, 1], lam[c, 2] - r * u[c, 2], mu[c]
        )
        p[c, 0], p[c, 1], p[c, 2] = p0, p1, p2


@njit(cache=True)
def newton_blocks(lam, rho, u, shift, mu, active, H):
    """The derivative of -p with respect to u, one 3x3 block per contact that has one; returns their number."""
    count = 0
    for c in range(len(rho)):
        r = rho[c]
        if r == 0.0:
            continue
        state = derivative(
            lam[c, 0] - r * (u[c, 0] + shift[c]), lam[c, 1] - r * u[c, 1], lam[c, 2] - r * u[c, 2], mu[c], r, H[count]
        )
        if state != OPEN:
            active[count] = c
            count += 1
    return count


@njit(cache=True)
def add_contact_stiffness(indptr, nodes, blocks, active, count, H, x, y):
    """y += G' H G x over the active contacts."""
    for n in range(count):
        c = active[n]
        u0 = u1 = u2 = 0.0
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            x0, x1, x2 = x[j, 0], x[j, 1], x[j, 2]
            u0 += blocks[k, 0, 0] * x0 + blocks[k, 0, 1] * x1 + blocks[k, 0, 2] * x2
            u1 += blocks[k, 1, 0] * x0 + blocks[k, 1, 1] * x1 + blocks[k, 1, 2] * x2
            u2 += blocks[k, 2, 0] * x0 + blocks[k, 2, 1] * x1 + blocks[k, 2, 2] * x2
        h0 = H[n, 0, 0] * u0 + H[n, 0, 1] * u1 + H[n, 0, 2] * u2
        h1 = H[n, 1, 0] * u0 + H[n, 1, 1] * u1 + H[n, 1, 2] * u2
        h2 = H[n, 2, 0] * u0 + H[n, 2, 1] * u1 + H[n, 2, 2] * u2
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            y[j, 0] += blocks[k, 0, 0] * h0 + blocks[k, 1, 0] * h1 + blocks[k, 2, 0] * h2
            y[j, 1] += blocks[k, 0, 1] * h0 + blocks[k, 1, 1] * h1 + blocks[k, 2, 1] * h2
            y[j, 2] += blocks[k, 0, 2] * h0 + blocks[k, 1, 2] * h1 + blocks[k, 2, 2] * h2


@njit(cache=True)
def newton_preconditioner(D, indptr, nodes, blocks, active, count, H, P):
    """P = inverse of the 3x3 node blocks of A + G' H G."""
    for i in range(len(D)):
        copy_rows(D[i], P[i])
    for n in range(count):
        c = active[n]
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            for a in range(3):
                h0 = H[n, 0, 0] * blocks[k, 0, a] + H[n, 0, 1] * blocks[k, 1, a] + H[n, 0, 2] * blocks[k, 2, a]
                h1 = H[n, 1, 0] * blocks[k, 0, a] + H[n, 1, 1] * blocks[k, 1, a] + H[n, 1, 2] * blocks[k, 2, a]
                h2 = H[n, 2, 0] * blocks[k, 0, a] + H[n, 2, 1] * blocks[k, 1, a] + H[n, 2, 2] * blocks[k, 2, a]
                for b in range(3):
                    P[j, b, a] += blocks[k, 0, b] * h0 + blocks[k, 1, b] * h1 + blocks[k, 2, b] * h2
    invert_blocks(P)


@njit(cache=True)
def inner_product(x, y):
    """x·y over all nodes."""
    total = 0.0
    for i in range(len(x)):
        total += x[i, 0] * y[i, 0] + x[i, 1] * y[i, 1] + x[i, 2] * y[i, 2]
    return total


@njit(cache=True)
def solve_newton_system(
    A_indptr, A_indices, A_data, P, indptr, nodes, blocks, active, count, H, g, tolerance, max_iterations, d, r, z, w, Aw
):  # fmt: skip
    """Conjugate gradients on (A + G' H G) d = g from d = 0 until the residual fell by `tolerance`; the iterations."""
    for i in range(len(d)):
        for a in range(3):
            d[i, a] = 0.0
    copy_rows(g, r)
    rz = precondition(P, r, z)
    copy_rows(z, w)
    goal = tolerance * tolerance * rz
    for iteration in range(max_iterations):
        if rz <= goal:
            return iteration
        multiply(A_indptr, A_indices, A_data, w, Aw)
        add_contact_stiffness(indptr, nodes, blocks, active, count, H, w, Aw)
        alpha = rz / inner_product(w, Aw)
        for i in range(len(d)):
            for a in range(3):
                d[i, a] += alpha * w[i, a]
                r[i, a] -= alpha * Aw[i, a]
        previous = rz
        rz = precondition(P, r, z)
        beta = rz / previous
        for i in range(len(d)):
            for a in range(3):
                w[i, a] = z[i, a] + beta * w[i, a]
    return max_iterations


@njit(cache=True)
def slope(t, Ax_d, d_Ad, lam, rho, u, ud, shift, mu):
    """φ'(t) of the augmented Lagrangian along x + t d."""
    total = Ax_d + t * d_Ad
    for c in range(len(rho)):
        r = rho[c]
        if r == 0.0:
            continue
        p0, p1, p2, state = project(
            lam[c, 0] - r * (u[c, 0] + t * ud[c, 0] + shift[c]),
            lam[c, 1] - r * (u[c, 1] + t * ud[c, 1]),
            lam[c, 2] - r * (u[c, 2] + t * ud[c, 2]),
            mu[c],
        )
        if state != OPEN:
            total -= p0 * ud[c, 0] + p1 * ud[c, 1] + p2 * ud[c, 2]
    return total


@njit(cache=True)
def search_line(Ax_d, d_Ad, lam, rho, u, ud, shift, mu):
    """A step t with |φ'(t)| <= 0.3 |φ'(0)|, by doubling and then bisecting towards the root of the monotone φ'."""
    goal = 0.3 * abs(slope(0.0, Ax_d, d_Ad, lam, rho, u, ud, shift, mu))
    low, high = 0.0, np.inf
    t = 1.0
    for _ in range(30):
        s = slope(t, Ax_d, d_Ad, lam, rho, u, ud, shift, mu)
        if abs(s) <= goal:
            break
        if s > 0.0:
            high = t
        else:
            low = t
        t = 2.0 * t if high == np.inf else 0.5 * (low + high)
    return t
