"""Building, refitting and traversing the tree of boxes.

Nodes are stored in preorder: the left child of node i is i + 1, the right child is `right[i]`; `leaf[i]` is the number of
a leaf (a triangle or, after all triangles, a lone edge) and -1 elsewhere. Boxes are float32, rounded outward (half the
memory traffic of float64).

The box of a node is seen from the frame of its body (`body_frames`); that of a node with several bodies is seen from the world.
`body` is the body of each node, or the world's number.
"""

from __future__ import annotations

import numpy as np

from signorini.collision.body_frames_kernels import are_moving, sweep_between
from signorini.compiled import kernel


@kernel
def mark_groups(right, leaf, leaf_group):
    """The group of all leaves of a subtree, or -1; two subtrees of one group never need to be compared."""
    group = np.full(len(right), -1, dtype=np.int32)
    for node in range(len(right) - 1, -1, -1):
        if leaf[node] >= 0:
            group[node] = leaf_group[leaf[node]]
        elif group[node + 1] == group[right[node]]:
            group[node] = group[node + 1]
    return group


@kernel
def move_as_one(group, a, b, c, d):
    """Whether four vertices belong to one group."""
    return group[a] >= 0 and group[a] == group[b] and group[a] == group[c] and group[a] == group[d]


@kernel
def rounded_down(value):
    """A float32 below a value: one part in 10^6 is more than the rounding."""
    return np.float32(value - 1e-6 * abs(value) - 1e-30)


@kernel
def rounded_up(value):
    """A float32 above a value."""
    return np.float32(value + 1e-6 * abs(value) + 1e-30)


@kernel
def refit(right, leaf, body, corners, low, high, reach, rides, sweep, margin, boxes):
    """Boxes of all nodes from the boxes of the vertices, inflated by `reach`."""
    world = len(rides) - 1
    for node in range(len(right) - 1, -1, -1):
        if leaf[node] >= 0:
            t = leaf[node]
            for a in range(3):
                lo = min(low[corners[t, 0], a], low[corners[t, 1], a], low[corners[t, 2], a]) - reach
                hi = max(high[corners[t, 0], a], high[corners[t, 1], a], high[corners[t, 2], a]) + reach
                boxes[node, a], boxes[node, a + 3] = rounded_down(lo), rounded_up(hi)
        elif body[node] != world:
            left, r = node + 1, right[node]
            for a in range(3):
                boxes[node, a] = min(boxes[left, a], boxes[r, a])
                boxes[node, a + 3] = max(boxes[left, a + 3], boxes[r, a + 3])
        else:
            left, r = node + 1, right[node]
            left_low, left_high = sweep_between(rides, sweep, margin, world, body[left])
            right_low, right_high = sweep_between(rides, sweep, margin, world, body[r])
            for a in range(3):
                boxes[node, a] = rounded_down(min(boxes[left, a] + left_low[a], boxes[r, a] + right_low[a]))
                boxes[node, a + 3] = rounded_up(max(boxes[left, a + 3] + left_high[a], boxes[r, a + 3] + right_high[a]))


@kernel
def boxes_meet(boxes, i, j):
    """Whether the boxes of two nodes overlap."""
    return (
        boxes[i, 0] <= boxes[j, 3]
        and boxes[j, 0] <= boxes[i, 3]
        and boxes[i, 1] <= boxes[j, 4]
        and boxes[j, 1] <= boxes[i, 4]
        and boxes[i, 2] <= boxes[j, 5]
        and boxes[j, 2] <= boxes[i, 5]
    )


@kernel
def swept_boxes_meet(boxes, i, j, sweep):
    """Whether the boxes of two nodes overlap while that of j moves in the box `sweep` of displacements."""
    low, high = sweep
    for k in range(3):
        if boxes[i, k] > boxes[j, k + 3] + high[k]:
            return False
        if boxes[j, k] + low[k] > boxes[i, k + 3]:
            return False
    return True


@kernel
def self_pairs(right, leaf, group, body, ignored, boxes, rides, sweep, margin, pairs):
    """Pairs of different leaves whose boxes meet; returns how many there are, also when `pairs` is too short.

    `ignored` (bodies, bodies) is 1 for bodies that never touch; an empty one means that all do.
    """
    count = 0
    stack = np.empty((1024, 2), dtype=np.int32)
    stack[0, 0] = stack[0, 1] = 0
    top = 1
    while top > 0:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if i == j:
            if leaf[i] >= 0 or group[i] >= 0 or (len(ignored) > 0 and ignored[body[i], body[i]]):
                continue
            left, r = i + 1, right[i]
            stack[top, 0] = stack[top, 1] = left
            stack[top + 1, 0] = stack[top + 1, 1] = r
            stack[top + 2, 0], stack[top + 2, 1] = left, r
            top += 3
            continue
        if group[i] >= 0 and group[i] == group[j]:
            continue
        if len(ignored) > 0 and ignored[body[i], body[j]]:
            continue
        if are_moving(rides, body[i], body[j]):
            if not swept_boxes_meet(boxes, i, j, sweep_between(rides, sweep, margin, body[i], body[j])):
                continue
        elif not boxes_meet(boxes, i, j):
            continue
        if leaf[i] >= 0 and leaf[j] >= 0:
            if count < len(pairs):
                pairs[count, 0], pairs[count, 1] = leaf[i], leaf[j]
            count += 1
        elif leaf[j] >= 0 or (leaf[i] < 0 and right[i] - i >= right[j] - j):
            # The left subtree's size stands for the size of the node: split the larger one.
            stack[top, 0], stack[top, 1] = i + 1, j
            stack[top + 1, 0], stack[top + 1, 1] = right[i], j
            top += 2
        else:
            stack[top, 0], stack[top, 1] = i, j + 1
            stack[top + 1, 0], stack[top + 1, 1] = i, right[j]
            top += 2
    return count


