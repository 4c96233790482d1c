"""Narrow phase: exact distances and times of impact of candidate pairs, written as contacts.

The first loop finds what is near at one state, the second what a motion would cause.
"""

from __future__ import annotations

import numpy as np

from signorini.collision.ccd_kernels import MAX_ITERATIONS, edge_edge_toi, point_triangle_toi
from signorini.collision.contact_records_kernels import (
    are_parallel,
    put_vertex_plane,
    set_normal,
    write_above_face,
    write_edge_edge,
    write_ends,
    write_lone_ends,
    write_vertex_triangle,
)
from signorini.collision.contact_set import (
    EDGE_EDGE,
    KIND_SHIFT,
    PRIMITIVE_MASK,
    SEEN_FROM_EDGE,
    VERTEX_EDGE,
    VERTEX_PLANE,
    VERTEX_TRIANGLE,
)
from signorini.collision.edge_edge_kernels import CROSSING, INTERIOR
from signorini.collision.path_ccd_kernels import PAD_PART, pair_pad, path_toi, place_at, plane_toi
from signorini.collision.point_triangle_kernels import cross, dot, negate, subtract
from signorini.collision.separation_kernels import of_edges, of_vertex_triangle
from signorini.compiled import kernel

ROUNDING = 1.0 + 1e-9
"""Factor on a distance that exceeds the rounding of the products of a gap."""
LEAST_SQUARE = 1e-280
"""Least squared length of a separating axis: smaller ones lose their digits to underflow."""


@kernel
def seen_from(x, origin, i):
    """Where vertex i is, seen from vertex `origin`."""
    return (x[i, 0] - x[origin, 0], x[i, 1] - x[origin, 1], x[i, 2] - x[origin, 2])


@kernel
def is_wide(gap, m, distance):
    """Whether a gap m·(a - b) is one of more than `distance`."""
    square = dot(m, m)
    return square > LEAST_SQUARE and gap > distance * np.sqrt(square) * ROUNDING


@kernel
def vertex_gap(m, a, b, c):
    """How far ahead of a triangle, seen from there, a vertex is in the direction m."""
    return -max(dot(m, a), dot(m, b), dot(m, c))


@kernel
def edge_gap(m, a1, b0, b1):
    """How far ahead of edge b the edge from 0 to a1 is in the direction m."""
    return min(0.0, dot(m, a1)) - max(dot(m, b0), dot(m, b1))


@kernel
def vertex_stays_clear(x0, x1, v, a, b, c, distance):
    """Whether an axis shows that a vertex stays apart from a triangle: the line to its centroid, or its normal.

    A gap along an axis is linear in time, so that it is enough to know it at the start and at the end of the motion.
    """
    a0, b0, c0 = seen_from(x0, v, a), seen_from(x0, v, b), seen_from(x0, v, c)
    a1, b1, c1 = seen_from(x1, v, a), seen_from(x1, v, b), seen_from(x1, v, c)
    m = (-a0[0] - b0[0] - c0[0], -a0[1] - b0[1] - c0[1], -a0[2] - b0[2] - c0[2])
    if is_wide(vertex_gap(m, a0, b0, c0), m, distance) and is_wide(vertex_gap(m, a1, b1, c1), m, distance):
        return True
    n = cross(subtract(b0, a0), subtract(c0, a0))
    if dot(n, m) < 0.0:
        n = negate(n)
    return is_wide(vertex_gap(n, a0, b0, c0), n, distance) and is_wide(vertex_gap(n, a1, b1, c1), n, distance)


@kernel
def edges_stay_clear(x0, x1, a, a_end, b, b_end, distance):
    """Whether an axis shows that two edges stay apart: the line between their midpoints, or the normal of both."""
    u0, v0, w0 = seen_from(x0, a, a_end), seen_from(x0, a, b), seen_from(x0, a, b_end)
    u1, v1, w1 = seen_from(x1, a, a_end), seen_from(x1, a, b), seen_from(x1, a, b_end)
    m = (u0[0] - v0[0] - w0[0], u0[1] - v0[1] - w0[1], u0[2] - v0[2] - w0[2])
    if is_wide(edge_gap(m, u0, v0, w0), m, distance) and is_wide(edge_gap(m, u1, v1, w1), m, distance):
        return True
    n = cross(u0, subtract(w0, v0))
    if dot(n, m) < 0.0:
        n = negate(n)
    return is_wide(edge_gap(n, u0, v0, w0), n, distance) and is_wide(edge_gap(n, u1, v1, w1), n, distance)


@kernel
def height(x, v, plane, plane_normal, plane_height):
    """Distance of a vertex above a plane."""
    n = plane_normal[plane]
    return n[0] * x[v, 0] + n[1] * x[v, 1] + n[2] * x[v, 2] - plane_height[plane]


