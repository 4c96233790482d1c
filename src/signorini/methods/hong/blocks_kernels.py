"""Forces of 16 elements at a time: the same row of all their matrices lies side by side, and the compiler makes vectors of it.

P is the first Piola-Kirchhoff stress; the forces on the nodes 1, 2, 3 of an element are the rows of −V G P', with the
gradients of the shape functions as rows of G, and node 0 takes the opposite of their sum.

A block has two arrays: K (CONSTANTS · LANES,), what does not change, and W (ROWS · LANES,), work space. Row r of lane k is at
r · LANES + k, and a 3×3 matrix takes nine rows. Loops over lanes have a constant length of at least 16 and constant
distances between rows: what the vectoriser needs in order to see that lanes do not depend on each other.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import inlined_kernel, kernel
from signorini.elements.laws.neo_hookean_kernels import CUBIC, G1, G2, I0, J0, _distortion
from signorini.linalg.rotation_kernels import decompose

LANES = 16
"""Elements of a block."""
L = LANES
"""Short for the index arithmetic below."""

GRADIENT, MU, LAMBDA, MINUS_VOLUME, VISCOUS_MU, VISCOUS_LAMBDA, CONSTANTS = 0, 9, 10, 11, 12, 13, 14
"""First rows in K of G (9 rows), μ, λ, −V, β μ and β λ; and the number of rows."""
EDGES, RATES, FRAME, STRESS, FORCES, DETERMINANT, SQUARE, DISTORTION, DISTORTION_SLOPE, ROWS = (
    0, 9, 18, 27, 36, 45, 46, 47, 48, 49
)  # fmt: skip
"""First rows in W of the edges of q, those of v, F or R, P and the forces (9 rows each), of det F, |F|², g and g' of det F; and
the number of rows."""
CHANGE = DISTORTION
"""Row in W of the square of the last change of R, for co-rotational elements, which have no g."""
MAX_POLAR_ITERATIONS = 10
"""Iterations for R in vectors, as in `rotation_kernels`."""
POLAR_CONVERGED = 1e-16
"""Square of a change of R that ends them."""
FLAT = 0.02
"""det F / |F|³ (0.19 for a rotation) below which an element is too flat for the iteration."""
FAR = 5.0
"""det F beyond which g needs a logarithm."""


@inlined_kernel
def matrix(A, row, k):
    """The nine entries of lane k of the 3×3 matrix from `row` of A, row by row."""
    return (
        A[row * L + k], A[(row + 1) * L + k], A[(row + 2) * L + k], A[(row + 3) * L + k], A[(row + 4) * L + k],
        A[(row + 5) * L + k], A[(row + 6) * L + k], A[(row + 7) * L + k], A[(row + 8) * L + k],
    )  # fmt: skip


@inlined_kernel
def set_matrix(A, row, k, a, b, c, d, e, f, g, h, i):
    """Fill lane k of the 3×3 matrix from `row` of A, row by row."""
    A[row * L + k], A[(row + 1) * L + k], A[(row + 2) * L + k] = a, b, c
    A[(row + 3) * L + k], A[(row + 4) * L + k], A[(row + 5) * L + k] = d, e, f
    A[(row + 6) * L + k], A[(row + 7) * L + k], A[(row + 8) * L + k] = g, h, i


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
            f1, f2, f3 = W[(FORCES + i) * L + k], W[(FORCES + 3 + i) * L + k], W[(FORCES + 6 + i) * L + k]
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
    """Fill the frame with F = [q1 − q0, q2 − q0, q3 − q0] G, and the rows of det F and |F|²."""
    for k in range(L):
        g0, g1, g2, g3, g4, g5, g6, g7, g8 = matrix(K, GRADIENT, k)
        x1, x2, x3, y1, y2, y3, z1, z2, z3 = matrix(W, EDGES, k)
        a, b, c = x1 * g0 + x2 * g3 + x3 * g6, x1 * g1 + x2 * g4 + x3 * g7, x1 * g2 + x2 * g5 + x3 * g8
        d, e, f = y1 * g0 + y2 * g3 + y3 * g6, y1 * g1 + y2 * g4 + y3 * g7, y1 * g2 + y2 * g5 + y3 * g8
        g, h, i = z1 * g0 + z2 * g3 + z3 * g6, z1 * g1 + z2 * g4 + z3 * g7, z1 * g2 + z2 * g5 + z3 * g8
        set_matrix(W, FRAME, k, a, b, c, d, e, f, g, h, i)
        W[DETERMINANT * L + k] = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
        W[SQUARE * L + k] = a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i


@kernel
def distort(W):
    """Fill the rows of g and g' of det F: g = J^(-2/3) above J0, and its Taylor polynomial of second order below.

    A rational approximation, better than 2 % from J = 0.2 to 5, and two iterations of fourth order for J² g³ = 1 give g to
    rounding in vectors, four times as fast as a logarithm and an exponential.
    """
    for k in range(L):
        J = W[DETERMINANT * L + k]
        x = min(max(J, J0), FAR)
        s, below = x - 1.0, min(J - J0, 0.0)
        g = (27.0 + s * (18.0 + s)) / (27.0 + s * (36.0 + s * 10.0))
        r = 1.0 - x * x * (g * g * g)
        g += g * r * (1.0 / 3.0 + r * (2.0 / 9.0 + r * (14.0 / 81.0)))
        r = 1.0 - x * x * (g * g * g)
        g += g * r * (1.0 / 3.0 + r * (2.0 / 9.0 + r * (14.0 / 81.0)))
        W[DISTORTION * L + k] = g + below * (G1 + 0.5 * below * G2)
        W[DISTORTION_SLOPE * L + k] = -2.0 / 3.0 * g / x + below * G2
    for k in range(L):
        if W[DETERMINANT * L + k] > FAR:
            W[DISTORTION * L + k], W[DISTORTION_SLOPE * L + k], _ = _distortion(W[DETERMINANT * L + k])


@kernel
def neo_hookean_stress(K, W):
    """P = ∂Ψ/∂F = 2 Ψ_I F + Ψ_J cof F with I = |F|² and J = det F: no singular values are needed."""
    deform(K, W)
    distort(W)
    for k in range(L):
        a, b, c, d, e, f, g, h, i = matrix(W, FRAME, k)
        mu, lam, J, square = K[MU * L + k], K[LAMBDA * L + k], W[DETERMINANT * L + k], W[SQUARE * L + k]
        below = max(I0 - square, 0.0)
        s = mu * (1.0 - 3.0 * CUBIC * below * below) * W[DISTORTION * L + k]
        t = 0.5 * mu * (square + CUBIC * below * below * below) * W[DISTORTION_SLOPE * L + k]
        t += (lam + 2.0 / 3.0 * mu) * (J - 1.0)
        W[STRESS * L + k] = s * a + t * (e * i - f * h)
        W[(STRESS + 1) * L + k] = s * b + t * (f * g - d * i)
        W[(STRESS + 2) * L + k] = s * c + t * (d * h - e * g)
        W[(STRESS + 3) * L + k] = s * d + t * (h * c - i * b)
        W[(STRESS + 4) * L + k] = s * e + t * (i * a - g * c)
        W[(STRESS + 5) * L + k] = s * f + t * (g * b - h * a)
        W[(STRESS + 6) * L + k] = s * g + t * (b * f - c * e)
        W[(STRESS + 7) * L + k] = s * h + t * (c * d - a * f)
        W[(STRESS + 8) * L + k] = s * i + t * (a * e - b * d)


@kernel
def improve_rotation(W):
    """One step of Newton's iteration R ← (R + R^-T) / 2 on the frame, and the square of its change."""
    for k in range(L):
        a, b, c, d, e, f, g, h, i = matrix(W, FRAME, k)
        ca, cb, cc = e * i - f * h, f * g - d * i, d * h - e * g
        w = 0.5 / (a * ca + b * cb + c * cc)
        da, db, dc = w * ca - 0.5 * a, w * cb - 0.5 * b, w * cc - 0.5 * c
        dd, de, df = w * (c * h - b * i) - 0.5 * d, w * (a * i - c * g) - 0.5 * e, w * (b * g - a * h) - 0.5 * f
        dg, dh, di = w * (b * f - c * e) - 0.5 * g, w * (c * d - a * f) - 0.5 * h, w * (a * e - b * d) - 0.5 * i
        set_matrix(W, FRAME, k, a + da, b + db, c + dc, d + dd, e + de, f + df, g + dg, h + dh, i + di)
        W[CHANGE * L + k] = da * da + db * db + dc * dc + dd * dd + de * de + df * df + dg * dg + dh * dh + di * di


