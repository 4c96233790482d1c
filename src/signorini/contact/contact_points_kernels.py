"""Loops over contacts of rigid bodies: where the impulses act, and how fast these points are."""

from __future__ import annotations

import math

import numpy as np

from signorini.collision.contact_set import EDGE_EDGE, KIND_SHIFT, VERTEX_TRIANGLE, VERTEX_VERTEX
from signorini.compiled import kernel

LEAST_COSINE = 0.7
"""Cosine of the angle between the normals of a face at the start and at the end of a step, and between the first of them and the
normal of the contact, from which on the normal at the end tells the distance: beyond 0.75 rad a step is divided."""
FLAT = 1e-12
"""Square of the sine of an angle of a triangle below which it has no plane."""
LEAST_SINE = 0.1
"""Sine of the angle between two edges below which their common normal is not told by them."""


@kernel
def side_of(c, side, vertices, weights, spin_node, moves):
    """The angular node of all vertices on a side of contact c, or -1, and whether nodes move that side."""
    node, moved, first = -1, False, True
    for k in range(4):
        i = vertices[c, k]
        if i < 0 or weights[c, k] == 0.0 or (weights[c, k] > 0.0) != (side == 0):
            continue
        moved = moved or moves[i]
        node = spin_node[i] if first else (node if node == spin_node[i] else -1)
        first = False
    return node, moved


@kernel
def meet(keys, vertices, weights, x, spin_node, moves, shift, spins):
    """Let the impulses of contacts between two things that move act in one point; note the angular node of each side.

    A vertex keeps its point and the other side takes it; two edges or two vertices meet halfway. A side that is not rigid
    cannot take a point beside its own: the other one does.
    """
    for c in range(len(keys)):
        spins[c, 0], moves_a = side_of(c, 0, vertices, weights, spin_node, moves)
        spins[c, 1], moves_b = side_of(c, 1, vertices, weights, spin_node, moves)
        if not (moves_a and moves_b) or (spins[c, 0] < 0 and spins[c, 1] < 0):
            continue
        kind = keys[c] >> KIND_SHIFT
        part = 0.5 if kind == EDGE_EDGE or kind == VERTEX_VERTEX else 0.0
        if spins[c, 0] < 0:
            part = 0.0
        elif spins[c, 1] < 0:
            part = 1.0
        for a in range(3):
            apart = shift[c, 0, a] - shift[c, 1, a]
            for k in range(4):
                if vertices[c, k] >= 0:
                    apart += weights[c, k] * x[vertices[c, k], a]
            shift[c, 0, a] -= part * apart
            shift[c, 1, a] += (1.0 - part) * apart


@kernel
def velocities(vertices, weights, normal, smooth, more, shift, spins, moving, turning, free, change, out):
    """Velocities of pa − pb when the response is zero.

    Points of smooth patches move with the velocities `turning` of the vertices, linear in the velocities of the nodes, and
    with `more` along the normal; all others as the vertices do in the step, `moving`, which is linearised about a response
    that changes the velocities of the nodes by `change`.
    """
    for c in range(len(vertices)):
        sx, sy, sz = more[c] * normal[c, 0], more[c] * normal[c, 1], more[c] * normal[c, 2]
        for k in range(4):
            i = vertices[c, k]
            if i >= 0:
                u = turning[i] if smooth[c] else moving[i]
                sx += weights[c, k] * u[0]
                sy += weights[c, k] * u[1]
                sz += weights[c, k] * u[2]
        for side in range(2):
            j = spins[c, side]
            if j >= 0:
                w, sign = (free[j], 1.0) if smooth[c] else (change[j], -1.0)
                if side == 1:
                    sign = -sign
                rx, ry, rz = shift[c, side, 0], shift[c, side, 1], shift[c, side, 2]
                sx += sign * (w[1] * rz - w[2] * ry)
                sy += sign * (w[2] * rx - w[0] * rz)
                sz += sign * (w[0] * ry - w[1] * rx)
        out[c, 0], out[c, 1], out[c, 2] = sx, sy, sz


@kernel
def common_normal(kind, c, vertices, dt, x, v):
    """Unit normal of the face of a contact, or of its two edges, after all has moved for dt with velocities v.

    Zero if the face has no area or the edges are nearly parallel.
    """
    # Both directions: two sides of the face, or the two edges.
    i, j = (vertices[c, 1], vertices[c, 2]) if kind == VERTEX_TRIANGLE else (vertices[c, 0], vertices[c, 1])
    k, m = (vertices[c, 1], vertices[c, 3]) if kind == VERTEX_TRIANGLE else (vertices[c, 2], vertices[c, 3])
    ux = x[j, 0] - x[i, 0] + dt * (v[j, 0] - v[i, 0])
    uy = x[j, 1] - x[i, 1] + dt * (v[j, 1] - v[i, 1])
    uz = x[j, 2] - x[i, 2] + dt * (v[j, 2] - v[i, 2])
    wx = x[m, 0] - x[k, 0] + dt * (v[m, 0] - v[k, 0])
    wy = x[m, 1] - x[k, 1] + dt * (v[m, 1] - v[k, 1])
    wz = x[m, 2] - x[k, 2] + dt * (v[m, 2] - v[k, 2])
    nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    least = LEAST_SINE * math.sqrt((ux * ux + uy * uy + uz * uz) * (wx * wx + wy * wy + wz * wz))
    if size <= (0.0 if kind == VERTEX_TRIANGLE else least):
        return 0.0, 0.0, 0.0
    return nx / size, ny / size, nz / size


