"""Contacts of Hong2004: who touches whom, and the three complementarity problems of a step.

Implements: Hong2004 §2 (penetrating nodes are moved back on the surface), §3 (relative velocity and acceleration of a contact)
and §4 (the quadratic program).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import Candidates
from signorini.collision.surface import Surface
from signorini.contact.contact_set import FIRST_SHIFT, KIND_SHIFT, VERTEX_PLANE, ContactSet
from signorini.contact.frames import ContactJacobian, contact_jacobian
from signorini.solvers.interior_point import Complementarity, QpSolution
from signorini.stepping import hong_contacts_kernels as kernels
from signorini.stepping.hong_scene import Course
from signorini.stepping.moment import World

Floats = NDArray[np.float64]

REGULARISATION = 1e-10
"""Part of the diagonal that is added to it where contacts may follow from each other."""


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
    """Contacts at one configuration with what the response needs."""

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

    def push(self, course: Course, strength: Floats, v: Floats) -> None:
        """v (n, 3) += M⁻¹ J' strength (m,)."""
        J = self.jacobian
        kernels.push(J.indptr, J.nodes, J.blocks, course.inverse_mass, strength, v)


def group_pairs(surface: Surface, candidates: Candidates) -> PairGroups:
    """The pairs of different bodies, by vertex and body."""
    pairs = candidates.vertex_triangle
    body = surface.vertex_body[surface.triangles[pairs[:, 1], 0]] if len(pairs) else np.zeros(0, np.int32)
    other = np.flatnonzero(body != surface.vertex_body[pairs[:, 0]])
    order = other[np.lexsort((pairs[other, 1], body[other], pairs[other, 0]))]
    pairs, body = np.ascontiguousarray(pairs[order]), body[order]
    new = np.ones(len(pairs), dtype=bool)
    new[1:] = (pairs[1:, 0] != pairs[:-1, 0]) | (body[1:] != body[:-1])
    edges = np.sort(candidates.edge_edge, axis=1)
    edges = np.ascontiguousarray(edges[np.lexsort((edges[:, 1], edges[:, 0]))])
    return PairGroups(candidates, pairs, np.append(np.flatnonzero(new), len(pairs)), edges)


def detect_signed(world: World, groups: PairGroups, before: Floats, x: Floats, near: float) -> ContactSet:
    """Vertices less than `near` [m] outside another body, or inside; x (v, 3) is the surface.

    With edge contacts, also edges of two bodies that have passed each other since the surface was at `before` (v, 3).
    """
    surface, candidates = world.model.surface, groups.candidates
    most = len(groups.start) - 1
    arrays = _room_for(most)
    count = kernels.vertex_triangle(
        groups.pairs, groups.start, surface.triangles, surface.vertex_body, x, near, world.detection_distance, *arrays
    )
    contacts = ContactSet(*(array[:count] for array in arrays))
    if len(candidates.vertex_plane):
        contacts = contacts.merged_with(_vertices_on_planes(surface, candidates.vertex_plane, x, near))
    if world.settings.hong.edge_contacts and len(groups.edges):
        arrays = _room_for(len(groups.edges))
        count = kernels.edge_edge(
            groups.edges, surface.edges, surface.edge_opposite, surface.vertex_body, before, x, near,
            world.detection_distance, *arrays,
        )  # fmt: skip
        contacts = contacts.merged_with(ContactSet(*(array[:count] for array in arrays)))
    return contacts


def _room_for(count: int) -> tuple[NDArray, ...]:
    """The arrays of a `ContactSet`, not filled."""
    return (
        np.empty(count, np.int64), np.empty((count, 4), np.int32), np.empty((count, 4)), np.empty((count, 3)),
        np.empty(count), np.empty((count, 2), np.int32),
    )  # fmt: skip


def _vertices_on_planes(surface: Surface, pairs: NDArray[np.int32], x: Floats, near: float) -> ContactSet:
    vertex, plane = pairs.T
    normal = surface.plane_normal[plane]
    distance = (normal * x[vertex]).sum(axis=1) - surface.plane_height[plane]
    keep = distance < near
    vertex, plane, count = vertex[keep], plane[keep], int(keep.sum())
    vertices, weights = np.full((count, 4), -1, np.int32), np.zeros((count, 4))
    vertices[:, 0], weights[:, 0] = vertex, 1.0
    bodies = np.column_stack([surface.vertex_body[vertex], surface.plane_body[plane]])
    key = (VERTEX_PLANE << KIND_SHIFT) | (vertex.astype(np.int64) << FIRST_SHIFT) | plane
    return ContactSet(key, vertices, weights, np.ascontiguousarray(normal[keep]), distance[keep], bodies)


def select(contacts: ContactSet, keep: NDArray[np.bool_]) -> ContactSet:
    """The contacts that a mask (m,) keeps."""
    return ContactSet(*(getattr(contacts, f.name)[keep] for f in fields(ContactSet)))


def build_touching(course: Course, contacts: ContactSet, x: Floats, v: Floats) -> Touching:
    """What the response needs; x (v, 3) [m] is the surface, v (n, 3) [m/s] the velocity of the nodes."""
    moving, count = course.surface_velocities(v), len(contacts)
    J = contact_jacobian(contacts, moving, course.model.surface_map, course.movable)
    W, bias = np.empty((count, count)), np.empty(count)
    kernels.mobility(J.indptr, J.nodes, J.blocks, course.inverse_mass, W)
    kernels.turning(contacts.vertices, contacts.weights, contacts.normal, x, moving, bias)
    return Touching(contacts, J, Complementarity(W), bias, J.free_velocity[:, 0].copy())


def contact_forces(touching: Touching, a: Floats, guess: NDArray[np.bool_]) -> QpSolution:
    """f (m,) ≥ 0 [N] with d̈ = W f + J a + 2 ṅ·(Ṗa − Ṗb) ≥ 0 and f d̈ = 0 (Hong2004 §4); a (n, 3) are free accelerations."""
    return touching.problem.solve(touching.rates(a) + touching.bias, guess)


def find_pressing(touching: Touching, a: Floats, h: float, guess: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(m,) which contacts push in the next h [s] if the free accelerations a (n, 3) last: the others open and stay open."""
    ahead = touching.speed + h * (touching.rates(a) + touching.bias)
    return touching.problem.solve(ahead, guess).x > 0.0


def bring_to_rest(touching: Touching, resting: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """Impulses (m,) [N s] after which the resting contacts have no relative velocity (Hong2004 §3), and which (m,) these are.

    A contact that would approach because of them rests too. Impulses may pull where a contact was opening: it is closed
    again within the step, and the force of the step is larger than the pull.
    """
    W, speed = touching.problem.W, touching.speed
    impulse = np.zeros(len(touching))
    resting = resting.copy()
    while resting.any():
        block = W[np.ix_(resting, resting)]
        block[np.diag_indices_from(block)] *= 1.0 + REGULARISATION
        impulse[resting] = np.linalg.solve(block, -speed[resting])
        approaching = ~resting & (speed + W @ impulse < -REGULARISATION * np.abs(speed).max())
        if not approaching.any():
            break
        resting |= approaching
    return impulse, resting


def move_back(touching: Touching) -> QpSolution:
    """Strengths (m,) ≥ 0 [kg m] of the least move, weighted by mass, after which no contact penetrates (Hong2004 §2)."""
    distance = touching.contacts.distance
    return touching.problem.solve(distance, distance < 0.0)
