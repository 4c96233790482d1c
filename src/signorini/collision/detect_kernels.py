"""Narrow phase: exact distances and times of impact of candidate pairs, written as contacts.

A contact whose closest points lie on a smaller feature is keyed by that feature (vertex-vertex, vertex-edge), so that the
many pairs that see the same two points become one contact.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from signorini.collision.ccd_kernels import MAX_ITERATIONS, edge_edge_toi, point_triangle_toi
from signorini.collision.edge_edge_kernels import CROSSING, edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import FACE, point_triangle_closest_vectors
from signorini.contact.contact_set import (
    EDGE_EDGE,
    FIRST_SHIFT,
    KIND_SHIFT,
    PRIMITIVE_MASK,
    SEEN_FROM_EDGE,
    VERTEX_EDGE,
    VERTEX_PLANE,
    VERTEX_TRIANGLE,
    VERTEX_VERTEX,
)


@njit(cache=True)
def pack(kind, first, second):
    """The key of a contact: its kind and two primitives in 63 bits."""
    return (np.int64(kind) << KIND_SHIFT) | (np.int64(first) << FIRST_SHIFT) | np.int64(second)


@njit(cache=True)
def least_gap(x0, x1, a, b, mx, my, mz):
    """m·(a − b) at the start or the end of the motion, whichever is less: it is linear in time."""
    before = mx * (x0[a, 0] - x0[b, 0]) + my * (x0[a, 1] - x0[b, 1]) + mz * (x0[a, 2] - x0[b, 2])
    after = mx * (x1[a, 0] - x1[b, 0]) + my * (x1[a, 1] - x1[b, 1]) + mz * (x1[a, 2] - x1[b, 2])
    return min(before, after)


@njit(cache=True)
def vertex_stays_clear(x0, x1, v, a, b, c, distance):
    """Whether the line from the centroid of the triangle to the vertex is an axis on which both stay apart."""
    mx = x0[v, 0] - (x0[a, 0] + x0[b, 0] + x0[c, 0]) / 3.0
    my = x0[v, 1] - (x0[a, 1] + x0[b, 1] + x0[c, 1]) / 3.0
    mz = x0[v, 2] - (x0[a, 2] + x0[b, 2] + x0[c, 2]) / 3.0
    # One part in 10^9 is more than the rounding of the products.
    need = distance * np.sqrt(mx * mx + my * my + mz * mz) * (1.0 + 1e-9)
    return (
        least_gap(x0, x1, v, a, mx, my, mz) > need
        and least_gap(x0, x1, v, b, mx, my, mz) > need
        and least_gap(x0, x1, v, c, mx, my, mz) > need
    )


@njit(cache=True)
def edges_stay_clear(x0, x1, a0, a1, b0, b1, distance):
    """Whether the line between the midpoints is an axis on which both edges stay apart."""
    mx = 0.5 * (x0[a0, 0] + x0[a1, 0] - x0[b0, 0] - x0[b1, 0])
    my = 0.5 * (x0[a0, 1] + x0[a1, 1] - x0[b0, 1] - x0[b1, 1])
    mz = 0.5 * (x0[a0, 2] + x0[a1, 2] - x0[b0, 2] - x0[b1, 2])
    need = distance * np.sqrt(mx * mx + my * my + mz * mz) * (1.0 + 1e-9)
    return (
        least_gap(x0, x1, a0, b0, mx, my, mz) > need
        and least_gap(x0, x1, a0, b1, mx, my, mz) > need
        and least_gap(x0, x1, a1, b0, mx, my, mz) > need
        and least_gap(x0, x1, a1, b1, mx, my, mz) > need
    )


@njit(cache=True)
def at_time(x0, x1, t, i):
    """Position of a vertex at the fraction t of its motion."""
    return (
        x0[i, 0] + t * (x1[i, 0] - x0[i, 0]),
        x0[i, 1] + t * (x1[i, 1] - x0[i, 1]),
        x0[i, 2] + t * (x1[i, 2] - x0[i, 2]),
    )


@njit(cache=True)
def put(slot, key, v0, v1, v2, v3, w0, w1, w2, w3, keys, vertices, weights):
    """Write the participants of a contact if there is room for it."""
    if slot < len(keys):
        keys[slot] = key
        vertices[slot, 0], vertices[slot, 1], vertices[slot, 2], vertices[slot, 3] = v0, v1, v2, v3
        weights[slot, 0], weights[slot, 1], weights[slot, 2], weights[slot, 3] = w0, w1, w2, w3


@njit(cache=True)
def put_vertex_vertex(slot, v, w, keys, vertices, weights):
    """Two vertices, the smaller index first."""
    first, second = np.int64(min(v, w)), np.int64(max(v, w))
    put(slot, pack(VERTEX_VERTEX, first, second), first, second, -1, -1, 1.0, -1.0, 0.0, 0.0, keys, vertices, weights)


@njit(cache=True)
def put_vertex_edge(slot, v, edge, edges, s, keys, vertices, weights):
    """A vertex and the point (1 − s) e0 + s e1 of an edge."""
    v, edge, e0, e1 = np.int64(v), np.int64(edge), np.int64(edges[edge, 0]), np.int64(edges[edge, 1])
    put(slot, pack(VERTEX_EDGE, v, edge), v, e0, e1, -1, 1.0, s - 1.0, -s, 0.0, keys, vertices, weights)


@njit(cache=True)
def write_vertex_triangle(slot, x0, x1, t, v, tri, triangles, edges, triangle_edges, keys, vertices, weights):
    """Write the contact of a vertex and a triangle at the fraction t of the motion; returns the squared distance."""
    # One integer type throughout: every mixture would be compiled separately.
    v, tri = np.int64(v), np.int64(tri)
    a, b, c = np.int64(triangles[tri, 0]), np.int64(triangles[tri, 1]), np.int64(triangles[tri, 2])
    d2, wa, wb, wc, feature = point_triangle_closest_vectors(
        at_time(x0, x1, t, v), at_time(x0, x1, t, a), at_time(x0, x1, t, b), at_time(x0, x1, t, c)
    )
    if feature == FACE:
        put(slot, pack(VERTEX_TRIANGLE, v, tri), v, a, b, c, 1.0, -wa, -wb, -wc, keys, vertices, weights)
    elif feature < 3:
        put_vertex_vertex(slot, v, triangles[tri, feature], keys, vertices, weights)
    else:
        edge = triangle_edges[tri, feature - 3]
        start, w = triangles[tri, feature - 3], (wb, wc, wa)[feature - 3]
        s = w if edges[edge, 0] == start else 1.0 - w
        put_vertex_edge(slot, v, edge, edges, s, keys, vertices, weights)
    return d2


@njit(cache=True)
def write_edge_edge(slot, x0, x1, t, e, f, edges, keys, vertices, weights):
    """Write the contact of two edges at the fraction t of the motion; returns the squared distance and the feature."""
    e, f = np.int64(min(e, f)), np.int64(max(e, f))
    a0, a1, b0, b1 = np.int64(edges[e, 0]), np.int64(edges[e, 1]), np.int64(edges[f, 0]), np.int64(edges[f, 1])
    d2, r, s, feature = edge_edge_closest_vectors(
        at_time(x0, x1, t, a0), at_time(x0, x1, t, a1), at_time(x0, x1, t, b0), at_time(x0, x1, t, b1)
    )
    on_a, on_b = feature // 3, feature % 3
    if feature == CROSSING:
        put(slot, pack(EDGE_EDGE, e, f), a0, a1, b0, b1, 1.0 - r, r, s - 1.0, -s, keys, vertices, weights)
    elif on_a < 2 and on_b < 2:
        put_vertex_vertex(slot, edges[e, on_a], edges[f, on_b], keys, vertices, weights)
    elif on_a < 2:
        put_vertex_edge(slot, edges[e, on_a], f, edges, s, keys, vertices, weights)
    else:
        put_vertex_edge(slot, edges[f, on_b], e, edges, r, keys, vertices, weights)
    return d2, feature


@njit(cache=True)
def separation_vector(slot, x0, x1, t, vertices, weights):
    """pa − pb of a written contact at the fraction t of the motion."""
    dx = dy = dz = 0.0
    for k in range(4):
        i = vertices[slot, k]
        if i >= 0:
            p = at_time(x0, x1, t, i)
            dx += weights[slot, k] * p[0]
            dy += weights[slot, k] * p[1]
            dz += weights[slot, k] * p[2]
    return dx, dy, dz


@njit(cache=True)
def set_normal(slot, x0, x1, t, vertices, weights, normal, distance):
    """Normal along pa − pb at time t, distance along it at the start; returns that distance."""
    dx, dy, dz = separation_vector(slot, x0, x1, t, vertices, weights)
    size = max(np.sqrt(dx * dx + dy * dy + dz * dz), 1e-300)
    dx, dy, dz = dx / size, dy / size, dz / size
    sx, sy, sz = separation_vector(slot, x0, x1, 0.0, vertices, weights)
    normal[slot, 0], normal[slot, 1], normal[slot, 2] = dx, dy, dz
    distance[slot] = dx * sx + dy * sy + dz * sz
    return distance[slot]


@njit(cache=True)
def height(x, v, plane, plane_normal, plane_height):
    """Distance of a vertex above a plane."""
    n = plane_normal[plane]
    return n[0] * x[v, 0] + n[1] * x[v, 1] + n[2] * x[v, 2] - plane_height[plane]


@njit(cache=True)
def put_vertex_plane(slot, v, plane, plane_normal, above, keys, vertices, weights, normal, distance):
    """A vertex and a half-space."""
    v, plane = np.int64(v), np.int64(plane)
    put(slot, pack(VERTEX_PLANE, v, plane), v, -1, -1, -1, 1.0, 0.0, 0.0, 0.0, keys, vertices, weights)
    if slot < len(keys):
        for a in range(3):
            normal[slot, a] = plane_normal[plane, a]
        distance[slot] = above


@njit(cache=True)
def proximity(
    vertex_triangle, edge_edge, vertex_plane, triangles, edges, triangle_edges, plane_normal, plane_height, x, reach,
    keys, vertices, weights, normal, distance,
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
                set_normal(count, x, x, 0.0, vertices, weights, normal, distance)
            count += 1
    for p in range(len(edge_edge)):
        e, f = edge_edge[p, 0], edge_edge[p, 1]
        if edges_stay_clear(x, x, edges[e, 0], edges[e, 1], edges[f, 0], edges[f, 1], reach):
            continue
        d2, feature = write_edge_edge(count, x, x, 0.0, e, f, edges, keys, vertices, weights)
        if d2 < reach * reach:
            least2 = min(least2, d2)
            if feature != CROSSING:
                if count < len(keys) and keys[count] >> KIND_SHIFT == VERTEX_EDGE:
                    keys[count] += np.int64(SEEN_FROM_EDGE - VERTEX_EDGE) << KIND_SHIFT
                elif count < len(keys):
                    continue  # two vertices: their triangles tell all about that contact
                count += 1
                continue
            if count < len(keys):
                set_normal(count, x, x, 0.0, vertices, weights, normal, distance)
            count += 1
    return count, min(least, np.sqrt(least2))


@njit(cache=True)
def impacts(
    vertex_triangle, edge_edge, vertex_plane, triangles, edges, triangle_edges, plane_normal, plane_height, x0, x1,
    separation, keys, vertices, weights, normal, distance,
):  # fmt: skip
    """Contacts whose distance falls below min(separation, d0 / 2); returns their number and the earliest time."""
    count = 0
    first = np.inf
    for p in range(len(vertex_plane)):
        v, plane = vertex_plane[p, 0], vertex_plane[p, 1]
        before = height(x0, v, plane, plane_normal, plane_height)
        after = height(x1, v, plane, plane_normal, plane_height)
        keep = min(separation, 0.5 * before)
        if after < keep:
            first = min(first, (before - keep) / (before - after) if before > keep else 0.0)
            put_vertex_plane(count, v, plane, plane_normal, before, keys, vertices, weights, normal, distance)
            count += 1
    for p in range(len(vertex_triangle)):
        v, tri = vertex_triangle[p, 0], vertex_triangle[p, 1]
        a, b, c = triangles[tri, 0], triangles[tri, 1], triangles[tri, 2]
        if vertex_stays_clear(x0, x1, v, a, b, c, separation):
            continue
        d2 = write_vertex_triangle(
            count, x0, x1, 0.0, v, tri, triangles, edges, triangle_edges, keys, vertices, weights
        )
        toi = point_triangle_toi(x0, x1, v, a, b, c, min(separation, 0.5 * np.sqrt(d2)), MAX_ITERATIONS)
        if toi <= 1.0:
            first = min(first, toi)
            write_vertex_triangle(count, x0, x1, toi, v, tri, triangles, edges, triangle_edges, keys, vertices, weights)
            # A normal that turned so far that the pair looks closed at the start asks for the impossible.
            if count < len(keys) and set_normal(count, x0, x1, toi, vertices, weights, normal, distance) < 0.5 * min(
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
        if edges_stay_clear(x0, x1, a0, a1, b0, b1, separation):
            continue
        d2, _ = write_edge_edge(count, x0, x1, 0.0, e, f, edges, keys, vertices, weights)
        toi = edge_edge_toi(x0, x1, a0, a1, b0, b1, min(separation, 0.5 * np.sqrt(d2)), MAX_ITERATIONS)
        if toi <= 1.0:
            first = min(first, toi)
            write_edge_edge(count, x0, x1, toi, e, f, edges, keys, vertices, weights)
            if count < len(keys) and set_normal(count, x0, x1, toi, vertices, weights, normal, distance) < 0.5 * min(
                separation, np.sqrt(d2)
            ):
                write_edge_edge(count, x0, x1, 0.0, e, f, edges, keys, vertices, weights)
                set_normal(count, x0, x1, 0.0, vertices, weights, normal, distance)
            count += 1
    return count, first


@njit(cache=True)
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
