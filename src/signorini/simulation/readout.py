"""Contacts, forces, torques and pressures of a step, and the reactions of pins and attachments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.checks import told_vector
from signorini.dynamics.assembly import assemble_unconstrained
from signorini.dynamics.continued_motion import arc_offsets, end_rotations
from signorini.methods.moment import SolvedContacts
from signorini.model.model import Model

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contact:
    """One contact at the end of the last step; forces act on body_a [N]."""

    body_a: str
    body_b: str
    point: Floats
    normal: Floats
    gap: float
    """Distance along the normal at the start of the step minus the contact distance [m]."""
    normal_force: float
    friction_force: Floats
    sticks: bool
    """Friction is inside its cone."""

    def __repr__(self) -> str:
        friction = float(np.linalg.norm(self.friction_force))
        return (
            f"Contact of {self.body_a!r} and {self.body_b!r} at {told_vector(self.point)} m: normal force "
            f"{self.normal_force:.4g} N, friction {friction:.4g} N, {'sticks' if self.sticks else 'slides'}"
        )


def contact_arrays(
    model: Model, solved: SolvedContacts, x: Floats
) -> tuple[NDArray[np.int32], Floats, Floats, Floats, NDArray[np.bool_]]:
    """The contacts that carry force: bodies (m, 2), points on the first [m], normals, forces on the first [N] (m, 3), and
    whether friction is inside its cone (m,); x (v, 3) is where the surface is [m].
    """
    rows, dt = carrying(solved), solved.dt
    normal, lam = solved.contacts.normal[rows], solved.impulse[rows, 0]
    forces = solved.world_impulse[rows] / dt
    friction = forces - (lam / dt)[:, None] * normal
    sticks = np.linalg.norm(friction, axis=1) < (1.0 - 1e-6) * solved.friction[rows] * lam / dt
    return solved.contacts.bodies[rows], _points_on_a(model, solved, x)[rows], normal, forces, sticks


def carrying(solved: SolvedContacts) -> NDArray[np.intp]:
    """(m,) the contacts that carry force."""
    return np.flatnonzero(solved.impulse[:, 0] > 0.0)


def list_contacts(model: Model, solved: SolvedContacts, x: Floats) -> list[Contact]:
    """The contacts that carry force; x (v, 3) is where the surface is [m]."""
    names, found = model.body_names, []
    rows = zip(*contact_arrays(model, solved, x), carrying(solved), strict=True)
    for bodies, point, normal, force, sticks, c in rows:
        pressing = float(solved.impulse[c, 0]) / solved.dt
        found.append(
            Contact(
                body_a=names[bodies[0]],
                body_b=names[bodies[1]],
                point=point.copy(),
                normal=normal.copy(),
                gap=float(solved.gap[c]),
                normal_force=pressing,
                friction_force=force - pressing * normal,
                sticks=bool(sticks),
            )
        )
    return found


def _points_on_a(model: Model, solved: SolvedContacts, x: Floats) -> Floats:
    """(m, 3) where the impulses act on side a [m]; x (v, 3) is where the surface is.

    The point of a smooth patch has not turned with its body since the start of the sub-step: the body has rolled over it.
    """
    contacts, points, start = solved.contacts, solved.contacts.points, solved.start
    weights = np.where(contacts.vertices >= 0, np.maximum(contacts.weights, 0.0), 0.0)
    on_a = np.einsum("ck,cki->ci", weights, x[contacts.vertices])
    if points is not None and points.smooth.any():
        rows = np.flatnonzero(points.smooth)
        before = model.surface_positions(start.q, start.time, start.rotations)[contacts.vertices[rows, 0]]
        moved = solved.dt * solved.velocity[points.spins[rows, 0] - 1]
        on_a[rows] = before + points.shift[rows, 0] + moved
    return on_a


def contact_force(solved: SolvedContacts, number: int) -> Floats:
    """Resultant (3,) [N] of all contacts on a body."""
    bodies = solved.contacts.bodies
    sign = (bodies[:, 0] == number).astype(float) - (bodies[:, 1] == number)
    return sign @ solved.world_impulse / solved.dt


def contact_torque(model: Model, solved: SolvedContacts, number: int, x: Floats, about: Floats) -> Floats:
    """Resultant torque (3,) [N m] of all contacts on a body about a point; x (v, 3) is where the surface is.

    The force of a contact acts at the point of the body's own surface; on a half-space, at the point of the other body.
    """
    contacts, torque, on_a = solved.contacts, np.zeros(3), _points_on_a(model, solved, x)
    on_b = np.einsum("ck,cki->ci", np.maximum(-contacts.weights, 0.0), x[contacts.vertices])
    alone = (contacts.weights >= 0.0).all(axis=1)
    on_b[alone] = on_a[alone]
    for side, sign in ((0, 1.0), (1, -1.0)):
        rows = np.flatnonzero(contacts.bodies[:, side] == number)
        points = (on_a if side == 0 else on_b)[rows]
        torque += np.cross(points - about, sign * solved.world_impulse[rows]).sum(axis=0)
    return torque / solved.dt


def constraint_forces(model: Model, solved: SolvedContacts) -> Floats:
    """Forces (n, 3) [N] that pins and attachments exert on nodes; zero but for rounding on all others.

    They are what the equations of motion lack: (A v − b) / dt before pins and attachments, less the contact forces.
    """
    state, dt = solved.start, solved.dt
    rule, linearised_at = solved.rule, solved.linearised_at
    A, b, spin = assemble_unconstrained(
        model, state, dt, rule=rule, reference=solved.reference, linearised_at=linearised_at
    )
    v = solved.velocity.copy()
    if rule is not None and rule.second_order and linearised_at is not None:
        model.attachments.carry(v, end_rotations(model, state, dt, spin, linearised_at))
        v += arc_offsets(model, state, dt, spin, linearised_at)
    else:
        model.attachments.carry(v, state.rotations)
    return (A.times(v) - b) / dt - node_contact_forces(model, solved)


def node_contact_forces(model: Model, solved: SolvedContacts) -> Floats:
    """Contact forces (n, 3) [N] on the nodes, prescribed and attached ones included."""
    contacts, surface_map = solved.contacts, model.unattached_map.turned(solved.start.rotations)
    on_vertex = vertex_contact_forces(solved, surface_map.vertex_count)
    vertex = np.repeat(np.arange(surface_map.vertex_count), np.diff(surface_map.indptr))
    on_node = np.zeros((model.node_count, 3))
    moments = np.cross(surface_map.arms, on_vertex[vertex])
    np.add.at(on_node, surface_map.nodes, surface_map.weights[:, None] * on_vertex[vertex] + moments)
    if contacts.points is not None:
        for side, sign in ((0, 1.0), (1, -1.0)):
            rows = np.flatnonzero(contacts.points.spins[:, side] >= 0)
            more = sign * np.cross(contacts.points.shift[rows, side], solved.world_impulse[rows]) / solved.dt
            np.add.at(on_node, contacts.points.spins[rows, side], more)
    return on_node


def vertex_contact_forces(solved: SolvedContacts, count: int) -> Floats:
    """Contact forces (count, 3) [N] on the vertices of the whole surface; those of a body add up to its contact force."""
    on_vertex, used = np.zeros((count, 3)), solved.contacts.vertices >= 0
    share = solved.contacts.weights[:, :, None] * solved.world_impulse[:, None, :]
    np.add.at(on_vertex, solved.contacts.vertices[used], share[used] / solved.dt)
    return on_vertex
