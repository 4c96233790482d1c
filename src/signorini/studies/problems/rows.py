"""Assembly of a contact problem contact by contact, for generators, where clarity counts more than speed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.linalg.block_matrix import BlockMatrix

Floats = NDArray[np.float64]
BLOCK_QUANTUM = 2.0**-24
"""Jacobian blocks are multiples of this: files become half as large, weights stay exact to 6e-8."""


@dataclass(frozen=True, slots=True)
class Case:
    """A contact problem and, where there is one, the start that a running simulation would give a solver."""

    problem: Mlcp
    warm: WarmStart | None = None


class ContactRows:
    """Collects contacts; the velocity of a contact is Σ map_k v_k over its nodes plus a prescribed velocity."""

    def __init__(self) -> None:
        self._nodes: list[list[int]] = []
        self._maps: list[list[Floats]] = []
        self._normals: list[Floats] = []
        self._gaps: list[float] = []
        self._prescribed: list[Floats] = []

    def __len__(self) -> int:
        return len(self._gaps)

    def add(
        self,
        nodes: list[int],
        maps: list[Floats],
        *,
        normal: Floats,
        gap: float,
        prescribed: Floats | None = None,
    ) -> None:
        """One contact: 3x3 maps from the nodes' velocities to the world velocity of side a against side b."""
        self._nodes.append(nodes)
        self._maps.append(maps)
        self._normals.append(normal)
        self._gaps.append(gap)
        self._prescribed.append(np.zeros(3) if prescribed is None else prescribed)

    def add_weighted(
        self, nodes: list[int], weights: list[float], *, normal: Floats, gap: float, prescribed: Floats | None = None
    ) -> None:
        """A contact between points of deformable bodies: positive weights on side a, negative ones on side b."""
        self.add(nodes, [w * np.eye(3) for w in weights], normal=normal, gap=gap, prescribed=prescribed)

    def build(
        self, A: BlockMatrix, v_free: Floats, *, friction: float, dt: float, contact_distance: float = 0.0
    ) -> Mlcp:
        """The contact problem for the nodal velocities v_free (n, 3) without contact."""
        indptr = np.zeros(len(self) + 1, dtype=np.int32)
        indptr[1:] = np.cumsum([len(nodes) for nodes in self._nodes])
        nodes = np.array([i for nodes in self._nodes for i in nodes], dtype=np.int32)
        blocks = np.empty((len(nodes), 3, 3))
        u_free = np.empty((len(self), 3))
        for c in range(len(self)):
            relative = self._prescribed[c].copy()
            for i, block in zip(self._nodes[c], self._maps[c], strict=True):
                relative += block @ v_free[i]
            frame = contact_frame(self._normals[c], relative)
            u_free[c] = frame @ relative
            for k, block in enumerate(self._maps[c], start=int(indptr[c])):
                blocks[k] = round_to(frame @ block, BLOCK_QUANTUM)
        gap = np.array(self._gaps)
        return Mlcp(A, indptr, nodes, blocks, gap, u_free, np.full(len(gap), friction), dt, contact_distance)


def contact_frame(normal: Floats, velocity: Floats) -> Floats:
    """Rows n, t1, t2; t1 along the sliding velocity, or any tangent when there is none."""
    t = velocity - (velocity @ normal) * normal
    if np.linalg.norm(t) <= 1e-9 * (1.0 + np.linalg.norm(velocity)):
        axis = np.eye(3)[np.argmin(np.abs(normal))]
        t = axis - (axis @ normal) * normal
    t /= np.linalg.norm(t)
    return np.stack([normal, t, np.cross(normal, t)])


def round_to(x: Floats, quantum: float) -> Floats:
    """The nearest multiples of `quantum` (a power of two): numbers with fewer digits, which compress better."""
    return np.round(x / quantum) * quantum


def tilted(normal: Floats, rng: np.random.Generator, angle: float) -> Floats:
    """A unit vector near the normal: random, about `angle` [rad] away."""
    n = normal + rng.normal(scale=angle / np.sqrt(2.0), size=3)
    return n / np.linalg.norm(n)


def cross_matrix(r: Floats) -> Floats:
    """[r]x with [r]x w = r × w."""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def repeat_contacts(case: Case, times: NDArray[np.integer]) -> Case:
    """Every contact c `times[c]` times, as it is: the possible motions stay the same, the impulses are no longer unique."""
    problem = case.problem
    source = np.repeat(np.arange(problem.contact_count), times)
    size = np.diff(problem.jacobian_indptr)[source]
    indptr = np.concatenate([[0], np.cumsum(size)]).astype(np.int32)
    first = np.repeat(problem.jacobian_indptr[source] - indptr[:-1], size)
    entries = first + np.arange(indptr[-1])
    repeated = replace(
        problem,
        jacobian_indptr=indptr,
        jacobian_nodes=problem.jacobian_nodes[entries],
        jacobian_blocks=problem.jacobian_blocks[entries],
        gap=problem.gap[source],
        free_velocity=problem.free_velocity[source],
        friction=problem.friction[source],
    )
    warm = case.warm
    if warm is not None:
        warm = WarmStart(warm.dv, warm.impulse[source] / times[source][:, None])
    return Case(repeated, warm)
