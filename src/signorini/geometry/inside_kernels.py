"""Winding numbers along vertical rays, and the overlap of a triangle with a tetrahedron.

A ray upward from a point crosses a triangle if the point lies in the triangle's projection along z. Which side of a
projected edge a point lies on is computed from the edge's ends in the order of their numbers, and ends belong to an edge
half-open: both triangles at an edge get the same answer, so a ray through an edge or a vertex is counted neither twice
nor not at all.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def bucket(value, low, scale, count):
    """The number of the bucket that holds a coordinate, limited to 0 ... count - 1."""
    return min(max(int(np.floor((value - low) * scale)), 0), count - 1)


@kernel
def fill_columns(x, triangles, low, scale, nx, ny, reach, start, items, fill):
    """List the triangles over each of nx × ny columns: first count into `start` (fill = False), then write `items`."""
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        i0 = bucket(min(x[a, 0], x[b, 0], x[c, 0]) - reach, low[0], scale, nx)
        i1 = bucket(max(x[a, 0], x[b, 0], x[c, 0]) + reach, low[0], scale, nx)
        j0 = bucket(min(x[a, 1], x[b, 1], x[c, 1]) - reach, low[1], scale, ny)
        j1 = bucket(max(x[a, 1], x[b, 1], x[c, 1]) + reach, low[1], scale, ny)
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                k = i * ny + j
                if fill:
                    items[start[k]] = t
                start[k] += 1


@kernel
def edge_crossing(x, i, j, px, py):
    """+1 or -1 if the projected edge i → j passes the ray from (px, py) along +x upward or downward in y, else 0."""
    a, b = (i, j) if i < j else (j, i)
    ay, by = x[a, 1], x[b, 1]
    if (ay <= py) == (by <= py):
        return 0
    side = (x[b, 0] - x[a, 0]) * (py - ay) - (by - ay) * (px - x[a, 0])
    crossing = 0
    if ay <= py:
        if side > 0.0:
            crossing = 1
    elif side < 0.0:
        crossing = -1
    return crossing if i < j else -crossing


@kernel
def winding_number(x, triangles, low, scale, nx, ny, start, items, px, py, pz):
    """Winding number of the surface around a point: 1 inside a closed outward surface, 0 outside."""
    if px < low[0] or py < low[1] or px > low[0] + nx / scale or py > low[1] + ny / scale:
        return 0
    k = bucket(px, low[0], scale, nx) * ny + bucket(py, low[1], scale, ny)
    winding = 0
    for s in range(start[k], start[k + 1]):
        a, b, c = triangles[items[s], 0], triangles[items[s], 1], triangles[items[s], 2]
        top = max(x[a, 2], x[b, 2], x[c, 2])
        if top < pz:
            continue
        sign = edge_crossing(x, a, b, px, py) + edge_crossing(x, b, c, px, py) + edge_crossing(x, c, a, px, py)
        if sign == 0:
            continue
        ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        vx, vy, vz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        nz = ux * vy - uy * vx
        height = x[a, 2]
        if nz != 0.0:
            height -= ((uy * vz - uz * vy) * (px - x[a, 0]) + (uz * vx - ux * vz) * (py - x[a, 1])) / nz
        # Steep triangles: rounding may put the crossing far off the triangle.
        height = min(max(height, min(x[a, 2], x[b, 2], x[c, 2])), top)
        if height > pz:
            winding += sign
    return winding


@kernel
def contains(x, triangles, low, scale, nx, ny, start, items, points, inside):
    """Which points have a positive winding number."""
    for p in range(len(points)):
        px, py, pz = points[p, 0], points[p, 1], points[p, 2]
        inside[p] = winding_number(x, triangles, low, scale, nx, ny, start, items, px, py, pz) > 0


@kernel
def separates(triangle, tet, nx, ny, nz, reach):
    """Whether the projections on the axis n overlap by `reach` or less; an axis of length zero separates nothing."""
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    low0 = low1 = np.inf
    high0 = high1 = -np.inf
    for k in range(3):
        d = nx * triangle[k, 0] + ny * triangle[k, 1] + nz * triangle[k, 2]
        low0, high0 = min(low0, d), max(high0, d)
    for k in range(4):
        d = nx * tet[k, 0] + ny * tet[k, 1] + nz * tet[k, 2]
        low1, high1 = min(low1, d), max(high1, d)
    return length > 0.0 and min(high0 - low1, high1 - low0) <= reach * length


@kernel
def cross_of(points, i, j, k, other, m, n):
    """(points[j] - points[i]) × (other[n] - other[m]), or (points[k] - points[i]) as second factor if m < 0."""
    ax, ay, az = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1], points[j, 2] - points[i, 2]
    if m < 0:
        bx, by, bz = points[k, 0] - points[i, 0], points[k, 1] - points[i, 1], points[k, 2] - points[i, 2]
    else:
        bx, by, bz = other[n, 0] - other[m, 0], other[n, 1] - other[m, 1], other[n, 2] - other[m, 2]
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    # Nearly parallel edges: their product is rounding, and no axis.
    tiny = 1e-12 * (abs(ax) + abs(ay) + abs(az)) * (abs(bx) + abs(by) + abs(bz))
    if abs(x) + abs(y) + abs(z) <= tiny:
        return 0.0, 0.0, 0.0
    return x, y, z


@kernel
def triangle_meets_tet(triangle, tet, reach):
    """Whether a triangle (3, 3) and a tetrahedron (4, 3) overlap by more than `reach` [m] along all separating axes."""
    for f in range(4):
        i, j, k = (f + 1) % 4, (f + 2) % 4, (f + 3) % 4
        nx, ny, nz = cross_of(tet, i, j, k, tet, -1, -1)
        if separates(triangle, tet, nx, ny, nz, reach):
            return False
    # Along its own normal a triangle is flat: it must pass between the corners of the tetrahedron.
    nx, ny, nz = cross_of(triangle, 0, 1, 2, triangle, -1, -1)
    if separates(triangle, tet, nx, ny, nz, reach):
        return False
    for e in range(3):
        for i in range(3):
            for j in range(i + 1, 4):
                nx, ny, nz = cross_of(triangle, e, (e + 1) % 3, 0, tet, i, j)
                if separates(triangle, tet, nx, ny, nz, reach):
                    return False
    return True
