"""Contacts of Hong2004: signed distances between bodies, and the three complementarity problems of a step.

Implements: Hong2004 §2 (penetrating nodes are moved back on the surface), §3 (relative velocity and acceleration of a contact)
and §4 (the quadratic program).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import Candidates
from signorini.collision.contact_set import ContactSet
from signorini.collision.surface import Surface
from signorini.contact.frames import ContactJacobian
from signorini.linalg.interior_point import Complementarity, QpSolution
from signorini.methods.hong import contacts_kernels as detection
from signorini.methods.hong import response_kernels as kernels
from signorini.methods.hong.step_data import StepData
from signorini.methods.moment import World

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairGroups:
    """Candidates in the order in which signed distances are computed."""

    candidates: Candidates
    pairs: NDArray[np.int32]
    """(a, 2) vertex and triangle of another body, sorted by vertex and body."""
    start: NDArray[np.int64]
    """(g+1,) where the groups of one vertex and one body begin."""
    edges: NDArray[np.int32]
    """(b, 2) two edges, sorted: the result does not depend on how the pairs were found."""


@dataclass(frozen=True, slots=True)
class Touching:
    """Contacts at one configuration with the Jacobian and the matrix of the contact problem."""

    contacts: ContactSet
    """`distance` is signed: negative inside."""
    jacobian: ContactJacobian
    problem: Complementarity
    """With W = J M⁻¹ J' (m, m) [1/kg]."""
    bias: Floats
    """(m,) 2 ṅ·(Ṗa − Ṗb) [m/s²]."""
    speed: Floats
    """(m,) ḋ, at which the contact opens [m/s]."""

    def __len__(self) -> int:
        return len(self.contacts)

    def rates(self, v: Floats) -> Floats:
        """J v (m,) for v (n, 3)."""
        J, out = self.jacobian, np.empty(len(self))
        kernels.rates(J.indptr, J.nodes, J.blocks, v, out)
        return out

    def push(self, step: StepData, strength: Floats, v: Floats) -> None:
        """v (n, 3) += M⁻¹ J' strength (m,)."""
        J = self.jacobian
        kernels.push(J.indptr, J.nodes, J.blocks, step.inverse_mass, strength, v)


def group_pairs(surface: Surface, candidates: Candidates, *, edges: bool = True) -> PairGroups:
    """The pairs of different bodies, by vertex and body; pairs of edges only if they are wanted."""
    pairs = candidates.vertex_triangle
    body = surface.vertex_body[surface.triangles[pairs[:, 1], 0]] if len(pairs) else np.zeros(0, np.int32)
    other = np.flatnonzero(body != surface.vertex_body[pairs[:, 0]])
    order = other[np.lexsort((pairs[other, 1], body[other], pairs[other, 0]))]
    pairs, body = np.ascontiguousarray(pairs[order]), body[order]
    new = np.ones(len(pairs), dtype=bool)
    new[1:] = (pairs[1:, 0] != pairs[:-1, 0]) | (body[1:] != body[:-1])
    edge_pairs = np.sort(candidates.edge_edge if edges else candidates.edge_edge[:0], axis=1)
    edge_pairs = np.ascontiguousarray(edge_pairs[np.lexsort((edge_pairs[:, 1], edge_pairs[:, 0]))])
    return PairGroups(candidates, pairs, np.append(np.flatnonzero(new), len(pairs)), edge_pairs)


def detect_signed(world: World, groups: PairGroups, before: Floats, x: Floats, near: float) -> ContactSet:
    """Vertices less than `near` [m] outside another body, or inside; x (v, 3) is the surface.

    With edge contacts, also edges of two bodies that have passed each other since the surface was at `before` (v, 3).
    """
    surface, planes, reach = world.model.surface, groups.candidates.vertex_plane, world.detection_distance
    crossing = world.settings.hong.edge_contacts
    arrays = _room_for(len(groups.start) - 1 + len(planes) + (len(groups.edges) if crossing else 0))
    count = detection.vertex_triangle(
        groups.pairs, groups.start, surface.triangles, surface.vertex_body, x, near, reach, 0, *arrays
    )  # fmt: skip
    if len(planes):
        count = detection.vertex_plane(
            planes, surface.plane_normal, surface.plane_height, surface.vertex_body, surface.plane_body, x, near, count,
            *arrays,
        )  # fmt: skip
    if crossing:
        count = detection.edge_edge(
            groups.edges, surface.edges, surface.edge_opposite, surface.vertex_body, before, x, near, reach, count, *arrays
        )  # fmt: skip
    key, vertices, weights, normal, distance, bodies = (array[:count] for array in arrays)
    return ContactSet(key, vertices, weights, normal, distance, bodies)