@kernel
def rotate(count, W, work):
    """Replace the frames F of `count` elements by the nearest rotation R; F goes to the stress; work (6, 3, 3).

    All lanes iterate until the last has converged. Elements that are flat, inverted or slow are left to `decompose`.
    """
    for k in range(9 * L):
        W[STRESS * L + k] = W[FRAME * L + k]
    for _ in range(MAX_POLAR_ITERATIONS):
        improve_rotation(W)
        waiting = False
        for k in range(count):
            size = W[SQUARE * L + k]
            waiting |= W[CHANGE * L + k] >= POLAR_CONVERGED and W[DETERMINANT * L + k] > FLAT * size * np.sqrt(size)
        if not waiting:
            break
    for k in range(count):
        size = W[SQUARE * L + k]
        if not (W[CHANGE * L + k] < POLAR_CONVERGED and W[DETERMINANT * L + k] > FLAT * size * np.sqrt(size)):
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
        a, b, c, d, e, f, g, h, i = matrix(W, FRAME, k)
        p, q, r, s, t, u, v, w, x = matrix(W, STRESS, k)
        m = 2.0 * K[MU * L + k]
        n = K[LAMBDA * L + k] * (a * p + b * q + c * r + d * s + e * t + f * u + g * v + h * w + i * x - 3.0) - m
        set_matrix(
            W, STRESS, k, m * p + n * a, m * q + n * b, m * r + n * c, m * s + n * d, m * t + n * e, m * u + n * f,
            m * v + n * g, m * w + n * h, m * x + n * i,
        )  # fmt: skip


