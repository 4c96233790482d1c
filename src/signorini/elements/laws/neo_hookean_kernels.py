"""Force, stiffness and energy of nearly incompressible Neo-Hookean tetrahedra.

Hong2004 §2 names the material of Bonet and Wood: Ψ = μ/2 (J^(-2/3) I − 3) + κ/2 (J − 1)² with I = |F|², J = det F and the
bulk modulus κ = λ + 2μ/3. It is undefined for J ≤ 0.
Deviates from Hong2004 §2: Ψ = μ/2 (p(I) g(J) − 3) + κ/2 (J − 1)², where g is J^(-2/3) above J₀ = 0.2 and its second-order
Taylor polynomial at J₀ below, and p(I) = I + 5 (I₀ − I)³ / (3 I₀²) below I₀ = 3 J₀^(2/3), else I. As I ≥ 3 J^(2/3), nothing
changes for J ≥ J₀. Ψ is twice continuously differentiable, finite and free of further minima for all F: flat and inverted
elements are pushed back, and p makes the collapse F = 0 a maximum. Any smaller factor than 5 would let Ψ fall along F = s I
as s → 0: 5 is where the cubic of p makes up for the cubic that g lacks. At exactly F = 0 the force is zero.

The second derivatives, and how they are made semidefinite, are those of `principal_stretch_kernels`.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements.laws.principal_stretch_kernels import from_invariants, principal_element, project
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
def energy_density(F, mu, lam, shape, work):
    """Ψ [J/m³]."""
    sigma = work[10, 0]
    decompose(F, False, work[6], work[7], sigma, work[8], work[9])
    square = sigma[0] * sigma[0] + sigma[1] * sigma[1] + sigma[2] * sigma[2]
    J = sigma[0] * sigma[1] * sigma[2]
    kappa = lam + 2.0 / 3.0 * mu
    return 0.5 * mu * (_size(square)[0] * _distortion(J)[0] - 3.0) + 0.5 * kappa * (J - 1.0) ** 2


@kernel
def principal(sigma, mu, lam, shape, first, M, shear, turn):
    """Derivatives of Ψ in the frame of the principal stretches (see `principal_stretch_kernels`)."""
    square = sigma[0] * sigma[0] + sigma[1] * sigma[1] + sigma[2] * sigma[2]
    J = sigma[0] * sigma[1] * sigma[2]
    g, g1, g2 = _distortion(J)
    p, p1, p2 = _size(square)
    kappa = lam + 2.0 / 3.0 * mu
    by_J = 0.5 * mu * p * g1 + kappa * (J - 1.0)
    by_JJ = 0.5 * mu * p * g2 + kappa
    from_invariants(sigma, J, mu * p1 * g, by_J, 2.0 * mu * p2 * g, mu * p1 * g1, by_JJ, first, M, shear, turn)


@kernel
def element(F, G, volume, mu, lam, shape, work, f, K):
    """Force and projected stiffness of one element (see `SolidLaw`)."""
    U, V, sigma = work[7], work[8], work[10, 0]
    first, shear, turn, M = work[0, 0], work[0, 1], work[0, 2], work[1]
    decompose(F, False, work[6], U, sigma, V, work[9])
    principal(sigma, mu, lam, shape, first, M, shear, turn)
    project(M, shear, turn, work[2])
    principal_element(first, M, shear, turn, U, V, G, volume, work[3:6], f, K)