def _room_for(count: int) -> tuple[NDArray, ...]:
    """The arrays of a `ContactSet`, not filled."""
    return (
        np.empty(count, np.int64), np.empty((count, 4), np.int32), np.empty((count, 4)), np.empty((count, 3)),
        np.empty(count), np.empty((count, 2), np.int32),
    )  # fmt: skip


def select(contacts: ContactSet, keep: NDArray[np.bool_]) -> ContactSet:
    """The contacts that a mask (m,) keeps."""
    c = contacts
    return ContactSet(c.key[keep], c.vertices[keep], c.weights[keep], c.normal[keep], c.distance[keep], c.bodies[keep])


def responding(step: StepData, contacts: ContactSet) -> ContactSet:
    """The contacts that can move anything at all."""
    keep = np.empty(len(contacts), dtype=np.bool_)
    if detection.can_respond(contacts.vertices, contacts.weights, step.movable_vertices, keep):
        return contacts
    return select(contacts, keep)


def build_touching(step: StepData, contacts: ContactSet, x: Floats, v: Floats) -> Touching:
    """Jacobian, matrix, speeds and bias of contacts; x (v, 3) [m] is the surface, v (n, 3) [m/s] the velocity of the nodes."""
    model, m = step.model, len(contacts)
    surface_map = model.surface_map
    most = 4 * surface_map.widest * m
    frames, speeds, indptr = np.empty((m, 3, 3)), np.empty((m, 3)), np.zeros(m + 1, np.int32)
    nodes, blocks = np.empty(most, np.int32), np.empty((most, 3, 3))
    problem, bias = Complementarity(np.empty((m, m)), scaled=False), np.empty(m)
    # No arms rotate: the method has no rigid bodies.
    count = kernels.build(
        contacts.vertices, contacts.weights, contacts.normal, x, v, model.kinematic_first, step.kinematic_velocity,
        surface_map.indptr, surface_map.nodes, surface_map.weights, surface_map.arms, False, step.movable,
        step.inverse_mass, frames, speeds, indptr, nodes, blocks, problem.W, problem.unit, problem.Q, bias,
    )  # fmt: skip
    jacobian = ContactJacobian(frames, speeds, indptr, nodes[:count], blocks[:count])
    return Touching(contacts, jacobian, problem, bias, speeds[:, 0].copy())


def come_to_rest(
    touching: Touching, a: Floats, h: float, *, still: float, guess: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], Floats | None]:
    """Which contacts (m,) rest in the next h [s], and impulses (m,) [N s] that stop them if one is faster than `still` [m/s].

    Those that approach rest, and those that push if the free accelerations a (n, 3) last: the others open and stay open. A
    contact that would approach because of the impulses rests too. Impulses may pull where a contact was opening: it is closed
    again within the step, and the force of the step is larger than the pull. `guess` (m,) tells which are likely to push.
    """
    J, problem = touching.jacobian, touching.problem
    impulse, resting = np.empty(len(touching)), np.empty(len(touching), dtype=np.bool_)
    moving = kernels.come_to_rest(
        J.indptr, J.nodes, J.blocks, problem.W, problem.unit, problem.Q, touching.bias, touching.speed, a, h, still,
        guess.copy(), impulse, resting,
    )  # fmt: skip
    return resting, impulse if moving else None


def move_back(touching: Touching) -> QpSolution:
    """Strengths (m,) ≥ 0 [kg m] of the least move, weighted by mass, after which no contact penetrates (Hong2004 §2)."""
    distance = touching.contacts.distance
    return touching.problem.solve(distance, distance < 0.0)
