"""Naive twin of the broad phase: every pair of boxes, and pairs that truly come near during a motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference import detection
from signorini.collision.surface import Surface

Array = NDArray[np.float64]
Pairs = set[tuple[int, int]]


def boxes_are_near(low: Array, high: Array, a: list[int], b: list[int], distance: float) -> bool:
    """Whether the boxes of two groups of vertices come within `distance` along every axis."""
    return bool(
        np.all(low[a].min(axis=0) - distance <= high[b].max(axis=0))
        and np.all(high[a].max(axis=0) + distance >= low[b].min(axis=0))
    )


def box_pairs(surface: Surface, low: Array, high: Array, distance: float) -> tuple[Pairs, Pairs]:
    """Vertex-triangle and edge-edge pairs (smaller edge first) whose boxes are near."""
    triangles, edges = surface.triangles.tolist(), surface.edges.tolist()
    return (
        {
            (v, t)
            for v, t in detection.vertex_triangle_pairs(surface)
            if boxes_are_near(low, high, [v], triangles[t], distance)
        },
        {
            (e, f)
            for e, f in detection.edge_edge_pairs(surface)
            if boxes_are_near(low, high, edges[e], edges[f], distance)
        },
    )


def near_pairs(surface: Surface, x: Array, distance: float) -> tuple[Pairs, Pairs]:
    """Vertex-triangle and edge-edge pairs that are closer than `distance` at positions x."""
    return (
        {
            (v, t)
            for v, t in detection.vertex_triangle_pairs(surface)
            if detection.measure_vertex_triangle(surface, x, v, t).distance < distance
        },
        {
            (e, f)
            for e, f in detection.edge_edge_pairs(surface)
            if detection.measure_edge_edge(surface, x, e, f).distance < distance
        },
    )


def plane_pairs(surface: Surface, low: Array, high: Array, distance: float) -> Pairs:
    """Movable vertices that have a corner of their box below `distance` above a plane."""
    found = set()
    for plane in range(surface.plane_count):
        normal, height = surface.plane_normal[plane], surface.plane_height[plane]
        for v in np.flatnonzero(surface.vertex_group != 0).tolist():
            corners = np.array(np.meshgrid(*zip(low[v], high[v], strict=True))).reshape(3, -1).T
            if (corners @ normal - height).min() < distance:
                found.add((v, plane))
    return found
