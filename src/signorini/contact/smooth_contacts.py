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

Floats = NDArray[np.float64]
LEAST_DISTANCE = 0.02
"""Smooth patches are taken from this part of the contact distance on: what is nearer was put there with its facets down."""
SLACK = 0.05
"""Part of the contact distance up to which a point counts as being on the plane of a smooth contact."""


@dataclass(frozen=True, slots=True)
class SmoothContacts:
    """The smooth contacts at the start of one step."""

    model: Model
    patches: SmoothPatches
    rotations: Floats
    """(b, 4) orientations of the rigid bodies."""
    x: Floats
    """(v, 3) where the surface is [m]."""
    contact_distance: float
    """δ [m]"""
    reach: float
    """Pairs closer than this are contacts [m]."""

    def near(self, candidates: Candidates) -> ContactSet | None:
        """All that are within reach; None: there are none."""
        surface, patches, capacity = self.model.surface, self.patches, 64
        while True:
            key, vertices, weights = (
                np.empty(capacity, np.int64),
                np.empty((capacity, 4), np.int32),
                np.empty((capacity, 4)),
            )
            normal, distance, shift = np.empty((capacity, 3)), np.empty(capacity), np.empty((capacity, 2, 3))
            count = kernels.find_smooth(
                candidates.vertex_plane, candidates.vertex_triangle, surface.triangles, surface.plane_normal,
                surface.plane_height, surface.vertex_solid, self.model.rigid_surface.moves, self.x,
                self.model.rigid_surface.rotor, self.rotations, patches.outward, patches.along, patches.radius, patches.tube,
                patches.least_cosine, patches.rise, patches.starts, patches.neighbours, self.reach,
                LEAST_DISTANCE * self.contact_distance, self.contact_distance, key, vertices, weights, normal, distance, shift,
            )  # fmt: skip
            if count <= capacity:
                break
            capacity = count
        if count == 0:
            return None
        key, vertices, weights = key[:count], vertices[:count], weights[:count]
        bodies = np.empty((count, 2), np.int32)
        bodies_of(key, vertices, weights, surface.vertex_body, surface.plane_body, bodies)
        points = ContactPoints(shift[:count], np.full((count, 2), -1, np.int32), np.ones(count, dtype=bool))
        return ContactSet(key, vertices, weights, normal[:count], distance[:count], bodies, points=points)

    def of_impacts(self, impacts: ContactSet, known: ContactSet) -> ContactSet | None:
        """Those that stand for impacts of vertices, each once, and none of the known ones; None: there are none.

        A smooth contact that was tried and did not keep the bodies apart is not tried again: then the triangles do.
        """
        surface, patches, points = self.model.surface, self.patches, unshifted_points(len(impacts))
        key, vertices, distance = impacts.key.copy(), impacts.vertices.copy(), impacts.distance.copy()
        kernels.smooth_impacts(
            vertices, impacts.weights, surface.plane_height, self.model.rigid_surface.moves, self.x,
            self.model.rigid_surface.rotor, self.rotations, patches.outward, patches.along, patches.radius, patches.tube,
            patches.least_cosine, patches.starts, patches.neighbours, LEAST_DISTANCE * self.contact_distance,
            self.contact_distance, key, impacts.normal.copy(), distance, points.shift, points.smooth,
        )  # fmt: skip
        new = np.flatnonzero(points.smooth & ~np.isin(key, known.key))
        new = new[np.unique(key[new], return_index=True)[1]]
        if not len(new):
            return None
        smooth = replace(impacts, key=key, vertices=vertices, distance=distance, points=points)
        return smooth.without(np.setdiff1d(np.arange(len(impacts)), new))

    def uncovered(self, contacts: ContactSet, smooth: ContactSet) -> ContactSet:
        """The contacts that no smooth contact stands for."""
        assert smooth.points is not None
        covered = np.zeros(len(contacts), dtype=bool)
        kernels.cover(
            contacts.bodies, contacts.vertices, contacts.weights, self.x, self.patches.radius, smooth.bodies,
            smooth.vertices, smooth.points.shift, smooth.normal, smooth.distance, SLACK * self.contact_distance, covered,
        )  # fmt: skip
        return contacts.without(np.flatnonzero(covered)) if covered.any() else contacts
