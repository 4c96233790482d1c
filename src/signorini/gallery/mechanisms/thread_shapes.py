"""Bolts and nuts with a helical thread of trapezoidal profile."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.gallery.mechanisms.swept_shapes import ring_surface
from signorini.geometry.triangle_mesh import TriangleMesh

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A right-handed thread about z: at the height z and the angle φ its profile is that of z - lead φ / 2π.

    The rows of its mesh are lead / `rows` apart and have `rows` points, so that the helix runs along the diagonals.
    """

    radius: float
    """Radius of the crests of the bolt [m]."""
    depth: float
    """Height of the ridges [m]."""
    lead: float
    """Advance in one turn [m]."""
    starts: int = 2
    """Ridges side by side: the pitch is lead / starts."""
    rows: int = 24
    """Rows of the mesh in one lead, and points around; a multiple of 4 `starts`."""

    def bolt(self, *, turns: int, head_radius: float, head_height: float) -> TriangleMesh:
        """A shaft with `turns` of the thread from z = 0 upwards, and a round head on top of it."""
        shaft = self._rings(turns, growth=0.0)
        top = shaft[-1, 0, 2]
        head = [self._round(head_radius, top), self._round(head_radius, top + head_height)]
        return ring_surface(np.concatenate([shaft, head]), joined=False)

    def nut(self, *, turns: int, outer_radius: float, play: float) -> TriangleMesh:
        """A block from z = 0 upwards with `turns` of the counterpart in its bore, wider by `play` [m] on all sides."""
        bore = self._rings(turns, growth=play)
        height = bore[-1, 0, 2]
        sides = [self._round(outer_radius, z) for z in (0.0, height)]
        return ring_surface(np.concatenate([sides, bore[::-1]]), joined=True)

    def _rings(self, turns: int, *, growth: float) -> Floats:
        """(k, rows, 3) points of the thread: one ring per row, from z = 0."""
        row, column = np.meshgrid(np.arange(turns * self.rows + 1), np.arange(self.rows), indexing="ij")
        phase = self.starts * (row - column) / self.rows % 1.0
        radius = self.radius - self.depth * self._depth_at(phase, growth) + self._clearance(growth)
        angle = 2.0 * np.pi * column / self.rows
        z = self.lead * row / self.rows
        return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=2)

    def _depth_at(self, phase: Floats, growth: float) -> Floats:
        """Depth below the crest over the whole depth, 0 to 1: crest, flank, groove and flank, a quarter of the pitch each.

        `growth` [m] makes the ridge wider and the groove narrower on either side, for the counterpart in a nut.
        """
        quarter = 0.25 * self.lead / self.starts
        from_crest = np.minimum(np.abs(phase - 0.125), 1.0 - np.abs(phase - 0.125)) * 4.0 * quarter
        return np.clip((from_crest - 0.5 * quarter - growth) / quarter, 0.0, 1.0)

    def _clearance(self, growth: float) -> float:
        """What a bore needs to be wider [m] for a play of `growth`: its flat sides come nearer to the axis than its corners."""
        return 0.0 if growth == 0.0 else growth + (self.radius + growth) * (1.0 / math.cos(math.pi / self.rows) - 1.0)

    def _round(self, radius: float, z: float) -> Floats:
        """(rows, 3) a ring of `radius` at the height z."""
        angle = 2.0 * np.pi * np.arange(self.rows) / self.rows
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(self.rows, z)])
