"""The pairs on a collision course, each with its four vertices."""

from __future__ import annotations

import numpy as np

from signorini.collision.ccd_kernels import MAX_ITERATIONS, edge_edge_toi, point_triangle_toi, row
from signorini.collision.detect_kernels import edges_stay_clear, height, vertex_stays_clear
from signorini.collision.edge_edge_kernels import edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import point_triangle_closest_vectors
from signorini.compiled import kernel


@kernel
def colliding_pairs(vertex_triangle, edge_edge, triangles, edges, x0, x1, separation, vertices):
    """The four vertices of every pair whose distance falls below min(separation, d0 / 2) from x0 to x1, each pair once.

    Pairs of vertex and triangle come first. Returns their number and that of all, also when `vertices` (capacity, 4) is short.
    """
    count = 0
    for p in range(len(vertex_triangle)):
        v, t = vertex_triangle[p, 0], vertex_triangle[p, 1]
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if vertex_stays_clear(x0, x1, v, a, b, c, separation):
            continue
        d2 = point_triangle_closest_vectors(row(x0, v), row(x0, a), row(x0, b), row(x0, c))[0]
        if point_triangle_toi(x0, x1, v, a, b, c, min(separation, 0.5 * np.sqrt(d2)), MAX_ITERATIONS) <= 1.0:
            if count < len(vertices):
                vertices[count, 0], vertices[count, 1], vertices[count, 2], vertices[count, 3] = v, a, b, c
            count += 1
    edge_first = count
    for p in range(len(edge_edge)):
        e, f = edge_edge[p, 0], edge_edge[p, 1]
        a0, a1, b0, b1 = edges[e, 0], edges[e, 1], edges[f, 0], edges[f, 1]
        if edges_stay_clear(x0, x1, a0, a1, b0, b1, separation):
            continue
        d2 = edge_edge_closest_vectors(row(x0, a0), row(x0, a1), row(x0, b0), row(x0, b1))[0]
        if edge_edge_toi(x0, x1, a0, a1, b0, b1, min(separation, 0.5 * np.sqrt(d2)), MAX_ITERATIONS) <= 1.0:
            if count < len(vertices):
                vertices[count, 0], vertices[count, 1], vertices[count, 2], vertices[count, 3] = a0, a1, b0, b1
            count += 1
    return edge_first, count


@kernel
def colliding_planes(vertex_plane, plane_normal, plane_height, x0, x1, separation, found):
    """Which of the candidate pairs of a vertex and a plane end below min(separation, half the height at the start)."""
    count = 0
    for p in range(len(vertex_plane)):
        v, plane = vertex_plane[p, 0], vertex_plane[p, 1]
        before = height(x0, v, plane, plane_normal, plane_height)
        if height(x1, v, plane, plane_normal, plane_height) < min(separation, 0.5 * before):
            found[count] = p
            count += 1
    return count
