"""Bolts and nuts with a helical square thread."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.gallery.mechanisms.swept_shapes import circle, ring_surface
from signorini.geometry.triangle_mesh import TriangleMesh

Floats = NDArray[np.float64]

CORNERS = 4
"""Corners of the profile of one ridge: two at its foot and two at its crest."""

RUN_OUT = 0.03
"""How far the cut end of a ridge is drawn out, over its depth, so that it is not as flat as the flank it ends at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A right-handed thread about z with level flanks: its ridges rise by `lead` in a turn, and are as wide as their gaps.

    Level flanks, because these lie on the exact helix all the way along the chords of a coarse mesh; slanted ones are wavy.
    """

    radius: float
    """Radius of the crests of the bolt [m]."""
    depth: float
    """Height of the ridges [m]."""
    lead: float
    """Advance in one turn [m]."""
    starts: int = 2
    """Ridges side by side."""
    points: int = 36
    """Points around."""

    def bolt(self, *, turns: int, head_radius: float, head_height: float) -> TriangleMesh:
        """A shaft with `turns` of the thread from about z = 0 upwards, and a round head on top of it."""
        shaft = self._rings(turns, play=0.0)
        top = shaft[-1, 0, 2]
        head = [self._round(head_radius, z) for z in (top, top + head_height)]
        return ring_surface(np.concatenate([shaft, head]), joined=False, falling=~self._climbs)

    def nut(self, *, turns: int, outer_radius: float, play: float) -> TriangleMesh:
        """A block from about z = 0 upwards with `turns` of the counterpart in its bore, wider by `play` [m] on all sides."""
        bore = self._rings(turns, play=play)
        sides = [self._round(outer_radius, z) for z in bore[[0, -1], 0, 2]]
        return ring_surface(np.concatenate([sides, bore[::-1]]), joined=True, falling=self._climbs)

    @property
    def _lines(self) -> int:
        """Helical lines, the corners of the ridges, in one lead."""
        return CORNERS * self.starts

    @property
    def _climbs(self) -> NDArray[np.bool_]:
        """(points,) whether the lines climb from one ring of the mesh to the next between a point and the one after it."""
        return np.diff(self._lines * np.arange(self.points + 1) // self.points) > 0

    def _rings(self, turns: int, *, play: float) -> Floats:
        """(k, points, 3) rings of the thread, level at both ends; `play` [m] is 0 for a bolt, what it is wider for a nut.

        A ring follows the same line, except where it has to step down to close.
        """
        ring, point = np.meshgrid(np.arange(turns * self._lines + 1), np.arange(self.points), indexing="ij")
        line = ring - self._lines * point // self.points
        pitch, foot = self.lead / self.starts, self.radius - self.depth
        level = np.array([0.0, 0.0, 0.5 * pitch, 0.5 * pitch]) + play * np.array([-1.0, -1.0, 1.0, 1.0])
        z = self.lead * point / self.points + pitch * (line // CORNERS) + level[line % CORNERS]
        radius = np.array([foot, self.radius, self.radius, foot])[line % CORNERS]
        # At both ends the ridges of a bolt are cut down, the grooves of a nut cut open: a level ring follows.
        end = foot if play == 0.0 else self.radius
        cut = radius[[0, -1]] != end
        z[[0, -1]] += RUN_OUT * self.depth * cut * [[-1.0], [1.0]]
        radius[[0, -1]] = end
        # The flat sides of a bore come nearer to the axis than its corners.
        widening = 1.0 if play == 0.0 else 1.0 / math.cos(math.pi / self.points)
        radius, end = widening * (radius + play), widening * (end + play)
        angle = 2.0 * np.pi * point / self.points
        rings = np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=2)
        bottom, top = z.min() - RUN_OUT * self.depth, z.max() + RUN_OUT * self.depth
        return np.concatenate([[self._round(end, bottom)], rings, [self._round(end, top)]])

    def _round(self, radius: float, z: float) -> Floats:
        """(points, 3) a ring of `radius` at the height z."""
        return np.column_stack([circle(radius, self.points), np.full(self.points, z)])
