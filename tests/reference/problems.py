"""Random contact problems: spring networks for A, contacts of one to four nodes, with a chosen stiffness dt^2 k / m."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp
from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries

Floats = NDArray[np.float64]
DT = 4e-3
NODE_MASS = 1e-3


def spring_matrix(positions: Floats, springs: NDArray[np.integer], stiffness: float) -> BlockMatrix:
    """A = m I + dt^2 K of unit-mass-scaled nodes joined by springs; `stiffness` is dt^2 k / m.

    The transverse part (a tenth of the axial one, as in a stretched spring) keeps A well posed in every direction.
    """
    A = build_pattern(len(positions), springs)
    nodes = np.arange(len(positions))
    A.data[find_entries(A, nodes, nodes)] += NODE_MASS * np.eye(3)
    d = positions[springs[:, 1]] - positions[springs[:, 0]]
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    axial = np.einsum("si,sj->sij", d, d)
    K = NODE_MASS * stiffness * (axial + 0.1 * (np.eye(3) - axial))
    i, j = springs[:, 0], springs[:, 1]
    for rows, columns, sign in ((i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)):
        np.add.at(A.data, find_entries(A, rows, columns), sign * K)
    return A


def sheet_springs(rows: int, columns: int) -> NDArray[np.int32]:
    """Structural, shear and bending springs of a rectangular sheet (the pattern of Provot's cloth), (s, 2)."""
    index = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    pairs = [
        (index[:-1], index[1:]),
        (index[:, :-1], index[:, 1:]),
        (index[:-1, :-1], index[1:, 1:]),
        (index[:-1, 1:], index[1:, :-1]),
        (index[:-2], index[2:]),
        (index[:, :-2], index[:, 2:]),
    ]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])


def random_frames(count: int, rng: np.random.Generator) -> Floats:
    """(count, 3, 3) right-handed frames; row 0 is the normal."""
    q, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    q[np.linalg.det(q) < 0.0, :, 2] *= -1.0
    return np.ascontiguousarray(np.swapaxes(q, 1, 2))


def random_mlcp(
    rng: np.random.Generator,
    *,
    sheets: int = 2,
    rows: int = 5,
    columns: int = 5,
    contacts: int = 20,
    stiffness: float = 10.0,
    friction: float = 0.0,
    duplicates: int = 0,
    empty: int = 0,
    approach_speed: float = 0.3,
) -> Mlcp:
    """Wavy sheets in contact with one another (vertex-face, edge-edge) and with walls (one node or a face).

    `duplicates` contacts repeat the Jacobian of earlier ones; `empty` ones have no node. It is always feasible,
    as in a step that starts without intersection: u_free = G v_free for one nodal field and every gap is at least zero,
    so that dv = -v_free is a solution of the constraints.
    """
    per_sheet = rows * columns
    positions, springs = _stack_of_sheets(rng, sheets, rows, columns)
    A = spring_matrix(positions, springs, stiffness)
    v_free = rng.normal(scale=0.1, size=positions.shape)
    v_free[:, 2] -= approach_speed * np.repeat(np.arange(sheets), per_sheet)
    indptr, nodes, blocks = [0], [], []
    for frame in random_frames(contacts, rng):
        chosen, weights = _random_contact(rng, sheets, rows, columns)
        if frame[0, 2] < 0.0:  # upper sheet against lower sheet or floor
            frame = np.stack([-frame[0], -frame[1], frame[2]])
        frame = _tilt_up(frame)
        nodes.extend(chosen)
        blocks.extend(w * frame for w in weights)
        indptr.append(len(nodes))
    for source in rng.integers(0, contacts, size=duplicates):
        span = slice(indptr[source], indptr[source + 1])
        nodes.extend(nodes[span])
        blocks.extend(blocks[span])
        indptr.append(len(nodes))
    indptr.extend([len(nodes)] * empty)
    m = contacts + duplicates + empty
    jacobian_blocks = np.array(blocks).reshape(-1, 3, 3)
    u_free = np.zeros((m, 3))
    owner = np.repeat(np.arange(m), np.diff(indptr))
    np.add.at(u_free, owner, np.einsum("kij,kj->ki", jacobian_blocks, v_free[nodes]))
    gap = rng.uniform(0.0, 0.1 * approach_speed * DT, size=m)
    return Mlcp(
        A=A,
        jacobian_indptr=np.array(indptr, dtype=np.int32),
        jacobian_nodes=np.array(nodes, dtype=np.int32),
        jacobian_blocks=jacobian_blocks,
        gap=gap,
        free_velocity=u_free,
        friction=np.full(m, friction),
        dt=DT,
    )


def _stack_of_sheets(
    rng: np.random.Generator, sheets: int, rows: int, columns: int
) -> tuple[Floats, NDArray[np.int32]]:
    x, y = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    flat = np.stack([x.ravel(), y.ravel(), np.zeros(rows * columns)], axis=1).astype(float)
    layers = [flat + np.array([0.0, 0.0, s]) + rng.normal(scale=0.2, size=flat.shape) for s in range(sheets)]
    one = sheet_springs(rows, columns)
    return np.concatenate(layers), np.concatenate([one + s * rows * columns for s in range(sheets)])


def _tilt_up(frame: Floats) -> Floats:
    """The frame with its normal pulled towards +z, orthonormal again."""
    n = frame[0] + np.array([0.0, 0.0, 1.5])
    n /= np.linalg.norm(n)
    t = frame[1] - n * (n @ frame[1])
    t /= np.linalg.norm(t)
    return np.stack([n, t, np.cross(n, t)])


def _random_contact(rng: np.random.Generator, sheets: int, rows: int, columns: int) -> tuple[list[int], list[float]]:
    """Nodes and signed weights: floor (1 or 3 nodes), vertex-face (4) or edge-edge (4) of neighbouring sheets."""
    i, j = int(rng.integers(rows - 1)), int(rng.integers(columns - 1))
    lower = int(rng.integers(max(sheets - 1, 1))) * rows * columns
    corner = i * columns + j
    face = [corner, corner + columns, corner + 1]
    kind = int(rng.integers(4)) if sheets > 1 else int(rng.integers(2))
    if kind == 0:
        return [lower + corner], [1.0]
    bary = rng.dirichlet(np.ones(3))
    if kind == 1:
        return [lower + v for v in face], list(bary)
    upper = lower + rows * columns
    if kind == 2:
        return [upper + corner, *(lower + v for v in face)], [1.0, *(-bary)]
    s, t = rng.uniform(0.1, 0.9, size=2)
    edge_a, edge_b = (corner, corner + 1), (corner, corner + columns)
    return [upper + v for v in edge_a] + [lower + v for v in edge_b], [1 - s, s, t - 1, -t]
