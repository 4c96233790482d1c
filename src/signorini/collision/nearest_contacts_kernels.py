"""Which of the records of the narrow phase become contacts: each key once, and only points that are nearest to each other.

Implements: decision 0005. Keys are counted in a hash table with open addressing: sorting all records took longer than finding
them, and two thirds of the records are repetitions or notes.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.collision.contact_set import (
    EDGE_EDGE,
    FIRST_SHIFT,
    KIND_SHIFT,
    PRIMITIVE_MASK,
    SEEN_FROM_EDGE,
    VERTEX_EDGE,
    VERTEX_VERTEX,
)
from signorini.collision.point_triangle_kernels import dot, subtract
from signorini.compiled import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio, odd: its multiples spread keys that follow each other over the table."""
FREE_SLOT = -1


@kernel
def find_slot(table, keys, first, key):
    """The slot of a key in a table whose size is a power of two: where it is, or the free one where it belongs."""
    mask = np.uint64(len(table) - 1)
    product = np.uint64(key) * GOLDEN
    # Its high bits are the well-mixed ones; the highest tell kinds apart.
    slot = ((product ^ (product >> np.uint64(16))) >> np.uint64(32)) & mask
    while table[slot] != FREE_SLOT and keys[first[table[slot]]] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def count_views(keys, count, table, first, views):
    """Fill in the first row of each key and how many rows have that key; returns the number of keys.

    `table` (a power of two, at least 2 count) must be free; afterwards it holds the number of each key.
    """
    unique = 0
    for i in range(count):
        slot = find_slot(table, keys, first, keys[i])
        if table[slot] == FREE_SLOT:
            table[slot], first[unique], views[unique] = unique, i, 1
            unique += 1
        else:
            views[table[slot]] += 1
    return unique


@kernel
def select_nearest(
    keys, table, first, views, unique, vertex_valence, vertex_edges, vertex_lone_edges, edge_valence, first_lone_edge, rows
):  # fmt: skip
    """Fill in the rows of contacts that join points which are nearest to each other; returns their number.

    A vertex above a flat mesh is nearest to one triangle only; the edges of the triangles around are near too, but
    obliquely, and would brake a sliding vertex. A vertex and an edge are nearest to each other if all triangles at the edge
    and all edges at the vertex say so, two vertices if all their triangles do and all pairs of an edge at one and an edge at
    the other of which at least one is lone.
    """
    count = 0
    for u in range(unique):
        key = keys[first[u]]
        kind, a, b = key >> KIND_SHIFT, (key >> FIRST_SHIFT) & PRIMITIVE_MASK, key & PRIMITIVE_MASK
        nearest = kind != SEEN_FROM_EDGE
        if kind == VERTEX_VERTEX:
            whole_a, whole_b = vertex_edges[a] - vertex_lone_edges[a], vertex_edges[b] - vertex_lone_edges[b]
            pairs_with_lone = vertex_edges[a] * vertex_edges[b] - whole_a * whole_b
            nearest = views[u] == vertex_valence[a] + vertex_valence[b] + pairs_with_lone
        elif kind == VERTEX_EDGE and b >= first_lone_edge:
            nearest = views[u] == vertex_edges[a]
        elif kind == VERTEX_EDGE:
            nearest = False
            if views[u] == edge_valence[b]:
                twin = key + (np.int64(SEEN_FROM_EDGE - VERTEX_EDGE) << KIND_SHIFT)
                note = table[find_slot(table, keys, first, twin)]
                from_edges = views[note] if note != FREE_SLOT else 0
                nearest = from_edges == vertex_edges[a]
        if nearest:
            rows[count] = first[u]
            count += 1
    return count


@kernel
def rises(x, third, start, along, towards, sine):
    """Whether a triangle rises from its edge, a line from `start` in the unit direction `along`, by more than an angle."""
    inward = x[third, 0] - start[0], x[third, 1] - start[1], x[third, 2] - start[2]
    part = dot(inward, along)
    inward = inward[0] - part * along[0], inward[1] - part * along[1], inward[2] - part * along[2]
    return dot(inward, towards) > sine * math.sqrt(dot(inward, inward))


@kernel
def find_oblique(keys, vertices, normal, vertex_solid, edge_opposite, x, sine, rows):
    """Fill in the rows of edge-edge contacts of thick bodies that are seen from the side at positions x; their number.

    A triangle at one of the edges rises towards the other one by more than the angle of this `sine`.
    """
    count = 0
    for c in range(len(keys)):
        if keys[c] >> KIND_SHIFT != EDGE_EDGE:
            continue
        solid, oblique = True, False
        for k in range(4):
            solid &= vertex_solid[vertices[c, k]]
        if not solid:
            continue
        # Towards the other edge: against the normal from edge a, along it from edge b.
        for one in range(2):
            edge = ((keys[c] >> FIRST_SHIFT) if one == 0 else keys[c]) & PRIMITIVE_MASK
            i, j, sign = vertices[c, 2 * one], vertices[c, 2 * one + 1], -1.0 if one == 0 else 1.0
            start, end = (x[i, 0], x[i, 1], x[i, 2]), (x[j, 0], x[j, 1], x[j, 2])
            along = subtract(end, start)
            length = math.sqrt(dot(along, along))
            along = along[0] / length, along[1] / length, along[2] / length
            towards = sign * normal[c, 0], sign * normal[c, 1], sign * normal[c, 2]
            for side in range(2):
                third = edge_opposite[edge, side]
                if third >= 0 and rises(x, third, start, along, towards, sine):
                    oblique = True
        if oblique:
            rows[count] = c
            count += 1
    return count
