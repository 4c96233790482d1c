"""Force, stiffness and energy of nearly incompressible Neo-Hookean tetrahedra.

Hong2004 §2 names the material of Bonet and Wood: Ψ = μ/2 (J^(-2/3) I − 3) + κ/2 (J − 1)² with I = |F|², J = det F and the
bulk modulus κ = λ + 2μ/3. It is undefined for J ≤ 0.
Deviates from Hong2004 §2: Ψ = μ/2 (p(I) g(J) − 3) + κ/2 (J − 1)², where g is J^(-2/3) above J₀ = 0.2 and its second-order
Taylor polynomial at J₀ below, and p(I) = I + 5 (I₀ − I)³ / (3 I₀²) below I₀ = 3 J₀^(2/3), else I. As I ≥ 3 J^(2/3), nothing
changes for J ≥ J₀. Ψ is twice continuously differentiable, finite and free of further minima for all F: flat and inverted
elements are pushed back, and p makes the collapse F = 0 a maximum. Any smaller factor than 5 would let Ψ fall along F = s I
as s → 0: 5 is where the cubic of p makes up for the cubic that g lacks. At exactly F = 0 the force is zero.

The Hessian in F has the principal stretches' axes for a frame: three eigenvectors within the diagonal, from a 3×3 matrix,
and 2 Ψ_I ∓ Ψ_J σ_k for the pairs of off-diagonal elements, shear and rotation (Smith2019). A negative eigenvalue of a
rotation is set to zero: compression does not resist being turned. Any other is reversed (Chen2024): set to zero, it lets an
element that is far from its shape overshoot, and one linear solve a step has no line search to notice (docs/soft-solids.md).
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.linalg.rotation_kernels import decompose

J0 = 0.2
"""Below this det F the energy is continued."""
I0 = 3.0 * J0 ** (2.0 / 3.0)
G0 = J0 ** (-2.0 / 3.0)
G1 = -2.0 / 3.0 * J0 ** (-5.0 / 3.0)
G2 = 10.0 / 9.0 * J0 ** (-8.0 / 3.0)
CUBIC = 5.0 / (3.0 * I0 * I0)


@kernel
def _distortion(J):
    """g, g' and g'' at J."""
    if J < J0:
        d = J - J0
        return G0 + d * (G1 + 0.5 * d * G2), G1 + d * G2, G2
    g = np.exp(-2.0 / 3.0 * np.log(J))
    slope = -2.0 / 3.0 * g / J
    return g, slope, -5.0 / 3.0 * slope / J


@kernel
def _size(square):
    """p, p' and p'' at I."""
    d = I0 - square
    if d > 0.0:
        return square + CUBIC * d * d * d, 1.0 - 3.0 * CUBIC * d * d, 6.0 * CUBIC * d
    return square, 1.0, 0.0


@kernel
def energy_density(F, mu, lam, work):
    """Ψ [J/m³]."""
    sigma = work[10, 0]
    decompose(F, False, work[6], work[7], sigma, work[8], work[9])
    return principal_energy(sigma, mu, lam)


@kernel
def principal_energy(sigma, mu, lam):
    """Ψ [J/m³] of the signed singular values."""
    square = sigma[0] * sigma[0] + sigma[1] * sigma[1] + sigma[2] * sigma[2]
    J = sigma[0] * sigma[1] * sigma[2]
    kappa = lam + 2.0 / 3.0 * mu
    return 0.5 * mu * (_size(square)[0] * _distortion(J)[0] - 3.0) + 0.5 * kappa * (J - 1.0) ** 2


