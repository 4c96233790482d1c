"""Packed boxes (`box_registers_kernels`) of vertices and primitives, and the gaps between them."""

from __future__ import annotations

import math

import numpy as np

from signorini.collision.boxes.box_registers_kernels import around, box_at, put_box, squared_gap
from signorini.compiled import kernel

ROUND_DOWN = 1.0 - 1e-6
"""Factor that exceeds the rounding of a gap in float32."""


@kernel
def rounded_down(value):
    """A float32 below a value: one part in 10^6 is more than the rounding."""
    return np.float32(value - 1e-6 * abs(value) - 1e-30)


@kernel
def find_middle(low, high, middle):
    """The middle (3,) of all boxes low, high (v, 3), without what is not finite."""
    for a in range(3):
        least, most = np.inf, -np.inf
        for v in range(len(low)):
            if abs(low[v, a]) < np.inf and abs(high[v, a]) < np.inf:
                least, most = min(least, low[v, a]), max(most, high[v, a])
        middle[a] = 0.5 * least + 0.5 * most if most >= least else 0.0


@kernel
def pack_boxes(low, high, reach, origin, boxes):
    """Packed boxes (v, 8) of boxes low, high (v, 3), larger by `reach` and seen from an origin (3,)."""
    for v in range(len(boxes)):
        boxes[v, 3] = boxes[v, 7] = 0.0
        for a in range(3):
            boxes[v, a] = rounded_down(low[v, a] - origin[a] - reach)
            boxes[v, a + 4] = rounded_down(origin[a] - high[v, a] - reach)


@kernel
def join_boxes(corners, vertex_boxes, boxes):
    """Boxes (k, 8) of primitives with so many corners (k, c), from those of the vertices (v, 8)."""
    for i in range(len(corners)):
        box = box_at(vertex_boxes, corners[i, 0])
        for c in range(1, corners.shape[1]):
            box = around(box, box_at(vertex_boxes, corners[i, c]))
        put_box(boxes, i, box)


@kernel
def find_gaps(pairs, first, second, gaps):
    """Lower bounds of the distances [m] of pairs (k, 2) of primitives, from their boxes: those of both sides (., 8)."""
    for p in range(len(pairs)):
        square = squared_gap(box_at(first, pairs[p, 0]), box_at(second, pairs[p, 1]))
        gaps[p] = math.sqrt(square) * ROUND_DOWN
