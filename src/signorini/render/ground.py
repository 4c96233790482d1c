"""The floor of a picture: a faint chequer that fades into the background, with soft shadows of the bodies above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from signorini.files.runs.trajectory import TrajectoryPlane

if TYPE_CHECKING:
    import pyvista

BACKGROUND = "#f4f2ee"
TILES = ("#eeebe5", "#dfdbd3")
SHADOW = "#4a5568"
_REACH = 2.6
"""Half the side of the sheet in radii of the scene, so large that the chequer has faded away before its border."""


class GroundSheet:
    """A square piece of a half-space's plane, drawn with a texture that is repainted for every frame."""

    def __init__(
        self,
        plotter: pyvista.Plotter,
        plane: TrajectoryPlane,
        center: NDArray[np.float64],
        radius: float,
        sun: NDArray[np.float64],
        *,
        pixels: int,
    ):
        """`pixels` is the side of the texture, a multiple of 4."""
        import pyvista

        self._pixels = pixels
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
        self._base = self._chequer()
        # Drawn 1e-4 radii below the plane, so that bodies that rest on the plane are not cut by it.
        low = self._middle - 1e-4 * radius * self._normal
        corners = [low + self._half * (a * self._u + b * self._v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        sheet = pyvista.PolyData(np.array(corners), np.array([4, 0, 1, 2, 3]))
        sheet.active_texture_coordinates = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        self._actor: Any = plotter.add_mesh(sheet, texture=_texture(self._base), lighting=False)

    def cast(self, points: NDArray[np.float64]) -> None:
        """Paint the soft shadow of a dense cloud of surface points (n, 3) [m]."""
        from scipy.ndimage import gaussian_filter, zoom

        slant = float(self._sun @ self._normal)
        shade: NDArray[Any] = np.zeros((self._pixels // 4, self._pixels // 4), dtype=np.float32)
        if slant > 0.05 and len(points):
            above = (points @ self._normal - self._height) / slant
            on_plane = points - above[:, None] * self._sun - self._middle
            cells = [((on_plane @ axis) / self._half + 1.0) * 0.5 * len(shade) for axis in (self._v, self._u)]
            j, i = (np.floor(c).astype(np.int64) for c in cells)
            inside = (i >= 0) & (i < len(shade)) & (j >= 0) & (j < len(shade))
            shade[j[inside], i[inside]] = 1.0
            pixel = 2.0 * self._half / len(shade)
            near: Any = gaussian_filter(shade, 0.012 * self._radius / pixel)
            far: Any = gaussian_filter(shade, 0.06 * self._radius / pixel)
            shade = 0.30 * near + 0.22 * far
        depth = np.asarray(zoom(shade, 4, order=1), dtype=np.float32)[..., None]
        self._actor.texture = _texture(self._base * (1.0 - depth) + rgb(SHADOW) * depth)

    def _chequer(self) -> NDArray[np.float32]:
        """The unshaded floor (pixels, pixels, 3): tiles of a round length, fading into the background."""
        axis = ((np.arange(self._pixels) + 0.5) / self._pixels * 2.0 - 1.0) * self._half
        tile = round_length(0.35 * self._radius)
        offsets = [float(self._middle @ direction) for direction in (self._v, self._u)]
        rows, columns = (np.floor((axis + offset) / tile).astype(np.int64) % 2 for offset in offsets)
        odd = (rows[:, None] + columns[None, :]) % 2
        colors = np.stack([rgb(c) for c in TILES])[odd]
        distance = np.hypot(axis[:, None], axis[None, :]) / self._radius
        fade = np.clip((distance - 0.9) / (_REACH - 1.0), 0.0, 1.0)
        fade = (fade * fade * (3.0 - 2.0 * fade))[..., None]
        return (colors * (1.0 - fade) + rgb(BACKGROUND) * fade).astype(np.float32)


def round_length(length: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above `length`."""
    power = 10.0 ** np.floor(np.log10(max(length, 1e-9)))
    return float(power * max(step for step in (1, 2, 5) if step * power <= length * (1.0 + 1e-9)))


def rgb(color: str) -> NDArray[np.float32]:
    """A colour such as "#ff8000" as three numbers from 0 to 1."""
    return np.array([int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)], dtype=np.float32)


def _texture(colors: NDArray[Any]) -> pyvista.Texture:
    import pyvista

    # rows of an image go from top to bottom, those of a texture from bottom to top
    texture = pyvista.Texture(np.ascontiguousarray((colors[::-1] * 255.0 + 0.5).astype(np.uint8)))
    texture.interpolate = True
    texture.mipmap = True
    return texture
