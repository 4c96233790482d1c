"""Cameras: where a picture is taken from, by itself or as the user says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.geometry.triangle_mesh import as_vector

Floats = NDArray[np.float64]
ANGLE = np.radians(26.0)
"""Angle of view upwards [rad], that of a lens of 78 mm: little perspective."""
MARGIN = 0.86
"""Part of the picture that the bodies may fill."""
NEAREST = 1e-3
"""Distance from the eye over that to the target, below which nothing is drawn."""


@dataclass(frozen=True, slots=True)
class Camera:
    """An eye that looks at a point."""

    eye: Floats
    """(3,) [m]"""
    target: Floats
    """(3,) [m]"""

    def __post_init__(self) -> None:
        if not np.linalg.norm(self.target - self.eye) > 0.0:
            raise InputError("the camera is where it looks at: give another --camera or --look-at")

    @property
    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Unit vectors to the right, upwards and forwards."""
        forward = (self.target - self.eye) / np.linalg.norm(self.target - self.eye)
        above = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
        right = np.cross(forward, above)
        right /= np.linalg.norm(right)
        return right, np.cross(right, forward), forward

    @property
    def backward(self) -> Floats:
        """Unit vector from the target to the eye."""
        return -self.axes[2]

    def slopes(self, size: tuple[int, int]) -> tuple[float, float]:
        """Tangents of half the angles of view across and upwards, for a picture of (width, height)."""
        upwards = float(np.tan(0.5 * ANGLE))
        return upwards * size[0] / size[1], upwards

    def project(self, points: Floats, size: tuple[int, int]) -> Floats:
        """(n, 3) columns and rows [pixels], and 1/z [1/m], 0 for what is behind the eye, of points (n, 3) [m]."""
        right, up, forward = self.axes
        away = points - self.eye
        z = away @ forward
        near = NEAREST * float(np.linalg.norm(self.target - self.eye))
        inverse = np.where(z > near, 1.0 / np.maximum(z, near), 0.0)
        across, upwards = self.slopes(size)
        x = (away @ right) * inverse / across
        y = (away @ up) * inverse / upwards
        return np.column_stack([0.5 * (1.0 + x) * size[0], 0.5 * (1.0 - y) * size[1], inverse])

    def orbited(self, angle: float) -> Camera:
        """The camera turned about the vertical through its target, by an angle [rad]."""
        c, s = np.cos(angle), np.sin(angle)
        x, y, z = self.eye - self.target
        return Camera(self.target + np.array([c * x - s * y, s * x + c * y, z]), self.target)


def make_camera(
    box: Floats,
    size: tuple[int, int],
    *,
    view: Sequence[float],
    camera: Sequence[float] | None = None,
    look_at: Sequence[float] | None = None,
) -> Camera:
    """The camera at `camera` that looks at `look_at` [m]; what is not given is chosen so that all of the box (2, 3) is seen.

    Without `camera`, the direction from the scene to it is `view`.
    """
    target = None if look_at is None else as_vector("look_at", look_at)
    if camera is not None:
        return Camera(as_vector("camera", camera), 0.5 * (box[0] + box[1]) if target is None else target)
    direction = as_vector("view", view)
    if not np.linalg.norm(direction) > 0.0:
        raise InputError("view must be a direction, got zero")
    return _framing(box, direction / np.linalg.norm(direction), size, target)


def _framing(box: Floats, direction: Floats, size: tuple[int, int], target: Floats | None) -> Camera:
    """Look at the box from `direction`, as near as all its corners allow."""
    corners = np.array([[box[i][0], box[j][1], box[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    right, above, _ = Camera(direction, np.zeros(3)).axes
    slope_v = np.tan(0.5 * ANGLE) * MARGIN
    slope_h = slope_v * size[0] / size[1]
    center = 0.5 * (box[0] + box[1]) if target is None else target
    distance = 0.0
    for _ in range(4):  # centre the projection of the box, then find the distance
        x, y, z = (corners - center) @ right, (corners - center) @ above, (corners - center) @ direction
        distance = float(np.max(z + np.maximum(np.abs(x) / slope_h, np.abs(y) / slope_v)))
        if target is None:
            a, b = x / (distance - z), y / (distance - z)
            center = center + distance * (0.5 * (a.max() + a.min()) * right + 0.5 * (b.max() + b.min()) * above)
    return Camera(center + distance * direction, center)
