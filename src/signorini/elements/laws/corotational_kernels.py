"""Force, stiffness and energy of co-rotational tetrahedra.

Energy density Ψ = μ |F − R|² + λ/2 (tr(R'F) − 3)², R the rotation nearest to F. Its gradient P = 2μ (F − R) +
λ (tr(R'F) − 3) R is the force R K (R'x − X) of MuellerGross2004, exactly: linear elasticity in the frame R. The stiffness
is R K R', positive semidefinite; it leaves out the derivative of R, which matters only where the strain is large.
Finite for every F. A flat or inverted element has one negative σ (see rotation_kernels) and is pushed back along the
direction in which it is thinnest; F = 0 counts as unrotated, R = I.
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.linalg.rotation_kernels import decompose


@kernel
def element(F, G, volume, mu, lam, shape, work, f, K):
    """Force and stiffness of one element (see `SolidLaw`).

    With the rotated gradients h_a = R g_a of the shape functions the stiffness of an isotropic solid is
    K_ab = V (λ h_a h_b' + μ h_b h_a' + μ (h_a·h_b) I).
    """
    R, h = work[0], work[1]
    decompose(F, True, work[2], work[3], work[4, 0], work[5], R)
    trace = -3.0
    for i in range(3):
        for j in range(3):
            trace += R[i, j] * F[i, j]
    turned = lam * trace - 2.0 * mu
    for a in range(3):
        for i in range(3):
            stretched = F[i, 0] * G[a, 0] + F[i, 1] * G[a, 1] + F[i, 2] * G[a, 2]
            h[a, i] = R[i, 0] * G[a, 0] + R[i, 1] * G[a, 1] + R[i, 2] * G[a, 2]
            f[a, i] = -volume * (2.0 * mu * stretched + turned * h[a, i])
    v_lam, v_mu = volume * lam, volume * mu
    for a in range(3):
        for b in range(a, 3):
            across = v_mu * (h[a, 0] * h[b, 0] + h[a, 1] * h[b, 1] + h[a, 2] * h[b, 2])
            for i in range(3):
                for j in range(3):
                    K[a, b, i, j] = v_lam * h[a, i] * h[b, j] + v_mu * h[b, i] * h[a, j]
                K[a, b, i, i] += across


@kernel
def energy_density(F, mu, lam, shape, work):
    """Ψ [J/m³]."""
    R = work[0]
    decompose(F, True, work[2], work[3], work[4, 0], work[5], R)
    trace, squares = -3.0, 0.0
    for i in range(3):
        for j in range(3):
            trace += R[i, j] * F[i, j]
            squares += (F[i, j] - R[i, j]) ** 2
    return mu * squares + 0.5 * lam * trace * trace
