"""Contact points of rigid bodies: where impulses act, so that bodies roll and spin and keep their angular momentum.

Smooth bodies touch with the surface that their mesh stands for, not with its vertices. Two bodies that move push each other in
one point (decision 0012).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import Candidates
from signorini.collision.contact_set import ContactPoints, ContactSet, unshifted_points
from signorini.collision.detect_kernels import bodies_of
from signorini.contact import contact_points_kernels as kernels
from signorini.contact import smooth_contacts_kernels as smooth_kernels
from signorini.model.model import Model
from signorini.model.state import State
from signorini.model.surface_map import SurfaceMap

Floats = NDArray[np.float64]
LEAST_DISTANCE = 0.02
"""Smooth patches are taken from this part of the contact distance on: nearer ones were put there with their facets down."""
SLACK = 0.05
"""Part of the contact distance up to which a point counts as being on the plane of a smooth contact."""


class PointFinder:
    """The contact points of one step. Without rigid bodies all contacts stay what they are."""

    def __init__(self, model: Model, state: State, x: Floats, *, contact_distance: float, reach: float) -> None:
        self.model, self.state, self.x = model, state, x
        self.contact_distance, self.reach = contact_distance, reach
        self.rigid = model.rigid_surface
        self.active = bool(len(model.rigids))

    def near(self, contacts: ContactSet, candidates: Candidates) -> ContactSet:
        """The contacts at the start of the step, with those of smooth patches instead of those of their triangles."""
        if not self.active:
            return contacts
        smooth = self._smooth_contacts(candidates)
        if smooth is None:
            return self.placed(contacts)
        return self.placed(self._uncovered(contacts, smooth).merged_with(smooth))

    def impacts(self, contacts: ContactSet, known: ContactSet) -> ContactSet:
        """The contacts that a motion would cause, with those of smooth patches that are not among the known ones."""
        patches, count = self.rigid.patches, len(contacts)
        if not self.active or patches is None or not count:
            return self.placed(contacts)
        points, surface = unshifted_points(count), self.model.surface
        key, vertices, distance = contacts.key.copy(), contacts.vertices.copy(), contacts.distance.copy()
        smooth_kernels.smooth_impacts(
            vertices, contacts.weights, surface.plane_height, self.rigid.moves, self.x, self.rigid.rotor,
            self.state.rotations, patches.outward, patches.along, patches.radius, patches.tube, patches.least_cosine,
            patches.starts, patches.neighbours, LEAST_DISTANCE * self.contact_distance,
            self.contact_distance, key, contacts.normal.copy(), distance, points.shift, points.smooth,
        )  # fmt: skip
        # A patch that was tried and did not keep the bodies apart is not tried again: then the triangles do.
        _, first = np.unique(key, return_index=True)
        new = np.zeros(count, dtype=bool)
        new[first] = True
        new &= points.smooth & ~np.isin(key, known.key)
        if not new.any():
            return self.placed(contacts)
        smooth = replace(contacts, key=key, vertices=vertices, distance=distance, points=points)
        smooth = smooth.without(np.flatnonzero(~new))
        return self.placed(self._uncovered(contacts, smooth).merged_with(smooth))

    def placed(self, contacts: ContactSet) -> ContactSet:
        """The contacts, with one point in which the two bodies of a contact act on each other if both move."""
        if not self.active or not len(contacts):
            return contacts
        points = unshifted_points(len(contacts)) if contacts.points is None else contacts.points
        kernels.meet(
            contacts.key, contacts.vertices, contacts.weights, self.x, self.rigid.spin_node, self.rigid.moves,
            points.shift, points.spins,
        )  # fmt: skip
        return replace(contacts, points=points)

    def separation(self, contacts: ContactSet, usual: float) -> float:
        """What continuous detection shall keep between two primitives [m]: less than smooth contacts do, or they would collide."""
        if contacts.points is None or not contacts.points.smooth.any():
            return usual
        return min(usual, 0.5 * float(contacts.distance[contacts.points.smooth].min()))

    def velocities(self, contacts: ContactSet, surface_map: SurfaceMap, moving: Floats, v_free: Floats, dv: Floats) -> Floats | None:
        """Velocities (m, 3) [m/s] of the contact points when the response is zero; None: those of the vertices.

        moving (v, 3) [m/s] is that of the surface vertices in this step, linearised about the response dv (n, 3).
        """
        points = contacts.points
        if points is None:
            return None
        turning = moving
        if points.smooth.any():
            turning = np.where((self.rigid.rotor >= 0)[:, None], surface_map.velocities(v_free), moving)
        out = np.empty((len(contacts), 3))
        kernels.velocities(
            contacts.vertices, contacts.weights, points.smooth, points.shift, points.spins, moving, turning, v_free, dv, out
        )
        return out

    def _smooth_contacts(self, candidates: Candidates) -> ContactSet | None:
        """The contacts of smooth patches with planes and triangles."""
        patches, surface, capacity = self.rigid.patches, self.model.surface, 64
        if patches is None:
            return None
        while True:
            key, vertices, weights = np.empty(capacity, np.int64), np.empty((capacity, 4), np.int32), np.empty((capacity, 4))
            normal, distance, shift = np.empty((capacity, 3)), np.empty(capacity), np.empty((capacity, 2, 3))
            count = smooth_kernels.find_smooth(
                candidates.vertex_plane, candidates.vertex_triangle, surface.triangles, surface.plane_normal,
                surface.plane_height, surface.vertex_solid, self.rigid.moves, self.x, self.rigid.rotor, self.state.rotations, patches.outward,
                patches.along, patches.radius, patches.tube, patches.least_cosine, patches.rise, patches.starts,
                patches.neighbours, self.reach, LEAST_DISTANCE * self.contact_distance, self.contact_distance,
                key, vertices, weights, normal, distance, shift,
            )  # fmt: skip
            if count <= capacity:
                break
            capacity = count
        if count == 0:
            return None
        bodies = np.empty((count, 2), np.int32)
        bodies_of(key[:count], vertices[:count], weights[:count], surface.vertex_body, surface.plane_body, bodies)
        points = ContactPoints(shift[:count], np.full((count, 2), -1, np.int32), np.ones(count, dtype=bool))
        return ContactSet(
            key[:count], vertices[:count], weights[:count], normal[:count], distance[:count], bodies, points=points
        )

    def _uncovered(self, contacts: ContactSet, smooth: ContactSet) -> ContactSet:
        """The contacts that no smooth contact stands for."""
        covered, patches = np.zeros(len(contacts), dtype=bool), self.rigid.patches
        assert patches is not None and smooth.points is not None
        smooth_kernels.cover(
            contacts.bodies, contacts.vertices, contacts.weights, self.x, patches.radius, smooth.bodies, smooth.vertices,
            smooth.points.shift, smooth.normal, smooth.distance, SLACK * self.contact_distance, covered,
        )  # fmt: skip
        return contacts.without(np.flatnonzero(covered)) if covered.any() else contacts
