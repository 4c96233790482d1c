"""Coarse space of a symmetric block matrix: groups of neighbouring nodes that each move as a rigid body.

Z maps the six velocities of every group (of its centre, and of its rotation times its size) to those of the nodes: row i is
[I, -[a_i]x] for the arm a_i of the node. C = Z' K Z is factorised as U' diag(d) U within its envelope.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

SMALLEST_PIVOT = 1e-12
"""Part of its diagonal below which a pivot is rounding: the rotation of a single node, or of nodes in a line, is left out."""


@kernel
def grow_groups(indptr, indices, seeds, distance, queue, group):
    """Group of every node, around seeds that are as far from one another as the graph allows; -1 for what no seed reaches.

    Nodes that are coupled to no other belong to no group. seeds (s,), distance (n,) and queue (n,) are work space. Returns the
    number of groups.
    """
    n = len(group)
    for i in range(n):
        group[i] = -1
        distance[i] = n + 1 if indptr[i + 1] - indptr[i] > 1 else -1
    for s in range(len(seeds)):
        seed = 0
        for i in range(n):
            if distance[i] > distance[seed]:
                seed = i
        if distance[seed] <= 0:
            return s
        seeds[s], group[seed], distance[seed], queue[0] = seed, s, 0, seed
        head, tail = 0, 1
        while head < tail:  # breadth first, as far as this seed is nearer than all before it
            i = queue[head]
            head += 1
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                if distance[i] + 1 < distance[j]:
                    distance[j], group[j], queue[tail] = distance[i] + 1, s, j
                    tail += 1
    return len(seeds)


@kernel
def set_arms(points, order, group, scale, count, arm):
    """Arms (3n,) of the nodes from the centres of their groups over the groups' sizes; group (n,) is by place in `order`."""
    centre, number = np.zeros((count, 3)), np.zeros(count)
    for i in range(len(group)):
        g = group[i]
        if g >= 0:
            number[g] += 1.0
            for a in range(3):
                centre[g, a] += points[order[i], a]
    scale[:] = 0.0
    for i in range(len(group)):
        g = group[i]
        for a in range(3):
            arm[3 * i + a] = points[order[i], a] - centre[g, a] / number[g] if g >= 0 else 0.0
            if g >= 0:
                scale[g] = max(scale[g], abs(arm[3 * i + a]))
    for i in range(len(group)):
        if group[i] >= 0 and scale[group[i]] > 0.0:
            for a in range(3):
                arm[3 * i + a] /= scale[group[i]]


