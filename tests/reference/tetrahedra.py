"""Naive twins of the soft-solid elements: energies from NumPy's singular values, matrices by dense loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import NO_STATE
from signorini.elements.laws.neo_hookean import NEO_HOOKEAN
from signorini.elements.tetrahedra import Tetrahedra

Array = NDArray[np.float64]


def gradients(tetrahedra: Tetrahedra, q: Array) -> Array:
    """F (t, 3, 3) of every element."""
    x = q[tetrahedra.nodes]
    return np.swapaxes(x[:, 1:] - x[:, :1], 1, 2) @ tetrahedra.rest_inverse


def signed_values(F: Array) -> Array:
    """(3,) singular values, the smallest with the sign of det F."""
    sigma = np.linalg.svd(F, compute_uv=False)
    sigma[2] *= 1.0 if np.linalg.det(F) >= 0.0 else -1.0
    return sigma


def nearest_rotation(F: Array) -> Array:
    """U diag(1, 1, ±1) V' (Kabsch)."""
    U, _, Vt = np.linalg.svd(F)
    return U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt


def corotational_density(F: Array, mu: float, lam: float) -> float:
    """μ |F − R|² + λ/2 (tr(R'F) − 3)²"""
    R = nearest_rotation(F)
    return float(mu * ((F - R) ** 2).sum() + 0.5 * lam * (np.trace(R.T @ F) - 3.0) ** 2)


def neo_hookean_density(F: Array, mu: float, lam: float) -> float:
    """Bonet and Wood's energy, continued below det F = 0.2 as the docstring of neo_hookean_kernels says."""
    J, square, low = np.linalg.det(F), (F**2).sum(), 0.2
    least = 3.0 * low ** (2.0 / 3.0)
    if low <= J:
        g = J ** (-2.0 / 3.0)
    else:
        g = low ** (-2.0 / 3.0) * (1.0 - 2.0 / 3.0 * (J / low - 1.0) + 5.0 / 9.0 * (J / low - 1.0) ** 2)
    p = square + 5.0 / 3.0 * max(0.0, least - square) ** 3 / least**2
    return float(0.5 * mu * (p * g - 3.0) + 0.5 * (lam + 2.0 / 3.0 * mu) * (J - 1.0) ** 2)


def energy(tetrahedra: Tetrahedra, q: Array) -> float:
    """Σ V Ψ(F)"""
    t = tetrahedra
    density = neo_hookean_density if t.law is NEO_HOOKEAN else corotational_density
    total = 0.0
    for F, volume, mu, lam in zip(gradients(t, q), t.volume, t.lame_mu, t.lame_lambda, strict=True):
        total += volume * density(F, mu, lam)
    return total


def kernel_energy(tetrahedra: Tetrahedra, q: Array) -> float:
    """The same by the kernel."""
    return tetrahedra.energy(q, NO_STATE)
