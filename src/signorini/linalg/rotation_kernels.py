"""Singular value decomposition and nearest rotation of 3×3 matrices, also of flat, inverted or zero ones.

F = U diag(σ) V' with rotations U and V, |σ0| ≥ |σ1| ≥ |σ2|, σ0 and σ1 ≥ 0 and σ2 with the sign of det F. The rotation
R = U V' maximises tr(R'F) over all rotations, so it is the rotation of the polar decomposition where det F > 0, and the
value of that maximum is continuous everywhere. R itself jumps only where it is not unique: at σ1 + σ2 = 0.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

_ORTHOGONAL = 1e-30
"""Squared cosine below which two columns count as orthogonal."""
_NO_LENGTH = 1e-240
"""A squared length below which a column counts as zero: F = 0 gives U = V = I."""


@kernel
def _orthogonalise(B, V, i, j):
    """Rotate the columns i and j of B, and of V, so that those of B are orthogonal (one-sided Jacobi). False: they were."""
    a = B[0, i] * B[0, i] + B[1, i] * B[1, i] + B[2, i] * B[2, i]
    b = B[0, j] * B[0, j] + B[1, j] * B[1, j] + B[2, j] * B[2, j]
    c = B[0, i] * B[0, j] + B[1, i] * B[1, j] + B[2, i] * B[2, j]
    if c * c <= _ORTHOGONAL * a * b:
        return False
    d = b - a
    h = np.sqrt(d * d + 4.0 * c * c)
    cosine = np.sqrt(0.5 + 0.5 * abs(d) / h)
    sine = np.copysign(1.0, d) * c / (h * cosine)
    for k in range(3):
        p, q = B[k, i], B[k, j]
        B[k, i], B[k, j] = cosine * p - sine * q, sine * p + cosine * q
        p, q = V[k, i], V[k, j]
        V[k, i], V[k, j] = cosine * p - sine * q, sine * p + cosine * q
    return True


@kernel
def _put_longer_first(B, V, i, j):
    """Exchange the columns i and j by a quarter turn, so that V stays a rotation, if the second one of B is longer."""
    a = B[0, i] * B[0, i] + B[1, i] * B[1, i] + B[2, i] * B[2, i]
    b = B[0, j] * B[0, j] + B[1, j] * B[1, j] + B[2, j] * B[2, j]
    if a < b:
        for k in range(3):
            B[k, i], B[k, j] = B[k, j], -B[k, i]
            V[k, i], V[k, j] = V[k, j], -V[k, i]


@kernel
def _left_vectors(B, V, U):
    """Fill the rotation U: the directions of B's first two columns; for a column without length, that of V made square."""
    length = np.sqrt(B[0, 0] ** 2 + B[1, 0] ** 2 + B[2, 0] ** 2)
    if length * length <= _NO_LENGTH:
        for k in range(3):
            U[k, 0], U[k, 1], U[k, 2] = V[k, 0], V[k, 1], V[k, 2]
        return
    for k in range(3):
        U[k, 0] = B[k, 0] / length
    floor = 1e-15 * length
    size = 0.0
    for attempt in range(4):
        # The second column of B; where F has rank one, the first of v1, v2, v0 that is far enough from u0.
        along = 0.0
        for k in range(3):
            U[k, 1] = B[k, 1] if attempt == 0 else V[k, attempt % 3]
            along += U[k, 0] * U[k, 1]
        size = 0.0
        for k in range(3):
            U[k, 1] -= along * U[k, 0]
            size += U[k, 1] * U[k, 1]
        size = np.sqrt(size)
        if size > (floor if attempt == 0 else 0.5):
            break
    for k in range(3):
        U[k, 1] /= size
    U[0, 2] = U[1, 0] * U[2, 1] - U[2, 0] * U[1, 1]
    U[1, 2] = U[2, 0] * U[0, 1] - U[0, 0] * U[2, 1]
    U[2, 2] = U[0, 0] * U[1, 1] - U[1, 0] * U[0, 1]


@kernel
def signed_svd(F, B, U, sigma, V):
    """Fill the rotations U, V (3, 3) and sigma (3,) with F = U diag(sigma) V'; B (3, 3) is work space."""
    for a in range(3):
        for c in range(3):
            B[a, c] = F[a, c]
            V[a, c] = 1.0 if a == c else 0.0
    for _ in range(20):  # four sweeps are usual; convergence is quadratic
        turned = False
        for pair in range(3):
            turned |= _orthogonalise(B, V, pair // 2, 1 + (pair + 1) // 2)
        if not turned:
            break
    for pair in range(3):
        _put_longer_first(B, V, pair % 2, pair % 2 + 1)
    _left_vectors(B, V, U)
    for c in range(3):
        sigma[c] = U[0, c] * B[0, c] + U[1, c] * B[1, c] + U[2, c] * B[2, c]


@kernel
def _polar(F, R):
    """Fill R with the rotation nearest to F by Newton's iteration R ← (R + R^-T) / 2; False if F is too flat for it.

    Quadratic convergence (Higham1986): three to five iterations for elements in use, far cheaper than singular values.
    """
    a, b, c = F[0, 0], F[0, 1], F[0, 2]
    d, e, f = F[1, 0], F[1, 1], F[1, 2]
    g, h, i = F[2, 0], F[2, 1], F[2, 2]
    size = a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i
    for iteration in range(10):
        ca, cb, cc = e * i - f * h, f * g - d * i, d * h - e * g
        det = a * ca + b * cb + c * cc
        if iteration == 0 and not det > 0.02 * size * np.sqrt(size):  # a rotation has 0.19
            return False
        w = 0.5 / det
        cd, ce, cf = c * h - b * i, a * i - c * g, b * g - a * h
        cg, ch, ci = b * f - c * e, c * d - a * f, a * e - b * d
        da, db, dc = w * ca - 0.5 * a, w * cb - 0.5 * b, w * cc - 0.5 * c
        dd, de, df = w * cd - 0.5 * d, w * ce - 0.5 * e, w * cf - 0.5 * f
        dg, dh, di = w * cg - 0.5 * g, w * ch - 0.5 * h, w * ci - 0.5 * i
        a, b, c = a + da, b + db, c + dc
        d, e, f = d + dd, e + de, f + df
        g, h, i = g + dg, h + dh, i + di
        if da * da + db * db + dc * dc + dd * dd + de * de + df * df + dg * dg + dh * dh + di * di < 1e-16:
            R[0, 0], R[0, 1], R[0, 2] = a, b, c
            R[1, 0], R[1, 1], R[1, 2] = d, e, f
            R[2, 0], R[2, 1], R[2, 2] = g, h, i
            return True
    return False


@kernel
def decompose(F, rotation_only, B, U, sigma, V, R):
    """Fill R (3, 3) with the rotation nearest to F if that is all that is wanted, else U, sigma and V; B is work space."""
    if rotation_only and _polar(F, R):
        return
    signed_svd(F, B, U, sigma, V)
    if rotation_only:
        for a in range(3):
            for c in range(3):
                R[a, c] = U[a, 0] * V[c, 0] + U[a, 1] * V[c, 1] + U[a, 2] * V[c, 2]
