"""Contact problems of piles of soft cubes: linear elastic tetrahedra, A = M + dt² K, vertex-face contacts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries
from signorini.studies.problems.layout import Neighbours, brick_pile, find_neighbours, rigid_velocities
from signorini.studies.problems.rows import Case, ContactRows, Floats, tilted

GRAVITY = np.array([2.0, 1.0, -9.6])
"""[m/s²]; the ground is a slope of 13°, so that friction has work to do."""
CONTACT_DISTANCE = 2e-4
TILT = 0.05
"""Normals of neighbouring cubes deviate from the axes by about this angle [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CubePile:
    """A pile of equal cubes."""

    count: int
    side: int
    """Cubes along one side of a layer."""
    young: float
    """[Pa]"""
    dt: float
    """[s]"""
    friction: float
    cells: int = 2
    """Cells along an edge of a cube, six tetrahedra each."""
    poisson: float = 0.35
    density: float = 1000.0
    """[kg/m³]"""
    density_ratio: float = 1.0
    """Densities are spread evenly over this factor on a logarithmic scale, shuffled."""
    edge: float = 0.1
    """[m]"""
    seed: int = 0

    @property
    def stiffness_ratio(self) -> float:
        """dt² E edge / (mean nodal mass)."""
        return self.dt**2 * self.young * self.edge * (self.cells + 1) ** 3 / (self.density * self.edge**3)


def make_cubes(pile: CubePile) -> Case:
    """The contact problem of the first step of a pile that is about to settle, slide and tumble a little."""
    rng = np.random.default_rng(pile.seed)
    nodes = (pile.cells + 1) ** 3
    factors = np.geomspace(1.0, pile.density_ratio, pile.count)
    rng.shuffle(factors)
    sizes = np.full((pile.count, 3), pile.edge)
    centres = brick_pile(pile.count, pile.side, sizes, rng)
    rest = lattice(pile.cells, pile.edge)
    v, w = rigid_velocities(pile.count, rng, speed=0.1, spin=0.5)
    # Rigid velocities and uniform gravity are no strain: A v = M (v0 + dt g) has the solution v0 + dt g.
    v_free = (v[:, None] + np.cross(w[:, None], rest[None]) + pile.dt * GRAVITY).reshape(-1, 3)
    rows = ContactRows()
    _add_ground(rows, pile, centres, rng)
    for pair in find_neighbours(centres, sizes):
        _add_pair(rows, pile, centres, pair, tilted(np.eye(3)[pair.axis], rng, TILT))
    A = cube_matrices(pile, factors)
    assert A.node_count == nodes * pile.count
    return Case(rows.build(A, v_free, friction=pile.friction, dt=pile.dt, contact_distance=CONTACT_DISTANCE))


def lattice(cells: int, edge: float) -> Floats:
    """Nodes ((cells+1)³, 3) of a cube about the origin; the first coordinate varies slowest."""
    steps = np.linspace(-0.5 * edge, 0.5 * edge, cells + 1)
    return np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)


def tetrahedra(cells: int) -> NDArray[np.int64]:
    """(6 cells³, 4) tetrahedra of positive volume: the paths from corner to opposite corner of every cell."""
    index = np.arange((cells + 1) ** 3).reshape(cells + 1, cells + 1, cells + 1)
    found = []
    for corner in np.ndindex(cells, cells, cells):
        for order in permutations(range(3)):
            at = np.array(corner)
            path = [index[tuple(at)]]
            for axis in order:
                at[axis] += 1
                path.append(index[tuple(at)])
            even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
            found.append(path if even else [path[0], path[2], path[1], path[3]])
    return np.array(found)


def elastic_matrix(x: Floats, tets: NDArray[np.int64], young: float, poisson: float) -> tuple[BlockMatrix, Floats]:
    """K of linear elasticity [N/m] and the volume of every node [m³]."""
    shear = young / (2.0 * (1.0 + poisson))
    lame = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    pairs = np.concatenate([tets[:, [a, b]] for a in range(4) for b in range(a)])
    K = build_pattern(len(x), pairs)
    volume = np.zeros(len(x))
    for tet in tets:
        edges = (x[tet[1:]] - x[tet[0]]).T
        size = np.linalg.det(edges) / 6.0
        gradients = np.vstack([np.zeros(3), np.linalg.inv(edges)])
        gradients[0] = -gradients[1:].sum(axis=0)
        volume[tet] += size / 4.0
        for a, i in enumerate(tet):
            for b, j in enumerate(tet):
                ga, gb = gradients[a], gradients[b]
                block = lame * np.outer(ga, gb) + shear * (np.outer(gb, ga) + (ga @ gb) * np.eye(3))
                K.data[find_entries(K, np.array([i]), np.array([j]))[0]] += size * block
    return K, volume


