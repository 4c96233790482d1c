"""A soft block pressed between two rigid boxes: contact problems with any number of contacts on two rigid bodies.

The situation of Otaduy2010 Fig. 3 (a disc between two vertebrae), generated: every contact of the block is with a box.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference.problems import DT, NODE_MASS, spring_matrix
from signorini.contact.mlcp import Mlcp
from signorini.linalg.block_matrix import BlockMatrix

Floats = NDArray[np.float64]
SPACING = 0.01
"""Of the nodes of the block [m]."""
LAYERS = 3
GAP = 1e-4
"""Largest gap [m]."""


def soft_between_boxes(
    rng: np.random.Generator, *, contacts: int, friction: float = 0.0, stiffness: float = 10.0, others: int = 4
) -> Mlcp:
    """`contacts` between block and boxes (half of them with each), the corners of the lower box on a floor, `others` with walls.

    Contacts with the boxes alternate between a node of the block against a face of a box and a vertex of a box against a
    triangle of the block. The boxes close at 0.2 m/s, and move and turn a little otherwise. The last four nodes are the boxes:
    linear, angular, linear, angular; each has a hundred times the mass of the block.
    """
    per_side = max(4, (contacts + 1) // 2)
    side = int(np.ceil(np.sqrt(per_side))) + 1
    block = _block(side)
    A = _joined(spring_matrix(block, _springs(side), stiffness), _box_blocks(len(block), side))
    count = len(block)
    centres = block.mean(axis=0) + np.outer([-4.0 * SPACING, 4.0 * SPACING], [0.0, 0.0, 1.0])
    v_free = np.concatenate([rng.normal(scale=0.02, size=(count, 3)), rng.normal(scale=0.02, size=(4, 3))])
    v_free[count] += [0, 0, 0.1]
    v_free[count + 2] -= [0, 0, 0.1]
    rows = _Rows()
    for k in range(contacts):
        box, place = k % 2, k // 2
        corner = (place // (side - 1)) * side + place % (side - 1) + (0 if box == 0 else (LAYERS - 1) * side * side)
        triangle = [corner, corner + 1, corner + side]
        nodes, weights = ([corner], [1.0]) if place % 2 == 0 else (triangle, rng.dirichlet(np.ones(3)).tolist())
        point = np.array(weights) @ block[nodes]
        up = 1.0 if box == 0 else -1.0  # the normal points from the box to the block
        arm = point - centres[box]
        rows.add(
            [*nodes, count + 2 * box, count + 2 * box + 1],
            [*(w * np.eye(3) for w in weights), -np.eye(3), _cross(arm)],
            np.array([0.05 * rng.normal(), 0.05 * rng.normal(), up]),
        )
    for x in (-0.5, 0.5):
        for y in (-0.5, 0.5):
            arm = np.array([x * side * SPACING, y * side * SPACING, -SPACING])
            rows.add([count, count + 1], [np.eye(3), -_cross(arm)], np.array([0.0, 0.0, 1.0]))
    for node in rng.integers(0, count, size=others):
        rows.add([int(node)], [np.eye(3)], rng.normal(size=3))
    return rows.build(A, v_free, friction, rng)


class _Rows:
    """Contacts one by one: nodes, world maps and normals."""

    def __init__(self) -> None:
        self.nodes: list[list[int]] = []
        self.maps: list[list[Floats]] = []
        self.normals: list[Floats] = []

    def add(self, nodes: list[int], maps: list[Floats], normal: Floats) -> None:
        self.nodes.append(nodes)
        self.maps.append(maps)
        self.normals.append(normal / np.linalg.norm(normal))

    def build(self, A: BlockMatrix, v_free: Floats, friction: float, rng: np.random.Generator) -> Mlcp:
        m = len(self.nodes)
        sizes = np.array([len(n) for n in self.nodes])
        owner = np.repeat(np.arange(m), sizes)
        nodes = np.array([i for n in self.nodes for i in n], dtype=np.int32)
        normal = np.array(self.normals)
        tangent = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal), axis=1)])
        tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
        frames = np.stack([normal, tangent, np.cross(normal, tangent)], axis=1)
        blocks = frames[owner] @ np.array([b for maps in self.maps for b in maps])
        u_free = np.zeros((m, 3))
        np.add.at(u_free, owner, np.einsum("kij,kj->ki", blocks, v_free[nodes]))
        return Mlcp(
            A=A,
            jacobian_indptr=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
            jacobian_nodes=nodes,
            jacobian_blocks=np.ascontiguousarray(blocks),
            gap=rng.uniform(0.0, GAP, size=m),
            free_velocity=u_free,
            friction=np.full(m, friction),
            dt=DT,
        )


def _block(side: int) -> Floats:
    z, y, x = np.meshgrid(np.arange(LAYERS), np.arange(side), np.arange(side), indexing="ij")
    return SPACING * np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(np.float64)


def _springs(side: int) -> NDArray[np.int64]:
    """Along the edges and the face diagonals of the cells, (s, 2)."""
    index = np.arange(LAYERS * side * side).reshape(LAYERS, side, side)
    pairs = []
    for a, b, c in ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
        low = index[: LAYERS - a, : side - b, : side - c]
        pairs.append(np.stack([low.ravel(), index[a:, b:, c:].ravel()], axis=1))
    return np.concatenate(pairs)


def _box_blocks(count: int, side: int) -> Floats:
    """(4, 3, 3) masses and inertia tensors of the two boxes."""
    mass = 100.0 * NODE_MASS * count
    size = side * SPACING
    inertia = mass / 12.0 * np.diag([size**2 + SPACING**2, size**2 + SPACING**2, 2.0 * size**2])
    return np.stack([mass * np.eye(3), inertia] * 2)


def _joined(A: BlockMatrix, more: Floats) -> BlockMatrix:
    """A with further diagonal blocks (k, 3, 3) at its end."""
    k = len(more)
    indptr = np.concatenate([A.indptr, A.indptr[-1] + 1 + np.arange(k)]).astype(np.int32)
    indices = np.concatenate([A.indices, A.node_count + np.arange(k)]).astype(np.int32)
    return BlockMatrix(indptr, indices, np.concatenate([A.data, more]))


def _cross(r: Floats) -> Floats:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
