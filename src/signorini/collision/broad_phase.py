"""Candidate pairs: vertex-triangle and edge-edge pairs that may come near each other during a step.

A bounding-volume tree over the triangles and lone edges is built once and refitted; a pair of these leaves whose boxes
meet yields the pairs of the vertices and edges that the two own ("representative triangles", Curtis2008), so each pair
appears once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision import broad_phase_kernels as kernels
from signorini.collision.surface import PRESCRIBED, Surface

Pairs = NDArray[np.int32]
Boxes = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs that are worth a look, and the motion that they cover."""

    vertex_triangle: Pairs
    """(a, 2) vertex, triangle."""
    edge_edge: Pairs
    """(b, 2) edge, edge."""
    vertex_plane: Pairs
    """(c, 2) vertex, plane."""
    low: NDArray[np.float64]
    """(v, 3) lower corner of the box in which each vertex may move and still be covered."""
    high: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.vertex_triangle) + len(self.edge_edge) + len(self.vertex_plane)

    def cover(self, x: NDArray[np.float64]) -> bool:
        """Whether positions `x` lie in the boxes, so that no pair can be missing for a motion within them."""
        return bool((x >= self.low).all() and (x <= self.high).all())


class BoxTree:
    """Bounding-volume tree over the triangles and lone edges of a surface; its topology is fixed, its boxes are refitted."""

    def __init__(self, surface: Surface, x: NDArray[np.float64]) -> None:
        self.surface = surface
        count = len(surface.leaves)
        body = surface.vertex_body[surface.leaves[:, 0]] if count else np.zeros(0, np.int32)
        centroid = x[surface.leaves].mean(axis=1) if count else np.zeros((0, 3))
        # Leaves of one group never meet each other: a tree of their own per body keeps whole subtrees out.
        self.order = np.argsort(body, kind="stable").astype(np.int32)
        self.right = np.zeros(max(2 * count - 1, 0), dtype=np.int32)
        self.leaf = np.full(max(2 * count - 1, 0), -1, dtype=np.int32)
        if count:
            _build_tree(self.order, body, centroid, self.right, self.leaf)
        self.boxes = np.zeros((len(self.right), 6), dtype=np.float32)
        self.group = kernels.mark_groups(self.right, self.leaf, surface.leaf_group)
        self._movable_vertices = np.flatnonzero(surface.vertex_group != PRESCRIBED)
        self._leaf_pairs = np.zeros((max(8 * count, 64), 2), dtype=np.int32)
        self._vertex_triangle = np.zeros((max(8 * count, 64), 2), dtype=np.int32)
        self._edge_edge = np.zeros((max(16 * count, 64), 2), dtype=np.int32)

    def find_candidates(
        self,
        x0: NDArray[np.float64],
        x1: NDArray[np.float64],
        *,
        distance: float,
        margin: float,
        boxes: Boxes | None = None,
    ) -> Candidates:
        """All pairs that can come closer than `distance` while each vertex stays within `margin` of its path x0 → x1.

        `boxes` are the corners (v, 3) of further boxes in which vertices may be: those of bent paths. The distances of smooth
        bodies are those of their patches, which rise above the triangles.
        """
        surface = self.surface
        low, high = np.minimum(x0, x1), np.maximum(x0, x1)
        if boxes is not None:
            low, high = np.minimum(low, boxes[0]), np.maximum(high, boxes[1])
        covered_low, covered_high = low, high = low - margin, high + margin
        if surface.vertex_rise is not None:
            low, high = low - surface.vertex_rise[:, None], high + surface.vertex_rise[:, None]
        reach = 0.5 * distance
        vertex_plane = self._find_vertex_plane(low, high, distance)
        if not len(self.right):
            none = np.zeros((0, 2), dtype=np.int32)
            return Candidates(none, none, vertex_plane, covered_low, covered_high)
        kernels.refit(self.right, self.leaf, surface.leaves, low, high, reach, self.boxes)
        leaf_pairs = self._find_leaf_pairs()
        while True:
            a, b = kernels.expand_pairs(
                leaf_pairs, surface.triangles, surface.edges, surface.owned_vertices, surface.owned_edges,
                surface.vertex_group, low, high, distance, self._vertex_triangle, self._edge_edge,
            )  # fmt: skip
            if a <= len(self._vertex_triangle) and b <= len(self._edge_edge):
                break
            self._vertex_triangle = _grown(self._vertex_triangle, a)
            self._edge_edge = _grown(self._edge_edge, b)
        vertex_triangle, edge_edge = self._vertex_triangle[:a].copy(), self._edge_edge[:b].copy()
        return Candidates(vertex_triangle, edge_edge, vertex_plane, covered_low, covered_high)

    def find_leaf_pairs(self, x: NDArray[np.float64]) -> Pairs:
        """Pairs of leaves (triangles and lone edges) whose boxes meet at positions x (v, 3)."""
        kernels.refit(self.right, self.leaf, self.surface.leaves, x, x, 0.0, self.boxes)
        return self._find_leaf_pairs().copy()

    def _find_leaf_pairs(self) -> Pairs:
        while True:
            count = kernels.self_pairs(self.right, self.leaf, self.group, self.boxes, self._leaf_pairs)
            if count <= len(self._leaf_pairs):
                return self._leaf_pairs[:count]
            self._leaf_pairs = _grown(self._leaf_pairs, count)

    def _find_vertex_plane(self, low: NDArray[np.float64], high: NDArray[np.float64], distance: float) -> Pairs:
        """Movable vertices whose box reaches below `distance` above a plane."""
        surface = self.surface
        pairs = []
        low, high = low[self._movable_vertices], high[self._movable_vertices]
        for plane in range(surface.plane_count):
            normal = surface.plane_normal[plane]
            lowest = np.where(normal > 0.0, low, high) @ normal - surface.plane_height[plane]
            vertices = self._movable_vertices[lowest < distance]
            pairs.append(np.column_stack([vertices, np.full(len(vertices), plane)]))
        return np.concatenate([*pairs, np.zeros((0, 2))]).astype(np.int32)


def _build_tree(
    order: NDArray[np.int32],
    body: NDArray[np.int32],
    centroid: NDArray[np.float64],
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


def _split(
    order: NDArray[np.int32], body: NDArray[np.int32], centroid: NDArray[np.float64], start: int, stop: int
) -> int:
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


def _grown(buffer: Pairs, needed: int) -> Pairs:
    return np.zeros((needed + needed // 4, 2), dtype=np.int32) if needed > len(buffer) else buffer
