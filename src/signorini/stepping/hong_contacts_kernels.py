"""Signed distances of vertices and edges from other bodies, and the small dense matrices of their contacts."""

from __future__ import annotations

import numpy as np
from numba import njit

from signorini.collision.edge_edge_kernels import edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import cross, dot, negate, point_triangle_closest_vectors, subtract
from signorini.contact import contact_set

KIND_SHIFT, FIRST_SHIFT = contact_set.KIND_SHIFT, contact_set.FIRST_SHIFT
VERTEX_TRIANGLE, EDGE_EDGE = contact_set.VERTEX_TRIANGLE, contact_set.EDGE_EDGE
TIE = 1e-9
"""Triangles whose squared distances differ by less than this part share the edge or vertex that is closest."""
CROSSING = 8
"""`edge_edge_closest`: the closest points are inside both edges."""
PARALLEL, OBLIQUE = 1e-3, 0.02
"""Sines of the angles below which edges have no reliable normal, and by which a triangle may rise along it."""


@njit(cache=True, error_model="numpy")
def corner(x, i):
    """Position i as a tuple."""
    return (x[i, 0], x[i, 1], x[i, 2])


@njit(cache=True, error_model="numpy")
def vertex_triangle(
    pairs, group_start, triangles, vertex_body, x, near, reach, key, vertices, weights, normal, distance, bodies
):
    """For each group of candidate pairs (one vertex, triangles of one other body), the signed distance from that body.

    The sign is that of the outward normal of the closest triangle; of triangles that share the closest edge or vertex, the
    one that faces the vertex most squarely decides. Kept are vertices less than `near` outside and less than `reach` inside.
    Fills the arrays of a `ContactSet` and returns their count.
    """
    count = 0
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


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
def passed(x, edges, i, j, plus):
    """How far the lines of two edges have passed each other [m]; the normal is plus or minus their product."""
    a, b = corner(x, edges[i, 0]), corner(x, edges[j, 0])
    n = cross(subtract(corner(x, edges[i, 1]), a), subtract(corner(x, edges[j, 1]), b))
    depth = dot(n, subtract(b, a)) / np.sqrt(dot(n, n))
    return depth if plus else -depth


@njit(cache=True, error_model="numpy")
def edge_edge(
    pairs, edges, opposite, vertex_body, before, x, near, reach, key, vertices, weights, normal, distance, bodies
):
    """Signed distances of edges of two bodies that cross inside both; the output is as in `vertex_triangle`.

    The normal is the product of the edges, out of body b and into body a. Where both directions or none are outward on both
    sides, the edges lie in flat or hollow parts, and vertices and triangles tell all. Edges that had passed each other by more
    than `near` at the positions `before` have not met in this step: their ends slid by each other, and nothing tells how far
    they are inside.
    """
    count = 0
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


@njit(cache=True)
def turning(vertices, weights, normal, x, v, bias):
    """Fill bias (m,) = 2 ṅ·(Ṗa − Ṗb) [m/s²], n the normal of the triangle or of both edges (Hong2004 §3); 0 for planes."""
    rate = np.empty(3)
    for c in range(len(vertices)):
        bias[c] = 0.0
        if vertices[c, 1] < 0:
            continue
        if weights[c, 1] > 0.0:
            a0, a1, b0, b1 = vertices[c, 0], vertices[c, 1], vertices[c, 2], vertices[c, 3]
        else:
            a0, a1, b0, b1 = vertices[c, 1], vertices[c, 2], vertices[c, 1], vertices[c, 3]
        e, f = subtract(corner(x, a1), corner(x, a0)), subtract(corner(x, b1), corner(x, b0))
        de, df = subtract(corner(v, a1), corner(v, a0)), subtract(corner(v, b1), corner(v, b0))
        n, p, q = cross(e, f), cross(de, f), cross(e, df)
        square = dot(n, n)
        if not square > 0.0:
            continue
        along = (dot(n, p) + dot(n, q)) / square
        length = np.sqrt(square)
        if n[0] * normal[c, 0] + n[1] * normal[c, 1] + n[2] * normal[c, 2] < 0.0:
            length = -length
        for i in range(3):
            rate[i] = (p[i] + q[i] - along * n[i]) / length
        moving = 0.0
        for i in range(3):
            relative = 0.0
            for k in range(4):
                relative += weights[c, k] * v[vertices[c, k], i]
            moving += rate[i] * relative
        bias[c] = 2.0 * moving


@njit(cache=True)
def mobility(indptr, nodes, blocks, inverse_mass, W):
    """Fill W (m, m) = J M⁻¹ J' [1/kg] from the first rows of the blocks (k, 3, 3) of the contacts' nodes."""
    row = np.zeros((len(inverse_mass), 3))
    for i in range(len(W)):
        for k in range(indptr[i], indptr[i + 1]):
            for a in range(3):
                row[nodes[k], a] = blocks[k, 0, a] * inverse_mass[nodes[k]]
        for j in range(i + 1):
            total = 0.0
            for k in range(indptr[j], indptr[j + 1]):
                at = nodes[k]
                total += blocks[k, 0, 0] * row[at, 0] + blocks[k, 0, 1] * row[at, 1] + blocks[k, 0, 2] * row[at, 2]
            W[i, j] = W[j, i] = total
        for k in range(indptr[i], indptr[i + 1]):
            for a in range(3):
                row[nodes[k], a] = 0.0


@njit(cache=True)
def rates(indptr, nodes, blocks, v, out):
    """out (m,) = J v for v (n, 3)."""
    for c in range(len(out)):
        out[c] = 0.0
        for k in range(indptr[c], indptr[c + 1]):
            for a in range(3):
                out[c] += blocks[k, 0, a] * v[nodes[k], a]


@njit(cache=True)
def push(indptr, nodes, blocks, inverse_mass, strength, v):
    """v (n, 3) += M⁻¹ J' strength (m,)."""
    for c in range(len(strength)):
        if strength[c] != 0.0:
            for k in range(indptr[c], indptr[c + 1]):
                scaled = strength[c] * inverse_mass[nodes[k]]
                for a in range(3):
                    v[nodes[k], a] += scaled * blocks[k, 0, a]
