"""Paths of the surface vertices within a step, where they are not straight lines (decision 0011)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from signorini.collision import paths_kernels as kernels

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
NONE = np.zeros(0, np.int32)


def _no_bends() -> tuple[NDArray, ...]:
    ints, floats, vectors = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3))
    return floats, ints, ints, vectors, vectors, floats, floats, np.zeros((1, 0, 3)), floats


@dataclass(frozen=True, slots=True)
class Paths:
    """What turns and scripts add to the straight lines of the vertices; `paths_kernels` says how it is evaluated."""

    arrays: tuple[NDArray, ...] = field(default_factory=_no_bends)
    """Deviation from the straight line (v,) [m]; the entries of each vertex, compressed by rows: turn or sampled offset, the
    vectors p and q [m] and their length, or the weight of the offset; angles of the turns [rad]; offsets (k + 1, s, 3) [m] at
    equal times; and the deviation (v,) [m] that is known only as a bound."""

    @property
    def straight(self) -> bool:
        """Whether all paths are straight lines."""
        return not len(self.arrays[0])

    def boxes(self, x0: Floats, x1: Floats) -> tuple[Floats, Floats]:
        """Corners (v, 3) of boxes that contain the paths from x0 to x1 (v, 3) [m]."""
        low, high = np.empty_like(x0), np.empty_like(x1)
        kernels.path_boxes(self.arrays, x0, x1, low, high)
        return low, high

    def at(self, x0: Floats, x1: Floats, t: float) -> Floats:
        """Where the vertices are (v, 3) [m] at the fraction t of the motion from x0 to x1."""
        if self.straight:
            return x0 + t * (x1 - x0)
        x, end = np.empty_like(x0), np.empty_like(x0)
        kernels.place_all(self.arrays, x0, x1, t, x, end)
        return x


STRAIGHT = Paths()
"""All vertices move on straight lines."""


@dataclass(frozen=True, slots=True)
class ScriptedCurves:
    """The curved paths of pinned nodes and kinematic vertices in one step."""

    of_node: Ints = field(default_factory=lambda: NONE)
    """(n,) the curve of each node, -1 for none; empty if no node has one."""
    of_vertex: Ints = field(default_factory=lambda: NONE)
    """(k,) the curve of each kinematic vertex, likewise."""
    kind: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """(c,) the turn of a curve, counted from 0; -1 for a straight line; -2 - s for row s of the offsets."""
    arm: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """(c, 3) from the axis of the turn, at the start [m]."""
    extra: Floats = field(default_factory=lambda: np.zeros(0))
    """(c,) bound of what the script deviates from the curve [m]."""
    turns: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """(b, 3) rotation vectors [rad]."""
    offsets: Floats = field(default_factory=lambda: np.zeros((1, 0, 3)))
    """(k + 1, s, 3) offsets from the straight line at equal times [m]."""

    def __len__(self) -> int:
        return len(self.kind)
