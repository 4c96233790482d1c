"""Packed boxes of vertices and primitives: eight float32 each, which processors compare at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.boxes import packed_boxes_kernels as kernels

Floats = NDArray[np.float64]
Boxes = NDArray[np.float32]


def middle_of(low: Floats, high: Floats) -> Floats:
    """The middle (3,) [m] of boxes low, high (v, 3): seen from there, float32 has the digits that it needs."""
    middle = np.empty(3)
    kernels.find_middle(low, high, middle)
    return middle


def packed_boxes(low: Floats, high: Floats, reach: float, origin: Floats) -> Boxes:
    """Packed boxes (v, 8) of boxes low, high (v, 3) [m], larger by `reach` and rounded outward, seen from an origin (3,)."""
    boxes = np.empty((len(low), 8), np.float32)
    kernels.pack_boxes(low, high, reach, origin, boxes)
    return boxes


def joined_boxes(corners: NDArray[np.int32], boxes: Boxes) -> Boxes:
    """Packed boxes (k, 8) of primitives with corners (k, c), from those of the vertices (v, 8)."""
    joined = np.empty((len(corners), 8), np.float32)
    kernels.join_boxes(corners, boxes, joined)
    return joined


def box_gaps(pairs: NDArray[np.int32], first: Boxes, second: Boxes) -> Floats:
    """Lower bounds (k,) [m] of the distances of pairs (k, 2), from the boxes of the primitives of both sides."""
    gaps = np.empty(len(pairs))
    kernels.find_gaps(pairs, first, second, gaps)
    return gaps
