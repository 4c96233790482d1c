"""Triangles of a polygon with holes: holes are joined to the outline by bridges, then ears are cut off one by one."""

from __future__ import annotations

import math

from signorini.geometry.planar_predicates import Point, orientation, segments_meet

Ring = list[int]
Triangle = tuple[int, int, int]


def clip_ears(points: list[Point], outline: Ring, holes: list[Ring]) -> list[Triangle]:
    """Triangles that turn left, for an outline that turns left and holes that turn right, given as indices of points.

    All points of all rings are used, also those in the middle of a straight line. The rings must be simple and must not
    meet. Raises a `ValueError` if they do and no triangulation is found.
    """
    ring = _bridged(points, outline, holes)
    triangles: list[Triangle] = []
    position, misses = 0, 0
    while len(ring) > 3:
        if misses > len(ring):
            raise ValueError("the rings of the polygon meet")
        position %= len(ring)
        before, tip, after = ring[position - 1], ring[position], ring[(position + 1) % len(ring)]
        if _is_ear(points, ring, before, tip, after):
            triangles.append((before, tip, after))
            del ring[position]
            position += 1  # not the neighbour: a fan of slivers would grow from one vertex
            misses = 0
        else:
            position += 1
            misses += 1
    if orientation(*(points[i] for i in ring)) <= 0:
        raise ValueError("the rings of the polygon meet")
    triangles.append((ring[0], ring[1], ring[2]))
    return triangles


def _is_ear(points: list[Point], ring: Ring, before: int, tip: int, after: int) -> bool:
    a, b, c = points[before], points[tip], points[after]
    if orientation(a, b, c) <= 0:
        return False
    low_x, high_x = min(a[0], b[0], c[0]), max(a[0], b[0], c[0])
    low_y, high_y = min(a[1], b[1], c[1]), max(a[1], b[1], c[1])
    for i in ring:
        p = points[i]
        if not (low_x <= p[0] <= high_x and low_y <= p[1] <= high_y) or i in (before, tip, after):
            continue
        if orientation(a, b, p) >= 0 and orientation(b, c, p) >= 0 and orientation(c, a, p) >= 0:
            return False
    return True


def _bridged(points: list[Point], outline: Ring, holes: list[Ring]) -> Ring:
    """One ring that walks along the outline and, over a bridge and back, around every hole."""
    ring = list(outline)
    waiting = [list(hole) for hole in holes]
    edges = [(r[k - 1], r[k]) for r in (outline, *holes) for k in range(len(r))]
    while waiting:
        place, hole, entry = _shortest_bridge(points, ring, waiting, edges)
        loop = waiting.pop(hole)
        edges.append((ring[place], loop[entry]))
        ring[place + 1 : place + 1] = [*loop[entry:], *loop[: entry + 1], ring[place]]
    return ring


def _shortest_bridge(
    points: list[Point], ring: Ring, holes: list[Ring], edges: list[tuple[int, int]]
) -> tuple[int, int, int]:
    """The place in the ring, the hole and the place in it, between which the shortest free segment runs."""
    pairs = sorted(
        (math.dist(points[i], points[j]), place, number, entry)
        for place, i in enumerate(ring)
        for number, hole in enumerate(holes)
        for entry, j in enumerate(hole)
    )
    for _, place, number, entry in pairs:
        i, j = ring[place], holes[number][entry]
        free = not any(
            segments_meet(points[i], points[j], points[p], points[q]) for p, q in edges if not {p, q} & {i, j}
        )
        if free and _enters(points, ring, place, j):
            return place, number, entry
    raise ValueError("the rings of the polygon meet")


def _enters(points: list[Point], ring: Ring, place: int, target: int) -> bool:
    """Whether the segment from a corner of the ring to a point starts inside: a corner may be in the ring several times."""
    before, tip, after = (points[ring[k]] for k in (place - 1, place, (place + 1) % len(ring)))
    p = points[target]
    left_of_in, left_of_out = orientation(before, tip, p) > 0, orientation(tip, after, p) > 0
    if orientation(before, tip, after) > 0:
        return left_of_in and left_of_out
    return left_of_in or left_of_out