def cube_matrices(pile: CubePile, factors: Floats) -> BlockMatrix:
    """A = M + dt² K of all cubes; factors (count,) multiply their densities."""
    K, volume = elastic_matrix(lattice(pile.cells, pile.edge), tetrahedra(pile.cells), pile.young, pile.poisson)
    nodes = np.arange(K.node_count)
    diagonal = find_entries(K, nodes, nodes)
    data = []
    for factor in factors:
        one = pile.dt**2 * K.data
        one[diagonal] += (pile.density * factor * volume)[:, None, None] * np.eye(3)
        data.append(one)
    shift = np.arange(pile.count)[:, None]
    indptr = np.concatenate([[0], (K.indptr[1:] + shift * len(K.indices)).ravel()])
    indices = (K.indices + shift * K.node_count).ravel()
    return BlockMatrix(indptr.astype(np.int32), indices.astype(np.int32), np.concatenate(data))


def _add_ground(rows: ContactRows, pile: CubePile, centres: Floats, rng: np.random.Generator) -> None:
    rest = lattice(pile.cells, pile.edge)
    bottom = np.flatnonzero(rest[:, 2] < -0.49 * pile.edge)
    for i in range(min(pile.count, pile.side**2)):
        height = centres[i, 2] - 0.5 * pile.edge
        normal = tilted(np.array([0.0, 0.0, 1.0]), rng, 0.2 * TILT)
        for node in bottom:
            rows.add_weighted([i * len(rest) + int(node)], [1.0], normal=normal, gap=height - CONTACT_DISTANCE)


def _add_pair(rows: ContactRows, pile: CubePile, centres: Floats, pair: Neighbours, normal: Floats) -> None:
    """Vertices of each cube against the facing triangles of the other; the normal points from low to high."""
    rest = lattice(pile.cells, pile.edge)
    others = [a for a in range(3) if a != pair.axis]
    gap = pair.distance - CONTACT_DISTANCE
    for mine, theirs, side in ((pair.high, pair.low, -1.0), (pair.low, pair.high, 1.0)):
        for node in np.flatnonzero(side * rest[:, pair.axis] > 0.49 * pile.edge):
            point = (rest[node] + centres[mine])[others]
            if (point < pair.begin).any() or (point > pair.end).any():
                continue
            local = (point - centres[theirs, others]) / pile.edge + 0.5
            face, weights = _locate(pile.cells, local, pair.axis, pile.cells if side < 0.0 else 0)
            nodes = [mine * len(rest) + int(node), *(theirs * len(rest) + f for f in face)]
            # Side a is the vertex; its normal points away from the face.
            rows.add_weighted(nodes, [1.0, *(-b for b in weights)], normal=-side * normal, gap=gap)


def _locate(cells: int, local: Floats, axis: int, level: int) -> tuple[list[int], list[float]]:
    """The triangle of a face that holds the point `local` (0 to 1 in both directions): lattice nodes and weights > 0."""
    scaled = np.clip(local, 0.0, 1.0) * cells
    cell = np.minimum(scaled.astype(int), cells - 1)
    p, q = scaled - cell
    middle = (1, 0) if p >= q else (0, 1)
    weights = [1.0 - max(p, q), abs(p - q), min(p, q)]
    nodes = []
    for offset in ((0, 0), middle, (1, 1)):
        at = [int(cell[0]) + offset[0], int(cell[1]) + offset[1]]
        at.insert(axis, level)
        nodes.append((at[0] * (cells + 1) + at[1]) * (cells + 1) + at[2])
    used = [k for k in range(3) if weights[k] > 0.0]
    return [nodes[k] for k in used], [float(weights[k]) for k in used]
