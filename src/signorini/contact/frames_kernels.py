"""Kernels that fill contact frames and Jacobian blocks."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.contact_points_kernels import add_shifts


@kernel
def tangents(n, vx, vy, vz, frame):
    """Rows n, t1, t2 with t1 along the tangential part of (vx, vy, vz); any tangent when that part vanishes."""
    along = vx * n[0] + vy * n[1] + vz * n[2]
    tx, ty, tz = vx - along * n[0], vy - along * n[1], vz - along * n[2]
    size = np.sqrt(tx * tx + ty * ty + tz * tz)
    if not size > 1e-9 * (1.0 + abs(along)):
        if abs(n[0]) < 0.6:
            tx, ty, tz = 1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]
        else:
            tx, ty, tz = -n[1] * n[0], 1.0 - n[1] * n[1], -n[1] * n[2]
        size = np.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx / size, ty / size, tz / size
    frame[0, 0], frame[0, 1], frame[0, 2] = n[0], n[1], n[2]
    frame[1, 0], frame[1, 1], frame[1, 2] = tx, ty, tz
    frame[2, 0] = n[1] * tz - n[2] * ty
    frame[2, 1] = n[2] * tx - n[0] * tz
    frame[2, 2] = n[0] * ty - n[1] * tx


@kernel
def gather(c, vertices, weights, map_indptr, map_nodes, map_weights, map_arms, rotating, movable, first, nodes, terms):
    """The nodes of contact c from place `first` on, each once, and the factor and arm of each in `terms`; returns the end.

    The velocity pa − pb of the contact is Σ factor v + v × arm over its nodes; there are no arms unless `rotating`.
    """
    stop = first
    for k in range(4):
        i, w = vertices[c, k], weights[c, k]
        if i < 0 or w == 0.0:
            continue
        for e in range(map_indptr[i], map_indptr[i + 1]):
            node = map_nodes[e]
            if not movable[node]:
                continue
            at = first
            while at < stop and nodes[at] != node:
                at += 1
            if at == stop:
                nodes[at] = node
                terms[at - first, 0] = w * map_weights[e]
                if rotating:
                    for a in range(3):
                        terms[at - first, a + 1] = w * map_arms[e, a]
                stop += 1
                continue
            terms[at - first, 0] += w * map_weights[e]
            if rotating:
                for a in range(3):
                    terms[at - first, a + 1] += w * map_arms[e, a]
    return stop


@kernel
def build(
    vertices, weights, normal, velocity, map_indptr, map_nodes, map_weights, map_arms, rotating, movable, spins, shift,
    point_velocity, frames, u_free, indptr, nodes, blocks,
):  # fmt: skip
    """Frames, free contact velocities and the Jacobian in row form; returns the number of its blocks.

    A block is frame (factor I − [arm]×): its rows are factor f + arm × f. Contacts may have shifted arms (`spins` and `shift`
    are not empty) and velocities that do not follow from those of their vertices (`point_velocity` is not empty).
    """
    terms = np.empty((len(nodes) // max(len(vertices), 1), 4))
    count = 0
    for c in range(len(vertices)):
        vx = vy = vz = 0.0
        for k in range(4):
            i = vertices[c, k]
            if i >= 0:
                w = weights[c, k]
                vx += w * velocity[i, 0]
                vy += w * velocity[i, 1]
                vz += w * velocity[i, 2]
        if len(point_velocity):
            vx, vy, vz = point_velocity[c, 0], point_velocity[c, 1], point_velocity[c, 2]
        tangents(normal[c], vx, vy, vz, frames[c])
        for r in range(3):
            u_free[c, r] = frames[c, r, 0] * vx + frames[c, r, 1] * vy + frames[c, r, 2] * vz
        stop = gather(
            c, vertices, weights, map_indptr, map_nodes, map_weights, map_arms, rotating, movable, count, nodes, terms
        )  # fmt: skip
        if len(spins):
            add_shifts(c, spins, shift, count, stop, nodes, terms)
        for at in range(count, stop):
            w = terms[at - count, 0]
            for r in range(3):
                for a in range(3):
                    blocks[at, r, a] = w * frames[c, r, a]
            if rotating:
                ax, ay, az = terms[at - count, 1], terms[at - count, 2], terms[at - count, 3]
                for r in range(3):
                    blocks[at, r, 0] += ay * frames[c, r, 2] - az * frames[c, r, 1]
                    blocks[at, r, 1] += az * frames[c, r, 0] - ax * frames[c, r, 2]
                    blocks[at, r, 2] += ax * frames[c, r, 1] - ay * frames[c, r, 0]
        count = stop
        indptr[c + 1] = count
    return count


@kernel
def to_world(frames, local, out):
    """World vectors (m, 3) of vectors (m, 3) in the frames (m, 3, 3)."""
    for c in range(len(frames)):
        n, s, t = local[c, 0], local[c, 1], local[c, 2]
        for a in range(3):
            out[c, a] = n * frames[c, 0, a] + s * frames[c, 1, a] + t * frames[c, 2, a]


@kernel
def to_frames(frames, world, out):
    """Vectors (m, 3) in the frames (m, 3, 3) of world vectors (m, 3)."""
    for c in range(len(frames)):
        x, y, z = world[c, 0], world[c, 1], world[c, 2]
        for a in range(3):
            out[c, a] = x * frames[c, a, 0] + y * frames[c, a, 1] + z * frames[c, a, 2]
