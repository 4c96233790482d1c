"""Distance bounds of candidate pairs: which pairs cannot have come near since they were last tested.

The distance of two primitives changes by no more than the lengths of their paths. A pair that was d apart is at least d less the
paths since then apart, so that most pairs need no test. Any sequence of positions is a path: motions that were rejected may lie
in between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision import distance_bounds_kernels as kernels
from signorini.collision.body_frames import BodyFrames
from signorini.collision.ccd_kernels import MARGIN, SMALLEST_LENGTH
from signorini.collision.paths import STRAIGHT, Paths
from signorini.collision.surface import Surface

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]
Sides = tuple[Floats, Floats, Floats, NDArray[np.int32], NDArray[np.int32]]
"""Path lengths of the two sides of pairs, relative motion of the frames, and the bodies of both sides."""
MOTION_PART = 2.0
"""Path lengths of a motion by which a pair must be farther apart than it keeps, to be left out of continuous detection. Less
their mean, the displacements of two sides are at most so many times as long: additive CCD would end in its first iteration."""
BEND_PART = 3.0
"""Bends that count as path of a vertex: the straight pieces of path CCD begin and end one bend away, and pad by one bend."""
JUST_ABOVE = 1.0 + 1e-9
"""Factor on a distance that exceeds the rounding of its square."""
ROUNDING = 4.0 * MARGIN
"""Part of the largest coordinate and of the longest path that a bound loses: more than the rounding of tests and bounds."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Path lengths of all primitives since the candidates were found."""

    vertex: Floats
    """(v,) [m]"""
    triangle: Floats
    """(t,) that of its fastest vertex in each motion [m]."""
    edge: Floats
    """(e,) likewise."""
    between: Floats
    """(b, b) of the frames of two bodies, seen from each other [m]; (1, 1) if no frame moves."""

    def copy(self) -> Lengths:
        """Lengths that can grow on their own."""
        return Lengths(self.vertex.copy(), self.triangle.copy(), self.edge.copy(), self.between.copy())

    @property
    def longest(self) -> float:
        """The longest path of all [m]."""
        return max(kernels.largest(lengths) for lengths in (self.vertex, self.triangle, self.edge, self.between))


class PairBounds:
    """The bounds of all pairs of one kind."""

    def __init__(self, pairs: Pairs) -> None:
        """Nothing is known of the distances of pairs (k, 2) yet."""
        self.pairs = pairs
        self.bound = np.full(len(pairs), -np.inf)
        """(k,) distance at the last test, and what the two sides had spent then [m]."""

    def select(self, far: float, now: Sides, after: Sides) -> SelectedPairs:
        """The pairs that may be nearer than `far` [m] `after` a motion, and what is known of their distances `now`."""
        rows = np.empty(len(self.pairs), np.int32)
        rows = rows[: kernels.select(self.pairs, self.bound, far, *after, rows)]
        taken, distance = np.empty((len(rows), 2), np.int32), np.empty(len(rows))
        kernels.take(self.pairs, rows, self.bound, *now, taken, distance)
        return SelectedPairs(taken, distance, rows, now, self.bound)


@dataclass(frozen=True, slots=True)
class SelectedPairs:
    """Pairs that need a test."""

    pairs: Pairs
    """(k, 2) in the order of the candidates."""
    distance: Floats
    """(k,) lower bound of the distance [m]; a test writes a better one."""
    rows: NDArray[np.int32]
    """(k,) which candidates they are."""
    sides: Sides
    bound: Floats

    def learn(self) -> None:
        """Keep the bounds that the test has written."""
        kernels.learn(self.pairs, self.distance, self.rows, *self.sides, self.bound)


class DistanceBounds:
    """Lower bounds of the distances of candidate pairs, which the paths of their primitives use up."""

    def __init__(self, surface: Surface, frames: BodyFrames, vertex_triangle: Pairs, edge_edge: Pairs) -> None:
        self._surface, self._frames = surface, frames
        self._vertex_triangle, self._edge_edge = PairBounds(vertex_triangle), PairBounds(edge_edge)
        body, bodies = surface.vertex_body, len(frames.rides) - 1 if frames.rides.any() else 1
        self._bodies = body, body[surface.triangles[:, 0]], body[surface.edges[:, 0]]
        counts = surface.vertex_count, len(surface.triangles), len(surface.edges), (bodies, bodies)
        self._lengths = Lengths(*(np.zeros(count) for count in counts))
        self._at, self._shift = frames.place(frames.start)
        self._extent = 0.0

    def near(self, x: Floats, distance: float) -> tuple[SelectedPairs, SelectedPairs]:
        """Vertex-triangle and edge-edge pairs that may be closer than `distance` [m] at positions x (v, 3).

        The way there from the last positions uses up the bounds.
        """
        self._move_to(x)
        return self._select(distance * JUST_ABOVE + self._rounding(x, self._lengths), self._lengths)

    def approaching(
        self, x0: Floats, x1: Floats, distance: float, paths: Paths = STRAIGHT
    ) -> tuple[SelectedPairs, SelectedPairs]:
        """Those that may be closer than `distance` [m] somewhere on the paths from x0 to x1 (v, 3); what is known is at x0.

        The motion may be rejected, and uses up nothing.
        """
        self._move_to(x0)
        after = self._lengths.copy()
        self._lengthen(after, *self._frames.place(x1), MOTION_PART, BEND_PART * paths.arrays[0])
        return self._select(distance + self._rounding(x1, after), after)

    def _select(self, far: float, after: Lengths) -> tuple[SelectedPairs, SelectedPairs]:
        now, (vertex, triangle, edge) = self._lengths, self._bodies
        return (
            self._vertex_triangle.select(
                far,
                (now.vertex, now.triangle, now.between, vertex, triangle),
                (after.vertex, after.triangle, after.between, vertex, triangle),
            ),
            self._edge_edge.select(
                far, (now.edge, now.edge, now.between, edge, edge), (after.edge, after.edge, after.between, edge, edge)
            ),
        )

    def _move_to(self, x: Floats) -> None:
        at, shift = self._frames.place(x)
        self._extent = max(self._extent, kernels.largest(x))
        self._lengthen(self._lengths, at, shift, 1.0, np.zeros(0))
        self._at, self._shift = at, shift

    def _lengthen(self, lengths: Lengths, at: Floats, shift: Floats, part: float, bend: Floats) -> None:
        """Add `part` times the motion from the last positions to those `at` (v, 3) in frames that came by `shift` (b + 1, 3)."""
        surface = self._surface
        kernels.lengthen(
            self._at, at, bend, part, surface.triangles, surface.edges, lengths.vertex, lengths.triangle, lengths.edge
        )
        kernels.separate(self._shift, shift, part, lengths.between)

    def _rounding(self, x: Floats, lengths: Lengths) -> float:
        """By how much the bounds at x (v, 3) may be too large [m], given all positions that there have been."""
        return ROUNDING * (max(self._extent, kernels.largest(x)) + lengths.longest) + 2.0 * SMALLEST_LENGTH
