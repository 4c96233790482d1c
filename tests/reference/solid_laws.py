"""Naive twins of the laws of solids: energies by NumPy, derivatives of their kernels as dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.tetrahedra import signed_values
from signorini.elements.laws.principal_stretch_kernels import principal_element
from signorini.elements.laws.principal_stretch_kernels import project as make_semidefinite
from signorini.linalg.rotation_kernels import signed_svd

Array = NDArray[np.float64]


def density_hessian(
    kernels: Any, F: Array, mu: float, lam: float, shape: Array, *, project: bool
) -> tuple[Array, Array]:
    """P (9,) and the second derivative (9, 9) of a law in the frame of its principal stretches, by its kernels."""
    U, V, sigma = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    first, M, shear, turn = np.empty(3), np.empty((3, 3)), np.empty(3), np.empty(3)
    signed_svd(F, np.empty((3, 3)), U, sigma, V)
    kernels.principal(sigma, mu, lam, shape, first, M, shear, turn)
    if project:
        make_semidefinite(M, shear, turn, np.empty((3, 3)))
    f, K = np.empty((3, 3)), np.zeros((3, 3, 3, 3))
    principal_element(first, M, shear, turn, U, V, np.eye(3), 1.0, np.empty((3, 3, 3)), f, K)
    H = K.transpose(2, 0, 3, 1).copy()  # K[a, b, i, j] is the derivative by F[i, a] and F[j, b], filled for a ≤ b
    for a in range(3):
        for b in range(a):
            H[:, a, :, b] = H[:, b, :, a].T
    return -f.T.ravel(), H.reshape(9, 9)


def stable_neo_hookean_density(F: Array, mu: float, lam: float, shape: Array) -> float:
    """Smith, de Goes and Kim's Eq. 14 with their constants of § 3.4, less its value at rest."""
    m, bulk = 4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu
    alpha = 1.0 + m / bulk - m / (4.0 * bulk)

    def energy(F: Array) -> float:
        square = (F**2).sum()
        return 0.5 * m * (square - 3.0) + 0.5 * bulk * (np.linalg.det(F) - alpha) ** 2 - 0.5 * m * np.log(square + 1.0)

    return energy(F) - energy(np.eye(3))


def mooney_rivlin_density(F: Array, mu: float, lam: float, shape: Array) -> float:
    """C10 (I1 − 3) + C01 (I2 − 3) with the terms in J that leave no stress at rest and give Lamé's λ."""
    c01 = 0.5 * mu * shape[0]
    c10 = 0.5 * mu - c01
    C = F.T @ F
    I1, J = np.trace(C), np.linalg.det(F)
    I2 = 0.5 * (I1**2 - np.trace(C @ C))
    low = 3.0 * 0.2 ** (2.0 / 3.0)
    size = I1 + 5.0 / 3.0 * max(0.0, low - I1) ** 3 / low**2
    balance, bulk = 2.0 * c10 + 4.0 * c01, lam + 2.0 * c10
    return float(c10 * (size - 3.0) + c01 * (I2 - 3.0) - balance * (J - 1.0) + 0.5 * bulk * (J - 1.0) ** 2)


def ogden_density(F: Array, mu: float, lam: float, shape: Array) -> float:
    """Σ μ_p/α_p (Σ σ^α_p − 3) − Σ μ_p log J + λ/2 (J − 1)², continued below σ = 0.3 and J = 0.1 as ogden_kernels says."""
    moduli, exponents = mu * shape[::2], shape[1::2]
    keep = moduli != 0.0
    moduli, exponents = moduli[keep], exponents[keep]

    def one(s: float) -> float:
        if s >= 0.3:
            return float((moduli / exponents * (s**exponents - 1.0)).sum())
        slope = (moduli * 0.3 ** (exponents - 1.0)).sum()
        curvature = (moduli * (exponents - 1.0) * 0.3 ** (exponents - 2.0)).sum()
        bend = max((slope - 0.3 * curvature + mu) / 0.09, 0.0)
        d = s - 0.3
        return one(0.3) + slope * d + curvature * d**2 / 2.0 - bend * d**3 / 3.0

    J = np.linalg.det(F)
    logarithm = np.log(J) if J >= 0.1 else np.log(0.1) + 10.0 * (J - 0.1) - 50.0 * (J - 0.1) ** 2
    return float(sum(one(s) for s in signed_values(F)) - moduli.sum() * logarithm + 0.5 * lam * (J - 1.0) ** 2)
