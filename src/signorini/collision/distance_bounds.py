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
from signorini.collision.boxes.packed_boxes import box_gaps, joined_boxes, middle_of, packed_boxes
from signorini.collision.ccd_kernels import MARGIN, SMALLEST_LENGTH
from signorini.collision.paths import STRAIGHT, Paths
from signorini.collision.surface import Surface

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]
Sides = tuple[Floats, Floats, Floats, NDArray[np.int32], NDArray[np.int32]]
"""Path lengths of the two sides of pairs, relative motion of the frames, and the bodies of both sides."""
BEND_PART = 8.0
"""Bends that count as displacement of a vertex: a straight piece of path CCD begins and ends one bend away and pads by one bend,
and less the mean of four vertices, two sides may so differ by seven of theirs."""
JUST_ABOVE = 1.0 + 1e-9
"""Factor on a distance that exceeds the rounding of its square."""
ROUNDING = 4.0 * MARGIN
"""Part of the largest coordinate and of the longest path that a bound loses: more than the rounding of tests and bounds."""
RAISED = MARGIN / 4.0
"""The same of a bound that is raised without a test: 16 eps, more than the rounding of that."""
NO_BENDS = np.zeros(0)


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
        """The lengths that there are now."""
        return Lengths(self.vertex.copy(), self.triangle.copy(), self.edge.copy(), self.between.copy())


@dataclass(frozen=True, slots=True)
class Motions:
    """Displacements of all primitives in one motion: (k, 4) the mean of the corners, and how far one may differ from it [m]."""

    start: Floats
    """(v, 3) positions [m]."""
    end: Floats
    vertex: Floats
    triangle: Floats
    edge: Floats
    longest: float
    """Of all displacements [m]."""

    @classmethod
    def of(cls, surface: Surface, start: Floats, end: Floats, bend: Floats = NO_BENDS) -> Motions:
        """The motions from start to end (v, 3) [m], with bends (v,) [m]."""
        arrays = (np.empty((len(of), 4)) for of in (start, surface.triangles, surface.edges))
        vertex, triangle, edge = arrays
        longest = kernels.find_motions(start, end, bend, surface.triangles, surface.edges, vertex, triangle, edge)
        return cls(start, end, vertex, triangle, edge, longest)


class PairBounds:
    """The bounds of all pairs of one kind."""

    def __init__(self, pairs: Pairs, bound: Floats) -> None:
        """Pairs (k, 2) that are at least `bound` (k,) [m] apart where no path has begun yet."""
        self.pairs = pairs
        self.bound = bound
        """(k,) distance at the last test, and what the two sides had spent then [m]."""

    def near(self, far: float, loss: float, before: Sides, now: Sides, motions: tuple[Floats, Floats]) -> SelectedPairs:
        """The pairs that may be nearer than `far` [m] after motions, and what is known of their distances.

        `loss` [m] is more than the rounding of a bound that is raised.
        """
        room = self._room()
        count = kernels.select_near(self.pairs, self.bound, far, loss, *before[:3], *now, *motions, *room)
        return SelectedPairs.first(count, room, now, self.bound)

    def approaching(self, far: float, longest: float, now: Sides, motions: tuple[Floats, Floats]) -> SelectedPairs:
        """The pairs that may come nearer than `far` [m] in motions, and what is known of their distances before them."""
        room = self._room()
        count = kernels.select_approaching(self.pairs, self.bound, far, longest, *now, *motions, *room)
        return SelectedPairs.first(count, room, now, self.bound)

    def _room(self) -> tuple[NDArray[np.int32], Pairs, Floats]:
        count = len(self.pairs)
        return np.empty(count, np.int32), np.empty((count, 2), np.int32), np.empty(count)


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

    @classmethod
    def first(
        cls, count: int, room: tuple[NDArray[np.int32], Pairs, Floats], sides: Sides, bound: Floats
    ) -> SelectedPairs:
        """So many pairs at the beginning of the room of a kernel: rows, pairs, distances."""
        rows, pairs, distance = room
        return cls(pairs[:count], distance[:count], rows[:count], sides, bound)

    def learn(self) -> None:
        """Keep the bounds that the test has written."""
        kernels.learn(self.pairs, self.distance, self.rows, *self.sides, self.bound)


