"""Layout of piles of boxes: their positions and their pairs of neighbouring faces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from signorini.studies.problems.rows import Floats

NEAR = 0.04
"""Faces closer than this part of an edge are neighbours."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two faces that are close: the high face of box `low` along an axis, and the low face of box `high`."""

    low: int
    high: int
    axis: int
    distance: float
    """[m]"""
    begin: Floats
    """(2,) least coordinates of the common rectangle along the two other axes, in increasing order of axis [m]."""
    end: Floats
    """(2,)"""


def brick_pile(count: int, side: int, sizes: Floats, rng: np.random.Generator) -> Floats:
    """Centres (count, 3) of boxes in layers of side × side, each layer shifted by half a box; small random offsets.

    sizes (count, 3) [m] must have equal heights. Boxes of a layer are 2 to 10 % of an edge apart, layers 0.2 to 1.8 mm.
    """
    edge = float(sizes[:, :2].max())
    height = float(sizes[0, 2])
    spacing = 1.06 * edge
    centres = np.empty((count, 3))
    for i in range(count):
        layer, place = divmod(i, side * side)
        row, column = divmod(place, side)
        shift = 0.5 * spacing * (layer % 2)
        centres[i] = (column * spacing + shift, row * spacing + shift, 0.5 * height + 1e-3 + layer * (height + 1e-3))
    centres[:, :2] += rng.uniform(-0.02, 0.02, size=(count, 2)) * edge
    centres[:, 2] += rng.uniform(-4e-4, 4e-4, size=count)
    return centres


def find_neighbours(centres: Floats, sizes: Floats) -> Iterator[Neighbours]:
    """All pairs of close faces of axis-aligned boxes, in a fixed order."""
    low, high = centres - 0.5 * sizes, centres + 0.5 * sizes
    for i in range(len(centres)):
        for axis in range(3):
            others = [a for a in range(3) if a != axis]
            distance = low[:, axis] - high[i, axis]
            begin = np.maximum(low[i, others], low[:, others])
            end = np.minimum(high[i, others], high[:, others])
            common = (end - begin > 1e-3 * sizes[i, others]).all(axis=1)
            for j in np.flatnonzero((distance >= 0.0) & (distance < NEAR * sizes[i, axis]) & common):
                yield Neighbours(i, int(j), axis, float(distance[j]), begin[j], end[j])


def rigid_velocities(count: int, rng: np.random.Generator, *, speed: float, spin: float) -> tuple[Floats, Floats]:
    """Random velocities (count, 3) [m/s] and angular velocities (count, 3) [rad/s] of the bodies of a pile."""
    return rng.normal(scale=speed, size=(count, 3)), rng.normal(scale=spin, size=(count, 3))
