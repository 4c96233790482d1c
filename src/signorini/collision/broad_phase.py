"""Candidate pairs: vertex-triangle and edge-edge pairs that may come near each other during a step.

A bounding-volume tree over the triangles and lone edges is built once and refitted; a pair of these leaves whose boxes
meet yields the pairs of the vertices and edges that the two own ("representative triangles", Curtis2008), so each pair
appears once. Their order is that of the tree, whatever the boxes are: which of several equal contacts survives depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision import broad_phase_kernels as kernels
from signorini.collision.body_frames import BodyFrames
from signorini.collision.body_frames_kernels import covers
from signorini.collision.boxes.packed_boxes import joined_boxes, middle_of, packed_boxes
from signorini.collision.distance_bounds import DistanceBounds
from signorini.collision.paths import STRAIGHT, Paths
from signorini.collision.surface import Surface
from signorini.parallel.team import most_threads, run_together

Pairs = NDArray[np.int32]
Floats = NDArray[np.float64]
ROUNDING = 2.0**-46
"""Part of the largest coordinate by which boxes are larger: 64 eps, as in continuous detection."""

TASK_PART, FEW_TASKS = 32, 512
"""Threads share the search below pairs of nodes whose left subtrees have at most 1/32 of all nodes; room for pairs at first."""
WORTH_SHARING = 1000
"""Leaves of a tree from which on several threads search: below, waking them takes longer."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs that are worth a look, and the motion that they cover."""

    vertex_triangle: Pairs
    """(a, 2) vertex, triangle."""
    edge_edge: Pairs
    """(b, 2) edge, edge."""
    vertex_plane: Pairs
    """(c, 2) vertex, plane."""
    low: Floats
    """(v, 3) lower corner of the box in which each vertex may move and still be covered, seen from the frame of its body."""
    high: Floats
    frames: BodyFrames
    bounds: DistanceBounds
    """What is known of the distances of the pairs; it grows with every test, and decides only what need not be tested."""
    motion: Floats
    """(v, 3) displacements in the step for which they were found [m]."""

    def __len__(self) -> int:
        return len(self.vertex_triangle) + len(self.edge_edge) + len(self.vertex_plane)

    def cover(self, x: Floats) -> bool:
        """Whether positions x (v, 3) lie in the boxes, so that no pair can be missing for a straight motion there."""
        return self.cover_paths(x, x)

    def cover_paths(self, x0: Floats, x1: Floats, paths: Paths = STRAIGHT) -> bool:
        """Whether the paths from x0, which is covered, to x1 (v, 3) stay in the boxes."""
        end, shift = self.frames.place(x1)
        if not self.frames.expect(shift):
            return False
        if paths.straight:
            return bool(covers(self.low, self.high, end))
        # In frames that move at constant speed from the start to the end of the paths, these have the same bends.
        low, high = paths.boxes(self.frames.place(x0)[0], end)
        return bool(covers(self.low, self.high, low) and covers(self.low, self.high, high))


