"""Smooth contacts: contacts of the smooth patches of rigid bodies, in the place of contacts of their vertices and triangles.

They are found with half-spaces and with triangles that keep their shape, of rigid and scripted bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import Candidates
from signorini.collision.contact_set import ContactPoints, ContactSet, unshifted_points
from signorini.collision.detect_kernels import bodies_of
from signorini.contact import smooth_contacts_kernels as kernels
from signorini.model.model import Model
from signorini.model.smooth_patches import SmoothPatches
from signorini.model.state import State

Floats = NDArray[np.float64]
LEAST_DISTANCE = 0.02
"""Smooth patches are taken from this part of the contact distance on: what is nearer was put there with its facets down."""
SEEN = 4
"""How many chains of patches a triangle remembers: a triangle of a cylinder joins two, its neighbours two more."""
SLACK = 0.05
"""Part of the contact distance up to which a point counts as being on the plane of a smooth contact."""


@dataclass(frozen=True, slots=True)
class ExpectedTurn:
    """What rigid bodies are expected to do in a step: smooth contacts are linearised about it."""

    v: Floats
    """(n, 3) velocities of the nodes [m/s]."""
    rotations: Floats
    """(b, 4) orientations at the end."""
    dt: float


@dataclass(frozen=True, slots=True)
class SmoothContacts:
    """The smooth contacts of one step."""

    model: Model
    patches: SmoothPatches
    state: State
    """At the start of the step."""
    expected: ExpectedTurn
    x: Floats
    """(v, 3) where the surface is at the start [m]."""
    contact_distance: float
    """δ [m]"""
    reach: float
    """Pairs closer than this are contacts [m]."""

    def near(self, candidates: Candidates) -> ContactSet | None:
        """All that are within reach at the start; None: there are none."""
        surface, patches, rigid, capacity = self.model.surface, self.patches, self.model.rigid_surface, 64
        faces = self._faces(candidates)
        shape = patches.outward, patches.along, patches.radius, patches.tube, patches.least_cosine
        limits = self.reach, LEAST_DISTANCE * self.contact_distance, self.contact_distance
        while True:
            key, vertices, weights = (
                np.empty(capacity, np.int64),
                np.empty((capacity, 4), np.int32),
                np.empty((capacity, 4)),
            )
            normal, distance, shift = np.empty((capacity, 3)), np.empty(capacity), np.empty((capacity, 2, 3))
            room = key, vertices, weights, normal, distance, shift
            count = kernels.find_on_planes(
                candidates.vertex_plane, surface.plane_normal, surface.plane_height, self.x, rigid.rotor,
                self.state.rotations, *shape, patches.rise, patches.starts, patches.neighbours, *limits, *room,
            )  # fmt: skip
            count = kernels.find_on_faces(
                faces, surface.triangles, surface.vertex_solid, self.x, rigid.rotor, self.state.rotations, *shape,
                patches.starts, patches.neighbours, *limits, count, *room,
            )  # fmt: skip
            if count <= capacity:
                break
            capacity = count
        if count == 0:
            return None
        key, vertices, weights = key[:count], vertices[:count], weights[:count]
        bodies = np.empty((count, 2), np.int32)
        bodies_of(key, vertices, weights, surface.vertex_body, surface.plane_body, bodies)
        spins = np.full((count, 2), -1, np.int32)
        points = ContactPoints(shift[:count], spins, np.ones(count, dtype=bool), np.zeros(count))
        return self._turned(ContactSet(key, vertices, weights, normal[:count], distance[:count], bodies, points=points))

    def of_impacts(self, impacts: ContactSet, known: ContactSet) -> ContactSet | None:
        """Those that stand for impacts of vertices, each once, and none of the known ones; None: there are none.

        A smooth contact that was tried and did not keep the bodies apart is not tried again: then the triangles do.
        """
        surface, patches, points = self.model.surface, self.patches, unshifted_points(len(impacts))
        key, vertices, distance = impacts.key.copy(), impacts.vertices.copy(), impacts.distance.copy()
        kernels.smooth_impacts(
            vertices, impacts.weights, surface.plane_height, self.model.rigid_surface.fixed, self.x,
            self.model.rigid_surface.rotor, self.state.rotations, patches.outward, patches.along, patches.radius, patches.tube,
            patches.least_cosine, patches.starts, patches.neighbours, LEAST_DISTANCE * self.contact_distance,
            self.contact_distance, key, impacts.normal.copy(), distance, points.shift, points.smooth,
        )  # fmt: skip
        new = np.flatnonzero(points.smooth & ~np.isin(key, known.key))
        new = new[np.unique(key[new], return_index=True)[1]]
        if not len(new):
            return None
        smooth = replace(impacts, key=key, vertices=vertices, distance=distance, points=points)
        return self._turned(smooth.without(np.setdiff1d(np.arange(len(impacts)), new)))

    def uncovered(self, contacts: ContactSet, smooth: ContactSet) -> ContactSet:
        """The contacts that no smooth contact stands for."""
        assert smooth.points is not None
        covered, v = np.zeros(len(contacts), dtype=bool), smooth.vertices[:, 0]
        # Vertices within reach of the plane are at most this far away on a sphere; and a patch has neighbours.
        extent = 1.5 * np.sqrt(2.0 * self.patches.radius[v] * self.reach) + 2.0 * self.patches.reach[v]
        # Where the other body is along the normal: −Σ w n·x over its vertices; half-spaces need none, all of them is there.
        on_b = np.where(smooth.weights < 0.0, smooth.weights, 0.0)
        level = -np.einsum("ck,cki,ci->c", on_b, self.x[smooth.vertices], smooth.normal)
        kernels.cover(
            contacts.bodies, contacts.vertices, contacts.weights, self.x, self.patches.radius, smooth.bodies,
            self.x[v] + smooth.points.shift[:, 0], extent, level, smooth.normal, SLACK * self.contact_distance, covered,
        )  # fmt: skip
        return contacts.without(np.flatnonzero(covered)) if covered.any() else contacts

    def _faces(self, candidates: Candidates) -> NDArray[np.int64]:
        """(k, 2) vertices with patches and triangles of other bodies, some features of which are candidates."""
        surface, rigid = self.model.surface, self.model.rigid_surface
        capacity = 1024
        while True:
            faces, seen = np.empty((capacity, 2), np.int64), np.full((len(surface.triangles), SEEN), -1, np.int32)
            count = kernels.list_faces(
                candidates.vertex_triangle, candidates.edge_edge, surface.triangles, surface.edges, surface.edge_triangles,
                surface.triangle_starts, surface.vertex_triangles, self.x, self.reach, self.patches.rise, self.patches.chain,
                rigid.fixed, seen, faces,
            )  # fmt: skip
            if count <= capacity:
                return faces[:count]
            capacity = count

    def _turned(self, smooth: ContactSet) -> ContactSet:
        """The contacts with their points halfway to where the bodies will touch when they have turned."""
        points, patches, expected = smooth.points, self.patches, self.expected
        assert points is not None
        kernels.turn_points(
            smooth.vertices, smooth.normal, points.smooth, self.model.rigid_surface.spin_node, self.x, self.state.q,
            self.model.rigid_surface.rotor, self.state.rotations, expected.rotations, expected.v, expected.dt, patches.outward,
            patches.along, patches.radius, patches.tube, patches.least_cosine, patches.starts, patches.neighbours,
            points.shift, points.turning,
        )  # fmt: skip
        return smooth