@kernel
def plane_impact(x0, x1, paths, v, plane, plane_normal, plane_height, separation, work):
    """When a vertex comes below min(separation, half its height at the start) above a plane; inf for never."""
    before = height(x0, v, plane, plane_normal, plane_height)
    after = height(x1, v, plane, plane_normal, plane_height)
    keep = min(separation, 0.5 * before)
    bend = paths[0]
    if len(bend) and bend[v] > 0.0:
        if before > 0.0 and min(before, after) >= keep + bend[v]:
            return np.inf
        return plane_toi(paths, x0, x1, v, plane_normal[plane], plane_height[plane], keep, work)
    if after < keep:
        return (before - keep) / (before - after) if before > keep else 0.0
    return np.inf


@kernel
def vertex_triangle_impact(x0, x1, paths, v, a, b, c, keep, pad, work):
    """When a vertex and a triangle come within `keep` [m]; inf for never. `pad` is what their whole paths are bent."""
    if pad > PAD_PART * keep:
        return path_toi(paths, x0, x1, v, a, b, c, False, keep, work)
    return point_triangle_toi(x0, x1, v, a, b, c, keep + pad, MAX_ITERATIONS)


@kernel
def edge_edge_impact(x0, x1, paths, a0, a1, b0, b1, keep, pad, work):
    """When two edges come within `keep` [m]; inf for never. `pad` is what their whole paths are bent."""
    if pad > PAD_PART * keep:
        return path_toi(paths, x0, x1, a0, a1, b0, b1, True, keep, work)
    return edge_edge_toi(x0, x1, a0, a1, b0, b1, keep + pad, MAX_ITERATIONS)


