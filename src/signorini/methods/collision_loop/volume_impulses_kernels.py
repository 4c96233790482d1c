"""Volumes and gradients of collision tetrahedra, and MINRES on the system that couples them."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

SIXTH = 1.0 / 6.0


@kernel
def volumes(vertices, sign, x, out):
    """V = sign/6 (x1 − x0)·((x2 − x0) × (x3 − x0)) of every tetrahedron [m³]."""
    for t in range(len(sign)):
        o, i, j, k = vertices[t, 0], vertices[t, 1], vertices[t, 2], vertices[t, 3]
        ax, ay, az = x[i, 0] - x[o, 0], x[i, 1] - x[o, 1], x[i, 2] - x[o, 2]
        bx, by, bz = x[j, 0] - x[o, 0], x[j, 1] - x[o, 1], x[j, 2] - x[o, 2]
        cx, cy, cz = x[k, 0] - x[o, 0], x[k, 1] - x[o, 1], x[k, 2] - x[o, 2]
        det = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        out[t] = SIXTH * sign[t] * det


@kernel
def gradients(vertices, sign, x, F):
    """∂V/∂x of the four vertices, F (m, 4, 3): minus a third of the outward area vectors of the faces (Sifakis2008 Eq. 3).

    Products and differences only; a flat tetrahedron or a short edge needs no care.
    """
    for t in range(len(sign)):
        o, i, j, k = vertices[t, 0], vertices[t, 1], vertices[t, 2], vertices[t, 3]
        ax, ay, az = x[i, 0] - x[o, 0], x[i, 1] - x[o, 1], x[i, 2] - x[o, 2]
        bx, by, bz = x[j, 0] - x[o, 0], x[j, 1] - x[o, 1], x[j, 2] - x[o, 2]
        cx, cy, cz = x[k, 0] - x[o, 0], x[k, 1] - x[o, 1], x[k, 2] - x[o, 2]
        s = SIXTH * sign[t]
        F[t, 1, 0], F[t, 1, 1], F[t, 1, 2] = s * (by * cz - bz * cy), s * (bz * cx - bx * cz), s * (bx * cy - by * cx)
        F[t, 2, 0], F[t, 2, 1], F[t, 2, 2] = s * (cy * az - cz * ay), s * (cz * ax - cx * az), s * (cx * ay - cy * ax)
        F[t, 3, 0], F[t, 3, 1], F[t, 3, 2] = s * (ay * bz - az * by), s * (az * bx - ax * bz), s * (ax * by - ay * bx)
        for a in range(3):
            F[t, 0, a] = -(F[t, 1, a] + F[t, 2, a] + F[t, 3, a])


@kernel
def count_entries(vertices, map_indptr, map_nodes, movable, indptr):
    """Row starts of the system: one entry for each movable node of each vertex of each constraint."""
    for c in range(len(vertices)):
        total = 0
        for k in range(4):
            i = vertices[c, k]
            if i >= 0:
                for e in range(map_indptr[i], map_indptr[i + 1]):
                    total += movable[map_nodes[e]]
        indptr[c + 1] = indptr[c] + total


@kernel
def fill_rows(vertices, F, map_indptr, map_nodes, map_weights, map_arms, movable, inverse_mass, nodes, G, WG):
    """The rows of the constraints over nodes, G (k, 3) = weight F + arm × F, and M⁻¹ G; `nodes` (k,) are filled too."""
    at = 0
    for c in range(len(vertices)):
        for k in range(4):
            i = vertices[c, k]
            if i < 0:
                continue
            f0, f1, f2 = F[c, k, 0], F[c, k, 1], F[c, k, 2]
            for e in range(map_indptr[i], map_indptr[i + 1]):
                node, w = map_nodes[e], map_weights[e]
                if not movable[node]:
                    continue
                r0, r1, r2 = map_arms[e, 0], map_arms[e, 1], map_arms[e, 2]
                g0 = w * f0 + r1 * f2 - r2 * f1
                g1 = w * f1 + r2 * f0 - r0 * f2
                g2 = w * f2 + r0 * f1 - r1 * f0
                W = inverse_mass[node]
                nodes[at] = node
                G[at, 0], G[at, 1], G[at, 2] = g0, g1, g2
                for a in range(3):
                    WG[at, a] = W[a, 0] * g0 + W[a, 1] * g1 + W[a, 2] * g2
                at += 1


@kernel
def spread(indptr, nodes, WG, p, out):
    """out = M⁻¹ F p over the nodes."""
    out[:] = 0.0
    for c in range(len(p)):
        for e in range(indptr[c], indptr[c + 1]):
            for a in range(3):
                out[nodes[e], a] += WG[e, a] * p[c]


@kernel
def gather(indptr, nodes, G, dv, out):
    """out = F' dv."""
    for c in range(len(out)):
        total = 0.0
        for e in range(indptr[c], indptr[c + 1]):
            i = nodes[e]
            total += G[e, 0] * dv[i, 0] + G[e, 1] * dv[i, 1] + G[e, 2] * dv[i, 2]
        out[c] = total


@kernel
def dot(a, b):
    """Σ a b."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@kernel
def minres(indptr, nodes, G, WG, b, tolerance, max_iterations, dv, p):
    """Solve F' M⁻¹ F p = b by MINRES (Paige and Saunders 1975) from p = 0; returns the iterations.

    Ends when |r| ≤ tolerance |b|, or when r can no longer be reduced (|A r| ≤ tolerance |A| |r|: b is not in the range,
    and p is a least-squares solution). dv (n, 3) is room for M⁻¹ F p.
    """
    m = len(b)
    p[:] = 0.0
    beta1 = np.sqrt(dot(b, b))
    if not beta1 > 0.0:
        return 0
    r1, r2, y = b.copy(), b.copy(), b.copy()
    v, w, w1, w2 = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    old_beta, beta, d_bar, epsilon, phi_bar, cs, sn, square = 0.0, beta1, 0.0, 0.0, beta1, -1.0, 0.0, 0.0
    for k in range(1, max_iterations + 1):
        for i in range(m):
            v[i] = y[i] / beta
        spread(indptr, nodes, WG, v, dv)
        gather(indptr, nodes, G, dv, y)
        if k >= 2:
            for i in range(m):
                y[i] -= beta / old_beta * r1[i]
        alpha = dot(v, y)
        for i in range(m):
            y[i] -= alpha / beta * r2[i]
            r1[i], r2[i] = r2[i], y[i]
        old_beta, beta = beta, np.sqrt(dot(y, y))
        square += alpha * alpha + old_beta * old_beta * (k > 1) + beta * beta
        old_epsilon = epsilon
        delta = cs * d_bar + sn * alpha
        g_bar = sn * d_bar - cs * alpha
        epsilon, d_bar = sn * beta, -cs * beta
        gamma = max(np.sqrt(g_bar * g_bar + beta * beta), 1e-300)
        # What |A r| was before this iteration: nothing more to gain when it vanishes against |A| |r|.
        if np.sqrt(g_bar * g_bar + (cs * beta) ** 2) <= tolerance * np.sqrt(square) and k > 1:
            return k
        cs, sn = g_bar / gamma, beta / gamma
        phi, phi_bar = cs * phi_bar, sn * phi_bar
        for i in range(m):
            w1[i], w2[i] = w2[i], w[i]
            w[i] = (v[i] - old_epsilon * w1[i] - delta * w2[i]) / gamma
            p[i] += phi * w[i]
        if phi_bar <= tolerance * beta1 or not beta > 0.0:
            return k
    return max_iterations
