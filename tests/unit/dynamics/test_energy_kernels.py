"""Sums of energies and largest speeds of bodies against NumPy."""

from __future__ import annotations

import numpy as np

from signorini.dynamics import energy_kernels as kernels
from signorini.dynamics.assembly_kernels import set_diagonal


def test_energies_are_summed_over_the_nodes_of_each_body() -> None:
    rng = np.random.default_rng(1)
    body, mass = rng.integers(0, 4, 30).astype(np.int32), rng.uniform(size=30)
    q, v, gravity = rng.normal(size=(3, 30, 3))
    kinetic, potential = np.zeros(5), np.zeros(5)
    kernels.sum_energies(body, mass, q, v, gravity, kinetic, potential)
    for k in range(5):
        own = body == k
        np.testing.assert_allclose(kinetic[k], 0.5 * (mass[own, None] * v[own] ** 2).sum(), rtol=1e-13)
        np.testing.assert_allclose(potential[k], -(mass[own, None] * q[own] * gravity[own]).sum(), rtol=1e-12)


def test_largest_speed_of_each_body_and_that_of_nan() -> None:
    rng = np.random.default_rng(2)
    body, v, largest = rng.integers(0, 4, 30).astype(np.int32), rng.normal(size=(30, 3)), np.zeros(5)
    kernels.largest_squares(body, v, largest)
    np.testing.assert_array_equal(largest, [max([0.0, *(v[body == k] ** 2).sum(axis=1)]) for k in range(5)])
    first = int(np.flatnonzero(body == body[-1])[0])
    v[first, 1], largest = np.nan, np.zeros(5)
    kernels.largest_squares(body, v, largest)
    np.testing.assert_array_equal(np.isnan(largest), np.arange(5) == body[-1])


def test_diagonal_is_a_multiple_of_the_identity() -> None:
    data, values = np.zeros((6, 3, 3)), np.array([2.0, 3.0])
    set_diagonal(np.array([4, 1], np.int32), values, data)
    np.testing.assert_array_equal(data[[4, 1]], values[:, None, None] * np.eye(3))
    assert not data[[0, 2, 3, 5]].any()
