"""Naive twins of springs and hinges: energies in plain NumPy, everything else by finite differences of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from signorini.elements.hinges import Hinges
from signorini.elements.springs import Springs

Array = NDArray[np.float64]


def spring_energy(springs: Springs, q: Array) -> float:
    """Σ ½ k (l − L)², with the smaller k where the spring is shorter than L."""
    total = 0.0
    for (i, j), rest, tension, compression in zip(
        springs.nodes, springs.rest_length, springs.stiffness_in_tension, springs.stiffness_in_compression, strict=True
    ):
        longer = np.linalg.norm(q[j] - q[i]) - rest
        total += 0.5 * (tension if longer > 0.0 else compression) * longer**2
    return float(total)


def unit_normal(a: Array, b: Array, c: Array) -> Array:
    """The normal of the triangle a, b, c."""
    n = np.cross(b - a, c - a)
    return n / np.linalg.norm(n)


def hinge_angle(x0: Array, x1: Array, x2: Array, x3: Array) -> float:
    """Angle between the normals of (x0, x1, x2) and (x1, x0, x3); negative when x3 is above the first one."""
    n1, n2 = unit_normal(x0, x1, x2), unit_normal(x1, x0, x3)
    size = 2.0 * np.arctan2(np.linalg.norm(n1 - n2), np.linalg.norm(n1 + n2))
    return float(-size if n1 @ (x3 - x0) > 0.0 else size)


def hinge_energy(hinges: Hinges, q: Array) -> float:
    """Σ ½ k (θ − θ₀)²."""
    return float(
        sum(
            0.5 * k * (hinge_angle(*q[nodes]) - rest) ** 2
            for nodes, rest, k in zip(hinges.nodes, hinges.rest_angle, hinges.angular_stiffness, strict=True)
        )
    )


def force_by_differences(energy: Callable[[Array], float], q: Array, step: float = 1e-6) -> Array:
    """−dE/dq, (n, 3), by central differences."""
    force = np.zeros_like(q)
    for index in np.ndindex(q.shape):
        ahead, behind = q.copy(), q.copy()
        ahead[index] += step
        behind[index] -= step
        force[index] = -(energy(ahead) - energy(behind)) / (2.0 * step)
    return force


def jacobian_by_differences(function: Callable[[Array], Array], x: Array, step: float = 1e-6) -> Array:
    """d function / dx as a dense (3n, 3n) matrix, by central differences."""
    columns = []
    for index in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[index] += step
        behind[index] -= step
        columns.append((function(ahead) - function(behind)).ravel() / (2.0 * step))
    return np.column_stack(columns)
