"""Loops over the smooth patches of rigid bodies: where they touch planes and triangles, and what they stand for."""

from __future__ import annotations

import numpy as np

from signorini.collision.contact_records_kernels import pack, put
from signorini.collision.contact_set import KIND_SHIFT, PRIMITIVE_MASK, VERTEX_PLANE, VERTEX_TRIANGLE
from signorini.collision.detect_kernels import height
from signorini.collision.point_triangle_kernels import cross, dot, negate, subtract
from signorini.compiled import kernel
from signorini.contact.smooth_support_kernels import MARGIN, climb, point, project, support, touches
from signorini.model.rigid_bodies_kernels import rotate, rotate_back


@kernel
def vertex_meets_triangle(v, a, b, c, x, distance):
    """Whether a vertex comes within `distance` of the box of a triangle."""
    for k in range(3):
        if x[v, k] - distance > max(x[a, k], x[b, k], x[c, k]) or x[v, k] + distance < min(x[a, k], x[b, k], x[c, k]):
            return False
    return True


@kernel
def edges_meet(a0, a1, b0, b1, x, distance):
    """Whether the boxes of two edges come within `distance` of each other."""
    for k in range(3):
        if min(x[a0, k], x[a1, k]) - distance > max(x[b0, k], x[b1, k]):
            return False
        if max(x[a0, k], x[a1, k]) + distance < min(x[b0, k], x[b1, k]):
            return False
    return True


@kernel
def find_on_planes(
    vertex_plane, plane_normal, plane_height, x, rotor, rotations, outward, along, radius, tube, least_cosine, rise, starts,
    neighbours, reach, least, flat, keys, vertices, weights, normal, distance, shift,
):  # fmt: skip
    """Contacts of smooth patches with planes, `least` to `reach` apart; returns their number."""
    count = 0
    for p in range(len(vertex_plane)):
        v, plane = np.int64(vertex_plane[p, 0]), np.int64(vertex_plane[p, 1])
        if radius[v] == 0.0:
            continue
        above = height(x, v, plane, plane_normal, plane_height)
        if above > reach + rise[v]:
            continue
        n = (plane_normal[plane, 0], plane_normal[plane, 1], plane_normal[plane, 2])
        d, turn = negate(n), rotations[rotor[v]]
        if climb(v, turn, d, outward, starts, neighbours) != v:
            continue
        step, inside = touches(v, turn, d, flat, outward, along, radius, tube, least_cosine)
        above += dot(n, step)
        if inside and least <= above < reach:
            put(count, pack(VERTEX_PLANE, v, plane), v, -1, -1, -1, 1.0, 0.0, 0.0, 0.0, keys, vertices, weights)
            put_geometry(count, n, above, step, normal, distance, shift)
            count += 1
    return count


@kernel
def list_faces(
    vertex_triangle, edge_edge, triangles, edges, edge_triangles, triangle_starts, vertex_triangles, x, reach, rise, chain,
    fixed, seen, faces,
):  # fmt: skip
    """Pairs of a vertex with a patch and a triangle that keeps its shape, one for each chain that has a near pair there.

    The triangle is one of the features of that pair, or at one; the patch that faces it is found from the vertex, along its
    chain. `seen` (t, k) tells which chains a triangle was listed for last, so that hardly any pair is listed twice. Returns how
    many there are.
    """
    count = 0
    for p in range(len(vertex_triangle)):
        v, tri = vertex_triangle[p, 0], vertex_triangle[p, 1]
        a, b, c = triangles[tri, 0], triangles[tri, 1], triangles[tri, 2]
        if not vertex_meets_triangle(v, a, b, c, x, reach + max(rise[v], rise[a], rise[b], rise[c])):
            continue
        if chain[v] >= 0 and fixed[triangles[tri, 0]]:
            count = list_face(count, v, tri, chain, seen, faces)
        if not fixed[v]:
            continue
        for corner in range(3):
            other = triangles[tri, corner]
            if chain[other] >= 0:
                for k in range(triangle_starts[v], triangle_starts[v + 1]):
                    count = list_face(count, other, vertex_triangles[k], chain, seen, faces)
    for p in range(len(edge_edge)):
        a, b = edges[edge_edge[p, 0]], edges[edge_edge[p, 1]]
        if not edges_meet(a[0], a[1], b[0], b[1], x, reach + max(rise[a[0]], rise[a[1]], rise[b[0]], rise[b[1]])):
            continue
        for side in range(2):
            e, f = edge_edge[p, side], edge_edge[p, 1 - side]
            for end in range(2):
                v = edges[e, end]
                if chain[v] >= 0 and fixed[edges[f, 0]]:
                    count = list_face(count, v, edge_triangles[f, 0], chain, seen, faces)
                    count = list_face(count, v, edge_triangles[f, 1], chain, seen, faces)
    return count


