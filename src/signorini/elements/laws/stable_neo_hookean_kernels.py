"""Force, stiffness and energy of stable Neo-Hookean tetrahedra (Smith2018).

Ψ = μ_s/2 (I − 3) − μ_s/2 log((I + 1) / 4) + λ_s/2 (J − 1)² − μ (J − 1), I = |F|², J = det F, which is Smith's energy with the
constants μ_s = 4μ/3 and λ_s = λ + 5μ/6 by which small strains have Lamé's μ and λ (Smith2018 §3.4), less the constant that makes
it zero at rest. A polynomial but for the logarithm: smooth for every F, inverted, flat or a point. Nothing is singular at
J = 0, so that an inverted element meets no wall on its way back, and the logarithm makes the collapse to a point unstable.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.elements.laws.principal_stretch_kernels import from_invariants, principal_element, project
from signorini.linalg.rotation_kernels import decompose


@kernel
def energy_density(F, mu, lam, shape, work):
    """Ψ [J/m³]."""
    square = 0.0
    for i in range(3):
        for j in range(3):
            square += F[i, j] * F[i, j]
    J = F[0, 0] * (F[1, 1] * F[2, 2] - F[1, 2] * F[2, 1])
    J += F[0, 1] * (F[1, 2] * F[2, 0] - F[1, 0] * F[2, 2])
    J += F[0, 2] * (F[1, 0] * F[2, 1] - F[1, 1] * F[2, 0])
    distortion = 2.0 / 3.0 * mu * (square - 3.0 - np.log(0.25 * (square + 1.0)))
    return distortion + (J - 1.0) * (0.5 * (lam + 5.0 / 6.0 * mu) * (J - 1.0) - mu)


@kernel
def principal(sigma, mu, lam, shape, first, M, shear, turn):
    """Derivatives of Ψ in the frame of the principal stretches (see `principal_stretch_kernels`)."""
    more = sigma[0] * sigma[0] + sigma[1] * sigma[1] + sigma[2] * sigma[2] + 1.0
    J = sigma[0] * sigma[1] * sigma[2]
    m, bulk = 4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu
    by_J = bulk * (J - 1.0) - mu
    from_invariants(
        sigma, J, m * (1.0 - 1.0 / more), by_J, 2.0 * m / (more * more), 0.0, bulk, first, M, shear, turn
    )  # fmt: skip


@kernel
def element(F, G, volume, mu, lam, shape, work, f, K):
    """Force and projected stiffness of one element (see `SolidLaw`)."""
    U, V, sigma = work[7], work[8], work[10, 0]
    first, shear, turn, M = work[0, 0], work[0, 1], work[0, 2], work[1]
    decompose(F, False, work[6], U, sigma, V, work[9])
    principal(sigma, mu, lam, shape, first, M, shear, turn)
    project(M, shear, turn, work[2])
    principal_element(first, M, shear, turn, U, V, G, volume, work[3:6], f, K)