@kernel
def proximity(
    vertex_triangle, edge_edge, vertex_plane, triangles, edges, triangle_edges, first_lone_edge, plane_normal,
    plane_height, x, reach, keys, vertices, weights, normal, distance,
):  # fmt: skip
    """Contacts closer than `reach`; returns their number (also when there is no room for all) and the least distance."""
    count = 0
    least2 = np.inf
    least = np.inf
    for p in range(len(vertex_plane)):
        above = height(x, vertex_plane[p, 0], vertex_plane[p, 1], plane_normal, plane_height)
        if above < reach:
            least = min(least, above)
            put_vertex_plane(count, vertex_plane[p, 0], vertex_plane[p, 1], plane_normal, above, keys, vertices, weights,
                             normal, distance)  # fmt: skip
            count += 1
    for p in range(len(vertex_triangle)):
        v, tri = vertex_triangle[p, 0], vertex_triangle[p, 1]
        a, b, c = triangles[tri, 0], triangles[tri, 1], triangles[tri, 2]
        if vertex_stays_clear(x, x, v, a, b, c, reach):
            continue
        d2 = write_vertex_triangle(count, x, x, 0.0, v, tri, triangles, edges, triangle_edges, keys, vertices, weights)
        if d2 < reach * reach:
            least2 = min(least2, d2)
            if count < len(keys):
                if keys[count] >> KIND_SHIFT != VERTEX_TRIANGLE:
                    write_above_face(count, x, v, tri, triangles, d2, keys, vertices, weights)
                set_normal(count, x, x, 0.0, vertices, weights, normal, distance)
            count += 1
    for p in range(len(edge_edge)):
        e, f = edge_edge[p, 0], edge_edge[p, 1]
        if edges_stay_clear(x, x, edges[e, 0], edges[e, 1], edges[f, 0], edges[f, 1], reach):
            continue
        d2, feature = write_edge_edge(count, x, x, 0.0, e, f, edges, keys, vertices, weights)
        if d2 < reach * reach:
            least2 = min(least2, d2)
            if feature == CROSSING:
                if count < len(keys):
                    set_normal(count, x, x, 0.0, vertices, weights, normal, distance)
                count += 1
            if max(e, f) >= first_lone_edge:
                count = write_lone_ends(count, x, e, f, edges, first_lone_edge, d2, keys, vertices, weights, normal,
                                        distance)  # fmt: skip
            # Note which ends the edges see; two vertices need no note, their triangles tell all about that contact.
            elif are_parallel(x, e, f, edges):
                count = write_ends(count, x, e, f, edges, d2, keys, vertices, weights)
                count = write_ends(count, x, f, e, edges, d2, keys, vertices, weights)
            elif feature != CROSSING and (feature // 3 == INTERIOR or feature % 3 == INTERIOR):
                if count < len(keys):
                    keys[count] += np.int64(SEEN_FROM_EDGE - VERTEX_EDGE) << KIND_SHIFT
                count += 1
    return count, min(least, np.sqrt(least2))


@kernel
def impacts(
    vertex_triangle, edge_edge, vertex_plane, triangles, edges, triangle_edges, plane_normal, plane_height, x0, x1, paths,
    vertex_separation, plane_separation, keys, vertices, weights, normal, distance,
):  # fmt: skip
    """Contacts whose distance falls below min(separation, d0 / 2); returns their number and the earliest time."""
    count, first, pad = 0, np.inf, 0.0
    bend, work = paths[0], np.zeros(1, np.int64)
    curved = len(bend) > 0
    x_impact = np.empty_like(x0) if curved else x1
    for p in range(len(vertex_plane)):
        v, plane = vertex_plane[p, 0], vertex_plane[p, 1]
        separation = max(vertex_separation[v], plane_separation[plane])
        toi = plane_impact(x0, x1, paths, v, plane, plane_normal, plane_height, separation, work)
        if toi <= 1.0:
            first = min(first, toi)
            before = height(x0, v, plane, plane_normal, plane_height)
            put_vertex_plane(count, v, plane, plane_normal, before, keys, vertices, weights, normal, distance)
            count += 1
    for p in range(len(vertex_triangle)):
        v, tri = vertex_triangle[p, 0], vertex_triangle[p, 1]
        a, b, c = triangles[tri, 0], triangles[tri, 1], triangles[tri, 2]
        separation = of_vertex_triangle(vertex_separation, v, a, b, c)
        if curved:
            pad = pair_pad(bend, v, a, b, c, False)
        if vertex_stays_clear(x0, x1, v, a, b, c, separation + pad):
            continue
        d2 = write_vertex_triangle(
            count, x0, x1, 0.0, v, tri, triangles, edges, triangle_edges, keys, vertices, weights
        )
        toi = vertex_triangle_impact(x0, x1, paths, v, a, b, c, min(separation, 0.5 * np.sqrt(d2)), pad, work)
        if toi <= 1.0:
            first = min(first, toi)
            end, t = x1, toi
            if pad > 0.0:
                place_at(paths, x0, x1, v, a, b, c, toi, x_impact)
                end, t = x_impact, 1.0
            write_vertex_triangle(count, x0, end, t, v, tri, triangles, edges, triangle_edges, keys, vertices, weights)
            # A normal that rotated so far that the pair looks closed at the start would be an infeasible constraint.
            if count < len(keys) and set_normal(count, x0, end, t, vertices, weights, normal, distance) < 0.5 * min(
                separation, np.sqrt(d2)
            ):
                write_vertex_triangle(
                    count, x0, x1, 0.0, v, tri, triangles, edges, triangle_edges, keys, vertices, weights
                )
                set_normal(count, x0, x1, 0.0, vertices, weights, normal, distance)
            count += 1
    for p in range(len(edge_edge)):
        e, f = edge_edge[p, 0], edge_edge[p, 1]
        a0, a1, b0, b1 = edges[e, 0], edges[e, 1], edges[f, 0], edges[f, 1]
        separation = of_edges(vertex_separation, a0, a1, b0, b1)
        if curved:
            pad = pair_pad(bend, a0, a1, b0, b1, True)
        if edges_stay_clear(x0, x1, a0, a1, b0, b1, separation + pad):
            continue
        d2, _ = write_edge_edge(count, x0, x1, 0.0, e, f, edges, keys, vertices, weights)
        toi = edge_edge_impact(x0, x1, paths, a0, a1, b0, b1, min(separation, 0.5 * np.sqrt(d2)), pad, work)
        if toi <= 1.0:
            first = min(first, toi)
            end, t = x1, toi
            if pad > 0.0:
                place_at(paths, x0, x1, a0, a1, b0, b1, toi, x_impact)
                end, t = x_impact, 1.0
            write_edge_edge(count, x0, end, t, e, f, edges, keys, vertices, weights)
            if count < len(keys) and set_normal(count, x0, end, t, vertices, weights, normal, distance) < 0.5 * min(
                separation, np.sqrt(d2)
            ):
                write_edge_edge(count, x0, x1, 0.0, e, f, edges, keys, vertices, weights)
                set_normal(count, x0, x1, 0.0, vertices, weights, normal, distance)
            count += 1
    return count, first


@kernel
def bodies_of(keys, vertices, weights, vertex_body, plane_body, bodies):
    """Body numbers of both sides of every contact."""
    for c in range(len(keys)):
        bodies[c, 0] = vertex_body[vertices[c, 0]]
        if keys[c] >> KIND_SHIFT == VERTEX_PLANE:
            bodies[c, 1] = plane_body[keys[c] & PRIMITIVE_MASK]
        else:
            other = 0
            for k in range(4):
                if vertices[c, k] >= 0 and weights[c, k] < 0.0:
                    other = vertices[c, k]
            if keys[c] >> KIND_SHIFT == EDGE_EDGE:
                other = vertices[c, 2]
            bodies[c, 1] = vertex_body[other]