@kernel
def vertex_meets_triangle(v, a, b, c, low, high, distance):
    """Whether the box of a vertex comes within `distance` of the box of a triangle."""
    for k in range(3):
        if low[v, k] - distance > max(high[a, k], high[b, k], high[c, k]):
            return False
        if high[v, k] + distance < min(low[a, k], low[b, k], low[c, k]):
            return False
    return True


@kernel
def edges_meet(a0, a1, b0, b1, low, high, distance):
    """Whether the boxes of two edges come within `distance` of each other."""
    for k in range(3):
        if min(low[a0, k], low[a1, k]) - distance > max(high[b0, k], high[b1, k]):
            return False
        if max(high[a0, k], high[a1, k]) + distance < min(low[b0, k], low[b1, k]):
            return False
    return True


@kernel
def sides_sweep(i, j, k, m, of_edges, low, high, distance, sweep):
    """Whether two edges i-j and k-m, or a vertex i and a triangle j, k, m, meet while the second side moves in `sweep`."""
    back, ahead = sweep
    for axis in range(3):
        first_low, first_high = low[i, axis], high[i, axis]
        second_low, second_high = min(low[k, axis], low[m, axis]), max(high[k, axis], high[m, axis])
        if of_edges:
            first_low, first_high = min(first_low, low[j, axis]), max(first_high, high[j, axis])
        else:
            second_low, second_high = min(second_low, low[j, axis]), max(second_high, high[j, axis])
        if first_low - distance > second_high + ahead[axis] or first_high + distance < second_low + back[axis]:
            return False
    return True


@kernel
def expand_pairs(
    leaf_pairs, triangles, edges, owned_vertices, owned_edges, group, leaf_body, low, high, distance, rides, sweep,
    margin, vertex_triangle, edge_edge,
):  # fmt: skip
    """Vertex-triangle and edge-edge pairs of the pairs of leaves; returns both counts, also when a buffer is short.

    Leaves from len(triangles) on are lone edges, which make no vertex-triangle pairs with the vertices of others.
    """
    a_count = 0
    b_count = 0
    for p in range(len(leaf_pairs)):
        for side in range(2):
            s, t = leaf_pairs[p, side], leaf_pairs[p, 1 - side]
            if t >= len(triangles):
                continue
            ta, tb, tc = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            moving = are_moving(rides, leaf_body[s], leaf_body[t])
            for c in range(3):
                v = owned_vertices[s, c]
                if v < 0:
                    break
                if v == ta or v == tb or v == tc or move_as_one(group, v, ta, tb, tc):
                    continue
                if moving:
                    swept = sweep_between(rides, sweep, margin, leaf_body[s], leaf_body[t])
                    meet = sides_sweep(v, ta, tb, tc, False, low, high, distance, swept)
                else:
                    meet = vertex_meets_triangle(v, ta, tb, tc, low, high, distance)
                if meet:
                    if a_count < len(vertex_triangle):
                        vertex_triangle[a_count, 0], vertex_triangle[a_count, 1] = v, t
                    a_count += 1
        s, t = leaf_pairs[p, 0], leaf_pairs[p, 1]
        moving = are_moving(rides, leaf_body[s], leaf_body[t])
        for c in range(3):
            e = owned_edges[s, c]
            if e < 0:
                break
            a0, a1 = edges[e, 0], edges[e, 1]
            for d in range(3):
                f = owned_edges[t, d]
                if f < 0:
                    break
                b0, b1 = edges[f, 0], edges[f, 1]
                if a0 == b0 or a0 == b1 or a1 == b0 or a1 == b1 or move_as_one(group, a0, a1, b0, b1):
                    continue
                if moving:
                    swept = sweep_between(rides, sweep, margin, leaf_body[s], leaf_body[t])
                    meet = sides_sweep(a0, a1, b0, b1, True, low, high, distance, swept)
                else:
                    meet = edges_meet(a0, a1, b0, b1, low, high, distance)
                if meet:
                    if b_count < len(edge_edge):
                        edge_edge[b_count, 0], edge_edge[b_count, 1] = e, f
                    b_count += 1
    return a_count, b_count
