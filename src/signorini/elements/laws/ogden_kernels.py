"""Force, stiffness and energy of Ogden tetrahedra: rubber and soft tissue up to large stretch.

Ψ = f(σ0) + f(σ1) + f(σ2) − m (J − 1) + L/2 (J − 1)² with f(σ) = Σ μ_p/α_p (σ^α_p − 1) over three terms at most. At rest the linear
term in J balances the others (m = Σ μ_p), and Lamé's constants are μ = Σ μ_p α_p / 2, λ = L − m. Where J = 1 this is the
incompressible solid of Ogden. Unlike the usual form with J^(-1/3) σ it is a sum over the stretches, which keeps its second
derivatives in closed form.

Below σ = 0.2 f' goes on as a parabola that reaches −μ at σ = 0 if not less: flat and inverted elements are pushed back, and the
collapse to a point is unstable.

shape (6,): μ_p / μ and α_p of each term in turn; a term without μ_p is not there.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements.laws.principal_stretch_kernels import principal_element, project
from signorini.linalg.rotation_kernels import decompose

TERMS = 3
"""Terms at most: published fits of rubber and tissue have one to three."""
LOW = 0.2
"""Stretch below which f is continued: one of a solid that is crushed to a fifth."""
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
def energy_density(F, mu, lam, shape, work):
    """Ψ [J/m³]."""
    sigma = work[10, 0]
    decompose(F, False, work[6], work[7], sigma, work[8], work[9])
    d = sigma[0] * sigma[1] * sigma[2] - 1.0
    m = mu * (shape[0] + shape[2] + shape[4])
    total = 0.0
    for i in range(3):
        total += mu * _one_stretch(sigma[i], shape)[0]
    return total + d * (0.5 * (lam + m) * d - m)


@kernel
def principal(sigma, mu, lam, shape, first, M, shear, turn):
    """Derivatives of Ψ in the frame of the principal stretches (see `principal_stretch_kernels`)."""
    J = sigma[0] * sigma[1] * sigma[2]
    m = mu * (shape[0] + shape[2] + shape[4])
    bulk = lam + m
    by_J = bulk * (J - 1.0) - m
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
        M[k, k] += bulk * ck * ck
        M[i, j] = bulk * sigma[k] * sigma[k] * ck + by_J * sigma[k]  # ci cj = σ_k² σ_i σ_j
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
