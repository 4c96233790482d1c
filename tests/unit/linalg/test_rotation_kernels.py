"""Singular values and rotations of all kinds of 3×3 matrices, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from reference import tetrahedra as naive
from signorini.linalg import rotation_kernels as kernels


def svd(F: naive.Array) -> tuple[naive.Array, naive.Array, naive.Array]:
    U, V, sigma = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    kernels.signed_svd(F, np.empty((3, 3)), U, sigma, V)
    return U, sigma, V


def rotation(F: naive.Array) -> naive.Array:
    R = np.empty((3, 3))
    kernels.decompose(F, True, np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty((3, 3)), R)
    return R


def matrix(seed: int, sigma: list[float]) -> naive.Array:
    U, V = Rotation.random(2, rng=np.random.default_rng(seed)).as_matrix()
    return U @ np.diag(sigma) @ V.T


SPECTRA = [
    [1.0, 1.0, 1.0],
    [3.0, 2.0, 0.5],
    [1.0, 1.0, -1.0],
    [2.0, 0.7, -0.4],
    [1.0, 0.6, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1e-9, 1e-10],
    [1.0, 1.0, 1e-14],
    [1e8, 1.0, 1e-8],
    [1e-60, 1e-61, -1e-62],
    [0.0, 0.0, 0.0],
]


@pytest.mark.parametrize("sigma", SPECTRA)
@pytest.mark.parametrize("seed", range(4))
def test_factors_are_rotations_and_give_the_matrix_back(sigma: list[float], seed: int) -> None:
    F = matrix(seed, sigma)
    U, found, V = svd(F)
    for Q in (U, V):
        np.testing.assert_allclose(Q @ Q.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(Q) > 0.0
    np.testing.assert_allclose(U @ np.diag(found) @ V.T, F, atol=2e-15 * max(sigma))
    np.testing.assert_allclose(found, sigma, atol=4e-15 * max(sigma))
    assert (np.diff(np.abs(found)) <= 1e-15 * found[0]).all()


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), rank=st.sampled_from([1, 2, 3]), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_any_matrix_has_a_rotation_that_no_other_beats(seed: int, rank: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    F = scale * rng.normal(size=(3, rank)) @ rng.normal(size=(rank, 3))
    R = rotation(F)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) > 0.0
    value = np.trace(R.T @ F)
    assert value == pytest.approx(np.trace(naive.nearest_rotation(F).T @ F), rel=1e-12, abs=1e-13 * scale)
    others = np.einsum("nij,ij->n", Rotation.random(50, rng=rng).as_matrix(), F)
    assert (others <= value + 1e-13 * scale).all()


def test_a_rotation_is_its_own_and_zero_is_unrotated() -> None:
    for Q in Rotation.random(20, rng=np.random.default_rng(3)).as_matrix():
        np.testing.assert_allclose(rotation(Q), Q, atol=1e-15)
    np.testing.assert_array_equal(rotation(np.zeros((3, 3))), np.eye(3))


def test_the_rotation_passes_continuously_through_flat_to_inverted() -> None:
    Q = Rotation.random(rng=np.random.default_rng(1)).as_matrix()
    for thickness in (0.2, 1e-8, 0.0, -1e-8, -0.2, -0.5):
        np.testing.assert_allclose(rotation(Q @ np.diag([1.0, 1.2, thickness])), Q, atol=1e-14)
