"""The pairs on a collision course, each with its four vertices."""

from __future__ import annotations

import numpy as np

from signorini.collision.ccd_kernels import row
from signorini.collision.detect_kernels import edge_edge_impact, plane_impact, vertex_triangle_impact
from signorini.collision.edge_edge_kernels import edge_edge_closest_vectors
from signorini.collision.path_ccd_kernels import pair_pad
from signorini.collision.point_triangle_kernels import point_triangle_closest_vectors
from signorini.collision.separating_axes_kernels import edges_stay_clear, vertex_stays_clear
from signorini.compiled import kernel


@kernel
def colliding_pairs(
    vertex_triangle, edge_edge, triangles, edges, x0, x1, paths, separation, triangle_least, edge_least, vertices
):
    """The four vertices of every pair whose distance falls below min(separation, d0 / 2) from x0 to x1, each pair once.

    Pairs of vertex and triangle come first. Returns their number and that of all, also when `vertices` (capacity, 4) is short.
    `triangle_least` and `edge_least` are lower bounds of the distances of all pairs at x0 [m], and better ones afterwards.
    """
    count, pad = 0, 0.0
    bend, work = paths[0], np.zeros(1, np.int64)
    curved = len(bend) > 0
    for p in range(len(vertex_triangle)):
        v, t = vertex_triangle[p, 0], vertex_triangle[p, 1]
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if curved:
            pad = pair_pad(bend, v, a, b, c, False)
        clear, least_distance = vertex_stays_clear(x0, x1, v, a, b, c, separation + pad)
        if clear:
            triangle_least[p] = max(triangle_least[p], least_distance)
            continue
        d2 = point_triangle_closest_vectors(row(x0, v), row(x0, a), row(x0, b), row(x0, c))[0]
        triangle_least[p] = np.sqrt(d2)
        keep = min(separation, 0.5 * np.sqrt(d2))
        if vertex_triangle_impact(x0, x1, paths, v, a, b, c, keep, pad, work) <= 1.0:
            if count < len(vertices):
                vertices[count, 0], vertices[count, 1], vertices[count, 2], vertices[count, 3] = v, a, b, c
            count += 1
    edge_first = count
    for p in range(len(edge_edge)):
        e, f = edge_edge[p, 0], edge_edge[p, 1]
        a0, a1, b0, b1 = edges[e, 0], edges[e, 1], edges[f, 0], edges[f, 1]
        if curved:
            pad = pair_pad(bend, a0, a1, b0, b1, True)
        clear, least_distance = edges_stay_clear(x0, x1, a0, a1, b0, b1, separation + pad)
        if clear:
            edge_least[p] = max(edge_least[p], least_distance)
            continue
        d2 = edge_edge_closest_vectors(row(x0, a0), row(x0, a1), row(x0, b0), row(x0, b1))[0]
        edge_least[p] = np.sqrt(d2)
        keep = min(separation, 0.5 * np.sqrt(d2))
        if edge_edge_impact(x0, x1, paths, a0, a1, b0, b1, keep, pad, work) <= 1.0:
            if count < len(vertices):
                vertices[count, 0], vertices[count, 1], vertices[count, 2], vertices[count, 3] = a0, a1, b0, b1
            count += 1
    return edge_first, count


@kernel
def colliding_planes(vertex_plane, plane_normal, plane_height, x0, x1, paths, separation, found):
    """Which of the candidate pairs of a vertex and a plane fall below min(separation, half the height at the start)."""
    count, work = 0, np.zeros(1, np.int64)
    for p in range(len(vertex_plane)):
        v, plane = vertex_plane[p, 0], vertex_plane[p, 1]
        if plane_impact(x0, x1, paths, v, plane, plane_normal, plane_height, separation, work) <= 1.0:
            found[count] = p
            count += 1
    return count
