"""Frames that ride with bodies: detection sees a body that moves as a whole from a frame which moves with it.

A common translation changes no distance within a body, and none between two bodies except by the motion of one frame relative
to the other. A fast sheet thus has the boxes and the path lengths of a slow one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision import body_frames_kernels as kernels
from signorini.collision.surface import Surface

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BodyFrames:
    """A frame for each of b bodies, and one for the world: it rides with the mean of the body's vertices, or is at rest."""

    vertex_body: NDArray[np.int32]
    """(v,) body number."""
    start: Floats
    """(v, 3) where the surface was when the frames were chosen [m]."""
    rides: NDArray[np.bool_]
    """(b + 1,) whether the frame moves; that of the world, the last one, does not."""
    sweep: Floats
    """(b + 1, 3) displacements that are expected of the frames [m]."""
    margin: float
    """How far two frames may leave the box of their expected relative displacement [m]."""
    alone: bool
    """Whether there is but one body, and no plane: then it does not matter where its frame goes."""

    @classmethod
    def chosen(cls, surface: Surface, x0: Floats, x1: Floats, margin: float) -> BodyFrames:
        """Frames for a motion x0 → x1 (v, 3)."""
        bodies = int(surface.vertex_body.max(initial=-1)) + 1
        rides, sweep = np.zeros(bodies + 1, np.bool_), np.zeros((bodies + 1, 3))
        kernels.choose(x0, x1, surface.vertex_body, margin, rides, sweep)
        alone = surface.plane_count == 0 and bool((surface.vertex_body == bodies - 1).all())
        return cls(surface.vertex_body, x0, rides, sweep, margin, alone)

    @property
    def arrays(self) -> tuple[NDArray[np.bool_], Floats, float]:
        """What kernels need."""
        return self.rides, self.sweep, self.margin

    def place(self, x: Floats) -> tuple[Floats, Floats]:
        """Positions x (v, 3) seen from the frames, and how far these have come (b + 1, 3) [m]."""
        shift = np.zeros_like(self.sweep)
        if not self.rides.any():
            return x, shift
        relative = np.empty_like(x)
        kernels.place(self.start, x, self.vertex_body, self.rides, shift, relative)
        return relative, shift

    def expect(self, shift: Floats) -> bool:
        """Whether frames that have come as far as `shift` (b + 1, 3) are where they may be relative to each other."""
        return self.alone or bool(kernels.are_expected(*self.arrays, shift))

    def swept(self) -> tuple[Floats, Floats]:
        """Corners (b + 1, 3) of the boxes in which the frames move, seen from the world."""
        reach = np.where(self.rides, self.margin, 0.0)[:, None] + kernels.ROUNDING * np.abs(self.sweep)
        return np.minimum(self.sweep, 0.0) - reach, np.maximum(self.sweep, 0.0) + reach
