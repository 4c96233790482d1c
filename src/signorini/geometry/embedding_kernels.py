"""Grid over tetrahedra: the tetrahedra around points, and those that a surface cuts."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.geometry.inside_kernels import bucket, triangle_meets_tet, winding_number


@kernel
def fill_grid(x, cells_of, low, scale, n, reach, start, items, fill):
    """List the elements (rows of node numbers) whose boxes reach into each grid cell, as `fill_columns` does."""
    first = np.empty(3, dtype=np.int64)
    last = np.empty(3, dtype=np.int64)
    for t in range(len(cells_of)):
        for a in range(3):
            lowest = highest = x[cells_of[t, 0], a]
            for m in range(1, cells_of.shape[1]):
                lowest = min(lowest, x[cells_of[t, m], a])
                highest = max(highest, x[cells_of[t, m], a])
            first[a] = bucket(lowest - reach, low[a], scale, n[a])
            last[a] = bucket(highest + reach, low[a], scale, n[a])
        for i in range(first[0], last[0] + 1):
            for j in range(first[1], last[1] + 1):
                for k in range(first[2], last[2] + 1):
                    c = (i * n[1] + j) * n[2] + k
                    if fill:
                        items[start[c]] = t
                    start[c] += 1


@kernel
def weights_in(x, tetrahedra, t, px, py, pz, weights):
    """Barycentric weights (4,) of a point in tetrahedron t; returns the smallest."""
    a, b, c, d = tetrahedra[t, 0], tetrahedra[t, 1], tetrahedra[t, 2], tetrahedra[t, 3]
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    vx, vy, vz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    wx, wy, wz = x[d, 0] - x[a, 0], x[d, 1] - x[a, 1], x[d, 2] - x[a, 2]
    rx, ry, rz = px - x[a, 0], py - x[a, 1], pz - x[a, 2]
    vwx, vwy, vwz = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
    ruX, ruY, ruZ = uy * rz - uz * ry, uz * rx - ux * rz, ux * ry - uy * rx
    volume = ux * vwx + uy * vwy + uz * vwz
    weights[1] = (rx * vwx + ry * vwy + rz * vwz) / volume
    weights[2] = (ruX * wx + ruY * wy + ruZ * wz) / volume
    weights[3] = -(ruX * vx + ruY * vy + ruZ * vz) / volume
    weights[0] = 1.0 - weights[1] - weights[2] - weights[3]
    return min(weights[0], weights[1], weights[2], weights[3])


@kernel
def locate(x, tetrahedra, low, scale, n, start, items, part, points, wanted, found, weights):
    """The tetrahedron (of part wanted[p], or of any for -1) in which each point lies deepest; -1 if there is none near."""
    trial = np.empty(4)
    for p in range(len(points)):
        px, py, pz = points[p, 0], points[p, 1], points[p, 2]
        i, j = bucket(px, low[0], scale, n[0]), bucket(py, low[1], scale, n[1])
        c = (i * n[1] + j) * n[2] + bucket(pz, low[2], scale, n[2])
        best = -np.inf
        found[p] = -1
        for s in range(start[c], start[c + 1]):
            t = items[s]
            if wanted[p] >= 0 and part[t] != wanted[p]:
                continue
            depth = weights_in(x, tetrahedra, t, px, py, pz, trial)
            if depth > best:
                best = depth
                found[p] = t
                for m in range(4):
                    weights[p, m] = trial[m]


@kernel
def mark_cut(x, tetrahedra, low, scale, n, start, items, surface_x, triangles, relative_reach, cut):
    """Set cut[t] where a triangle passes through tetrahedron t."""
    triangle = np.empty((3, 3))
    tet = np.empty((4, 3))
    first = np.empty(3, dtype=np.int64)
    last = np.empty(3, dtype=np.int64)
    for s in range(len(triangles)):
        for m in range(3):
            for a in range(3):
                triangle[m, a] = surface_x[triangles[s, m], a]
        for a in range(3):
            first[a] = bucket(min(triangle[0, a], triangle[1, a], triangle[2, a]), low[a], scale, n[a])
            last[a] = bucket(max(triangle[0, a], triangle[1, a], triangle[2, a]), low[a], scale, n[a])
        for i in range(first[0], last[0] + 1):
            for j in range(first[1], last[1] + 1):
                for k in range(first[2], last[2] + 1):
                    c = (i * n[1] + j) * n[2] + k
                    for e in range(start[c], start[c + 1]):
                        t = items[e]
                        if cut[t]:
                            continue
                        size = 0.0
                        for m in range(4):
                            for a in range(3):
                                tet[m, a] = x[tetrahedra[t, m], a]
                                size = max(size, abs(tet[m, a] - tet[0, a]))
                        cut[t] = triangle_meets_tet(triangle, tet, relative_reach * size)


@kernel
def sample_fractions(
    x, tetrahedra, cut, samples, surface_x, triangles, low, scale, nx, ny, start, items, fractions
):  # fmt: skip
    """The share of sample points inside the surface; one sample, the centre, for tetrahedra that are not cut."""
    for t in range(len(tetrahedra)):
        count = 0
        total = len(samples) if cut[t] else 1
        for s in range(total):
            px = py = pz = 0.0
            for m in range(4):
                w = samples[s, m] if cut[t] else 0.25
                px += w * x[tetrahedra[t, m], 0]
                py += w * x[tetrahedra[t, m], 1]
                pz += w * x[tetrahedra[t, m], 2]
            if winding_number(surface_x, triangles, low, scale, nx, ny, start, items, px, py, pz) > 0:
                count += 1
        fractions[t] = count / total
