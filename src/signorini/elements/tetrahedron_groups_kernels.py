"""Division of a mesh of tetrahedra into small compact groups."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def free_neighbours(neighbours, owner, e):
    """Neighbours of tetrahedron e that are in no group yet."""
    count = 0
    for k in range(4):
        f = neighbours[e, k]
        if f >= 0 and owner[f] < 0:
            count += 1
    return count


@kernel
def best_addition(nodes, neighbours, owner, members, corners, corner_count):
    """The free neighbour of a group that brings fewest new corners, then the one with fewest free neighbours; -1: none."""
    best, best_key = -1, 1 << 30
    for m in members:
        for k in range(4):
            f = neighbours[m, k]
            if f < 0 or owner[f] >= 0:
                continue
            new = 4
            for c in range(4):
                for known in corners[:corner_count]:
                    if known == nodes[f, c]:
                        new -= 1
                        break
            key = 8 * new + free_neighbours(neighbours, owner, f)
            if key < best_key or (key == best_key and f < best):
                best, best_key = f, key
    return best


@kernel
def add_corners(nodes, e, corners, corner_count):
    """Enter the corners of tetrahedron e that are not there yet; their number then."""
    for c in range(4):
        known = False
        for k in range(corner_count):
            if corners[k] == nodes[e, c]:
                known = True
        if not known:
            corners[corner_count] = nodes[e, c]
            corner_count += 1
    return corner_count


@kernel
def divide(nodes, neighbours, size, owner):
    """Fill owner (t,) with groups of `size` tetrahedra; those of half the size or less join their smallest neighbour."""
    count = len(nodes)
    owner[:] = -1
    # Tetrahedra at the front by the number of their free neighbours, fewest first: what is left over would be cut off.
    stack, height = np.empty((5, 5 * count + 5), np.int32), np.zeros(5, np.int64)
    members, corners = np.empty(size, np.int32), np.empty(4 * size, np.int32)
    group_size = np.zeros(count, np.int64)
    groups, unseen = 0, 0
    while True:
        seed = -1
        for level in range(5):
            while seed < 0 and height[level] > 0:
                height[level] -= 1
                e = stack[level, height[level]]
                if owner[e] < 0 and free_neighbours(neighbours, owner, e) == level:
                    seed = e
            if seed >= 0:
                break
        if seed < 0:
            while unseen < count and owner[unseen] >= 0:
                unseen += 1
            if unseen == count:
                break
            seed = unseen
        members[0], owner[seed], filled = seed, groups, 1
        corner_count = add_corners(nodes, seed, corners, 0)
        while filled < size:
            f = best_addition(nodes, neighbours, owner, members[:filled], corners, corner_count)
            if f < 0:
                break
            members[filled], owner[f] = f, groups
            filled += 1
            corner_count = add_corners(nodes, f, corners, corner_count)
        group_size[groups] = filled
        groups += 1
        for m in members[:filled]:
            for k in range(4):
                f = neighbours[m, k]
                if f >= 0 and owner[f] < 0:
                    level = free_neighbours(neighbours, owner, f)
                    if height[level] < stack.shape[1]:
                        stack[level, height[level]] = f
                        height[level] += 1
    join_small(neighbours, size // 2, groups, group_size, owner)


@kernel
def join_small(neighbours, small, groups, group_size, owner):
    """Give groups of `small` tetrahedra or fewer to the smallest group beside them."""
    for g in range(groups):
        if group_size[g] > small:
            continue
        best = -1
        for e in range(len(owner)):
            if owner[e] == g:
                for k in range(4):
                    f = neighbours[e, k]
                    if f >= 0 and owner[f] != g and (best < 0 or group_size[owner[f]] < group_size[best]):
                        best = owner[f]
        if best >= 0:
            for e in range(len(owner)):
                if owner[e] == g:
                    owner[e] = best
            group_size[best] += group_size[g]
            group_size[g] = 0
