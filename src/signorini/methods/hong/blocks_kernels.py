"""Forces of 16 elements at a time: the same row of all their matrices lies side by side, and the compiler makes vectors of it.

P is the first Piola-Kirchhoff stress; the forces on the nodes 1, 2, 3 of an element are the rows of −V G P', with the
gradients of the shape functions as rows of G, and node 0 takes the opposite of their sum.

A block has two arrays: K (CONSTANTS · LANES,), what does not change, and W (ROWS · LANES,), work space. Row r of lane k is at
r · LANES + k, and a 3×3 matrix takes nine rows. Loops over lanes have a constant length of at least 16 and constant
distances between rows: what the vectoriser needs in order to see that lanes do not depend on each other.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements.neo_hookean_kernels import CUBIC, G1, G2, I0, J0, _distortion
from signorini.linalg.rotation_kernels import decompose

LANES = 16
L = LANES
"""Short for the index arithmetic below."""
CONSTANTS = 14
"""Rows of K: G (0 to 8), μ (9), λ (10), −V (11), βμ (12), βλ (13)."""
ROWS = 49
"""Rows of W: edges of q (0 to 8) and v (9 to 17), frame F or R (18 to 26), P (27 to 35), forces (36 to 44), det F (45),
|F|² (46), g and g' of det F (47, 48); of co-rotational elements the change of R (47)."""
TURNS, TURNED, FLAT = 10, 1e-16, 0.02
"""Most iterations for R, the square of a change that ends them, and det F / |F|³ (of a rotation 0.19) below which they are not
for an element: as in `rotation_kernels`."""
FAR = 5.0
"""det F beyond which g needs a logarithm."""
EDGES, RATES, FRAME, STRESS, FORCES = 0, 9, 18, 27, 36


@kernel
def gather(nodes, first, q, row, W):
    """Fill the nine rows from `row` with [q1 − q0, q2 − q0, q3 − q0] of the elements from `first` on."""
    for k in range(L):
        n0, n1, n2, n3 = nodes[first + k, 0], nodes[first + k, 1], nodes[first + k, 2], nodes[first + k, 3]
        for i in range(3):
            start = q[n0, i]
            W[(row + 3 * i) * L + k] = q[n1, i] - start
            W[(row + 3 * i + 1) * L + k] = q[n2, i] - start
            W[(row + 3 * i + 2) * L + k] = q[n3, i] - start


@kernel
def scatter(nodes, first, count, W, f):
    """Add the forces on the nodes 1, 2, 3 of `count` elements, and their reaction on node 0, to f (n, 3)."""
    for k in range(count):
        n0, n1, n2, n3 = nodes[first + k, 0], nodes[first + k, 1], nodes[first + k, 2], nodes[first + k, 3]
        for i in range(3):
            f1, f2, f3 = W[(36 + i) * L + k], W[(39 + i) * L + k], W[(42 + i) * L + k]
            f[n1, i] += f1
            f[n2, i] += f2
            f[n3, i] += f3
            f[n0, i] -= f1 + f2 + f3


