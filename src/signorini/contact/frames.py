"""Contact frames (n, t1, t2), Jacobian blocks and free velocities: the contact problem of a set of contacts.

Implements: Otaduy2009 §3.2-3.4 (Eqs. 4-7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet, unshifted_points
from signorini.contact import frames_kernels as kernels
from signorini.contact.friction_cone_kernels import limit_impulses
from signorini.contact.mlcp import Mlcp
from signorini.linalg.block_matrix import BlockMatrix
from signorini.model.surface_map import SurfaceMap

NO_VELOCITIES = np.zeros((0, 3))


@dataclass(frozen=True, slots=True)
class FramedProblem:
    """A contact problem and the frames that lead back to the world."""

    mlcp: Mlcp
    frames: NDArray[np.float64]
    """(m, 3, 3) rows n, t1, t2."""

    def to_world(self, impulse: NDArray[np.float64]) -> NDArray[np.float64]:
        """Impulses (m, 3) in contact frames as world vectors on side a [N s]."""
        out = np.empty_like(impulse)
        kernels.to_world(self.frames, impulse, out)
        return out

    def to_frames(self, world_impulse: NDArray[np.float64]) -> NDArray[np.float64]:
        """World impulses (m, 3) in contact frames, with pulls removed and friction inside the pyramid."""
        local = np.empty_like(world_impulse)
        kernels.to_frames(self.frames, world_impulse, local)
        limit_impulses(local, self.mlcp.friction, False)
        return local


@dataclass(frozen=True, slots=True)
class ContactJacobian:
    """Frames and Jacobian of m contacts; the layout is that of `Mlcp`."""

    frames: NDArray[np.float64]
    """(m, 3, 3) rows n, t1, t2."""
    free_velocity: NDArray[np.float64]
    """(m, 3) of pa − pb in the frame, when the response is zero [m/s]."""
    indptr: NDArray[np.int32]
    nodes: NDArray[np.int32]
    blocks: NDArray[np.float64]


def contact_jacobian(
    contacts: ContactSet,
    free_velocity: NDArray[np.float64],
    surface_map: SurfaceMap,
    movable: NDArray[np.uint8],
    point_velocity: NDArray[np.float64] | None = None,
) -> ContactJacobian:
    """How nodes move the contacts. Two vertices of a contact that depend on the same node share one block.

    free_velocity (v, 3) [m/s] is v* of every surface vertex, prescribed ones included; movable (n,) tells which nodes the
    response may move. point_velocity (m, 3) [m/s] is that of pa − pb where it does not follow from the vertices.
    """
    m = len(contacts)
    points = unshifted_points(0) if contacts.points is None else contacts.points
    most = 4 * surface_map.widest
    frames, u_free = np.empty((m, 3, 3)), np.empty((m, 3))
    indptr = np.zeros(m + 1, dtype=np.int32)
    nodes, blocks = np.empty(most * m, dtype=np.int32), np.empty((most * m, 3, 3))
    count = kernels.build(
        contacts.vertices, contacts.weights, contacts.normal, free_velocity,
        surface_map.indptr, surface_map.nodes, surface_map.weights, surface_map.arms, surface_map.rotating, movable,
        points.spins, points.shift, NO_VELOCITIES if point_velocity is None else point_velocity,
        frames, u_free, indptr, nodes, blocks,
    )  # fmt: skip
    return ContactJacobian(frames, u_free, indptr, nodes[:count].copy(), blocks[:count].copy())


def movable_contacts(contacts: ContactSet, surface_map: SurfaceMap, movable: NDArray[np.uint8]) -> ContactSet:
    """The contacts that the response can move: pinned vertices beside something pinned or scripted are no constraints.

    If such a pair comes too near, continuous detection finds it, and nothing can be done about it.
    """
    if movable.all():
        return contacts
    follows = surface_map.moved_by(movable)
    moved = (follows[contacts.vertices] & (contacts.vertices >= 0) & (contacts.weights != 0.0)).any(axis=1)
    return contacts if moved.all() else contacts.without(np.flatnonzero(~moved))


def build_mlcp(
    A: BlockMatrix,
    contacts: ContactSet,
    free_velocity: NDArray[np.float64],
    surface_map: SurfaceMap,
    movable: NDArray[np.uint8],
    friction: NDArray[np.float64],
    *,
    dt: float,
    contact_distance: NDArray[np.float64],
    point_velocity: NDArray[np.float64] | None = None,
) -> FramedProblem:
    """The contact problem of one refinement.

    free_velocity (v, 3) [m/s] is v* of every surface vertex, prescribed ones included; `surface_map` tells how nodes move
    vertices and movable (n,) which nodes the response may move; friction (m,) is the coefficient of each contact
    and contact_distance (m,) the distance that it keeps [m]. point_velocity (m, 3) [m/s] is that of the contact points where it
    does not follow from the vertices.
    """
    J = contact_jacobian(contacts, free_velocity, surface_map, movable, point_velocity)
    # A pair that is nearer than its contact distance keeps the distance it has: pushing it out would add energy, and opposite
    # contacts of a body in a tight place would contradict each other (decision 0003).
    gap = np.maximum(contacts.distance - contact_distance, 0.0)
    least = float(contact_distance.min(initial=np.inf))
    mlcp = Mlcp(A, J.indptr, J.nodes, J.blocks, gap, J.free_velocity, friction, dt, least if len(contacts) else 0.0)
    return FramedProblem(mlcp, J.frames)
