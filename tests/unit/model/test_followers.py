"""Points attached to a moving surface."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from reference import detection as naive
from signorini.geometry import shapes
from signorini.model.followers import Follower

BALL = shapes.sphere(0.3, edge=0.15)
POINTS = np.array([[0.0, 0.0, 0.32], [0.31, 0.02, 0.0], [-0.2, 0.1, -0.2], [0.05, 0.03, 0.02]])


def test_a_rigid_motion_carries_the_points_rigidly() -> None:
    turn = Rotation.from_rotvec((0.7, -0.2, 1.1)).as_matrix()
    follower = Follower(POINTS, BALL.triangles, lambda t: BALL.vertices @ (turn if t else np.eye(3)).T + (t, 0.0, -t))
    np.testing.assert_allclose(follower.positions(POINTS, 0.0), POINTS, atol=1e-14)
    np.testing.assert_allclose(follower.positions(POINTS, 2.0), POINTS @ turn.T + (2.0, 0.0, -2.0), atol=1e-12)


def test_points_keep_their_distance_from_a_surface_that_swells() -> None:
    follower = Follower(POINTS, BALL.triangles, lambda t: (1.0 + t) * BALL.vertices)
    base = np.array([_nearest(p) for p in POINTS])
    np.testing.assert_allclose(follower.positions(POINTS, 0.5) - 1.5 * base, POINTS - base, atol=1e-12)


def _nearest(p: np.ndarray) -> np.ndarray:
    """The nearest point of the ball's surface, by trying all triangles."""
    corners = BALL.vertices[BALL.triangles]
    feet = [naive.point_triangle(p, triangle) @ triangle for triangle in corners]
    return min(feet, key=lambda foot: float(np.linalg.norm(foot - p)))


@pytest.mark.parametrize("time", [0.3, 1.0])
def test_positions_depend_on_the_time_only(time: float) -> None:
    follower = Follower(POINTS, BALL.triangles, lambda t: BALL.vertices + np.array([0.0, 0.0, t]))
    np.testing.assert_allclose(follower.positions(POINTS, time), POINTS + np.array([0.0, 0.0, time]), atol=1e-13)
