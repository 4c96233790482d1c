"""Signed distances of vertices and edges from other bodies, appended to the arrays of a `ContactSet`."""

from __future__ import annotations

import numpy as np

from signorini.collision import contact_set
from signorini.collision.edge_edge_kernels import edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import cross, dot, negate, point_triangle_closest_vectors, subtract
from signorini.compiled import kernel

KIND_SHIFT, FIRST_SHIFT = contact_set.KIND_SHIFT, contact_set.FIRST_SHIFT
VERTEX_PLANE, VERTEX_TRIANGLE, EDGE_EDGE = contact_set.VERTEX_PLANE, contact_set.VERTEX_TRIANGLE, contact_set.EDGE_EDGE
TIE = 1e-9
"""Triangles whose squared distances differ by less than this part share the edge or vertex that is closest."""
CROSSING = 8
"""`edge_edge_closest`: the closest points are inside both edges."""
PARALLEL, OBLIQUE = 1e-3, 0.02
"""Sines of the angles below which edges have no reliable normal, and by which a triangle may rise along it."""


@kernel
def corner(x, i):
    """Position i as a tuple."""
    return (x[i, 0], x[i, 1], x[i, 2])


@kernel
def vertex_triangle(
    pairs, group_start, triangles, vertex_body, x, near, reach, count, key, vertices, weights, normal, distance, bodies
):
    """For each group of candidate pairs (one vertex, triangles of one other body), the signed distance from that body.

    The sign is that of the outward normal of the closest triangle; of triangles that share the closest edge or vertex, the
    one that faces the vertex most squarely decides. Kept are vertices less than `near` outside and less than `reach` inside.
    Appends to the `count` contacts in the arrays of a `ContactSet` and returns the new count.
    """
    for g in range(len(group_start) - 1):
        p = corner(x, pairs[group_start[g], 0])
        best, facing, found = np.inf, -1.0, -1
        bw0 = bw1 = bw2 = bd = 0.0
        bn = (0.0, 0.0, 0.0)
        for k in range(group_start[g], group_start[g + 1]):
            t = pairs[k, 1]
            a, b, c = corner(x, triangles[t, 0]), corner(x, triangles[t, 1]), corner(x, triangles[t, 2])
            d2, wa, wb, wc, _ = point_triangle_closest_vectors(p, a, b, c)
            if d2 > best * (1.0 + TIE) or d2 > reach * reach:
                continue
            n = cross(subtract(b, a), subtract(c, a))
            length = np.sqrt(dot(n, n))
            if not length > 0.0:
                continue
            n = (n[0] / length, n[1] / length, n[2] / length)
            r = (
                p[0] - wa * a[0] - wb * b[0] - wc * c[0],
                p[1] - wa * a[1] - wb * b[1] - wc * c[1],
                p[2] - wa * a[2] - wb * b[2] - wc * c[2],
            )
            along = dot(n, r)
            if d2 < best * (1.0 - TIE) or abs(along) > facing:
                best, facing, found = min(d2, best), abs(along), k
                bw0, bw1, bw2, bd, bn = wa, wb, wc, along, n
        if found < 0 or (bd >= 0.0 and best > near * near):
            continue
        i, t = pairs[found, 0], pairs[found, 1]
        key[count] = (VERTEX_TRIANGLE << KIND_SHIFT) | (np.int64(i) << FIRST_SHIFT) | np.int64(t)
        vertices[count, 0], weights[count, 0] = i, 1.0
        for k in range(3):
            vertices[count, k + 1] = triangles[t, k]
            normal[count, k] = bn[k]
        weights[count, 1], weights[count, 2], weights[count, 3] = -bw0, -bw1, -bw2
        bodies[count, 0], bodies[count, 1] = vertex_body[i], vertex_body[triangles[t, 0]]
        distance[count] = bd
        count += 1
    return count


@kernel
def vertex_plane(
    pairs, plane_normal, plane_height, vertex_body, plane_body, x, near, count, key, vertices, weights, normal, distance, bodies
):  # fmt: skip
    """Vertices less than `near` above a plane, or below it; the output is as in `vertex_triangle`."""
    for k in range(len(pairs)):
        i, p = pairs[k, 0], pairs[k, 1]
        along = dot(corner(plane_normal, p), corner(x, i)) - plane_height[p]
        if not along < near:
            continue
        key[count] = (VERTEX_PLANE << KIND_SHIFT) | (np.int64(i) << FIRST_SHIFT) | np.int64(p)
        for c in range(4):
            vertices[count, c], weights[count, c] = -1, 0.0
        vertices[count, 0], weights[count, 0] = i, 1.0
        for c in range(3):
            normal[count, c] = plane_normal[p, c]
        bodies[count, 0], bodies[count, 1] = vertex_body[i], plane_body[p]
        distance[count] = along
        count += 1
    return count


