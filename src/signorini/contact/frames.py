"""From contacts to the contact problem: frames (n, t1, t2), Jacobian blocks and free velocities.

Implements: Otaduy2009 §3.2-3.4 (Eqs. 4-7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.contact import frames_kernels as kernels
from signorini.contact.contact_set import ContactSet
from signorini.contact.mlcp import Mlcp
from signorini.dynamics.block_matrix import BlockMatrix


@dataclass(frozen=True, slots=True)
class FramedProblem:
    """A contact problem and the frames that lead back to the world."""

    mlcp: Mlcp
    frames: NDArray[np.float64]
    """(m, 3, 3) rows n, t1, t2."""

    def to_world(self, impulse: NDArray[np.float64]) -> NDArray[np.float64]:
        """Impulses (m, 3) in contact frames as world vectors on side a [N s]."""
        return np.einsum("mij,mi->mj", self.frames, impulse)

    def to_frames(self, world_impulse: NDArray[np.float64]) -> NDArray[np.float64]:
        """World impulses (m, 3) in contact frames, with pulls removed and friction inside the cone."""
        local = np.einsum("mij,mj->mi", self.frames, world_impulse)
        local[:, 0] = np.maximum(local[:, 0], 0.0)
        limit = (self.mlcp.friction * local[:, 0])[:, None]
        local[:, 1:] = np.clip(local[:, 1:], -limit, limit)
        return local


def build_mlcp(
    A: BlockMatrix,
    contacts: ContactSet,
    free_velocity: NDArray[np.float64],
    movable: NDArray[np.uint8],
    friction: NDArray[np.float64],
    *,
    dt: float,
    contact_distance: float,
    push_out_speed: float,
) -> FramedProblem:
    """The contact problem of one refinement.

    free_velocity (v, 3) [m/s] is v* of every surface vertex, prescribed ones included; movable (v,) tells which vertices
    the response may move; friction (m,) the coefficient of each contact.
    """
    m = len(contacts)
    frames = np.empty((m, 3, 3))
    u_free = np.empty((m, 3))
    indptr = np.zeros(m + 1, dtype=np.int32)
    nodes = np.empty(4 * m, dtype=np.int32)
    blocks = np.empty((4 * m, 3, 3))
    count = kernels.build(
        contacts.vertices,
        contacts.weights,
        contacts.normal,
        free_velocity,
        movable,
        frames,
        u_free,
        indptr,
        nodes,
        blocks,
    )
    # A pair that starts closer than δ is pushed apart at a bounded speed: full recovery in one step would add energy.
    gap = np.maximum(contacts.distance - contact_distance, -push_out_speed * dt)
    mlcp = Mlcp(A, indptr, nodes[:count].copy(), blocks[:count].copy(), gap, u_free, friction, dt, contact_distance)
    return FramedProblem(mlcp, frames)
