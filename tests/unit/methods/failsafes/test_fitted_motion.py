"""Rigid motion fitted to moving points, as a zone on a scripted body takes it."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from signorini.methods.failsafes.impact_zones_motion import fit_rigid_motion


def test_fitted_motions():
    """A rotation is found from points; from one point it is a translation, from two the smallest turn."""
    rng = np.random.default_rng(0)
    points, shift = rng.standard_normal((6, 3)), np.array([0.3, -0.1, 2.0])
    R = Rotation.from_rotvec([0.4, -0.9, 0.2]).as_matrix()
    fitted, centre, moved = fit_rigid_motion(points, points @ R.T + shift)
    np.testing.assert_allclose(fitted, R, atol=1e-8)
    np.testing.assert_allclose((points - centre) @ fitted.T + centre + moved, points @ R.T + shift, atol=1e-8)
    fitted, _, moved = fit_rigid_motion(points[:1], points[:1] + shift)
    np.testing.assert_allclose(fitted, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(moved, shift)
    two = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    fitted, _, _ = fit_rigid_motion(two, np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]))
    np.testing.assert_allclose(Rotation.from_matrix(fitted).as_rotvec(), [0.0, 0.0, 0.5 * np.pi], atol=1e-6)
    flat = rng.standard_normal((5, 3)) * [1.0, 1.0, 0.0]
    np.testing.assert_allclose(fit_rigid_motion(flat, flat @ R.T)[0], R, atol=1e-8)