class DistanceBounds:
    """Lower bounds of the distances of candidate pairs, which the paths of their primitives use up."""

    def __init__(self, surface: Surface, frames: BodyFrames, vertex_triangle: Pairs, edge_edge: Pairs) -> None:
        self._surface, self._frames = surface, frames
        vertices = packed_boxes(frames.start, frames.start, 0.0, middle_of(frames.start, frames.start))
        triangles, edges = joined_boxes(surface.triangles, vertices), joined_boxes(surface.edges, vertices)
        self._vertex_triangle = PairBounds(vertex_triangle, box_gaps(vertex_triangle, vertices, triangles))
        self._edge_edge = PairBounds(edge_edge, box_gaps(edge_edge, edges, edges))
        body, bodies = surface.vertex_body, len(frames.rides) - 1 if frames.rides.any() else 1
        self._bodies = body, body[surface.triangles[:, 0]], body[surface.edges[:, 0]]
        counts = surface.vertex_count, len(surface.triangles), len(surface.edges), (bodies, bodies)
        self._lengths = Lengths(*(np.zeros(count) for count in counts))
        self._x = frames.start
        self._at, self._shift = frames.place(frames.start)
        self._extent, self._longest = kernels.largest(frames.start), 0.0
        self._last: Motions | None = None
        """The last motion that was looked at, straight."""

    def near(self, x: Floats, distance: float) -> tuple[SelectedPairs, SelectedPairs]:
        """Vertex-triangle and edge-edge pairs that may be closer than `distance` [m] at positions x (v, 3).

        The way there from the last positions uses up the bounds.
        """
        motions, before = self._motions(self._x, x), self._lengths.copy()
        self._move_to(x)
        far, loss = distance * JUST_ABOVE + self._rounding(0.0), RAISED * (self._extent + self._longest)
        triangles, edges = self._sides(self._lengths)
        triangles_before, edges_before = self._sides(before)
        return (
            self._vertex_triangle.near(far, loss, triangles_before, triangles, (motions.vertex, motions.triangle)),
            self._edge_edge.near(far, loss, edges_before, edges, (motions.edge, motions.edge)),
        )

    def approaching(
        self, x0: Floats, x1: Floats, distance: float, paths: Paths = STRAIGHT
    ) -> tuple[SelectedPairs, SelectedPairs]:
        """Those that may be closer than `distance` [m] somewhere on the paths from x0 to x1 (v, 3); what is known is at x0.

        The motion may be rejected, and uses up nothing.
        """
        self._move_to(x0)
        motions = self._motions(x0, x1, BEND_PART * paths.arrays[0])
        far = distance + self._rounding(motions.longest)
        triangles, edges = self._sides(self._lengths)
        return (
            self._vertex_triangle.approaching(far, motions.longest, triangles, (motions.vertex, motions.triangle)),
            self._edge_edge.approaching(far, motions.longest, edges, (motions.edge, motions.edge)),
        )

    def _sides(self, lengths: Lengths) -> tuple[Sides, Sides]:
        """Both sides of vertex-triangle and of edge-edge pairs."""
        vertex, triangle, edge = self._bodies
        return (
            (lengths.vertex, lengths.triangle, lengths.between, vertex, triangle),
            (lengths.edge, lengths.edge, lengths.between, edge, edge),
        )

    def _motions(self, start: Floats, end: Floats, bend: Floats = NO_BENDS) -> Motions:
        """The motions from start to end (v, 3); those that were found last are used again."""
        last = self._last
        if not len(bend) and last is not None and last.start is start and last.end is end:
            return last
        motions = Motions.of(self._surface, start, end, bend)
        if not len(bend):
            self._last = motions
        return motions

    def _move_to(self, x: Floats) -> None:
        """Lengthen the paths by the motion from the last positions to x (v, 3)."""
        if x is self._x:
            return
        (at, shift), surface, lengths = self._frames.place(x), self._surface, self._lengths
        self._extent = max(self._extent, kernels.largest(x))
        longest = kernels.lengthen(
            self._at, at, surface.triangles, surface.edges, lengths.vertex, lengths.triangle, lengths.edge
        )
        kernels.separate(self._shift, shift, lengths.between)
        self._longest = max(longest, kernels.largest(lengths.between))
        self._x, self._at, self._shift = x, at, shift

    def _rounding(self, ahead: float) -> float:
        """By how much the bounds may be too large [m] for a motion that goes so far ahead, given all positions before."""
        return ROUNDING * (self._extent + self._longest + 2.0 * ahead) + 2.0 * SMALLEST_LENGTH
