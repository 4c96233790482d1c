"""Paths of vertices within a step: a straight line, and what turns and scripts add to it.

A vertex is at x0 + t (x1 − x0) + Σ of its bends at the fraction t of the step; every bend is zero at t = 0 and t = 1. The bend of
a turn by the rotation vector φn, for a point with the arm a from the axis, is s(t) p + c(t) q with p = n × a, q = n × p,
s = sin tφ − t sin φ and c = (1 − cos tφ) − t (1 − cos φ). That of a script is a row of `offsets`, linear between equal times.

`paths` is the tuple (bend, indptr, which, p, q, radius, angle, offsets, extra) of `collision/paths.Paths`.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.compiled import kernel

WIDE = 8.0
"""Square of the angle [rad²] from which an arc is nearer to the path of its centre (1 radius) than to its chord (φ²/8)."""
SMALLEST_TURN = 1e-8
"""Turns by less [rad] bend a path by less than its rounding: 1e-17 radii."""


@kernel
def swing(t, angle):
    """s(t) and c(t) of a turn."""
    half, part = math.sin(0.5 * angle), math.sin(0.5 * t * angle)
    return math.sin(t * angle) - t * math.sin(angle), 2.0 * (part * part - t * half * half)


@kernel
def centre_swing(t, angle):
    """The same for the centre of the circle instead of the point on it."""
    half = math.sin(0.5 * angle)
    return -t * math.sin(angle), 1.0 - 2.0 * t * half * half


@kernel
def offset_at(offsets, row, t, axis):
    """Row `row` of the offsets at the fraction t."""
    pieces = len(offsets) - 1
    j = min(int(t * pieces), pieces - 1)
    part = t * pieces - j
    return (1.0 - part) * offsets[j, row, axis] + part * offsets[j + 1, row, axis]


@kernel
def offset_deviation(offsets, row, a, b):
    """How far the offsets deviate from a straight line between the fractions a and b: the most at a sample inside."""
    pieces = len(offsets) - 1
    worst = 0.0
    for j in range(math.floor(a * pieces) + 1, math.ceil(b * pieces)):
        part = (j / pieces - a) / (b - a)
        square = 0.0
        for axis in range(3):
            start, end = offset_at(offsets, row, a, axis), offset_at(offsets, row, b, axis)
            off = offsets[j, row, axis] - start - part * (end - start)
            square += off * off
        worst = max(worst, square)
    return math.sqrt(worst)


@kernel
def cut_path(paths, x0, x1, i, a, b, start, end, slot):
    """Write a straight line near the path of vertex i between the fractions a and b; returns how far the path deviates [m].

    Row `slot` of `start` and `end` are its ends: those of the path itself, or of the centre's path where the arc is wide. The
    deviation of an arc from its chord at equal times is at most radius · angle² / 8.
    """
    _, indptr, which, p, q, radius, angle, offsets, extra = paths
    for axis in range(3):
        step = x1[i, axis] - x0[i, axis]
        start[slot, axis] = x0[i, axis] + a * step
        end[slot, axis] = x0[i, axis] + b * step
    deviation = extra[i]
    for e in range(indptr[i], indptr[i + 1]):
        turn = which[e]
        if turn < 0:
            deviation += radius[e] * offset_deviation(offsets, -1 - turn, a, b)
            for axis in range(3):
                start[slot, axis] += p[e, 0] * offset_at(offsets, -1 - turn, a, axis)
                end[slot, axis] += p[e, 0] * offset_at(offsets, -1 - turn, b, axis)
            continue
        span = (b - a) * angle[turn]
        if span * span < WIDE:
            s0, c0 = swing(a, angle[turn])
            s1, c1 = swing(b, angle[turn])
            deviation += radius[e] * span * span / 8.0
        else:
            s0, c0 = centre_swing(a, angle[turn])
            s1, c1 = centre_swing(b, angle[turn])
            deviation += radius[e]
        for axis in range(3):
            start[slot, axis] += s0 * p[e, axis] + c0 * q[e, axis]
            end[slot, axis] += s1 * p[e, axis] + c1 * q[e, axis]
    return deviation


@kernel
def add_turn(e, turn, vectors, angle, weight, arm, which, p, q, radius):
    """Write entry e: the bend of a point with the arm weight · arm; returns its largest distance from the chord [m]."""
    ax, ay, az = weight * arm[0], weight * arm[1], weight * arm[2]
    nx, ny, nz = vectors[turn, 0] / angle[turn], vectors[turn, 1] / angle[turn], vectors[turn, 2] / angle[turn]
    px, py, pz = ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax
    which[e] = turn
    p[e, 0], p[e, 1], p[e, 2] = px, py, pz
    q[e, 0], q[e, 1], q[e, 2] = ny * pz - nz * py, nz * px - nx * pz, nx * py - ny * px
    radius[e] = math.sqrt(px * px + py * py + pz * pz)
    return radius[e] * min(angle[turn] * angle[turn] / 8.0, 2.0)


@kernel
def add_curve(e, curve, curve_turn, curve_arm, curve_extra, vectors, angle, offsets, weight, entry):
    """Write entry e from a curve of a script; returns the new number of entries, its bend and its extra deviation [m]."""
    which, p, q, radius = entry
    turn, bend, extra = curve_turn[curve], 0.0, abs(weight) * curve_extra[curve]
    if turn >= 0:
        if angle[turn] > SMALLEST_TURN:
            bend = add_turn(e, turn, vectors, angle, weight, curve_arm[curve], which, p, q, radius)
            e += 1
    elif turn < -1:
        row = -2 - turn
        which[e], radius[e], p[e, 0] = -1 - row, abs(weight), weight
        for j in range(len(offsets)):
            square = offsets[j, row, 0] ** 2 + offsets[j, row, 1] ** 2 + offsets[j, row, 2] ** 2
            bend = max(bend, abs(weight) * math.sqrt(square))
        e += 1
    return e, bend + extra, extra


@kernel
def trace(
    map_indptr, nodes, weights, rotor, arms, kinematic_first, vectors, node_curve, vertex_curve, curve_turn, curve_arm,
    curve_extra, offsets,
):  # fmt: skip
    """The tuple `paths` of all vertices.

    Rigid bodies turn by `vectors` (b, 3) [rad]; the curves of scripts refer to these and to `offsets`. `node_curve` and
    `vertex_curve` are the curve of each pinned node and kinematic vertex, -1 for none; both may be empty.
    """
    count = len(map_indptr) - 1
    room = len(nodes) + len(vertex_curve)
    bend, extra, indptr = np.zeros(count), np.zeros(count), np.zeros(count + 1, np.int64)
    which, p, q, radius = np.empty(room, np.int64), np.zeros((room, 3)), np.zeros((room, 3)), np.empty(room)
    angle = np.empty(len(vectors))
    for b in range(len(vectors)):
        angle[b] = math.sqrt(vectors[b, 0] ** 2 + vectors[b, 1] ** 2 + vectors[b, 2] ** 2)
    e = 0
    for i in range(count):
        for m in range(map_indptr[i], map_indptr[i + 1]):
            if rotor[m] >= 0:
                if angle[rotor[m]] > SMALLEST_TURN:
                    bend[i] += add_turn(e, rotor[m], vectors, angle, 1.0, arms[m], which, p, q, radius)
                    e += 1
            elif len(node_curve) and node_curve[nodes[m]] >= 0:
                e, more, beyond = add_curve(e, node_curve[nodes[m]], curve_turn, curve_arm, curve_extra, vectors, angle,
                                            offsets, weights[m], (which, p, q, radius))  # fmt: skip
                bend[i] += more
                extra[i] += beyond
        if i >= kinematic_first and len(vertex_curve) and vertex_curve[i - kinematic_first] >= 0:
            e, more, beyond = add_curve(e, vertex_curve[i - kinematic_first], curve_turn, curve_arm, curve_extra, vectors,
                                        angle, offsets, 1.0, (which, p, q, radius))  # fmt: skip
            bend[i] += more
            extra[i] += beyond
        indptr[i + 1] = e
    return bend, indptr, which[:e], p[:e], q[:e], radius[:e], angle, offsets, extra


@kernel
def path_boxes(paths, x0, x1, low, high):
    """Boxes (v, 3) that contain the paths."""
    bend, extra = paths[0], paths[8]
    start, end = np.empty((1, 3)), np.empty((1, 3))
    for i in range(len(x0)):
        reach, centred = 0.0, np.inf
        if bend[i] > 0.0:
            reach = bend[i] - extra[i]
            centred = cut_path(paths, x0, x1, i, 0.0, 1.0, start, end, 0) - extra[i]
        for axis in range(3):
            low[i, axis] = min(x0[i, axis], x1[i, axis]) - reach
            high[i, axis] = max(x0[i, axis], x1[i, axis]) + reach
            if centred < reach:
                low[i, axis] = min(start[0, axis], end[0, axis]) - centred
                high[i, axis] = max(start[0, axis], end[0, axis]) + centred
            if bend[i] > 0.0:
                low[i, axis] -= extra[i]
                high[i, axis] += extra[i]


@kernel
def place_all(paths, x0, x1, t, x, spare):
    """Where all vertices are at the fraction t."""
    for i in range(len(x0)):
        cut_path(paths, x0, x1, i, t, t, x, spare, i)
