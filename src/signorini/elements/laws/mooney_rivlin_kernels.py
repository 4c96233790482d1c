"""Force, stiffness and energy of Mooney-Rivlin tetrahedra: rubber and soft tissue at moderate stretch.

Ψ = C10 (p(I1) − 3) + C01 (I2 − 3) − m (J − 1) + L/2 (J − 1)² with I1 = |F|², I2 = σ0²σ1² + σ1²σ2² + σ2²σ0², J = det F. At rest
the linear term in J balances the other two (m = 2 C10 + 4 C01), and Lamé's constants are μ = 2 (C10 + C01), λ = L − 2 C10. Where
J = 1 this is the incompressible Mooney-Rivlin solid. Unlike the usual form with J^(-2/3) it is a polynomial, without a
singularity at J = 0; p is I1, below 1.03 continued as in `neo_hookean_kernels`, so that the collapse to a point is unstable.

shape (1,): C01 / (C10 + C01).
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.elements.laws.neo_hookean_kernels import _size
from signorini.elements.laws.principal_stretch_kernels import from_invariants, principal_element, project
from signorini.linalg.rotation_kernels import decompose


@kernel
def energy_density(F, mu, lam, shape, work):
    """Ψ [J/m³]."""
    sigma = work[10, 0]
    decompose(F, False, work[6], work[7], sigma, work[8], work[9])
    a, b, c = sigma[0] * sigma[0], sigma[1] * sigma[1], sigma[2] * sigma[2]
    d = sigma[0] * sigma[1] * sigma[2] - 1.0
    c01 = 0.5 * mu * shape[0]
    c10 = 0.5 * mu - c01
    distortion = c10 * (_size(a + b + c)[0] - 3.0) + c01 * (a * b + b * c + c * a - 3.0)
    return distortion + d * (0.5 * (lam + 2.0 * c10) * d - 2.0 * c10 - 4.0 * c01)


@kernel
def principal(sigma, mu, lam, shape, first, M, shear, turn):
    """Derivatives of Ψ in the frame of the principal stretches (see `principal_stretch_kernels`)."""
    square = sigma[0] * sigma[0] + sigma[1] * sigma[1] + sigma[2] * sigma[2]
    J = sigma[0] * sigma[1] * sigma[2]
    _, p1, p2 = _size(square)
    c01 = 0.5 * mu * shape[0]
    c10 = 0.5 * mu - c01
    bulk = lam + 2.0 * c10
    by_J = bulk * (J - 1.0) - 2.0 * c10 - 4.0 * c01
    from_invariants(sigma, J, 2.0 * c10 * p1, by_J, 4.0 * c10 * p2, 0.0, bulk, first, M, shear, turn)
    for k in range(3):  # what C01 I2 adds
        i, j = (k + 1) % 3, (k + 2) % 3
        first[k] += 2.0 * c01 * sigma[k] * (square - sigma[k] * sigma[k])
        M[k, k] += 2.0 * c01 * (square - sigma[k] * sigma[k])
        M[i, j] += 4.0 * c01 * sigma[i] * sigma[j]
        M[j, i] = M[i, j]
        shear[k] += 2.0 * c01 * (sigma[k] * sigma[k] - sigma[i] * sigma[j])
        turn[k] += 2.0 * c01 * (sigma[k] * sigma[k] + sigma[i] * sigma[j])


@kernel
def element(F, G, volume, mu, lam, shape, work, f, K):
    """Force and projected stiffness of one element (see `SolidLaw`)."""
    U, V, sigma = work[7], work[8], work[10, 0]
    first, shear, turn, M = work[0, 0], work[0, 1], work[0, 2], work[1]
    decompose(F, False, work[6], U, sigma, V, work[9])
    principal(sigma, mu, lam, shape, first, M, shear, turn)
    project(M, shear, turn, work[2])
    principal_element(first, M, shear, turn, U, V, G, volume, work[3:6], f, K)
