"""Matrices of pressure and wind against eigenvalues, and forces against differences and formulas."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.loads import surface_loads_kernels as kernels


@pytest.mark.parametrize("p", [3.0, -2.0])
def test_stiffness_of_pressure_is_the_semidefinite_part_of_the_symmetric_derivative(p: float) -> None:
    x, h = np.random.default_rng(1).normal(size=(3, 3)), 1e-6

    def force(x: np.ndarray) -> np.ndarray:
        return np.tile(p / 6 * np.cross(x[1] - x[0], x[2] - x[0]), 3)

    steps = [h * d.reshape(3, 3) for d in np.eye(9)]
    K = -np.array([(force(x + d) - force(x - d)) / (2 * h) for d in steps]).T
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    expected = (vectors * np.maximum(values, 0)) @ vectors.T
    blocks = np.zeros((3, 3, 3, 3))
    kernels.pressure_stiffness(x, p, blocks)
    np.testing.assert_allclose(blocks.transpose(0, 2, 1, 3).reshape(9, 9), expected, atol=1e-8)


def test_wind_on_a_triangle() -> None:
    rng = np.random.default_rng(0)
    x, v, wind, h = rng.normal(size=(3, 3)), rng.normal(size=3), np.array([3.0, 1.0, -2.0]), 1e-6

    def evaluated(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        force, C = np.zeros(3), np.zeros((3, 3))
        kernels.wind_force(x, v, wind, 1.2, 1.1, 0.7, False, force, C)
        return force, C

    force, C = evaluated(v)
    J = -np.array([(evaluated(v + h * d)[0] - evaluated(v - h * d)[0]) / (2 * h) for d in np.eye(3)]).T
    n = np.cross(x[1] - x[0], x[2] - x[0])
    area, n, w = 0.5 * np.linalg.norm(n), n / np.linalg.norm(n), wind - v
    assert n @ C @ n == pytest.approx(n @ J @ n, rel=1e-6)
    assert np.linalg.eigvalsh(C).min() >= 0.0
    speed = np.linalg.norm(w)
    cosine = abs(w @ n) / speed
    q = 0.5 * 1.2 * area * speed**2 * cosine
    assert force @ w / speed == pytest.approx(1.1 * q)
    across = np.linalg.norm(force - (force @ w) * w / speed**2)
    assert across == pytest.approx(0.7 * q * np.sqrt(1 - cosine**2))