class BoxTree:
    """Bounding-volume tree over the triangles and lone edges of a surface; its topology is fixed, its boxes are refitted."""

    def __init__(
        self, surface: Surface, x: Floats, *, nodes: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None
    ) -> None:
        """Build the tree for positions x (v, 3), or take its nodes (`right`, `leaf`), as `refined_nodes` gives them."""
        self.surface = surface
        count = len(surface.leaves)
        body = surface.vertex_body[surface.leaves[:, 0]] if count else np.zeros(0, np.int32)
        centroid = x[surface.leaves].mean(axis=1) if count else np.zeros((0, 3))
        # Leaves of one group never meet each other: a tree of their own per body keeps whole subtrees out.
        self.order = np.argsort(body, kind="stable").astype(np.int32)
        self.right = np.zeros(max(2 * count - 1, 0), dtype=np.int32)
        self.leaf = np.full(max(2 * count - 1, 0), -1, dtype=np.int32)
        if nodes is not None:
            self.right, self.leaf = nodes
        elif count:
            _build_tree(self.order, body, centroid, self.right, self.leaf)
        self.boxes = np.zeros((len(self.right), 8), dtype=np.float32)
        self.group = kernels.mark_groups(self.right, self.leaf, surface.leaf_group)
        self.leaf_body = body
        node_body, world = kernels.mark_groups(self.right, self.leaf, body), surface.vertex_body.max(initial=-1) + 1
        self.body = np.where(node_body < 0, world, node_body).astype(np.int32)
        self._ignored = _ignored_matrix(surface, world)
        # Room of each thread for pairs of leaves below one pair of nodes, and for vertex-triangle and edge-edge pairs.
        sizes = max(count, 64), max(8 * count, 64), max(16 * count, 64)
        self._rooms = tuple(np.empty((1, size, 2), np.int32) for size in sizes)

    def with_groups(self, surface: Surface) -> BoxTree:
        """The tree for the same surface with other groups of vertices; boxes and room for pairs are shared."""
        other = copy(self)
        other.surface = surface
        other.group = kernels.mark_groups(self.right, self.leaf, surface.leaf_group)
        return other

    def find_candidates(
        self,
        x0: Floats,
        x1: Floats,
        *,
        distance: float,
        margin: float | Floats,
        steps: float = 1.0,
        paths: Paths = STRAIGHT,
        frame_margin: float | None = None,
    ) -> Candidates:
        """All pairs that can come closer than `distance` while each vertex stays within `margin` of its path x0 → x1.

        The motion goes on for so many `steps` like that. Paths may be bent in the first one. The distances of smooth bodies are
        those of their patches, which rise above the triangles. `margin` [m] is one for all vertices or (v,); the frames of bodies
        have the largest one, if theirs is not given.
        """
        surface, ahead = self.surface, x0 + steps * (x1 - x0)
        frames = BodyFrames.chosen(surface, x0, ahead, float(np.max(margin)) if frame_margin is None else frame_margin)
        low, high = self._boxes(frames, x0, x1, ahead, paths)
        around = margin[:, None] if isinstance(margin, np.ndarray) else margin
        covered_low, covered_high = low, high = low - around, high + around
        if surface.vertex_rise is not None:
            low, high = low - surface.vertex_rise[:, None], high + surface.vertex_rise[:, None]
        distance += ROUNDING * (np.abs(x0).max(initial=0.0) + np.abs(frames.sweep).max())
        vertex_plane = self._find_vertex_plane(low, high, distance, frames)
        vertex_triangle, edge_edge = self._find_pairs(low, high, distance, frames)
        bounds = DistanceBounds(surface, frames, vertex_triangle, edge_edge)
        return Candidates(vertex_triangle, edge_edge, vertex_plane, covered_low, covered_high, frames, bounds, x1 - x0)

    def find_leaf_pairs(self, x: Floats) -> Pairs:
        """Pairs of leaves (triangles and lone edges) whose boxes meet at positions x (v, 3)."""
        frames = BodyFrames.chosen(self.surface, x, x, 0.0)
        return self.leaf[self._node_pairs(self._refitted(packed_boxes(x, x, 0.0, middle_of(x, x)), frames), frames, 0)]

    def _node_pairs(self, tree: kernels.TreeArrays, frames: BodyFrames, span: int) -> Pairs:
        """Pairs of nodes with left subtrees of `span` nodes at most whose boxes meet."""
        pairs = np.empty((max(8 * len(self.leaf_body), 64) if span == 0 else FEW_TASKS, 2), np.int32)
        while len(self.right):
            count = kernels.pairs_below(tree, frames.arrays, 0, 0, span, pairs)
            if count <= len(pairs):
                return pairs[:count]
            pairs = np.empty((count, 2), np.int32)
        return pairs[:0]

    def _boxes(self, frames: BodyFrames, x0: Floats, x1: Floats, ahead: Floats, paths: Paths) -> tuple[Floats, Floats]:
        """Corners (v, 3) of the boxes of a motion, seen from the frames."""
        start, end, last = frames.place(x0)[0], frames.place(x1)[0], frames.place(ahead)[0]
        low, high = np.minimum(np.minimum(start, end), last), np.maximum(np.maximum(start, end), last)
        if not paths.straight:
            corners = paths.boxes(start, end)
            low, high = np.minimum(low, corners[0]), np.maximum(high, corners[1])
        return low, high

    def _find_pairs(self, low: Floats, high: Floats, distance: float, frames: BodyFrames) -> tuple[Pairs, Pairs]:
        """Vertex-triangle and edge-edge pairs whose boxes come within `distance`."""
        if not len(self.right):
            return np.zeros((0, 2), dtype=np.int32), np.zeros((0, 2), dtype=np.int32)
        boxes = packed_boxes(low, high, 0.5 * distance, middle_of(low, high))
        tree, primitives = self._refitted(boxes, frames), self._primitives(boxes)
        tasks = self._node_pairs(tree, frames, len(self.right) // TASK_PART)
        spans = np.zeros((len(tasks), 5), np.int64)
        threads = most_threads(len(tasks) if len(self.leaf_body) >= WORTH_SHARING else 1)
        if len(self._rooms[0]) < threads:
            self._rooms = tuple(np.empty((threads, *room.shape[1:]), np.int32) for room in self._rooms)
        while True:
            needed = np.zeros((threads, 3), np.int64)
            shared = spans, needed, self._rooms
            run_together(threads, kernels.find_pairs, tasks, tree, frames.arrays, primitives, *shared)
            enough = [room.shape[1] >= most for room, most in zip(self._rooms, needed.max(axis=0), strict=True)]
            if all(enough):
                return self._joined(spans, 0), self._joined(spans, 1)
            self._rooms = tuple(map(_grown, self._rooms, needed.max(axis=0)))

    def _joined(self, spans: NDArray[np.int64], kind: int) -> Pairs:
        """The pairs of one kind that the threads have found, in the order of the tree."""
        begin, end = 1 + 2 * kind, 2 + 2 * kind
        pairs = np.empty((int((spans[:, end] - spans[:, begin]).sum()), 2), np.int32)
        kernels.join_spans(spans, kind, self._rooms[1 + kind], pairs)
        return pairs

    def _refitted(self, vertex_boxes: NDArray[np.float32], frames: BodyFrames) -> kernels.TreeArrays:
        """The tree with boxes for those of the vertices (v, 8)."""
        kernels.refit(self.right, self.leaf, self.body, self.surface.leaves, vertex_boxes, *frames.arrays, self.boxes)
        return kernels.TreeArrays(self.right, self.leaf, self.group, self.body, self._ignored, self.boxes)

    def _primitives(self, vertex_boxes: NDArray[np.float32]) -> kernels.Primitives:
        """The primitives of the surface with boxes for those of the vertices (v, 8)."""
        surface = self.surface
        triangles, edges = joined_boxes(surface.triangles, vertex_boxes), joined_boxes(surface.edges, vertex_boxes)
        return kernels.Primitives(
            surface.triangles, surface.edges, surface.owned_vertices, surface.owned_edges, surface.vertex_group,
            self.leaf_body, vertex_boxes, triangles, edges,
        )  # fmt: skip

    def _find_vertex_plane(self, low: Floats, high: Floats, distance: float, frames: BodyFrames) -> Pairs:
        """Movable vertices whose box reaches below `distance` above a plane."""
        surface = self.surface
        pairs = []
        if frames.rides.any():
            back, ahead = frames.swept()
            low, high = low + back[surface.vertex_body], high + ahead[surface.vertex_body]
        for plane in range(surface.plane_count):
            normal = surface.plane_normal[plane]
            lowest = np.where(normal > 0.0, low, high) @ normal - surface.plane_height[plane]
            vertices = np.flatnonzero((lowest < distance) & surface.vertices_meeting(plane))
            pairs.append(np.column_stack([vertices, np.full(len(vertices), plane)]))
        return np.concatenate([*pairs, np.zeros((0, 2))]).astype(np.int32)


def refined_nodes(tree: BoxTree, children: Sequence[NDArray[np.int32]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The nodes of a tree for a refined surface: leaf k of `tree` becomes a subtree of the leaves children[k], one or four."""
    sizes = np.array([1 if leaf < 0 else 2 * len(children[leaf]) - 1 for leaf in tree.leaf.tolist()])
    place = np.concatenate([[0], np.cumsum(sizes)])  # preorder is kept
    right, leaf = np.zeros(place[-1], np.int32), np.full(place[-1], -1, np.int32)
    inner = np.flatnonzero(tree.leaf < 0)
    right[place[inner]] = place[tree.right[inner]]
    for node in np.flatnonzero(tree.leaf >= 0).tolist():
        at, own = place[node], children[tree.leaf[node]]
        if len(own) == 1:
            leaf[at] = own[0]
        else:
            right[at], right[at + 1], right[at + 4] = at + 4, at + 3, at + 6
            leaf[[at + 2, at + 3, at + 5, at + 6]] = own
    return right, leaf


def _build_tree(
    order: NDArray[np.int32],
    body: NDArray[np.int32],
    centroid: Floats,
    right: NDArray[np.int32],
    leaf: NDArray[np.int32],
) -> None:
    """Top-down, in preorder: first bodies are told apart, then each is split at the median of its longest axis.

    Once per simulation; a loop in Python (10 µs a leaf) starts faster than a kernel that must be compiled.
    """
    waiting = [(0, len(order), -1)]
    node = 0
    while waiting:
        start, stop, parent = waiting.pop()
        if parent >= 0:
            right[parent] = node
        # Descend along the left children; each leaves its right half waiting, with itself as the parent.
        while stop - start > 1:
            middle = _split(order, body, centroid, start, stop)
            waiting.append((middle, stop, node))
            node += 1
            stop = middle
        leaf[node] = order[start]
        node += 1


def _split(order: NDArray[np.int32], body: NDArray[np.int32], centroid: Floats, start: int, stop: int) -> int:
    """Reorder order[start:stop] about a cut and return the cut."""
    members = order[start:stop]
    bodies = body[members]
    if bodies[0] != bodies[-1]:
        cut = int(np.searchsorted(bodies, bodies[len(bodies) // 2]))
        return start + (cut or int(np.searchsorted(bodies, bodies[0], side="right")))
    points = centroid[members]
    axis = int(np.argmax(points.max(axis=0) - points.min(axis=0)))
    order[start:stop] = members[np.argsort(points[:, axis], kind="stable")]
    return (start + stop) // 2


def _ignored_matrix(surface: Surface, world: int) -> NDArray[np.uint8]:
    """(world + 1, world + 1) 1 for bodies that never touch, by the numbers of `BoxTree.body`; empty if all do."""
    if surface.ignored is None:
        return np.zeros((0, 0), np.uint8)
    matrix = np.zeros((world + 1, world + 1), np.uint8)
    matrix[:world, :world] = surface.ignored[:world, :world]
    return matrix


def _grown(room: Pairs, needed: int) -> Pairs:
    """Room for so many pairs and some more, if there is not."""
    return np.empty((len(room), needed + needed // 4, 2), np.int32) if needed > room.shape[1] else room