@kernel
def store(order, first, count, row, W, matrices):
    """Copy a matrix of `count` elements to their places `order` in matrices (t, 3, 3)."""
    for k in range(count):
        e = order[first + k]
        for i in range(9):
            matrices[e, i // 3, i % 3] = W[(row + i) * L + k]


@kernel
def load(order, first, count, matrices, row, W):
    """The opposite of `store`."""
    for k in range(count):
        e = order[first + k]
        for i in range(9):
            W[(row + i) * L + k] = matrices[e, i // 3, i % 3]


@kernel
def deform(K, W):
    """Fill the frame with F = [q1 − q0, q2 − q0, q3 − q0] G, and rows 45 and 46 with det F and |F|²."""
    for k in range(L):
        g0, g1, g2, g3, g4 = K[k], K[L + k], K[2 * L + k], K[3 * L + k], K[4 * L + k]
        g5, g6, g7, g8 = K[5 * L + k], K[6 * L + k], K[7 * L + k], K[8 * L + k]
        x1, x2, x3, y1, y2 = W[k], W[L + k], W[2 * L + k], W[3 * L + k], W[4 * L + k]
        y3, z1, z2, z3 = W[5 * L + k], W[6 * L + k], W[7 * L + k], W[8 * L + k]
        a, b, c = x1 * g0 + x2 * g3 + x3 * g6, x1 * g1 + x2 * g4 + x3 * g7, x1 * g2 + x2 * g5 + x3 * g8
        d, e, f = y1 * g0 + y2 * g3 + y3 * g6, y1 * g1 + y2 * g4 + y3 * g7, y1 * g2 + y2 * g5 + y3 * g8
        g, h, i = z1 * g0 + z2 * g3 + z3 * g6, z1 * g1 + z2 * g4 + z3 * g7, z1 * g2 + z2 * g5 + z3 * g8
        W[18 * L + k], W[19 * L + k], W[20 * L + k] = a, b, c
        W[21 * L + k], W[22 * L + k], W[23 * L + k] = d, e, f
        W[24 * L + k], W[25 * L + k], W[26 * L + k] = g, h, i
        W[45 * L + k] = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
        W[46 * L + k] = a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i


@kernel
def distort(W):
    """Fill rows 47 and 48 with g and g' of det F: g = J^(-2/3) above J0, and its Taylor polynomial of second order below.

    A rational approximation, better than 2 % from J = 0.2 to 5, and two iterations of fourth order for J² g³ = 1 give g to
    rounding in vectors, four times as fast as a logarithm and an exponential.
    """
    for k in range(L):
        J = W[45 * L + k]
        x = min(max(J, J0), FAR)
        s, below = x - 1.0, min(J - J0, 0.0)
        g = (27.0 + s * (18.0 + s)) / (27.0 + s * (36.0 + s * 10.0))
        r = 1.0 - x * x * (g * g * g)
        g += g * r * (1.0 / 3.0 + r * (2.0 / 9.0 + r * (14.0 / 81.0)))
        r = 1.0 - x * x * (g * g * g)
        g += g * r * (1.0 / 3.0 + r * (2.0 / 9.0 + r * (14.0 / 81.0)))
        W[47 * L + k] = g + below * (G1 + 0.5 * below * G2)
        W[48 * L + k] = -2.0 / 3.0 * g / x + below * G2
    for k in range(L):
        if W[45 * L + k] > FAR:
            W[47 * L + k], W[48 * L + k], _ = _distortion(W[45 * L + k])


@kernel
def neo_hookean_stress(K, W):
    """P = ∂Ψ/∂F = 2 Ψ_I F + Ψ_J cof F with I = |F|² and J = det F: no singular values are needed."""
    deform(K, W)
    distort(W)
    for k in range(L):
        a, b, c, d, e = W[18 * L + k], W[19 * L + k], W[20 * L + k], W[21 * L + k], W[22 * L + k]
        f, g, h, i = W[23 * L + k], W[24 * L + k], W[25 * L + k], W[26 * L + k]
        mu, lam, J, square = K[9 * L + k], K[10 * L + k], W[45 * L + k], W[46 * L + k]
        below = max(I0 - square, 0.0)
        s = mu * (1.0 - 3.0 * CUBIC * below * below) * W[47 * L + k]
        t = 0.5 * mu * (square + CUBIC * below * below * below) * W[48 * L + k]
        t += (lam + 2.0 / 3.0 * mu) * (J - 1.0)
        W[27 * L + k] = s * a + t * (e * i - f * h)
        W[28 * L + k] = s * b + t * (f * g - d * i)
        W[29 * L + k] = s * c + t * (d * h - e * g)
        W[30 * L + k] = s * d + t * (h * c - i * b)
        W[31 * L + k] = s * e + t * (i * a - g * c)
        W[32 * L + k] = s * f + t * (g * b - h * a)
        W[33 * L + k] = s * g + t * (b * f - c * e)
        W[34 * L + k] = s * h + t * (c * d - a * f)
        W[35 * L + k] = s * i + t * (a * e - b * d)


@kernel
def turn(W):
    """One step of Newton's iteration R ← (R + R^-T) / 2 on the frame; row 47 is the square of the change."""
    for k in range(L):
        a, b, c, d, e = W[18 * L + k], W[19 * L + k], W[20 * L + k], W[21 * L + k], W[22 * L + k]
        f, g, h, i = W[23 * L + k], W[24 * L + k], W[25 * L + k], W[26 * L + k]
        ca, cb, cc = e * i - f * h, f * g - d * i, d * h - e * g
        w = 0.5 / (a * ca + b * cb + c * cc)
        da, db, dc = w * ca - 0.5 * a, w * cb - 0.5 * b, w * cc - 0.5 * c
        dd, de, df = w * (c * h - b * i) - 0.5 * d, w * (a * i - c * g) - 0.5 * e, w * (b * g - a * h) - 0.5 * f
        dg, dh, di = w * (b * f - c * e) - 0.5 * g, w * (c * d - a * f) - 0.5 * h, w * (a * e - b * d) - 0.5 * i
        W[18 * L + k], W[19 * L + k], W[20 * L + k] = a + da, b + db, c + dc
        W[21 * L + k], W[22 * L + k], W[23 * L + k] = d + dd, e + de, f + df
        W[24 * L + k], W[25 * L + k], W[26 * L + k] = g + dg, h + dh, i + di
        W[47 * L + k] = da * da + db * db + dc * dc + dd * dd + de * de + df * df + dg * dg + dh * dh + di * di


@kernel
def rotate(count, W, work):
    """Turn the frames of `count` elements from F into the nearest rotation R; F goes to the stress; work (6, 3, 3).

    All lanes iterate until the last has converged. Elements that are flat, inverted or slow are left to `decompose`.
    """
    for k in range(9 * L):
        W[STRESS * L + k] = W[FRAME * L + k]
    for _ in range(TURNS):
        turn(W)
        waiting = False
        for k in range(count):
            size = W[46 * L + k]
            waiting |= W[47 * L + k] >= TURNED and W[45 * L + k] > FLAT * size * np.sqrt(size)
        if not waiting:
            break
    for k in range(count):
        size = W[46 * L + k]
        if not (W[47 * L + k] < TURNED and W[45 * L + k] > FLAT * size * np.sqrt(size)):
            for i in range(9):
                work[0, i // 3, i % 3] = W[(STRESS + i) * L + k]
            decompose(work[0], True, work[1], work[2], work[3, 0], work[4], work[5])
            for i in range(9):
                W[(FRAME + i) * L + k] = work[5, i // 3, i % 3]


@kernel
def corotational_stress(count, K, W, work):
    """P = 2μ (F − R) + λ (tr(R'F) − 3) R of `count` elements; work (6, 3, 3)."""
    deform(K, W)
    rotate(count, W, work)
    for k in range(L):
        a, b, c, d, e = W[18 * L + k], W[19 * L + k], W[20 * L + k], W[21 * L + k], W[22 * L + k]
        f, g, h, i = W[23 * L + k], W[24 * L + k], W[25 * L + k], W[26 * L + k]
        p, q, r, s, t = W[27 * L + k], W[28 * L + k], W[29 * L + k], W[30 * L + k], W[31 * L + k]
        u, v, w, x = W[32 * L + k], W[33 * L + k], W[34 * L + k], W[35 * L + k]
        m = 2.0 * K[9 * L + k]
        n = K[10 * L + k] * (a * p + b * q + c * r + d * s + e * t + f * u + g * v + h * w + i * x - 3.0) - m
        W[27 * L + k], W[28 * L + k], W[29 * L + k] = m * p + n * a, m * q + n * b, m * r + n * c
        W[30 * L + k], W[31 * L + k], W[32 * L + k] = m * s + n * d, m * t + n * e, m * u + n * f
        W[33 * L + k], W[34 * L + k], W[35 * L + k] = m * v + n * g, m * w + n * h, m * x + n * i


@kernel
def add_viscous_stress(K, W):
    """P += S (2βμ sym(S'Ḟ) + βλ tr(S'Ḟ) I) with S = R or F and the rate Ḟ."""
    for k in range(L):
        g0, g1, g2, g3, g4 = K[k], K[L + k], K[2 * L + k], K[3 * L + k], K[4 * L + k]
        g5, g6, g7, g8 = K[5 * L + k], K[6 * L + k], K[7 * L + k], K[8 * L + k]
        x1, x2, x3, y1, y2 = W[9 * L + k], W[10 * L + k], W[11 * L + k], W[12 * L + k], W[13 * L + k]
        y3, z1, z2, z3 = W[14 * L + k], W[15 * L + k], W[16 * L + k], W[17 * L + k]
        p, q, r = x1 * g0 + x2 * g3 + x3 * g6, x1 * g1 + x2 * g4 + x3 * g7, x1 * g2 + x2 * g5 + x3 * g8
        s, t, u = y1 * g0 + y2 * g3 + y3 * g6, y1 * g1 + y2 * g4 + y3 * g7, y1 * g2 + y2 * g5 + y3 * g8
        v, w, x = z1 * g0 + z2 * g3 + z3 * g6, z1 * g1 + z2 * g4 + z3 * g7, z1 * g2 + z2 * g5 + z3 * g8
        a, b, c, d, e = W[18 * L + k], W[19 * L + k], W[20 * L + k], W[21 * L + k], W[22 * L + k]
        f, g, h, i = W[23 * L + k], W[24 * L + k], W[25 * L + k], W[26 * L + k]
        mu, lam = K[12 * L + k], K[13 * L + k]
        xx, yy, zz = a * p + d * s + g * v, b * q + e * t + h * w, c * r + f * u + i * x
        pressure = lam * (xx + yy + zz)
        xx, yy, zz = 2.0 * mu * xx + pressure, 2.0 * mu * yy + pressure, 2.0 * mu * zz + pressure
        xy = mu * (a * q + d * t + g * w + b * p + e * s + h * v)
        xz = mu * (a * r + d * u + g * x + c * p + f * s + i * v)
        yz = mu * (b * r + e * u + h * x + c * q + f * t + i * w)
        W[27 * L + k] += a * xx + b * xy + c * xz
        W[28 * L + k] += a * xy + b * yy + c * yz
        W[29 * L + k] += a * xz + b * yz + c * zz
        W[30 * L + k] += d * xx + e * xy + f * xz
        W[31 * L + k] += d * xy + e * yy + f * yz
        W[32 * L + k] += d * xz + e * yz + f * zz
        W[33 * L + k] += g * xx + h * xy + i * xz
        W[34 * L + k] += g * xy + h * yy + i * yz
        W[35 * L + k] += g * xz + h * yz + i * zz


@kernel
def forces_of_stress(K, W):
    """The forces −V P G' on the nodes 1, 2, 3, one after the other."""
    for k in range(L):
        g0, g1, g2, g3, g4 = K[k], K[L + k], K[2 * L + k], K[3 * L + k], K[4 * L + k]
        g5, g6, g7, g8, w = K[5 * L + k], K[6 * L + k], K[7 * L + k], K[8 * L + k], K[11 * L + k]
        a, b, c, d, e = W[27 * L + k], W[28 * L + k], W[29 * L + k], W[30 * L + k], W[31 * L + k]
        f, g, h, i = W[32 * L + k], W[33 * L + k], W[34 * L + k], W[35 * L + k]
        W[36 * L + k] = w * (a * g0 + b * g1 + c * g2)
        W[37 * L + k] = w * (d * g0 + e * g1 + f * g2)
        W[38 * L + k] = w * (g * g0 + h * g1 + i * g2)
        W[39 * L + k] = w * (a * g3 + b * g4 + c * g5)
        W[40 * L + k] = w * (d * g3 + e * g4 + f * g5)
        W[41 * L + k] = w * (g * g3 + h * g4 + i * g5)
        W[42 * L + k] = w * (a * g6 + b * g7 + c * g8)
        W[43 * L + k] = w * (d * g6 + e * g7 + f * g8)
        W[44 * L + k] = w * (g * g6 + h * g7 + i * g8)
