"""Sums and motions of the nodes of bodies against NumPy."""

from __future__ import annotations

import numpy as np

from signorini.dynamics import reference_frames_kernels as kernels

RNG = np.random.default_rng(3)
OWNER = np.repeat(np.arange(3), [4, 1, 6])
MASS = RNG.uniform(0.1, 1.0, 11)
A, B = RNG.normal(size=(2, 11, 3))


def test_values_are_centred_about_the_mean_of_the_body() -> None:
    out = np.empty((11, 3))
    kernels.centre(MASS, OWNER, A, np.zeros((3, 4)), out)
    for k in range(3):
        own = k == OWNER
        np.testing.assert_allclose(out[own], A[own] - np.average(A[own], axis=0, weights=MASS[own]), atol=1e-15)


def test_moments_are_sums_of_outer_products() -> None:
    out = np.zeros((3, 3, 3))
    kernels.sum_moments(MASS, OWNER, A, B, out)
    for k in range(3):
        own = k == OWNER
        np.testing.assert_allclose(out[k], np.einsum("i,ia,ib->ab", MASS[own], A[own], B[own]), atol=1e-14)


def test_vectors_turn_and_spin_with_their_bodies() -> None:
    matrices, spin, out = RNG.normal(size=(3, 3, 3)), RNG.normal(size=(3, 3)), np.empty((11, 3))
    kernels.rotate(matrices, OWNER, A, out)
    np.testing.assert_allclose(out, np.einsum("iab,ib->ia", matrices[OWNER], A), atol=1e-14)
    kernels.spin_velocities(spin, OWNER, A, out)
    np.testing.assert_allclose(out, np.cross(spin[OWNER], A), atol=1e-14)
