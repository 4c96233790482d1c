"""Naive twins of the soft-solid elements: energies from NumPy's singular values, matrices by dense loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.elements import tetrahedra_kernels as kernels
from signorini.elements.tetrahedra import Tetrahedra
from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries

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
    total = 0.0
    for F, volume, mu, lam, neo in zip(gradients(t, q), t.volume, t.lame_mu, t.lame_lambda, t.neo_hookean, strict=True):
        total += volume * (neo_hookean_density if neo else corotational_density)(F, mu, lam)
    return total


def kernel_energy(tetrahedra: Tetrahedra, q: Array) -> float:
    """The same by the kernel."""
    t = tetrahedra
    return kernels.energy(t.nodes, t.rest_inverse, t.volume, t.lame_mu, t.lame_lambda, t.neo_hookean, q)


def build_system(tetrahedra: Tetrahedra, node_count: int) -> tuple[BlockMatrix, NDArray[np.int32]]:
    """An empty matrix for these elements, and where the blocks (t, 4, 4) of each are in it."""
    nodes = tetrahedra.nodes
    pattern = build_pattern(node_count, np.concatenate([nodes[:, [a, b]] for a in range(4) for b in range(a)]))
    rows, columns = np.repeat(nodes, 4, axis=1).ravel(), np.tile(nodes, (1, 4)).ravel()
    return pattern, find_entries(pattern, rows, columns).reshape(-1, 4, 4).astype(np.int32)


def assembled_sparse(
    tetrahedra: Tetrahedra, q: Array, v: Array, dt: float, way: Array | None = None
) -> tuple[BlockMatrix, Array]:
    """What the elements add to the matrix and to the right-hand side."""
    t = tetrahedra
    pattern, entries = build_system(t, len(q))
    b = np.zeros_like(q)
    kernels.assemble(
        t.nodes,
        t.rest_inverse,
        t.volume,
        t.lame_mu,
        t.lame_lambda,
        t.stiffness_damping,
        t.neo_hookean,
        entries,
        q,
        v,
        np.zeros_like(q) if way is None else way,
        dt,
        pattern.data,
        b,
    )
    return pattern, b


def assembled(tetrahedra: Tetrahedra, q: Array, v: Array | None = None, dt: float = 1.0) -> tuple[Array, Array]:
    """The same with a dense matrix."""
    A, b = assembled_sparse(tetrahedra, q, np.zeros_like(q) if v is None else v, dt)
    return A.to_scipy().toarray(), b
