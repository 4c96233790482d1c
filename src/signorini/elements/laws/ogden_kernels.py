"""Force, stiffness and energy of Ogden tetrahedra: rubber and soft tissue up to large stretch.

Ψ = f(σ0) + f(σ1) + f(σ2) − m log J + λ/2 (J − 1)² with f(σ) = Σ μ_p/α_p (σ^α_p − 1) over three terms at most. At rest the
logarithm balances the others (m = Σ μ_p), and the shear modulus is μ = Σ μ_p α_p / 2. Where J = 1 this is the incompressible
solid of Ogden. A sum over the stretches and a function of J has its second derivatives in closed form.

The logarithm is continued below J = 0.1 by its second-order Taylor polynomial. Below σ = 0.3 f' goes on as a parabola that
reaches −μ at σ = 0 if not less. So flat and inverted elements are pushed back with a finite force, and the collapse to a point
is unstable.

shape (6,): μ_p / μ and α_p of each term in turn; a term without μ_p is not there.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements.laws.principal_stretch_kernels import principal_element, project
from signorini.linalg.rotation_kernels import decompose

TERMS = 3
"""Terms at most: published fits of rubber and tissue have one to three."""
LOW = 0.3
"""Stretch below which f is continued."""
J0 = 0.1
"""J below which the logarithm is continued. With 0.2, or with LOW = 0.2, rubber of ν = 0 would collapse to a point."""
EQUAL = 1e-5
"""Difference of two stretches below which their divided difference is the derivative between them."""
NEAR_OPPOSITE = 0.05
"""Least sum of two stretches by which a rotation's eigenvalue is divided: the smallest stretch is negative in an inverted
element, and where it is the opposite of another one the frame of the element is not unique."""


@kernel
def _powers(s, shape):
    """f, f' and f'' for μ = 1 at a stretch of at least LOW."""
    value = slope = curvature = 0.0
    for p in range(TERMS):
        m, a = shape[2 * p], shape[2 * p + 1]
        if m != 0.0:
            power = np.exp(a * np.log(s))
            value += m / a * (power - 1.0)
            slope += m * power / s
            curvature += m * (a - 1.0) * power / (s * s)
    return value, slope, curvature


@kernel
def _one_stretch(s, shape):
    """f, f' and f'' for μ = 1 at any stretch."""
    if s >= LOW:
        return _powers(s, shape)
    value, slope, curvature = _powers(LOW, shape)
    # f' = slope + curvature d − c d², with the least c by which f'(0) ≤ −1
    c = max((slope - curvature * LOW + 1.0) / (LOW * LOW), 0.0)
    d = s - LOW
    value += d * (slope + d * (0.5 * curvature - c * d / 3.0))
    return value, slope + d * (curvature - c * d), curvature - 2.0 * c * d


@kernel
def _logarithm(J):
    """log J, its slope and its curvature."""
    if J >= J0:
        return np.log(J), 1.0 / J, -1.0 / (J * J)
    d = (J - J0) / J0
    return np.log(J0) + d - 0.5 * d * d, (1.0 - d) / J0, -1.0 / (J0 * J0)


@kernel
def energy_density(F, mu, lam, shape, work):
    """Ψ [J/m³]."""
    sigma = work[10, 0]
    decompose(F, False, work[6], work[7], sigma, work[8], work[9])
    J = sigma[0] * sigma[1] * sigma[2]
    total = 0.5 * lam * (J - 1.0) ** 2 - mu * (shape[0] + shape[2] + shape[4]) * _logarithm(J)[0]
    for i in range(3):
        total += mu * _one_stretch(sigma[i], shape)[0]
    return total


@kernel
def principal(sigma, mu, lam, shape, first, M, shear, turn):
    """Derivatives of Ψ in the frame of the principal stretches (see `principal_stretch_kernels`)."""
    J = sigma[0] * sigma[1] * sigma[2]
    m = mu * (shape[0] + shape[2] + shape[4])
    _, slope, curvature = _logarithm(J)
    by_J, by_JJ = lam * (J - 1.0) - m * slope, lam - m * curvature
    for i in range(3):
        _, slope, curvature = _one_stretch(sigma[i], shape)
        first[i], M[i, i] = mu * slope, mu * curvature
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        apart, both = sigma[i] - sigma[j], sigma[i] + sigma[j]
        if abs(apart) > EQUAL:
            shear[k] = (first[i] - first[j]) / apart
        else:
            shear[k] = mu * _one_stretch(0.5 * both, shape)[2]
        shear[k] -= by_J * sigma[k]
        turn[k] = (first[i] + first[j]) / max(both, NEAR_OPPOSITE) + by_J * sigma[k]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        ck = sigma[i] * sigma[j]
        first[k] += by_J * ck
        M[k, k] += by_JJ * ck * ck
        M[i, j] = by_JJ * sigma[k] * sigma[k] * ck + by_J * sigma[k]  # ci cj = σ_k² σ_i σ_j
        M[j, i] = M[i, j]


@kernel
def element(F, G, volume, mu, lam, shape, work, f, K):
    """Force and projected stiffness of one element (see `SolidLaw`)."""
    U, V, sigma = work[7], work[8], work[10, 0]
    first, shear, turn, M = work[0, 0], work[0, 1], work[0, 2], work[1]
    decompose(F, False, work[6], U, sigma, V, work[9])
    principal(sigma, mu, lam, shape, first, M, shear, turn)
    project(M, shear, turn, work[2])
    principal_element(first, M, shear, turn, U, V, G, volume, work[3:6], f, K)
