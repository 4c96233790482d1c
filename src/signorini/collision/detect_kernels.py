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
from signorini.collision.separating_axes_kernels import edges_stay_clear, vertex_stays_clear
from signorini.collision.separation_kernels import of_edges, of_vertex_triangle
from signorini.compiled import kernel, specialised
from signorini.parallel.crew_kernels import meet


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
    plane_height, x, reach, triangle_least, edge_least, keys, vertices, weights, normal, distance,
):  # fmt: skip
    """Contacts closer than `reach`; returns their number (also when there is no room for all) and the least distance.

    Normals and distances are left out, except those of planes (`set_normals`). `triangle_least` and `edge_least` are lower bounds
    of the distances of all pairs [m], and better ones afterwards.
    """
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
        clear, least_distance = vertex_stays_clear(
            x, x, v, triangles[tri, 0], triangles[tri, 1], triangles[tri, 2], reach
        )
        if clear:
            triangle_least[p] = max(triangle_least[p], least_distance)
            continue
        d2 = write_vertex_triangle(count, x, x, 0.0, v, tri, triangles, edges, triangle_edges, keys, vertices, weights)
        triangle_least[p] = np.sqrt(d2)
        if d2 < reach * reach:
            least2 = min(least2, d2)
            if count < len(keys) and keys[count] >> KIND_SHIFT != VERTEX_TRIANGLE:
                write_above_face(count, x, v, tri, triangles, d2, keys, vertices, weights)
            count += 1
    for p in range(len(edge_edge)):
        e, f = edge_edge[p, 0], edge_edge[p, 1]
        clear, least_distance = edges_stay_clear(x, x, edges[e, 0], edges[e, 1], edges[f, 0], edges[f, 1], reach)
        if clear:
            edge_least[p] = max(edge_least[p], least_distance)
            continue
        d2, feature = write_edge_edge(count, x, x, 0.0, e, f, edges, keys, vertices, weights)
        edge_least[p] = np.sqrt(d2)
        if d2 < reach * reach:
            least2 = min(least2, d2)
            if feature == CROSSING:
                count += 1
            if max(e, f) >= first_lone_edge:
                count = write_lone_ends(count, x, e, f, edges, first_lone_edge, d2, keys, vertices, weights)
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
    vertex_separation, plane_separation, triangle_least, edge_least, keys, vertices, weights, normal, distance,
):  # fmt: skip
    """Contacts whose distance falls below min(separation, d0 / 2); returns their number and the earliest time.

    `triangle_least` and `edge_least` are lower bounds of the distances of all pairs at x0 [m], and better ones afterwards.
    """
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
        clear, least_distance = vertex_stays_clear(x0, x1, v, a, b, c, separation + pad)
        if clear:
            triangle_least[p] = max(triangle_least[p], least_distance)
            continue
        d2 = write_vertex_triangle(
            count, x0, x1, 0.0, v, tri, triangles, edges, triangle_edges, keys, vertices, weights
        )
        triangle_least[p] = np.sqrt(d2)
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
        clear, least_distance = edges_stay_clear(x0, x1, a0, a1, b0, b1, separation + pad)
        if clear:
            edge_least[p] = max(edge_least[p], least_distance)
            continue
        d2, _ = write_edge_edge(count, x0, x1, 0.0, e, f, edges, keys, vertices, weights)
        edge_least[p] = np.sqrt(d2)
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


def _in_chunks(
    crew, rank, chunks, vertex_triangle, edge_edge, vertex_plane, arguments, triangle_least, edge_least, spans, extremes, keys,
    vertices, weights, normal, distance,
):  # fmt: skip
    """`narrow_phase` in so many chunks of vertex-triangle and of edge-edge pairs, and one of planes, on the threads of a crew.

    Each thread writes to records of its own (threads, k, ...). spans (2 chunks + 1, 3): the thread of each chunk, and where its
    records begin and end; extremes (2 chunks + 1,): the least distance or the earliest time of each.
    """
    size = meet(crew, rank)
    if size == 0:
        return
    used = 0
    for chunk in range(rank, 2 * chunks + 1, size):
        a = b = c = d = planes = 0
        if chunk == 0:
            planes = len(vertex_plane)
        elif chunk <= chunks:
            a, b = (chunk - 1) * len(vertex_triangle) // chunks, chunk * len(vertex_triangle) // chunks
        else:
            c, d = (chunk - 1 - chunks) * len(edge_edge) // chunks, (chunk - chunks) * len(edge_edge) // chunks
        count, extremes[chunk] = narrow_phase(  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
            vertex_triangle[a:b], edge_edge[c:d], vertex_plane[:planes], *arguments, triangle_least[a:b], edge_least[c:d],
            keys[rank, used:], vertices[rank, used:], weights[rank, used:], normal[rank, used:], distance[rank, used:],
        )  # fmt: skip
        spans[chunk, 0], spans[chunk, 1], spans[chunk, 2] = rank, used, used + count
        used += count
    meet(crew, rank)


proximity_in_chunks = specialised(_in_chunks, "proximity", narrow_phase=proximity)
impacts_in_chunks = specialised(_in_chunks, "impacts", narrow_phase=impacts)


@kernel
def join_chunks(spans, rooms, records):
    """Put the records of all chunks, which the threads have in their rooms, one after the other."""
    keys, vertices, weights, normal, distance = rooms
    all_keys, all_vertices, all_weights, all_normal, all_distance = records
    count = 0
    for chunk in range(len(spans)):
        thread = spans[chunk, 0]
        for k in range(spans[chunk, 1], spans[chunk, 2]):
            all_keys[count], all_distance[count] = keys[thread, k], distance[thread, k]
            for a in range(4):
                all_vertices[count, a], all_weights[count, a] = vertices[thread, k, a], weights[thread, k, a]
            for a in range(3):
                all_normal[count, a] = normal[thread, k, a]
            count += 1


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