@kernel
def add_viscous_stress(K, W):
    """P += S (2βμ sym(S'Ḟ) + βλ tr(S'Ḟ) I) with S = R or F and the rate Ḟ."""
    for k in range(L):
        g0, g1, g2, g3, g4, g5, g6, g7, g8 = matrix(K, GRADIENT, k)
        x1, x2, x3, y1, y2, y3, z1, z2, z3 = matrix(W, RATES, k)
        p, q, r = x1 * g0 + x2 * g3 + x3 * g6, x1 * g1 + x2 * g4 + x3 * g7, x1 * g2 + x2 * g5 + x3 * g8
        s, t, u = y1 * g0 + y2 * g3 + y3 * g6, y1 * g1 + y2 * g4 + y3 * g7, y1 * g2 + y2 * g5 + y3 * g8
        v, w, x = z1 * g0 + z2 * g3 + z3 * g6, z1 * g1 + z2 * g4 + z3 * g7, z1 * g2 + z2 * g5 + z3 * g8
        a, b, c, d, e, f, g, h, i = matrix(W, FRAME, k)
        mu, lam = K[VISCOUS_MU * L + k], K[VISCOUS_LAMBDA * L + k]
        xx, yy, zz = a * p + d * s + g * v, b * q + e * t + h * w, c * r + f * u + i * x
        pressure = lam * (xx + yy + zz)
        xx, yy, zz = 2.0 * mu * xx + pressure, 2.0 * mu * yy + pressure, 2.0 * mu * zz + pressure
        xy = mu * (a * q + d * t + g * w + b * p + e * s + h * v)
        xz = mu * (a * r + d * u + g * x + c * p + f * s + i * v)
        yz = mu * (b * r + e * u + h * x + c * q + f * t + i * w)
        W[STRESS * L + k] += a * xx + b * xy + c * xz
        W[(STRESS + 1) * L + k] += a * xy + b * yy + c * yz
        W[(STRESS + 2) * L + k] += a * xz + b * yz + c * zz
        W[(STRESS + 3) * L + k] += d * xx + e * xy + f * xz
        W[(STRESS + 4) * L + k] += d * xy + e * yy + f * yz
        W[(STRESS + 5) * L + k] += d * xz + e * yz + f * zz
        W[(STRESS + 6) * L + k] += g * xx + h * xy + i * xz
        W[(STRESS + 7) * L + k] += g * xy + h * yy + i * yz
        W[(STRESS + 8) * L + k] += g * xz + h * yz + i * zz


@kernel
def forces_of_stress(K, W):
    """The forces −V P G' on the nodes 1, 2, 3, one after the other."""
    for k in range(L):
        g0, g1, g2, g3, g4, g5, g6, g7, g8 = matrix(K, GRADIENT, k)
        w = K[MINUS_VOLUME * L + k]
        a, b, c, d, e, f, g, h, i = matrix(W, STRESS, k)
        W[FORCES * L + k] = w * (a * g0 + b * g1 + c * g2)
        W[(FORCES + 1) * L + k] = w * (d * g0 + e * g1 + f * g2)
        W[(FORCES + 2) * L + k] = w * (g * g0 + h * g1 + i * g2)
        W[(FORCES + 3) * L + k] = w * (a * g3 + b * g4 + c * g5)
        W[(FORCES + 4) * L + k] = w * (d * g3 + e * g4 + f * g5)
        W[(FORCES + 5) * L + k] = w * (g * g3 + h * g4 + i * g5)
        W[(FORCES + 6) * L + k] = w * (a * g6 + b * g7 + c * g8)
        W[(FORCES + 7) * L + k] = w * (d * g6 + e * g7 + f * g8)
        W[(FORCES + 8) * L + k] = w * (g * g6 + h * g7 + i * g8)