@kernel
def list_face(count, v, tri, chain, seen, faces):
    """Add one pair unless the triangle, if there is one, was listed for that chain just before; returns the new count."""
    if tri < 0:
        return count
    last = seen[tri]
    for k in range(len(last)):
        if last[k] == chain[v]:
            return count
    last[count % len(last)] = chain[v]
    if count < len(faces):
        faces[count, 0], faces[count, 1] = v, tri
    return count + 1


@kernel
def find_on_faces(
    faces, triangles, vertex_solid, x, rotor, rotations, outward, along, radius, tube, least_cosine, starts, neighbours,
    reach, least, flat, count, keys, vertices, weights, normal, distance, shift,
):  # fmt: skip
    """Contacts of smooth patches with triangles, from number `count` on, `least` to `reach` apart; returns the new number."""
    for p in range(len(faces)):
        v, tri = np.int64(faces[p, 0]), np.int64(faces[p, 1])
        i, j, k = np.int64(triangles[tri, 0]), np.int64(triangles[tri, 1]), np.int64(triangles[tri, 2])
        a, b, c, q = point(x, i), point(x, j), point(x, k), point(x, v)
        n = cross(subtract(b, a), subtract(c, a))
        size = np.sqrt(dot(n, n))
        if size == 0.0:
            continue
        n = (n[0] / size, n[1] / size, n[2] / size)
        if dot(n, subtract(q, a)) < 0.0:
            if vertex_solid[i]:
                continue
            n = negate(n)
        d, turn = negate(n), rotations[rotor[v]]
        v = np.int64(climb(v, turn, d, outward, starts, neighbours))
        q = point(x, v)
        step, inside = touches(v, turn, d, flat, outward, along, radius, tube, least_cosine)
        above = dot(n, subtract(q, a)) + dot(n, step)
        if not inside or not least <= above < reach:
            continue
        wa, wb, wc = project((q[0] + step[0], q[1] + step[1], q[2] + step[2]), a, b, c)
        if min(wa, wb, wc) >= -MARGIN and not is_among(pack(VERTEX_TRIANGLE, v, tri), keys, count):
            wa, wb, wc = max(wa, 0.0), max(wb, 0.0), max(wc, 0.0)
            put(count, pack(VERTEX_TRIANGLE, v, tri), v, i, j, k, 1.0, -wa, -wb, -wc, keys, vertices, weights)
            put_geometry(count, n, above, step, normal, distance, shift)
            count += 1
    return count


@kernel
def is_among(key, keys, count):
    """Whether a key is one of the first `count` that there was room for."""
    found = False
    for k in range(min(count, len(keys))):
        found = found or keys[k] == key
    return found


@kernel
def put_geometry(slot, n, above, step, normal, distance, shift):
    """Write normal, distance and the step from the vertex to the point of contact, if there is room."""
    if slot < len(distance):
        distance[slot] = above
        for a in range(3):
            normal[slot, a], shift[slot, 0, a], shift[slot, 1, a] = n[a], step[a], 0.0


@kernel
def cover(bodies, vertices, weights, x, radius, of_smooth, place, extent, level, normal, slack, covered):
    """Mark contacts that a smooth contact stands for.

    A smooth contact at `place` keeps its patch above a plane, at `level` along its normal. It stands for contacts of the same
    two bodies that this plane separates, but for `slack`: between patches, one of them within `extent`, and points of the
    other body.
    """
    for s in range(len(of_smooth)):
        n, p = (normal[s, 0], normal[s, 1], normal[s, 2]), point(place, s)
        for c in range(len(bodies)):
            if covered[c]:
                continue
            if bodies[c, 0] == of_smooth[s, 0] and bodies[c, 1] == of_smooth[s, 1]:
                side = 1.0
            elif bodies[c, 1] == of_smooth[s, 0] and bodies[c, 0] == of_smooth[s, 1]:
                side = -1.0
            else:
                continue
            smooth, alone, above, below, nearest2 = True, True, -level[s], -level[s], np.inf
            for k in range(4):
                i, w = vertices[c, k], side * weights[c, k]
                if i >= 0 and w > 0.0:
                    smooth = smooth and radius[i] > 0.0
                    above += w * dot(n, point(x, i))
                    apart = subtract(point(x, i), p)
                    nearest2 = min(nearest2, dot(apart, apart))
                elif i >= 0 and w < 0.0:
                    alone = False
                    below -= w * dot(n, point(x, i))
            separated = alone or (below <= slack and above >= -slack)
            covered[c] = smooth and separated and nearest2 < extent[s] * extent[s]


