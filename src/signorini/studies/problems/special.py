"""Extreme contact problems: redundant contacts, heavy boxes on a light sheet, a sheet pinched between scripted surfaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries
from signorini.studies.problems.rigid_boxes import box_matrix
from signorini.studies.problems.rows import Case, ContactRows, Floats, cross_matrix, repeat_contacts, tilted

DT = 4e-3
SPACING = 0.02
"""Of the nodes of a sheet [m]."""
NODE_MASS = 8e-5
"""0.2 kg/m² at this spacing [kg]."""
UP = np.array([0.0, 0.0, 1.0])


def make_redundant(case: Case, *, least: int = 4, most: int = 10, seed: int = 0) -> Case:
    """Every contact of a case between `least` and `most` times."""
    rng = np.random.default_rng(seed)
    return repeat_contacts(case, rng.integers(least, most + 1, size=case.problem.contact_count))


def make_heavy_boxes(*, mass: float, stiffness_ratio: float, friction: float, side: int = 16, seed: int = 0) -> Case:
    """Four rigid boxes of `mass` kilograms come down on a sheet of side² nodes that lies on the ground."""
    rng = np.random.default_rng(seed)
    x = sheet_positions(side)
    sheet = sheet_matrix(side, stiffness_ratio)
    half = SPACING * (side / 4.0 - 1.0)
    sizes = np.full((4, 3), 2.0 * half)
    A = _joined(sheet, box_matrix(np.full(4, mass), sizes))
    v_free = np.empty((A.node_count, 3))
    v_free[: len(x)] = rng.normal(scale=0.02, size=x.shape) - 9.81 * DT * UP
    rows = ContactRows()
    for i in range(len(x)):
        rows.add_weighted([i], [1.0], normal=UP, gap=float(rng.uniform(0.0, 1e-4)))
    quarter = 0.25 * SPACING * side
    for box, (sx, sy) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        linear, angular = len(x) + 2 * box, len(x) + 2 * box + 1
        v_free[linear] = (0.3 * sx, 0.1 * sy, -0.5)
        v_free[angular] = rng.normal(scale=0.2, size=3)
        centre = np.array([sx * quarter, sy * quarter, half])
        below = np.flatnonzero(np.abs(x[:, :2] - centre[:2]).max(axis=1) < half)
        for i in below:
            arm = np.array([*x[i, :2], 0.0]) - centre
            maps = [np.eye(3), -cross_matrix(arm), -np.eye(3)]
            rows.add([linear, angular, int(i)], maps, normal=tilted(UP, rng, 0.01), gap=float(rng.uniform(0.0, 2e-4)))
    return Case(rows.build(A, v_free, friction=friction, dt=DT, contact_distance=1e-3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinch:
    """A sheet between two scripted surfaces that close further than there is room."""

    overlap_speed: float
    """Speed at which the surfaces go on after they met [m/s]: no motion of a node can satisfy both."""
    side: int = 14
    """Nodes along an edge of the sheet."""
    pinched: int = 5
    """Nodes along an edge of the pinched patch."""
    stiffness_ratio: float = 100.0
    friction: float = 0.3
    seed: int = 0


def make_pinched(pinch: Pinch) -> Case:
    """The rest of the sheet lies on the ground, as usual; some pairs of the surfaces themselves have no node at all."""
    rng = np.random.default_rng(pinch.seed)
    x = sheet_positions(pinch.side)
    v_free = rng.normal(scale=0.02, size=x.shape) - 9.81 * DT * UP
    v_free[:, 0] += 0.1
    reach = 0.5 * SPACING * pinch.pinched
    inside = np.abs(x[:, :2]).max(axis=1) < reach
    rows = ContactRows()
    closing = np.array([0.05, 0.0, 0.5 * pinch.overlap_speed])
    for i in range(len(x)):
        if not inside[i]:
            rows.add_weighted([i], [1.0], normal=UP, gap=float(rng.uniform(0.0, 1e-4)))
            continue
        # Lower surface: u = v - s, upper one with the opposite normal; both demand to be followed.
        rows.add_weighted([i], [1.0], normal=tilted(UP, rng, 0.02), gap=0.0, prescribed=-closing)
        rows.add_weighted([i], [1.0], normal=-tilted(UP, rng, 0.02), gap=0.0, prescribed=closing)
    for _ in range(3):
        rows.add([], [], normal=UP, gap=0.0, prescribed=-2.0 * closing)
    A = sheet_matrix(pinch.side, pinch.stiffness_ratio)
    return Case(rows.build(A, v_free, friction=pinch.friction, dt=DT, contact_distance=1e-3))


def sheet_positions(side: int) -> Floats:
    """(side², 3) nodes of a flat square sheet about the origin [m]."""
    steps = SPACING * (np.arange(side, dtype=np.float64) - 0.5 * (side - 1))
    x, y = np.meshgrid(steps, steps, indexing="ij")
    return np.stack([x.ravel(), y.ravel(), np.zeros(side * side)], axis=1)


def sheet_matrix(side: int, stiffness_ratio: float) -> BlockMatrix:
    """A = m I + dt² K of a sheet of springs along edges and diagonals, in tension; `stiffness_ratio` is dt²k/m."""
    springs = _springs(side)
    x = sheet_positions(side)
    d = x[springs[:, 1]] - x[springs[:, 0]]
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    axial = np.einsum("si,sj->sij", d, d)
    K = NODE_MASS * stiffness_ratio * (axial + 0.05 * (np.eye(3) - axial))
    A = build_pattern(side * side, springs)
    nodes = np.arange(side * side)
    A.data[find_entries(A, nodes, nodes)] += NODE_MASS * np.eye(3)
    i, j = springs[:, 0], springs[:, 1]
    for rows, columns, sign in ((i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)):
        np.add.at(A.data, find_entries(A, rows, columns), sign * K)
    return A


def _springs(side: int) -> NDArray[np.int64]:
    index = np.arange(side * side).reshape(side, side)
    pairs = (
        (index[:-1], index[1:]),
        (index[:, :-1], index[:, 1:]),
        (index[:-1, :-1], index[1:, 1:]),
        (index[:-1, 1:], index[1:, :-1]),
    )
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])


def _joined(first: BlockMatrix, second: BlockMatrix) -> BlockMatrix:
    """The block-diagonal matrix of two bodies."""
    return BlockMatrix(
        np.concatenate([first.indptr, second.indptr[1:] + first.indptr[-1]]).astype(np.int32),
        np.concatenate([first.indices, second.indices + first.node_count]).astype(np.int32),
        np.concatenate([first.data, second.data]),
    )