@kernel
def _rotate_pair(M, E, i, j, negligible):
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
def _project(M, E):
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
            turned |= _rotate_pair(M, E, pair // 2, 1 + (pair + 1) // 2, negligible)
        if not turned:
            break
    e0, e1, e2 = abs(M[0, 0]), abs(M[1, 1]), abs(M[2, 2])
    for a in range(3):
        for b in range(3):
            M[a, b] = e0 * E[a, 0] * E[b, 0] + e1 * E[a, 1] * E[b, 1] + e2 * E[a, 2] * E[b, 2]


@kernel
def principal(sigma, mu, lam, project, first, M, same, swapped, E):
    """Derivatives of Ψ in the frame of the principal stretches.

    first (3,): ∂Ψ/∂σ. M (3, 3): the Hessian within the diagonal. For i ≠ j, k the third: same[k] couples element (i, j) with
    itself, swapped[k] with (j, i): their sum is the eigenvalue of a shear, their difference that of a rotation. With
    `project`, none is negative.
    """
    square = sigma[0] * sigma[0] + sigma[1] * sigma[1] + sigma[2] * sigma[2]
    J = sigma[0] * sigma[1] * sigma[2]
    g, g1, g2 = _distortion(J)
    p, p1, p2 = _size(square)
    kappa = lam + 2.0 / 3.0 * mu
    twice_I = mu * p1 * g
    by_J = 0.5 * mu * p * g1 + kappa * (J - 1.0)
    by_II = 2.0 * mu * p2 * g
    by_IJ = mu * p1 * g1
    by_JJ = 0.5 * mu * p * g2 + kappa
    c0, c1, c2 = sigma[1] * sigma[2], sigma[2] * sigma[0], sigma[0] * sigma[1]
    E[0, 0], E[0, 1], E[0, 2] = c0, c1, c2
    for i in range(3):
        first[i] = twice_I * sigma[i] + by_J * E[0, i]
        for j in range(i, 3):
            M[i, j] = by_II * sigma[i] * sigma[j] + by_IJ * (sigma[i] * E[0, j] + E[0, i] * sigma[j])
            M[i, j] += by_JJ * E[0, i] * E[0, j] + (twice_I if i == j else by_J * sigma[3 - i - j])
            M[j, i] = M[i, j]
        plus, minus = twice_I + by_J * sigma[i], twice_I - by_J * sigma[i]
        if project:
            plus, minus = max(plus, 0.0), abs(minus)
        same[i] = 0.5 * (plus + minus)
        swapped[i] = 0.5 * (minus - plus)
    if project:
        _project(M, E)


@kernel
def element(F, G, volume, mu, lam, work, f, K):
    """Force and projected stiffness of one element (see `SolidLaw`)."""
    U, V, sigma = work[7], work[8], work[10, 0]
    decompose(F, False, work[6], U, sigma, V, work[9])
    principal_element(sigma, U, V, G, volume, mu, lam, True, work, f, K)


@kernel
def principal_element(sigma, U, V, G, volume, mu, lam, project, frame, f, K):
    """Force and stiffness from the singular values sigma (3,) and vectors U, V (3, 3) of F; frame (6, 3, 3) is scratch."""
    first, same, swapped = frame[0, 0], frame[0, 1], frame[0, 2]
    M, h, block, half = frame[1], frame[3], frame[4], frame[5]
    principal(sigma, mu, lam, project, first, M, same, swapped, frame[2])
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
                block[i, i] = M[i, i] * h[a, i] * h[b, i] + same[k] * h[a, j] * h[b, j] + same[j] * h[a, k] * h[b, k]
                block[i, j] = M[i, j] * h[a, i] * h[b, j] + swapped[k] * h[a, j] * h[b, i]
                block[i, k] = M[i, k] * h[a, i] * h[b, k] + swapped[j] * h[a, k] * h[b, i]
            for i in range(3):
                for j in range(3):
                    half[i, j] = block[i, 0] * U[j, 0] + block[i, 1] * U[j, 1] + block[i, 2] * U[j, 2]
            for i in range(3):
                for j in range(3):
                    turned = U[i, 0] * half[0, j] + U[i, 1] * half[1, j] + U[i, 2] * half[2, j]
                    K[a, b, i, j] = volume * turned
