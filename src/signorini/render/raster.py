"""Pictures from triangles: a buffer of colours and depths, four samples a pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.render import raster_kernels as kernels
from signorini.render.camera import Camera
from signorini.render.patterns import Pattern
from signorini.render.raster_kernels import PLAIN

Floats = NDArray[np.float64]
SAMPLES = 2
"""Samples along a side of a pixel."""


class Raster:
    """Draws triangles for one camera after another; buffers are kept."""

    def __init__(self, size: tuple[int, int]):
        """`size` is width and height [pixels]."""
        self.size = size
        width, height = SAMPLES * size[0], SAMPLES * size[1]
        self._depth = np.zeros((height, width), np.float32)
        self._color = np.zeros((height, width, 3), np.uint8)

    def clear(self) -> None:
        """Forget what was drawn."""
        self._depth.fill(0.0)

    def draw(
        self,
        camera: Camera,
        points: Floats,
        triangles: NDArray[np.int32],
        front: NDArray[np.uint8],
        back: NDArray[np.uint8],
        *,
        pattern: Pattern | None = None,
        period_pixels: Floats | None = None,
    ) -> None:
        """Draw triangles (t, 3) of points (n, 3) [m] with colours (n, 3) of the outer and the inner side.

        `period_pixels` (n,) is how large a period of the pattern is seen: where that is not some pixels, the pattern fades away.
        """
        screen = camera.project(points, (SAMPLES * self.size[0], SAMPLES * self.size[1]))
        number, places, corners, strength = PLAIN, np.zeros((1, 2)), triangles, np.zeros(1)
        if pattern is not None and period_pixels is not None:
            number, places, corners = pattern.number, pattern.places, pattern.corners
            strength = np.clip((period_pixels - 2.0) / 4.0, 0.0, 1.0)
        front, back = np.ascontiguousarray(front), np.ascontiguousarray(back)
        kernels.draw_triangles(
            screen, triangles, front, back, places, corners, number, strength, self._depth, self._color
        )

    @property
    def depth(self) -> NDArray[np.float32]:
        """(2h, 2w) 1/z [1/m] of what is nearest at each sample, 0 where nothing was drawn."""
        return self._depth

    def image(self, ground: NDArray[np.float32], floor_depth: NDArray[np.float32]) -> NDArray[np.uint8]:
        """The picture (h, w, 3) before a background (h, w, 3), 0 to 255, with its depths (2h, 2w) at the samples."""
        image = np.empty((self.size[1], self.size[0], 3), np.uint8)
        kernels.resolve(self._depth, self._color, floor_depth, ground, image)
        return image