@kernel
def set_up(K, coarse):
    """Factorise C = Z' K Z; coarse.C gets the unit upper triangle U, and its diagonal 1/d, or 0 for a motion that is left out."""
    C, group, arm = coarse.C, coarse.group, coarse.arm
    C[:] = 0.0
    block, T = np.empty((3, 3)), np.empty((6, 6))
    for i in range(len(group)):
        if group[i] < 0:
            continue
        for a in range(9):
            block[a // 3, a % 3] = K.D[9 * i + a]
        moved(block, arm, i, i, T)
        add_motion(T, 6 * group[i], 6 * group[i], 0.5, C)
        for k in range(K.L_indptr[i], K.L_indptr[i + 1]):
            j = K.L_indices[k]
            if group[j] >= 0:
                for a in range(9):
                    block[a // 3, a % 3] = K.L[9 * k + a]
                moved(block, arm, i, j, T)
                add_motion(T, 6 * group[i], 6 * group[j], 1.0, C)
    factorise(C, coarse.last)


@kernel
def moved(block, arm, i, j, T):
    """T (6, 6) = Z_i' B Z_j for a block B (3, 3) of nodes i and j."""
    for a in range(3):
        b0, b1, b2 = block[a, 0], block[a, 1], block[a, 2]
        x, y, z = arm[3 * j], arm[3 * j + 1], arm[3 * j + 2]
        T[a, 0], T[a, 1], T[a, 2] = b0, b1, b2
        T[a, 3], T[a, 4], T[a, 5] = b2 * y - b1 * z, b0 * z - b2 * x, b1 * x - b0 * y
    x, y, z = arm[3 * i], arm[3 * i + 1], arm[3 * i + 2]
    for c in range(6):
        T[3, c] = y * T[2, c] - z * T[1, c]
        T[4, c] = z * T[0, c] - x * T[2, c]
        T[5, c] = x * T[1, c] - y * T[0, c]


@kernel
def add_motion(T, row, column, factor, C):
    """Add T and its transpose, which K has too, to the upper triangle of C."""
    for a in range(6):
        for b in range(6):
            if row < column:
                C[row + a, column + b] += factor * T[a, b]
            elif row > column:
                C[column + b, row + a] += factor * T[a, b]
            else:
                C[row + a, row + b] += factor * (T[a, b] + T[b, a])


@kernel
def factorise(C, last):
    """C = U' diag(d) U in place of its upper triangle: U without its diagonal of ones, and 1/d on the diagonal.

    last (6g,) gets the last column of each row that is not zero: groups are numbered so that these are near.
    """
    n, farthest = len(C), 0
    whole = np.empty(n)
    for k in range(n):
        whole[k] = C[k, k]
        for i in range(n - 1, max(farthest, k), -1):
            if C[k, i] != 0.0:
                farthest = i
                break
        last[k] = max(farthest, k)  # elimination fills everything up to the farthest column of the rows before
    for k in range(n):
        if not C[k, k] > SMALLEST_PIVOT * whole[k]:
            C[k, k:] = 0.0
            continue
        inverse = 1.0 / C[k, k]
        end = last[k] + 1
        for i in range(k + 1, end):
            factor = C[k, i] * inverse
            if factor != 0.0:
                for j in range(i, end):
                    C[i, j] -= factor * C[k, j]
        for i in range(k + 1, end):
            C[k, i] *= inverse
        C[k, k] = inverse


@kernel
def solve_coarse(C, last, x):
    """x becomes C⁻¹ x; zero for motions that are left out."""
    n = len(x)
    for k in range(n):
        value = x[k]
        for i in range(k + 1, last[k] + 1):
            x[i] -= C[k, i] * value
        x[k] = value * C[k, k]
    for k in range(n - 1, -1, -1):
        a = b = c = d = 0.0
        i, end = k + 1, last[k] + 1
        while i + 4 <= end:
            a += C[k, i] * x[i]
            b += C[k, i + 1] * x[i + 1]
            c += C[k, i + 2] * x[i + 2]
            d += C[k, i + 3] * x[i + 3]
            i += 4
        while i < end:
            a += C[k, i] * x[i]
            i += 1
        x[k] = x[k] - (a + b) - (c + d) if C[k, k] != 0.0 else 0.0


@kernel
def restrict(group, arm, begin, end, r, total):
    """Add Z' r of some rows of r (4n,) to `total` (6g,)."""
    for i in range(begin, end):
        if group[i] >= 0:
            at = 6 * group[i]
            x, y, z = arm[3 * i], arm[3 * i + 1], arm[3 * i + 2]
            r0, r1, r2 = r[4 * i], r[4 * i + 1], r[4 * i + 2]
            total[at] += r0
            total[at + 1] += r1
            total[at + 2] += r2
            total[at + 3] += y * r2 - z * r1
            total[at + 4] += z * r0 - x * r2
            total[at + 5] += x * r1 - y * r0


@kernel
def prolong(group, arm, begin, end, c, v):
    """v (4n,) += Z c in some rows, for the velocities c (6g,) of the groups."""
    for i in range(begin, end):
        if group[i] >= 0:
            at = 6 * group[i]
            x, y, z = arm[3 * i], arm[3 * i + 1], arm[3 * i + 2]
            v[4 * i] += c[at] + c[at + 4] * z - c[at + 5] * y
            v[4 * i + 1] += c[at + 1] + c[at + 5] * x - c[at + 3] * z
            v[4 * i + 2] += c[at + 2] + c[at + 3] * y - c[at + 4] * x
