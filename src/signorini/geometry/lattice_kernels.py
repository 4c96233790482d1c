"""Tetrahedra of a body-centred cubic lattice that touch the volume inside a surface.

The lattice lives in units of its cell, in a box of n0 × n1 × n2 cells. Its nodes are the corners and the centres of the
cells. A tetrahedron joins the centres of two neighbouring cells, (i, j, k) and the next along `axis`, with one of the four
edges of the square between them; its number is (((axis n0 + i) n1 + j) n2 + k) 4 + quarter.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.geometry.inside_kernels import triangle_meets_tet, winding_number

CUT = 1
"""State of a tetrahedron that a triangle of the surface passes through."""
INSIDE = 2
"""State of an uncut tetrahedron inside the surface."""


@kernel
def square_corner(quarter):
    """The corners of a square in counter-clockwise order, as two offsets of 0 or 1."""
    quarter = quarter % 4
    return (1 if quarter == 1 or quarter == 2 else 0), (1 if quarter >= 2 else 0)


@kernel
def corners_of(axis, i, j, k, quarter, tet):
    """The corners (4, 3) of a tetrahedron, in cells: two centres, then two corners, of positive volume."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    for m in range(4):
        tet[m, 0], tet[m, 1], tet[m, 2] = i, j, k
    for a in range(3):
        tet[0, a] += 0.5
        tet[1, a] += 0.5
    tet[1, axis] += 1.0
    for m in range(2):
        du, dv = square_corner(quarter + m)
        tet[2 + m, axis] += 1.0
        tet[2 + m, u] += du
        tet[2 + m, v] += dv


@kernel
def mark_cut(x, triangles, n, reach, state):
    """Set `state` to CUT for every tetrahedron that a triangle passes through; x in cells."""
    tet = np.empty((4, 3))
    triangle = np.empty((3, 3))
    low = np.empty(3, dtype=np.int64)
    high = np.empty(3, dtype=np.int64)
    for t in range(len(triangles)):
        for m in range(3):
            for a in range(3):
                triangle[m, a] = x[triangles[t, m], a]
        for axis in range(3):
            for a in range(3):
                shift = 0.5 if a == axis else 0.0
                lowest = min(triangle[0, a], triangle[1, a], triangle[2, a]) - shift
                highest = max(triangle[0, a], triangle[1, a], triangle[2, a]) - shift
                low[a] = max(int(np.ceil(lowest)) - 1, 0)
                high[a] = min(int(np.floor(highest)), n[a] - 1)
            high[axis] = min(high[axis], n[axis] - 2)
            for i in range(low[0], high[0] + 1):
                for j in range(low[1], high[1] + 1):
                    for k in range(low[2], high[2] + 1):
                        for quarter in range(4):
                            number = (((axis * n[0] + i) * n[1] + j) * n[2] + k) * 4 + quarter
                            if state[number] == 0:
                                corners_of(axis, i, j, k, quarter, tet)
                                if triangle_meets_tet(triangle, tet, reach):
                                    state[number] = CUT


@kernel
def mark_inside(x, triangles, low, scale, nx, ny, start, items, n, state):
    """Set `state` to INSIDE where the centre of an uncut tetrahedron is inside; returns how many are cut or inside."""
    tet = np.empty((4, 3))
    centre = np.empty(3)
    count = 0
    for number in range(len(state)):
        if state[number] == 0:
            quarter = number % 4
            k = number // 4 % n[2]
            j = number // (4 * n[2]) % n[1]
            i = number // (4 * n[2] * n[1]) % n[0]
            axis = number // (4 * n[2] * n[1] * n[0])
            corners_of(axis, i, j, k, quarter, tet)
            for a in range(3):
                centre[a] = 0.25 * (tet[0, a] + tet[1, a] + tet[2, a] + tet[3, a])
            winding = winding_number(
                x, triangles, low, scale, nx, ny, start, items, centre[0], centre[1], centre[2]
            )  # fmt: skip
            if winding > 0:
                state[number] = INSIDE
        if state[number] != 0:
            count += 1
    return count


@kernel
def list_tetrahedra(state, n, tetrahedra):
    """The nodes of every marked tetrahedron: corner (i, j, k) of the box is ((i (n1+1) + j) (n2+1) + k), centres follow."""
    corner_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1)
    at = np.empty(3, dtype=np.int64)
    row = 0
    for number in range(len(state)):
        if state[number] == 0:
            continue
        quarter = number % 4
        at[2] = number // 4 % n[2]
        at[1] = number // (4 * n[2]) % n[1]
        at[0] = number // (4 * n[2] * n[1]) % n[0]
        axis = number // (4 * n[2] * n[1] * n[0])
        u, v = (axis + 1) % 3, (axis + 2) % 3
        tetrahedra[row, 0] = corner_count + (at[0] * n[1] + at[1]) * n[2] + at[2]
        at[axis] += 1
        tetrahedra[row, 1] = corner_count + (at[0] * n[1] + at[1]) * n[2] + at[2]
        for m in range(2):
            du, dv = square_corner(quarter + m)
            at[u] += du
            at[v] += dv
            tetrahedra[row, 2 + m] = (at[0] * (n[1] + 1) + at[1]) * (n[2] + 1) + at[2]
            at[u] -= du
            at[v] -= dv
        row += 1
