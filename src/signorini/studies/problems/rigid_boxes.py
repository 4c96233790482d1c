"""Contact problems of rigid boxes: two nodes each, a linear one with the mass and an angular one with the inertia tensor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.linalg.block_matrix import BlockMatrix
from signorini.studies.problems.layout import brick_pile, find_neighbours, rigid_velocities
from signorini.studies.problems.rows import Case, ContactRows, Floats, cross_matrix, tilted

GRAVITY = np.array([1.5, 0.5, -9.68])
"""[m/s²]"""
CONTACT_DISTANCE = 2e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPile:
    """Boxes in layers; with side = 1 a tower."""

    count: int
    side: int
    friction: float
    mass_ratio: float = 1.0
    """Masses are spread over this factor on a logarithmic scale."""
    heavy_on_top: bool = False
    """Masses increase with height; otherwise they are shuffled."""
    mass: float = 1.0
    """Of the lightest box [kg]."""
    dt: float = 1e-2
    spin: float = 0.3
    """Scale of the angular velocities [rad/s]."""
    seed: int = 0


def make_boxes(pile: BoxPile) -> Case:
    """The contact problem of one step; the overlap of two facing sides is held at its four corners."""
    rng = np.random.default_rng(pile.seed)
    masses = pile.mass * np.geomspace(1.0, pile.mass_ratio, pile.count)
    if not pile.heavy_on_top:
        rng.shuffle(masses)
    sizes = np.column_stack([rng.uniform(0.16, 0.2, size=(pile.count, 2)), np.full(pile.count, 0.1)])
    centres = brick_pile(pile.count, pile.side, sizes, rng)
    if pile.side == 1:
        centres[:, :2] *= 0.2  # a tower that stands: brick shifts would leave nothing below
    v, w = rigid_velocities(pile.count, rng, speed=0.05, spin=pile.spin)
    velocity = np.empty((2 * pile.count, 3))
    velocity[0::2], velocity[1::2] = v + pile.dt * GRAVITY, w
    rows = ContactRows()
    down = np.array([0.0, 0.0, 1.0])
    for i in range(min(pile.count, pile.side**2)):
        floor = centres[i, 2] - 0.5 * sizes[i, 2]
        for x in _corners(centres[i, :2] - 0.5 * sizes[i, :2], centres[i, :2] + 0.5 * sizes[i, :2]):
            nodes, maps = _point_velocity(i, np.array([*x, 0.0]) - centres[i], 1.0)
            rows.add(nodes, maps, normal=down, gap=floor - CONTACT_DISTANCE)
    for pair in find_neighbours(centres, sizes):
        others = [a for a in range(3) if a != pair.axis]
        normal = tilted(np.eye(3)[pair.axis], rng, 0.02)
        for x in _corners(pair.begin, pair.end):
            point = np.empty(3)
            point[others] = x
            point[pair.axis] = centres[pair.low, pair.axis] + 0.5 * (sizes[pair.low, pair.axis] + pair.distance)
            nodes, maps = _point_velocity(pair.high, point - centres[pair.high], 1.0)
            more, other_maps = _point_velocity(pair.low, point - centres[pair.low], -1.0)
            rows.add(nodes + more, maps + other_maps, normal=normal, gap=pair.distance - CONTACT_DISTANCE)
    A = box_matrix(masses, sizes)
    return Case(rows.build(A, velocity, friction=pile.friction, dt=pile.dt, contact_distance=CONTACT_DISTANCE))


def box_matrix(masses: Floats, sizes: Floats) -> BlockMatrix:
    """Block-diagonal mass matrix: m I and diag(inertia) of every box of `sizes` (n, 3)."""
    data = np.zeros((2 * len(masses), 3, 3))
    squares = sizes**2
    for a in range(3):
        data[0::2, a, a] = masses
        data[1::2, a, a] = masses * (squares.sum(axis=1) - squares[:, a]) / 12.0
    indptr = np.arange(2 * len(masses) + 1, dtype=np.int32)
    return BlockMatrix(indptr, indptr[:-1].copy(), data)


def _corners(begin: Floats, end: Floats) -> list[Floats]:
    return [np.array([x, y]) for x in (begin[0], end[0]) for y in (begin[1], end[1])]


def _point_velocity(box: int, arm: Floats, sign: float) -> tuple[list[int], list[Floats]]:
    """Nodes and maps of the velocity v + ω × arm of a point of a box."""
    return [2 * box, 2 * box + 1], [sign * np.eye(3), -sign * cross_matrix(arm)]
