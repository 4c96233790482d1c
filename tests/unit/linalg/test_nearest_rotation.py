"""Rotations in least squares, against scipy and against all rotations nearby."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from signorini.linalg.nearest_rotation import nearest_rotation


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_stack_of_rotations_is_what_scipy_finds_for_each(seed: int, mirrored: bool) -> None:
    """Noisy points; mirrored ones have a reflection as their best orthogonal fit, which is not allowed."""
    rng = np.random.default_rng(seed)
    before, weights = rng.normal(size=(5, 9, 3)), rng.uniform(0.5, 2.0, (5, 9))
    turned = [Rotation.random(rng=rng).apply(points) for points in before]
    after = np.array(turned) * ([1.0, 1.0, -1.0] if mirrored else 1.0) + 0.05 * rng.normal(size=before.shape)
    R = nearest_rotation(np.einsum("sk,ski,skj->sij", weights, after, before))
    for k in range(5):
        expected = Rotation.align_vectors(after[k], before[k], weights=weights[k])[0].as_matrix()
        np.testing.assert_allclose(R[k], expected, atol=1e-10)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-13)
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.tile(np.eye(3), (5, 1, 1)), atol=1e-14)


def test_one_matrix_needs_no_stack() -> None:
    R = Rotation.from_rotvec([0.3, -1.0, 0.4]).as_matrix()
    np.testing.assert_allclose(nearest_rotation(R @ np.diag([3.0, 2.0, 1.0])), R, atol=1e-14)
