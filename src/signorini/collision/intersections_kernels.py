"""Edges that pass through triangles, by the signs of tetrahedron volumes."""

from __future__ import annotations

from signorini.collision.broad_phase_kernels import move_as_one
from signorini.compiled import kernel

FLAT = 1e-12
"""Part of its bound below which a volume counts as zero: 4,500 times the rounding of one of its products."""


@kernel
def volume(x, a, b, c, d):
    """Six times the signed volume of the tetrahedron a, b, c, d, and a bound of it from the lengths of its sides."""
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    vx, vy, vz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    wx, wy, wz = x[d, 0] - x[a, 0], x[d, 1] - x[a, 1], x[d, 2] - x[a, 2]
    value = ux * (vy * wz - vz * wy) + uy * (vz * wx - vx * wz) + uz * (vx * wy - vy * wx)
    bound = (abs(ux) + abs(uy) + abs(uz)) * (abs(vx) + abs(vy) + abs(vz)) * (abs(wx) + abs(wy) + abs(wz))
    return value, bound


@kernel
def passes_through(x, e0, e1, a, b, c):
    """Whether the edge e0-e1 crosses the inside of the triangle a, b, c.

    Its ends must be off the plane by more than rounding: a flat sheet in a tilted plane does not cross itself.
    """
    above, above_bound = volume(x, a, b, c, e0)
    below, below_bound = volume(x, a, b, c, e1)
    if above * below >= 0.0 or abs(above) <= FLAT * above_bound or abs(below) <= FLAT * below_bound:
        return False
    s, _ = volume(x, e0, e1, a, b)
    t, _ = volume(x, e0, e1, b, c)
    u, _ = volume(x, e0, e1, c, a)
    return (s >= 0.0 and t >= 0.0 and u >= 0.0) or (s <= 0.0 and t <= 0.0 and u <= 0.0)


@kernel
def edge_triangle(pairs, triangles, edges, owned_edges, group, x, found):
    """Edge-triangle pairs that cross, of the pairs of leaves; returns their number, also when `found` is too short."""
    count = 0
    for p in range(len(pairs)):
        for side in range(2):
            s, t = pairs[p, side], pairs[p, 1 - side]
            if t >= len(triangles):  # a lone edge
                continue
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            for k in range(3):
                e = owned_edges[s, k]
                if e < 0:
                    break
                e0, e1 = edges[e, 0], edges[e, 1]
                if e0 == a or e0 == b or e0 == c or e1 == a or e1 == b or e1 == c:
                    continue
                if group[e0] >= 0 and group[e0] == group[e1] and move_as_one(group, e0, a, b, c):
                    continue
                if passes_through(x, e0, e1, a, b, c):
                    if count < len(found):
                        found[count, 0], found[count, 1] = e, t
                    count += 1
    return count
