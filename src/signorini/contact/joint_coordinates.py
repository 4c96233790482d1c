"""Contact problems in the coordinates of mechanisms: bodies that joints tie together move only as the joints allow.

The velocities of a mechanism are v = T w + shift. The problem in w has the matrix T'AT, which is a multiple of the identity, and
the Jacobian G T; no solver needs to know. The coordinates take the places of nodes of the mechanism, three each; the places that
are left over are those of particles that nothing touches, as with attached nodes (`model/folding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.contact.frames import FramedProblem
from signorini.contact.joint_coordinates_kernels import change_coordinates
from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.linalg.block_matrix import BlockMatrix

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MechanismCoordinates:
    """The coordinates of one mechanism of b bodies in one contact problem."""

    nodes: NDArray[np.intp]
    """(2b,)"""
    T: Floats
    """(6b, 3k) velocities for each coordinate, with T'AT = mass I; columns of zeros at the end fill the last node."""
    back: Floats
    """(3k, 6b) coordinates of velocities."""
    shift: Floats
    """(6b,) velocities that drives add before any contact [m/s]."""
    mass: float
    """[kg]"""

    @property
    def virtual(self) -> NDArray[np.intp]:
        """(k,) the nodes whose places the coordinates take."""
        return self.nodes[: self.T.shape[1] // 3]


@dataclass(frozen=True, slots=True)
class LimitRows:
    """Limits of joints: l one-sided equations without friction, in the velocities of the bodies."""

    mechanism: NDArray[np.intp]
    """(l,)"""
    rows: tuple[Floats, ...]
    """(6b,) each: how velocities move the joint away from its limit, as a velocity [m/s]."""
    free_velocity: Floats
    """(l,) [m/s]"""
    gap: Floats
    """(l,) [m]"""


class JointCoordinates:
    """Coordinates of all mechanisms of a model of n nodes, and the limits of their joints."""

    def __init__(self, mechanisms: Sequence[MechanismCoordinates], limits: LimitRows, node_count: int) -> None:
        self.mechanisms, self.limits = mechanisms, limits
        self.shift = np.zeros((node_count, 3))
        self._mechanism, self._place = np.full(node_count, -1), np.zeros(node_count, np.intp)
        count, widest = 0, max((m.T.shape[1] for m in mechanisms), default=0)
        blocks = []
        for number, m in enumerate(mechanisms):
            self.shift[m.nodes] = m.shift.reshape(-1, 3)
            self._mechanism[m.nodes] = number
            self._place[m.nodes] = count + np.arange(len(m.nodes))
            count += len(m.nodes)
            blocks.append(np.zeros((len(m.nodes), 3, widest)))
            blocks[-1][:, :, : m.T.shape[1]] = m.T.reshape(len(m.nodes), 3, -1)
        self._T = np.concatenate(blocks)
        self._virtual = np.concatenate([m.virtual for m in mechanisms])
        self._starts = np.concatenate([[0], np.cumsum([len(m.virtual) for m in mechanisms])])

    def reduced(self, problem: FramedProblem) -> FramedProblem:
        """The contact problem in these coordinates, without limits."""
        mlcp = problem.mlcp
        m, widest = mlcp.contact_count, int(np.diff(self._starts).max(initial=1))
        indptr = np.zeros(m + 1, np.int32)
        room = max(1, widest) * len(mlcp.jacobian_nodes)
        nodes, blocks = np.empty(room, np.int32), np.empty((room, 3, 3))
        count = change_coordinates(
            mlcp.jacobian_indptr, mlcp.jacobian_nodes, mlcp.jacobian_blocks, self._mechanism, self._place, self._T,
            self._starts, self._virtual, indptr, nodes, blocks,
        )  # fmt: skip
        shifted = (mlcp.jacobian() @ self.shift.ravel()).reshape(-1, 3)
        own = replace(
            mlcp,
            A=self._matrix(mlcp.A),
            jacobian_indptr=indptr,
            jacobian_nodes=nodes[:count].copy(),
            jacobian_blocks=blocks[:count].copy(),
            free_velocity=mlcp.free_velocity + shifted,
        )
        return replace(problem, mlcp=own)

    def with_limits(self, mlcp: Mlcp) -> Mlcp:
        """A problem in these coordinates with the limits as further contacts, whose tangents move nothing."""
        limits, first = self.limits, len(mlcp.jacobian_nodes)
        if not len(limits.gap):
            return mlcp
        nodes, blocks, counts = [mlcp.jacobian_nodes], [mlcp.jacobian_blocks], []
        for number, row in zip(limits.mechanism, limits.rows, strict=True):
            m = self.mechanisms[number]
            own = np.zeros((len(m.virtual), 3, 3))
            own[:, 0] = (row @ m.T).reshape(-1, 3)
            nodes.append(m.virtual.astype(np.int32))
            blocks.append(own)
            counts.append(len(own))
        free = np.zeros((len(limits.gap), 3))
        free[:, 0] = limits.free_velocity + [
            row @ self.mechanisms[k].shift for k, row in zip(limits.mechanism, limits.rows, strict=True)
        ]
        return replace(
            mlcp,
            jacobian_indptr=np.concatenate([mlcp.jacobian_indptr, first + np.cumsum(counts)]).astype(np.int32),
            jacobian_nodes=np.concatenate(nodes),
            jacobian_blocks=np.concatenate(blocks),
            gap=np.concatenate([mlcp.gap, limits.gap]),
            free_velocity=np.concatenate([mlcp.free_velocity, free]),
            friction=np.concatenate([mlcp.friction, np.zeros(len(limits.gap))]),
        )

    def extended_start(self, start: WarmStart | None) -> WarmStart | None:
        """A warm start with no impulse of the limits."""
        if start is None or not len(self.limits.gap):
            return start
        return replace(start, impulse=np.concatenate([start.impulse, np.zeros((len(self.limits.gap), 3))]))

    def without_limits(self, response: Response, contacts: int) -> Response:
        """The response of the contacts alone; dv has the effect of the limits."""
        certificate = None if response.certificate is None else response.certificate[:contacts]
        infeasible = response.infeasible[response.infeasible < contacts]
        return replace(response, impulse=response.impulse[:contacts], certificate=certificate, infeasible=infeasible)

    def coordinates_of(self, dv: Floats) -> Floats:
        """Coordinates (n, 3) of velocities (n, 3): what joints resist is left out."""
        out = (dv - self.shift).copy()
        for m in self.mechanisms:
            own = np.zeros((len(m.nodes), 3))
            own[: len(m.virtual)] = (m.back @ out[m.nodes].ravel()).reshape(-1, 3)
            out[m.nodes] = own
        return out

    def velocities_of(self, dw: Floats) -> Floats:
        """Velocities (n, 3) [m/s] of coordinates (n, 3)."""
        out = dw + self.shift
        for m in self.mechanisms:
            out[m.nodes] = (m.T @ dw[m.virtual].ravel() + m.shift).reshape(-1, 3)
        return out

    def _matrix(self, A: BlockMatrix) -> BlockMatrix:
        data = A.data.copy()
        for m in self.mechanisms:
            data[A.indptr[m.nodes]] = m.mass * np.eye(3)
        return BlockMatrix(A.indptr, A.indices, data, A.points)
