"""Building, refitting and traversing the tree of boxes.

Nodes are stored in preorder: the left child of node i is i + 1, the right child is `right[i]`; `leaf[i]` is the number of a leaf
(a triangle or, after all triangles, a lone edge) and -1 elsewhere. Boxes are packed (`box_registers_kernels`), rounded outward;
those of nodes and primitives are larger by half of the distance that is searched for.

The box of a node is seen from the frame of its body (`body_frames`); that of a node with several bodies is seen from the world.
`body` is the body of each node, or the world's number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signorini.collision.body_frames_kernels import are_moving, sweep_between
from signorini.collision.boxes.box_registers_kernels import around, box_at, meet_boxes, meet_swept, put_box
from signorini.collision.boxes.packed_boxes_kernels import rounded_down
from signorini.compiled import kernel
from signorini.parallel.crew_kernels import meet


class TreeArrays(NamedTuple):
    """A tree of boxes, as kernels take it."""

    right: NDArray[np.int32]
    leaf: NDArray[np.int32]
    group: NDArray[np.int32]
    body: NDArray[np.int32]
    ignored: NDArray[np.uint8]
    """(bodies, bodies) 1 for bodies that never touch; an empty one means that all do."""
    boxes: NDArray[np.float32]


class Primitives(NamedTuple):
    """Vertices, triangles and edges of a surface with their boxes, as kernels take them."""

    triangles: NDArray[np.int32]
    edges: NDArray[np.int32]
    owned_vertices: NDArray[np.int32]
    owned_edges: NDArray[np.int32]
    vertex_group: NDArray[np.int32]
    leaf_body: NDArray[np.int32]
    vertex_boxes: NDArray[np.float32]
    """(v, 8) packed boxes [m]."""
    triangle_boxes: NDArray[np.float32]
    edge_boxes: NDArray[np.float32]


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
def refit(right, leaf, body, corners, vertex_boxes, rides, sweep, margin, boxes):
    """Boxes (k, 8) of all nodes from those of the vertices (v, 8)."""
    world = len(rides) - 1
    for node in range(len(right) - 1, -1, -1):
        left, r = node + 1, right[node]
        if leaf[node] >= 0:
            t = leaf[node]
            first, second = box_at(vertex_boxes, corners[t, 0]), box_at(vertex_boxes, corners[t, 1])
            put_box(boxes, node, around(around(first, second), box_at(vertex_boxes, corners[t, 2])))
        elif body[node] != world:
            put_box(boxes, node, around(box_at(boxes, left), box_at(boxes, r)))
        else:
            left_low, left_high = sweep_between(rides, sweep, margin, world, body[left])
            right_low, right_high = sweep_between(rides, sweep, margin, world, body[r])
            boxes[node, 3] = boxes[node, 7] = 0.0
            for a in range(3):
                boxes[node, a] = rounded_down(min(boxes[left, a] + left_low[a], boxes[r, a] + right_low[a]))
                boxes[node, a + 4] = rounded_down(
                    min(boxes[left, a + 4] - left_high[a], boxes[r, a + 4] - right_high[a])
                )


@kernel
def put_sweep(rides, sweep, margin, a, b, packed):
    """Write the box in which the frame of body b moves, seen from that of body a, to `packed` (1, 8) for `meet_swept`."""
    back, ahead = sweep_between(rides, sweep, margin, a, b)
    packed[0, 3] = packed[0, 7] = 0.0
    for k in range(3):
        packed[0, k], packed[0, k + 4] = rounded_down(-ahead[k]), rounded_down(back[k])


@kernel
def pairs_below(tree, frames, first, second, span, pairs):
    """Pairs of nodes below two nodes whose boxes meet, in the order of the tree; their number, also when `pairs` is too short.

    Nodes are opened until both are leaves, or have left subtrees of `span` nodes at most: the searches below such pairs, one
    after the other, are the search below the first two. Calls with many arrays would take most of the time.
    """
    right, leaf, group, body, ignored, boxes = tree
    rides, sweep, margin = frames
    count = 0
    stack, swept = np.empty((1024, 2), dtype=np.int32), np.empty((1, 8), np.float32)
    stack[0, 0], stack[0, 1] = first, second
    top = 1
    while top > 0:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if i == j:
            if leaf[i] >= 0 or group[i] >= 0 or (len(ignored) > 0 and ignored[body[i], body[i]]):
                continue
            if right[i] - i > span:
                stack[top, 0] = stack[top, 1] = i + 1
                stack[top + 1, 0] = stack[top + 1, 1] = right[i]
                stack[top + 2, 0], stack[top + 2, 1] = i + 1, right[i]
                top += 3
                continue
        else:
            if group[i] >= 0 and group[i] == group[j]:
                continue
            if len(ignored) > 0 and ignored[body[i], body[j]]:
                continue
            if are_moving(rides, body[i], body[j]):
                put_sweep(rides, sweep, margin, body[i], body[j], swept)
                if not meet_swept(box_at(boxes, i), box_at(boxes, j), box_at(swept, 0)):
                    continue
            elif not meet_boxes(box_at(boxes, i), box_at(boxes, j)):
                continue
            open_i, open_j = leaf[i] < 0 and right[i] - i > span, leaf[j] < 0 and right[j] - j > span
            if open_i and (not open_j or right[i] - i >= right[j] - j):
                # The left subtree's size stands for the size of the node: split the larger one.
                stack[top, 0], stack[top, 1] = i + 1, j
                stack[top + 1, 0], stack[top + 1, 1] = right[i], j
                top += 2
                continue
            if open_j:
                stack[top, 0], stack[top, 1] = i, j + 1
                stack[top + 1, 0], stack[top + 1, 1] = i, right[j]
                top += 2
                continue
        if count < len(pairs):
            pairs[count, 0], pairs[count, 1] = i, j
        count += 1
    return count


@kernel
def expand_pairs(leaf, node_pairs, number, primitives, frames, a_count, b_count, vertex_triangle, edge_edge):
    """Add the vertex-triangle and edge-edge pairs of so many pairs of leaves to those that there are; both counts then.

    Leaves from len(triangles) on are lone edges, which make no vertex-triangle pairs with the vertices of others.
    """
    triangles, edges, owned_vertices, owned_edges, group, leaf_body, vertex_boxes, triangle_boxes, edge_boxes = (
        primitives
    )
    rides, sweep, margin = frames
    packed = np.zeros((1, 8), np.float32)
    at_rest = box_at(packed, 0)
    for p in range(number):
        for side in range(2):
            s, t = leaf[node_pairs[p, side]], leaf[node_pairs[p, 1 - side]]
            if t >= len(triangles):
                continue
            swept = at_rest
            if are_moving(rides, leaf_body[s], leaf_body[t]):
                put_sweep(rides, sweep, margin, leaf_body[s], leaf_body[t], packed)
                swept = box_at(packed, 0)
            box = box_at(triangle_boxes, t)
            for c in range(3):
                v = owned_vertices[s, c]
                if v < 0:
                    break
                if not meet_swept(box_at(vertex_boxes, v), box, swept):
                    continue
                ta, tb, tc = triangles[t, 0], triangles[t, 1], triangles[t, 2]
                if v == ta or v == tb or v == tc or move_as_one(group, v, ta, tb, tc):
                    continue
                if a_count < len(vertex_triangle):
                    vertex_triangle[a_count, 0], vertex_triangle[a_count, 1] = v, t
                a_count += 1
        s, t = leaf[node_pairs[p, 0]], leaf[node_pairs[p, 1]]
        swept = at_rest
        if are_moving(rides, leaf_body[s], leaf_body[t]):
            put_sweep(rides, sweep, margin, leaf_body[s], leaf_body[t], packed)
            swept = box_at(packed, 0)
        for c in range(3):
            e = owned_edges[s, c]
            if e < 0:
                break
            a0, a1, box = edges[e, 0], edges[e, 1], box_at(edge_boxes, e)
            for d in range(3):
                f = owned_edges[t, d]
                if f < 0:
                    break
                if not meet_swept(box, box_at(edge_boxes, f), swept):
                    continue
                b0, b1 = edges[f, 0], edges[f, 1]
                if a0 == b0 or a0 == b1 or a1 == b0 or a1 == b1 or move_as_one(group, a0, a1, b0, b1):
                    continue
                if b_count < len(edge_edge):
                    edge_edge[b_count, 0], edge_edge[b_count, 1] = e, f
                b_count += 1
    return a_count, b_count


@kernel
def find_pairs(crew, rank, tasks, tree, frames, primitives, spans, needed, rooms):
    """Search below pairs of nodes (`pairs_below`) on the threads of a crew, each in rooms of its own.

    spans (tasks, 5): the thread, and where the vertex-triangle and edge-edge pairs of each task begin and end in its rooms;
    needed (threads, 3): the room that pairs of leaves, vertex-triangle and edge-edge pairs would take.
    """
    size = meet(crew, rank)
    if size == 0:
        return
    a = b = most = 0
    leaf_room, triangle_room, edge_room = rooms
    for task in range(rank, len(tasks), size):
        number = pairs_below(tree, frames, tasks[task, 0], tasks[task, 1], 0, leaf_room[rank])
        most, spans[task, 0], spans[task, 1], spans[task, 3] = max(most, number), rank, a, b
        a, b = expand_pairs(
            tree.leaf, leaf_room[rank], min(number, leaf_room.shape[1]), primitives, frames, a, b,
            triangle_room[rank], edge_room[rank],
        )  # fmt: skip
        spans[task, 2], spans[task, 4] = a, b
    needed[rank, 0], needed[rank, 1], needed[rank, 2] = most, a, b
    meet(crew, rank)


@kernel
def join_spans(spans, kind, room, pairs):
    """Put the pairs of all tasks one after the other; kind 0 for vertex-triangle pairs, 1 for edge-edge pairs."""
    count = 0
    for task in range(len(spans)):
        for k in range(spans[task, 1 + 2 * kind], spans[task, 2 + 2 * kind]):
            pairs[count, 0], pairs[count, 1] = room[spans[task, 0], k, 0], room[spans[task, 0], k, 1]
            count += 1
