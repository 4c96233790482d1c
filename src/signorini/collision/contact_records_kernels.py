"""Contact records: the rows that one pair of primitives writes to the arrays of the narrow phase.

A contact whose closest points lie on a smaller feature is keyed by that feature (vertex-vertex, vertex-edge), so that the
many pairs that see the same two points become one contact.
"""

from __future__ import annotations

import numpy as np

from signorini.collision.contact_set import (
    EDGE_EDGE,
    FIRST_SHIFT,
    KIND_SHIFT,
    SEEN_FROM_EDGE,
    VERTEX_EDGE,
    VERTEX_PLANE,
    VERTEX_TRIANGLE,
    VERTEX_VERTEX,
)
from signorini.collision.edge_edge_kernels import CROSSING, edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import (
    FACE,
    cross,
    dot,
    origin_segment_closest,
    point_triangle_closest_vectors,
    subtract,
)
from signorini.compiled import kernel

TIE = 1e-9
"""Relative difference of squared distances that count as equal: above rounding, and its root bounds how oblique a contact is."""
PARALLEL = 1e-6
"""Squared sine of the angle up to which two edges count as parallel: several of their ends may share the least distance."""
NUDGE = (6.18e-6, 4.14e-6, 7.32e-6)
"""Displacement of a vertex over its distance that chooses one of the triangles at an edge: no edge is likely to be parallel."""


@kernel
def pack(kind, first, second):
    """The key of a contact: its kind and two primitives in 63 bits."""
    return (np.int64(kind) << KIND_SHIFT) | (np.int64(first) << FIRST_SHIFT) | np.int64(second)


@kernel
def at_time(x0, x1, t, i):
    """Position of a vertex at the fraction t of its motion."""
    return (
        x0[i, 0] + t * (x1[i, 0] - x0[i, 0]),
        x0[i, 1] + t * (x1[i, 1] - x0[i, 1]),
        x0[i, 2] + t * (x1[i, 2] - x0[i, 2]),
    )


@kernel
def put(slot, key, v0, v1, v2, v3, w0, w1, w2, w3, keys, vertices, weights):
    """Write the participants of a contact if there is room for it."""
    if slot < len(keys):
        keys[slot] = key
        vertices[slot, 0], vertices[slot, 1], vertices[slot, 2], vertices[slot, 3] = v0, v1, v2, v3
        weights[slot, 0], weights[slot, 1], weights[slot, 2], weights[slot, 3] = w0, w1, w2, w3


@kernel
def put_vertex_vertex(slot, v, w, keys, vertices, weights):
    """Two vertices, the smaller index first."""
    first, second = np.int64(min(v, w)), np.int64(max(v, w))
    put(slot, pack(VERTEX_VERTEX, first, second), first, second, -1, -1, 1.0, -1.0, 0.0, 0.0, keys, vertices, weights)


@kernel
def put_vertex_edge(slot, v, edge, edges, s, keys, vertices, weights):
    """A vertex and the point (1 − s) e0 + s e1 of an edge."""
    v, edge, e0, e1 = np.int64(v), np.int64(edge), np.int64(edges[edge, 0]), np.int64(edges[edge, 1])
    put(slot, pack(VERTEX_EDGE, v, edge), v, e0, e1, -1, 1.0, s - 1.0, -s, 0.0, keys, vertices, weights)


@kernel
def put_vertex_plane(slot, v, plane, plane_normal, above, keys, vertices, weights, normal, distance):
    """A vertex and a half-space."""
    v, plane = np.int64(v), np.int64(plane)
    put(slot, pack(VERTEX_PLANE, v, plane), v, -1, -1, -1, 1.0, 0.0, 0.0, 0.0, keys, vertices, weights)
    if slot < len(keys):
        for a in range(3):
            normal[slot, a] = plane_normal[plane, a]
        distance[slot] = above


@kernel
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


@kernel
def write_above_face(slot, x, v, tri, triangles, d2, keys, vertices, weights):
    """Let a contact with the border of a triangle be one with its face if the vertex is straight above that border.

    Of the triangles that share the edge or corner below the vertex, it takes the one that a small nudge leads into.
    """
    v, tri = np.int64(v), np.int64(tri)
    ia, ib, ic = np.int64(triangles[tri, 0]), np.int64(triangles[tri, 1]), np.int64(triangles[tri, 2])
    p, a, b, c = at_time(x, x, 0.0, v), at_time(x, x, 0.0, ia), at_time(x, x, 0.0, ib), at_time(x, x, 0.0, ic)
    normal = cross(subtract(b, a), subtract(c, a))
    rise = dot(subtract(p, a), normal)
    if rise * rise < (1.0 - TIE) * d2 * dot(normal, normal):
        return  # most are seen from the side
    d = np.sqrt(d2)
    nudged = (p[0] + d * NUDGE[0], p[1] + d * NUDGE[1], p[2] + d * NUDGE[2])
    if point_triangle_closest_vectors(nudged, a, b, c)[4] == FACE:
        _, wa, wb, wc, _ = point_triangle_closest_vectors(p, a, b, c)
        put(slot, pack(VERTEX_TRIANGLE, v, tri), v, ia, ib, ic, 1.0, -wa, -wb, -wc, keys, vertices, weights)


