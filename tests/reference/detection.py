"""Naive twins of proximity detection and of the intersection test: all pairs, closest points by enumeration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.surface import FREE, Surface

Array = NDArray[np.float64]
Weights = dict[int, float]
ROUNDING = 1e-10
"""Distances that differ by this part are equal, and a point with a weight below this is on the border."""


def point_segment(p: Array, a: Array, b: Array) -> Array:
    """Weights (2,) of the point of a-b that is closest to p."""
    s = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.array([1.0 - s, s])


def point_triangle(p: Array, corners: Array) -> Array:
    """Weights (3,) of the point of a triangle (3, 3) that is closest to p."""
    sides = (corners[1:] - corners[0]).T
    u, w = np.linalg.lstsq(sides, p - corners[0], rcond=None)[0]
    if u > ROUNDING and w > ROUNDING and u + w < 1.0 - ROUNDING:
        return np.array([1.0 - u - w, u, w])
    choices = []
    for i, j in ((0, 1), (1, 2), (2, 0)):
        weights = np.zeros(3)
        weights[[i, j]] = point_segment(p, corners[i], corners[j])
        choices.append(weights)
    return min(choices, key=lambda weights: float(np.linalg.norm(p - weights @ corners)))


def edge_edge(a: Array, b: Array) -> tuple[Array, Array]:
    """Weights (2,) of the closest points of two edges (2, 3) each."""
    choices = []
    for end in range(2):
        corner = np.eye(2)[end]
        choices.append((corner, point_segment(a[end], *b)))
        choices.append((point_segment(b[end], *a), corner))
    s, t = np.linalg.lstsq(np.column_stack([a[1] - a[0], b[0] - b[1]]), b[0] - a[0], rcond=None)[0]
    if ROUNDING < s < 1.0 - ROUNDING and ROUNDING < t < 1.0 - ROUNDING:
        choices.append((np.array([1.0 - s, s]), np.array([1.0 - t, t])))
    return min(choices, key=lambda pair: float(np.linalg.norm(pair[0] @ a - pair[1] @ b)))


@dataclass(frozen=True, slots=True)
class NaivePair:
    """The closest points of two primitives, each as weights of its vertices (zero weights left out)."""

    a: Weights
    b: Weights
    distance: float

    @property
    def features(self) -> frozenset[frozenset[int]]:
        """The two vertices, edges or triangles that the closest points are inside of."""
        return frozenset({frozenset(self.a), frozenset(self.b)})


def weights_of(vertices: NDArray[np.integer], weights: Array) -> Weights:
    """Nonzero weights by vertex."""
    return {int(v): float(w) for v, w in zip(vertices, weights, strict=True) if w != 0.0}


def can_meet(surface: Surface, vertices: list[int]) -> bool:
    """Whether some of the vertices move on their own or in different groups."""
    groups = set(surface.vertex_group[vertices].tolist())
    return groups == {FREE} or len(groups) > 1


def vertex_triangle_pairs(surface: Surface) -> list[tuple[int, int]]:
    """Pairs that do not share a vertex and are not of one group; vertices of edges only."""
    return [
        (v, t)
        for v in np.unique(surface.edges).tolist()
        for t, corners in enumerate(surface.triangles.tolist())
        if v not in corners and can_meet(surface, [v, *corners])
    ]


def edge_edge_pairs(surface: Surface) -> list[tuple[int, int]]:
    """Pairs that do not share a vertex and are not of one group, the smaller number first."""
    edges = surface.edges.tolist()
    return [
        (e, f)
        for e in range(len(edges))
        for f in range(e + 1, len(edges))
        if not set(edges[e]) & set(edges[f]) and can_meet(surface, edges[e] + edges[f])
    ]


def measure_vertex_triangle(surface: Surface, x: Array, v: int, t: int) -> NaivePair:
    corners = surface.triangles[t]
    weights = point_triangle(x[v], x[corners])
    return NaivePair({v: 1.0}, weights_of(corners, weights), float(np.linalg.norm(x[v] - weights @ x[corners])))


def measure_edge_edge(surface: Surface, x: Array, e: int, f: int) -> NaivePair:
    a, b = surface.edges[e], surface.edges[f]
    wa, wb = edge_edge(x[a], x[b])
    return NaivePair(weights_of(a, wa), weights_of(b, wb), float(np.linalg.norm(wa @ x[a] - wb @ x[b])))


def all_near_pairs(surface: Surface, x: Array, distance: float) -> list[NaivePair]:
    """The closest points of every pair of primitives that is closer than `distance`; one for each pair."""
    pairs = [measure_vertex_triangle(surface, x, v, t) for v, t in vertex_triangle_pairs(surface)]
    pairs += [measure_edge_edge(surface, x, e, f) for e, f in edge_edge_pairs(surface)]
    return [p for p in pairs if p.distance < distance]


def nearest_pairs(surface: Surface, x: Array, distance: float) -> list[NaivePair]:
    """Of all near pairs, those whose closest points are nearest to each other as seen from everything around them."""
    return [p for p in all_near_pairs(surface, x, distance) if is_nearest(surface, x, p)]


def is_nearest(surface: Surface, x: Array, pair: NaivePair) -> bool:
    small, large = sorted((set(pair.a), set(pair.b)), key=len)
    if len(small) != 1 or len(large) == 3:
        return True
    v = next(iter(small))
    if is_straight_above(surface, x, v, large):
        return True
    if len(large) == 1:
        w = next(iter(large))
        if is_straight_above(surface, x, w, {v}):
            return True
        return sees(surface, x, v, {w}) and sees(surface, x, w, {v}) and are_nearest_ends(surface, x, v, w)
    edges = [e for e, ends in enumerate(surface.edges.tolist()) if v in ends]
    other = next(e for e, ends in enumerate(surface.edges.tolist()) if set(ends) == large)
    return sees(surface, x, v, large) and all(is_nearest_end(surface, x, v, e, other) for e in edges)


def is_straight_above(surface: Surface, x: Array, v: int, feature: set[int]) -> bool:
    """Whether the line from the vertex to its closest point on a triangle, on `feature` of it, is normal to that triangle."""
    for t, corners in enumerate(surface.triangles.tolist()):
        if feature <= set(corners) and v not in corners:
            pair = measure_vertex_triangle(surface, x, v, t)
            a, b, c = x[corners]
            normal = np.cross(b - a, c - a)
            height = abs((x[v] - a) @ normal) / np.linalg.norm(normal)
            if set(pair.b) == feature and pair.distance <= height * (1.0 + ROUNDING):
                return True
    return False


def is_nearest_end(surface: Surface, x: Array, v: int, e: int, other: int) -> bool:
    """Whether no point of edge e is nearer to the other edge than its end v, which has its closest point inside there.

    Other points may be as near: parallel edges have the same distance all along.
    """
    ends = x[surface.edges[other]]
    weights = point_segment(x[v], *ends)
    distance = float(np.linalg.norm(x[v] - weights @ ends))
    return bool((weights > 0.0).all()) and distance <= measure_edge_edge(surface, x, e, other).distance * (
        1.0 + ROUNDING
    )


def are_nearest_ends(surface: Surface, x: Array, v: int, w: int) -> bool:
    """Whether no two edges at v and w of which one is lone (without triangles) are nearer to each other than v and w."""
    lone = np.array(
        [not any(set(ends) <= set(t) for t in surface.triangles.tolist()) for ends in surface.edges.tolist()]
    )
    at = [np.flatnonzero((surface.edges == vertex).any(axis=1)).tolist() for vertex in (v, w)]
    pairs = [(e, f) for e in at[0] for f in at[1] if lone[e] or lone[f]]
    distance = float(np.linalg.norm(x[v] - x[w]))
    return all(distance <= measure_edge_edge(surface, x, e, f).distance * (1.0 + ROUNDING) for e, f in pairs)


def sees(surface: Surface, x: Array, v: int, feature: set[int]) -> bool:
    """Whether every triangle at `feature` has its closest point to the vertex inside that feature."""
    around = [t for t, corners in enumerate(surface.triangles.tolist()) if feature <= set(corners)]
    return all(set(measure_vertex_triangle(surface, x, v, t).b) == feature for t in around)


def edge_crosses_triangle(edge: Array, corners: Array) -> bool:
    """Whether e0 + s (e1 − e0) = a + u (b − a) + w (c − a) has a solution inside both."""
    columns = np.column_stack([edge[1] - edge[0], corners[0] - corners[1], corners[0] - corners[2]])
    if np.linalg.det(columns) == 0.0:  # parallel
        return False
    s, u, w = np.linalg.solve(columns, corners[0] - edge[0])
    return bool(0.0 <= s <= 1.0 and u >= 0.0 and w >= 0.0 and u + w <= 1.0)


def all_crossings(surface: Surface, x: Array) -> set[tuple[int, int]]:
    """Every edge-triangle pair that crosses, without neighbours and without pairs of one group."""
    return {
        (e, t)
        for e, ends in enumerate(surface.edges.tolist())
        for t, corners in enumerate(surface.triangles.tolist())
        if not set(ends) & set(corners)
        and can_meet(surface, ends + corners)
        and edge_crosses_triangle(x[ends], x[corners])
    }
