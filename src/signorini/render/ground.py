"""The floor of a picture: a faint chequer that fades into the background, with soft shadows of the bodies above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.files.runs.trajectory import TrajectoryPlane
from signorini.render import raster_kernels as kernels
from signorini.render.camera import Camera
from signorini.render.raster import SAMPLES

Floats = NDArray[np.float64]
BACKGROUND = "#f4f2ee"
TILES = ("#eeebe5", "#dfdbd3")
SHADOW = "#4a5568"
_REACH = 2.6
"""Radii of the scene at which the chequer has faded away."""
_FADE = 0.9
"""Radii of the scene at which it begins to."""
_CELLS = 256
"""Cells along a side of the map of shadows."""


class Floor:
    """The planes of all half-spaces, and the background behind them."""

    def __init__(self, planes: Sequence[TrajectoryPlane], center: Floats, radius: float, sun: Floats):
        self._sheets = [_Sheet(plane, center, radius, sun) for plane in planes]
        self._camera: Camera | None = None

    def look(self, camera: Camera, size: tuple[int, int]) -> None:
        """Draw the planes as a camera sees them, without shadows."""
        if camera is self._camera:
            return
        self._camera = camera
        self.depth = np.zeros((SAMPLES * size[1], SAMPLES * size[0]), np.float32)
        self._base = np.empty((size[1], size[0], 3), np.float32)
        self._base[:] = 255.0 * rgb(BACKGROUND)
        for sheet in self._sheets:
            sheet.draw(camera, size, self._base, self.depth)

    def shaded(self, points: Floats) -> NDArray[np.float32]:
        """The floor (h, w, 3), 0 to 255, with the soft shadows of a dense cloud of surface points (n, 3) [m]."""
        image = self._base
        for sheet in self._sheets:
            image = sheet.shaded(points, image, self.depth)
        return image


class _Sheet:
    """One plane."""

    def __init__(self, plane: TrajectoryPlane, center: Floats, radius: float, sun: Floats):
        self._normal = np.asarray(plane.normal, dtype=np.float64)
        self._height = plane.height
        self._sun = sun
        self._radius = radius
        self._middle = center + (plane.height - center @ self._normal) * self._normal
        across = np.array([1.0, 0.0, 0.0]) if abs(self._normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        self._u = across - (across @ self._normal) * self._normal
        self._u /= np.linalg.norm(self._u)
        self._v = np.cross(self._normal, self._u)
        self._half = _REACH * radius

    def draw(
        self, camera: Camera, size: tuple[int, int], ground: NDArray[np.float32], depth: NDArray[np.float32]
    ) -> None:
        """Draw the chequer where it is nearer than what is there."""
        self._places = np.zeros((size[1], size[0], 2), np.float32)
        self._own_depth = np.zeros_like(depth)
        if camera.eye @ self._normal <= self._height:
            return  # from below, or behind, it is not there
        right, up, forward = camera.axes
        look = np.array([round_length(0.35 * self._radius), _FADE * self._radius, self._half])
        # Drawn 1e-4 radii below the plane, so that bodies that rest on the plane are not cut by it.
        low = self._height - 1e-4 * self._radius
        pale, dark = (255.0 * rgb(tile).astype(np.float64) for tile in TILES)
        kernels.draw_floor(
            camera.eye, right, up, forward, np.array(camera.slopes(size)), self._normal, low, self._u, self._v, self._middle,
            look, dark, pale, ground, depth, self._places,
        )  # fmt: skip
        self._own_depth = depth.copy()

    def shaded(self, points: Floats, ground: NDArray[np.float32], depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """The ground (h, w, 3) with the shadows on this plane."""
        out = np.empty_like(ground)
        tint = 255.0 * rgb(SHADOW).astype(np.float64)
        kernels.add_shadow(self._places, depth, self._own_depth, self._shade(points), self._half, tint, ground, out)
        return out

    def _shade(self, points: Floats) -> NDArray[np.float32]:
        """(c, c) how dark the square ±half is, 0 to 1."""
        from scipy.ndimage import gaussian_filter

        slant = float(self._sun @ self._normal)
        shade: NDArray[Any] = np.zeros((_CELLS, _CELLS), dtype=np.float32)
        if slant <= 0.05 or not len(points):
            return shade
        above = (points @ self._normal - self._height) / slant
        on_plane = points - above[:, None] * self._sun - self._middle
        cells = [((on_plane @ axis) / self._half + 1.0) * 0.5 * _CELLS for axis in (self._v, self._u)]
        j, i = (np.floor(c).astype(np.int64) for c in cells)
        inside = (i >= 0) & (i < _CELLS) & (j >= 0) & (j < _CELLS)
        shade[j[inside], i[inside]] = 1.0
        cell = 2.0 * self._half / _CELLS
        near: Any = gaussian_filter(shade, max(0.012 * self._radius / cell, 0.7))
        far: Any = gaussian_filter(shade, 0.06 * self._radius / cell)
        return (0.30 * near + 0.22 * far).astype(np.float32)


def round_length(length: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above `length`."""
    power = 10.0 ** np.floor(np.log10(max(length, 1e-9)))
    return float(power * max(step for step in (1, 2, 5) if step * power <= length * (1.0 + 1e-9)))


def rgb(color: str) -> NDArray[np.float32]:
    """A colour such as "#ff8000" as three numbers from 0 to 1."""
    return np.array([int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)], dtype=np.float32)