@kernel
def faces_outward(x, opposite, e, start, n):
    """Whether direction n, normal to edge e from `start`, points out of the body: no triangle at the edge rises along it."""
    for side in range(2):
        third = opposite[e, side]
        if third < 0:
            return False
        inward = subtract(corner(x, third), start)
        if dot(inward, n) > OBLIQUE * np.sqrt(dot(inward, inward)):
            return False
    return True


@kernel
def passed(x, edges, i, j, plus):
    """How far the lines of two edges have passed each other [m]; the normal is plus or minus their product."""
    a, b = corner(x, edges[i, 0]), corner(x, edges[j, 0])
    n = cross(subtract(corner(x, edges[i, 1]), a), subtract(corner(x, edges[j, 1]), b))
    depth = dot(n, subtract(b, a)) / np.sqrt(dot(n, n))
    return depth if plus else -depth


@kernel
def edge_edge(
    pairs, edges, opposite, vertex_body, before, x, near, reach, count, key, vertices, weights, normal, distance, bodies
):
    """Signed distances of edges of two bodies that cross inside both; the output is as in `vertex_triangle`.

    The normal is the product of the edges, out of body b and into body a. Where both directions or none are outward on both
    sides, the edges lie in flat or hollow parts, and vertices and triangles tell all. Edges that had passed each other by more
    than `near` at the positions `before` have not met in this step: their ends slid by each other, and nothing tells how far
    they are inside.
    """
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        if vertex_body[edges[i, 0]] == vertex_body[edges[j, 0]]:
            continue
        a0, a1, b0, b1 = corner(x, edges[i, 0]), corner(x, edges[i, 1]), corner(x, edges[j, 0]), corner(x, edges[j, 1])
        d2, s, t, feature = edge_edge_closest_vectors(a0, a1, b0, b1)
        if feature != CROSSING or d2 > reach * reach:
            continue
        e, f = subtract(a1, a0), subtract(b1, b0)
        n = cross(e, f)
        length = np.sqrt(dot(n, n))
        if length <= PARALLEL * np.sqrt(dot(e, e) * dot(f, f)):
            continue
        n = (n[0] / length, n[1] / length, n[2] / length)
        m = negate(n)
        plus = faces_outward(x, opposite, j, b0, n) and faces_outward(x, opposite, i, a0, m)
        minus = faces_outward(x, opposite, j, b0, m) and faces_outward(x, opposite, i, a0, n)
        if plus == minus:
            continue
        n = n if plus else m
        along = dot(n, subtract(a0, b0))
        if along > near or passed(before, edges, i, j, plus) > near:
            continue
        key[count] = (EDGE_EDGE << KIND_SHIFT) | (np.int64(i) << FIRST_SHIFT) | np.int64(j)
        vertices[count, 0], vertices[count, 1] = edges[i, 0], edges[i, 1]
        vertices[count, 2], vertices[count, 3] = edges[j, 0], edges[j, 1]
        weights[count, 0], weights[count, 1], weights[count, 2], weights[count, 3] = 1.0 - s, s, t - 1.0, -t
        normal[count, 0], normal[count, 1], normal[count, 2] = n[0], n[1], n[2]
        bodies[count, 0], bodies[count, 1] = vertex_body[edges[i, 0]], vertex_body[edges[j, 0]]
        distance[count] = along
        count += 1
    return count


@kernel
def can_respond(vertices, weights, movable_vertices, keep):
    """Fill keep (m,): whether a contact can move anything at all; returns whether all can."""
    every = True
    for c in range(len(keep)):
        keep[c] = False
        for k in range(4):
            if weights[c, k] != 0.0 and movable_vertices[vertices[c, k]]:
                keep[c] = True
        every &= keep[c]
    return every


@kernel
def fastest(v):
    """The largest speed [m/s] of velocities (n, 3)."""
    square = 0.0
    for i in range(len(v)):
        square = max(square, v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
    return np.sqrt(square)
