"""Laws of isotropic solids in the frame of the principal stretches: projection of their stiffness, forces and blocks of elements.

With F = U diag(σ) V' the second derivative of an isotropic Ψ by F falls apart in the frame of U and V: a 3×3 matrix M within the
diagonal, and for each pair of axes i, j, with k the third, two eigenvalues: (Ψ_i − Ψ_j) / (σ_i − σ_j) of a shear and
(Ψ_i + Ψ_j) / (σ_i + σ_j) of a rotation (Smith2019). A law fills, for its σ,

    first (3,): Ψ_i = ∂Ψ/∂σ_i.   M (3, 3): ∂²Ψ/∂σ_i∂σ_j.   shear (3,), turn (3,): the eigenvalues of the pair that k is not in.

A negative eigenvalue of a rotation is set to zero: compression does not resist being turned. Any other is reversed (Chen2024):
set to zero, it lets an element that is far from its shape overshoot, and one linear solve a step has no line search to notice
(docs/soft-solids.md).
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def rotate_pair(M, E, i, j, negligible):
    """One Jacobi rotation of the symmetric M (3, 3) that makes M[i, j] zero; E collects the rotations. False: it was."""
    if abs(M[i, j]) <= negligible:
        return False
    theta = (M[j, j] - M[i, i]) / (2.0 * M[i, j])
    t = 1.0 / (abs(theta) + np.sqrt(1.0 + theta * theta))
    if theta < 0.0:
        t = -t
    c = 1.0 / np.sqrt(1.0 + t * t)
    s = c * t
    for k in range(3):
        p, q = M[k, i], M[k, j]
        M[k, i], M[k, j] = c * p - s * q, s * p + c * q
        p, q = E[k, i], E[k, j]
        E[k, i], E[k, j] = c * p - s * q, s * p + c * q
    for k in range(3):
        p, q = M[i, k], M[j, k]
        M[i, k], M[j, k] = c * p - s * q, s * p + c * q
    return True


@kernel
def reverse_negative(M, E):
    """Make the negative eigenvalues of the symmetric M (3, 3) positive; E (3, 3) is work space."""
    minor = M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0]
    det = (
        M[2, 2] * minor
        - M[1, 2] * (M[0, 0] * M[1, 2] - M[0, 1] * M[0, 2])
        + M[0, 2] * (M[0, 1] * M[1, 2] - M[1, 1] * M[0, 2])
    )
    if M[0, 0] > 0.0 and minor > 0.0 and det > 0.0:
        return
    size = 0.0
    for a in range(3):
        for b in range(3):
            E[a, b] = 1.0 if a == b else 0.0
            size = max(size, abs(M[a, b]))
    negligible = 1e-15 * size
    for _ in range(20):
        turned = False
        for pair in range(3):
            turned |= rotate_pair(M, E, pair // 2, 1 + (pair + 1) // 2, negligible)
        if not turned:
            break
    e0, e1, e2 = abs(M[0, 0]), abs(M[1, 1]), abs(M[2, 2])
    for a in range(3):
        for b in range(3):
            M[a, b] = e0 * E[a, 0] * E[b, 0] + e1 * E[a, 1] * E[b, 1] + e2 * E[a, 2] * E[b, 2]


@kernel
def project(M, shear, turn, E):
    """Make the second derivatives of a law semidefinite; E (3, 3) is work space."""
    for k in range(3):
        shear[k], turn[k] = abs(shear[k]), max(turn[k], 0.0)
    reverse_negative(M, E)


@kernel
def from_invariants(sigma, J, twice_I, by_J, by_II, by_IJ, by_JJ, first, M, shear, turn):
    """The derivatives of a function of I = |σ|² and J = σ0 σ1 σ2 by σ.

    twice_I = 2 Ψ_I, by_J = Ψ_J, by_II = 4 Ψ_II, by_IJ = 2 Ψ_IJ and by_JJ = Ψ_JJ.
    """
    for i in range(3):
        ci = sigma[(i + 1) % 3] * sigma[(i + 2) % 3]
        first[i] = twice_I * sigma[i] + by_J * ci
        for j in range(i, 3):
            cj = sigma[(j + 1) % 3] * sigma[(j + 2) % 3]
            M[i, j] = by_II * sigma[i] * sigma[j] + by_IJ * (sigma[i] * cj + ci * sigma[j])
            M[i, j] += by_JJ * ci * cj + (twice_I if i == j else by_J * sigma[3 - i - j])
            M[j, i] = M[i, j]
        shear[i], turn[i] = twice_I - by_J * sigma[i], twice_I + by_J * sigma[i]


@kernel
def principal_element(first, M, shear, turn, U, V, G, volume, frame, f, K):
    """Force and stiffness of an element (see `SolidLaw`) from what its law has filled; frame (3, 3, 3) is scratch."""
    h, block, half = frame[0], frame[1], frame[2]
    for a in range(3):
        for i in range(3):
            h[a, i] = V[0, i] * G[a, 0] + V[1, i] * G[a, 1] + V[2, i] * G[a, 2]
    for a in range(3):
        for i in range(3):
            push = U[i, 0] * first[0] * h[a, 0] + U[i, 1] * first[1] * h[a, 1] + U[i, 2] * first[2] * h[a, 2]
            f[a, i] = -volume * push
    for a in range(3):
        for b in range(a, 3):
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                own_j, own_k = 0.5 * (shear[j] + turn[j]), 0.5 * (shear[k] + turn[k])
                across_j, across_k = 0.5 * (shear[j] - turn[j]), 0.5 * (shear[k] - turn[k])
                block[i, i] = M[i, i] * h[a, i] * h[b, i] + own_k * h[a, j] * h[b, j] + own_j * h[a, k] * h[b, k]
                block[i, j] = M[i, j] * h[a, i] * h[b, j] + across_k * h[a, j] * h[b, i]
                block[i, k] = M[i, k] * h[a, i] * h[b, k] + across_j * h[a, k] * h[b, i]
            for i in range(3):
                for j in range(3):
                    half[i, j] = block[i, 0] * U[j, 0] + block[i, 1] * U[j, 1] + block[i, 2] * U[j, 2]
            for i in range(3):
                for j in range(3):
                    turned = U[i, 0] * half[0, j] + U[i, 1] * half[1, j] + U[i, 2] * half[2, j]
                    K[a, b, i, j] = volume * turned