@kernel
def smooth_impacts(
    vertices, weights, plane_height, fixed, x, rotor, rotations, outward, along, radius, tube, least_cosine, starts,
    neighbours, least, flat, keys, normal, distance, shift, smooth,
):  # fmt: skip
    """Let impacts of vertices that have patches be impacts of the patches that face the other body at the start.

    Writes keys, first vertices, distances, `shift` and `smooth`, where the patch is at least `least` away at the start.
    """
    for c in range(len(keys)):
        kind, second = keys[c] >> KIND_SHIFT, keys[c] & PRIMITIVE_MASK
        v, i = np.int64(vertices[c, 0]), vertices[c, 1]
        if (kind != VERTEX_PLANE and kind != VERTEX_TRIANGLE) or radius[v] == 0.0:
            continue
        if kind == VERTEX_TRIANGLE and not fixed[i]:
            continue
        n = (normal[c, 0], normal[c, 1], normal[c, 2])
        d, turn = negate(n), rotations[rotor[v]]
        v = np.int64(climb(v, turn, d, outward, starts, neighbours))
        step, inside = touches(v, turn, d, flat, outward, along, radius, tube, least_cosine)
        above = dot(n, point(x, v)) + dot(n, step)
        if kind == VERTEX_PLANE:
            above -= plane_height[second]
        else:
            for k in range(1, 4):
                above += weights[c, k] * dot(n, point(x, vertices[c, k]))
        if inside and above >= least:
            keys[c], vertices[c, 0], smooth[c] = pack(kind, v, second), v, True
            put_geometry(c, n, above, step, normal, distance, shift)


@kernel
def turn_points(
    vertices, normal, smooth, spin_node, x, q, rotor, rotations, ends, w, dt, outward, along, radius, tube, least_cosine, starts,
    neighbours, shift, turning,
):  # fmt: skip
    """Move the points of smooth contacts halfway to where their bodies will touch at the end of the step.

    A body is expected to turn from `rotations` to `ends`, with the angular velocities w of the angular nodes. Its support is
    then higher or lower: `turning` is the velocity of that, less what is linear in w. It vanishes for a sphere.
    """
    for c in range(len(vertices)):
        if not smooth[c]:
            continue
        v = np.int64(vertices[c, 0])
        spin, start, end = spin_node[v], rotations[rotor[v]], ends[rotor[v]]
        n, centre = (normal[c, 0], normal[c, 1], normal[c, 2]), point(q, spin - 1)
        d = negate(n)
        other = np.int64(climb(v, end, d, outward, starts, neighbours))
        step, cosine, _ = support(other, end, d, outward, along, radius, tube)
        if cosine < least_cosine[other]:
            continue
        r = subtract(point(x, other), centre)
        r = rotate_back(start, r[0], r[1], r[2])
        r = rotate(end, r[0], r[1], r[2])
        at_end = (r[0] + step[0], r[1] + step[1], r[2] + step[2])
        at_start = subtract(point(x, v), centre)
        at_start = (at_start[0] + shift[c, 0, 0], at_start[1] + shift[c, 0, 1], at_start[2] + shift[c, 0, 2])
        arm = (0.5 * (at_start[0] + at_end[0]), 0.5 * (at_start[1] + at_end[1]), 0.5 * (at_start[2] + at_end[2]))
        for a in range(3):
            shift[c, 0, a] = centre[a] + arm[a] - x[v, a]
        risen = (dot(n, at_end) - dot(n, at_start)) / dt
        turning[c] = risen - dot(n, cross((w[spin, 0], w[spin, 1], w[spin, 2]), arm))