@kernel
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


@kernel
def are_parallel(x, e, f, edges):
    """Whether two edges are so close to parallel that several of their ends may share the least distance."""
    da = subtract(at_time(x, x, 0.0, edges[e, 1]), at_time(x, x, 0.0, edges[e, 0]))
    db = subtract(at_time(x, x, 0.0, edges[f, 1]), at_time(x, x, 0.0, edges[f, 0]))
    n = cross(da, db)
    return dot(n, n) <= PARALLEL * dot(da, da) * dot(db, db)


@kernel
def write_ends(count, x, e, f, edges, d2, keys, vertices, weights):
    """Note for each end of edge e that faces the inside of edge f and is as near as √d2 that e sees it; the new count.

    d2 is the squared distance of the edges. If they are parallel, their closest points are not unique: all ends count.
    """
    e, f = np.int64(e), np.int64(f)
    b0, b1 = at_time(x, x, 0.0, np.int64(edges[f, 0])), at_time(x, x, 0.0, np.int64(edges[f, 1]))
    for end in range(2):
        v = np.int64(edges[e, end])
        a = at_time(x, x, 0.0, v)
        near2, s = origin_segment_closest(subtract(b0, a), subtract(b1, a), subtract(b1, b0))
        if near2 <= d2 * (1.0 + TIE) and 0.0 < s < 1.0:
            put(count, pack(SEEN_FROM_EDGE, v, f), v, -1, -1, -1, 1.0, 0.0, 0.0, 0.0, keys, vertices, weights)
            count += 1
    return count


@kernel
def write_lone_ends(count, x, e, f, edges, first_lone, d2, keys, vertices, weights):
    """Write the ends of two edges, at least one of them lone, that are as near to the other edge as √d2; the new count.

    A lone edge has no triangles that would see a vertex near it or near its end, so that the edges write these contacts. An
    end that faces the inside of an edge of triangles is noted as seen.
    """
    for side in range(2):
        a, b = (np.int64(e), np.int64(f)) if side == 0 else (np.int64(f), np.int64(e))
        b0, b1 = at_time(x, x, 0.0, np.int64(edges[b, 0])), at_time(x, x, 0.0, np.int64(edges[b, 1]))
        for end in range(2):
            v = np.int64(edges[a, end])
            p = at_time(x, x, 0.0, v)
            near2, s = origin_segment_closest(subtract(b0, p), subtract(b1, p), subtract(b1, b0))
            if near2 <= d2 * (1.0 + TIE) and 0.0 < s < 1.0:
                put_vertex_edge(count, v, b, edges, s, keys, vertices, weights)
                if count < len(keys) and b < first_lone:
                    keys[count] += np.int64(SEEN_FROM_EDGE - VERTEX_EDGE) << KIND_SHIFT
                count += 1
    for i in range(2):
        for j in range(2):
            v, w = np.int64(edges[e, i]), np.int64(edges[f, j])
            apart = subtract(at_time(x, x, 0.0, v), at_time(x, x, 0.0, w))
            if dot(apart, apart) <= d2 * (1.0 + TIE):
                put_vertex_vertex(count, v, w, keys, vertices, weights)
                count += 1
    return count


@kernel
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


@kernel
def set_normal(slot, x0, x1, t, vertices, weights, normal, distance):
    """Normal along pa − pb at time t, distance along it at the start; returns that distance."""
    dx, dy, dz = separation_vector(slot, x0, x1, t, vertices, weights)
    size = max(np.sqrt(dx * dx + dy * dy + dz * dz), 1e-300)
    dx, dy, dz = dx / size, dy / size, dz / size
    sx, sy, sz = separation_vector(slot, x0, x1, 0.0, vertices, weights)
    normal[slot, 0], normal[slot, 1], normal[slot, 2] = dx, dy, dz
    distance[slot] = dx * sx + dy * sy + dz * sz
    return distance[slot]


@kernel
def set_normals(rows, x, keys, vertices, weights, normal, distance):
    """Normals and distances at positions x of the contacts in some rows; those of planes have theirs."""
    for slot in rows:
        if keys[slot] >> KIND_SHIFT != VERTEX_PLANE:
            dx = dy = dz = 0.0
            for k in range(4):
                i, w = vertices[slot, k], weights[slot, k]
                if i >= 0:
                    dx += w * x[i, 0]
                    dy += w * x[i, 1]
                    dz += w * x[i, 2]
            size = max(np.sqrt(dx * dx + dy * dy + dz * dz), 1e-300)
            nx, ny, nz = dx / size, dy / size, dz / size
            normal[slot, 0], normal[slot, 1], normal[slot, 2] = nx, ny, nz
            distance[slot] = nx * dx + ny * dy + nz * dz