@kernel
def add_normal_rotation(keys, vertices, weights, normal, smooth, fixed, x, v, dt, out):
    """Add to velocities `out` of pa − pb what the rotation of faces and edges that keep their shape changes in their distance.

    The distance at the end of the step is measured along the normal N1 of the face, or of both edges, as they lie then:
    N1·(pa − pb) instead of n·(pa − pb). The surface moves with velocities v (vertices, 3) for dt.
    """
    for c in range(len(keys)):
        kind = keys[c] >> KIND_SHIFT
        if smooth[c] or not (kind == VERTEX_TRIANGLE or kind == EDGE_EDGE):
            continue
        if not fixed[vertices[c, 3]] or (kind == EDGE_EDGE and not fixed[vertices[c, 0]]):
            continue
        ax, ay, az = common_normal(kind, c, vertices, 0.0, x, v)
        bx, by, bz = common_normal(kind, c, vertices, dt, x, v)
        nx, ny, nz = normal[c, 0], normal[c, 1], normal[c, 2]
        along = ax * nx + ay * ny + az * nz
        if abs(along) < LEAST_COSINE or ax * bx + ay * by + az * bz < LEAST_COSINE:
            continue
        sign = 1.0 if along > 0.0 else -1.0
        change = 0.0
        for at in range(4):
            p, w = vertices[c, at], weights[c, at]
            change += w * (sign * bx - nx) * (x[p, 0] + dt * v[p, 0])
            change += w * (sign * by - ny) * (x[p, 1] + dt * v[p, 1])
            change += w * (sign * bz - nz) * (x[p, 2] + dt * v[p, 2])
        out[c, 0] += change / dt * nx
        out[c, 1] += change / dt * ny
        out[c, 2] += change / dt * nz


@kernel
def along(i, j, dt, x, v, out):
    """Fill out (3,) with the way from vertex i to vertex j after both have moved for dt."""
    for a in range(3):
        out[a] = x[j, a] - x[i, a] + dt * (v[j, a] - v[i, a])


@kernel
def dot(p, q):
    """p · q"""
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


@kernel
def mark_leaving(keys, vertices, fixed, x, v, dt, leaves):
    """Mark contacts (m,) of a vertex with a face, or of two edges, whose nearest points are beside them at the end of the step.

    Both bodies must keep their shape; the surface moves with velocities v (vertices, 3) for dt.
    """
    p, q, r = np.empty(3), np.empty(3), np.empty(3)
    for c in range(len(keys)):
        leaves[c] = False
        kind = keys[c] >> KIND_SHIFT
        if not (kind == VERTEX_TRIANGLE or kind == EDGE_EDGE):
            continue
        i, j, k, m = vertices[c, 0], vertices[c, 1], vertices[c, 2], vertices[c, 3]
        if not (fixed[i] and fixed[m]):
            continue
        # The point s p + t q that is nearest to r: of the plane of the face, or of both lines.
        if kind == VERTEX_TRIANGLE:
            along(j, k, dt, x, v, p)
            along(j, m, dt, x, v, q)
            along(j, i, dt, x, v, r)
        else:
            along(i, j, dt, x, v, p)
            along(m, k, dt, x, v, q)
            along(i, k, dt, x, v, r)
        pp, pq, qq, pr, qr = dot(p, p), dot(p, q), dot(q, q), dot(p, r), dot(q, r)
        det = pp * qq - pq * pq
        if det <= (FLAT if kind == VERTEX_TRIANGLE else LEAST_SINE**2) * pp * qq:
            continue
        s, t = (qq * pr - pq * qr) / det, (pp * qr - pq * pr) / det
        farthest = 1.0 - s if kind == VERTEX_TRIANGLE else 1.0
        leaves[c] = s < 0.0 or t < 0.0 or s > 1.0 or t > farthest


@kernel
def add_shifts(c, spins, shift, first, stop, nodes, terms):
    """Move the arms of contact c, which `frames_kernels.gather` wrote from `first` to `stop`, to where its impulses act."""
    for side in range(2):
        if spins[c, side] < 0:
            continue
        sign = 1.0 if side == 0 else -1.0
        for at in range(first, stop):
            if nodes[at] == spins[c, side]:
                for a in range(3):
                    terms[at - first, a + 1] += sign * shift[c, side, a]
