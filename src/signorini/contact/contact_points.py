"""Contact points of rigid bodies: where impulses act, so that bodies roll and spin and keep their angular momentum.

Smooth bodies touch with the surface that their mesh stands for, not with its vertices. Two bodies that move push each other in
one point (decision 0012).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import Candidates
from signorini.collision.contact_set import ContactSet, unshifted_points
from signorini.collision.separation import Separation
from signorini.contact import contact_points_kernels as kernels
from signorini.contact.smooth_contacts import ExpectedTurn, SmoothContacts
from signorini.model.model import Model
from signorini.model.state import State
from signorini.model.surface_map import SurfaceMap

Floats = NDArray[np.float64]


class PointFinder:
    """The contact points of one step, from its start at x (v, 3) [m]. Without rigid bodies contacts stay what they are."""

    def __init__(
        self, model: Model, state: State, x: Floats, expected: ExpectedTurn, *, contact_distance: float, reach: float
    ) -> None:
        self.model, self.x, self.dt = model, x, expected.dt
        self.has_rigids = bool(len(model.rigids))
        patches = model.rigid_surface.patches
        self.smooth = patches and SmoothContacts(model, patches, state, expected, x, contact_distance, reach)

    def near(self, contacts: ContactSet, candidates: Candidates) -> ContactSet:
        """The contacts at the start of the step, with those of smooth patches instead of those of their triangles."""
        found = self.smooth.near(candidates) if self.smooth else None
        return self._joined(contacts, found)

    def impacts(self, contacts: ContactSet, known: ContactSet) -> ContactSet:
        """The contacts that a motion would cause, with those of smooth patches that are not among the known ones."""
        found = self.smooth.of_impacts(contacts, known) if self.smooth and len(contacts) else None
        return self._joined(contacts, found)

    def _joined(self, contacts: ContactSet, found: ContactSet | None) -> ContactSet:
        if self.smooth and found is not None:
            contacts = self.smooth.uncovered(contacts, found).merged_with(found)
        return self._meeting(contacts)

    def _meeting(self, contacts: ContactSet) -> ContactSet:
        """The contacts, with one point in which the two bodies of a contact act on each other if both move."""
        if not self.has_rigids or not len(contacts):
            return contacts
        points, rigid = (
            unshifted_points(len(contacts)) if contacts.points is None else contacts.points,
            self.model.rigid_surface,
        )
        kernels.meet(
            contacts.key, contacts.vertices, contacts.weights, self.x, rigid.spin_node, rigid.moves, points.shift, points.spins
        )  # fmt: skip
        return replace(contacts, points=points)

    def staying(self, contacts: ContactSet, moving: Floats, touching: Floats) -> ContactSet:
        """The contacts without those of bodies that keep their shape which do not touch, and whose points leave their faces and
        edges when the surface moves with velocities `moving` (v, 3) [m/s].

        The plane of a face ends nowhere: a corner that passes the edge of a table at a speed would be held by it. What it truly
        hits on the way continuous detection finds. Pairs touch up to distances `touching` (m,) [m].
        """
        if not self.has_rigids or not len(contacts):
            return contacts
        leaves = np.empty(len(contacts), dtype=bool)
        kernels.mark_leaving(
            contacts.key, contacts.vertices, self.model.rigid_surface.fixed, self.x, moving, self.dt, leaves
        )
        leaves &= contacts.distance > touching
        if contacts.points is not None:
            leaves &= ~contacts.points.smooth
        return contacts.without(np.flatnonzero(leaves)) if leaves.any() else contacts

    def separation(self, contacts: ContactSet, usual: Separation) -> Separation:
        """What continuous detection shall keep between two primitives: less than what smooth contacts of the bodies keep."""
        if contacts.points is None or not contacts.points.smooth.any():
            return usual
        smooth = contacts.points.smooth
        return usual.lowered(self.model.surface, contacts.bodies[smooth], 0.5 * contacts.distance[smooth])

    def velocities(
        self, contacts: ContactSet, surface_map: SurfaceMap, moving: Floats, v_free: Floats, dv: Floats | None
    ) -> Floats | None:
        """Velocities (m, 3) [m/s] of the contact points when the response is zero; None: those of the vertices.

        moving (v, 3) [m/s] is that of the surface vertices in this step, linearised about the response dv (n, 3).
        """
        points = contacts.points
        if points is None:
            return None
        turning, change, out = moving, np.zeros_like(v_free) if dv is None else dv, np.empty((len(contacts), 3))
        if points.smooth.any():
            turning = np.where((self.model.rigid_surface.rotor >= 0)[:, None], surface_map.velocities(v_free), moving)
        kernels.velocities(
            contacts.vertices, contacts.weights, contacts.normal, points.smooth, points.turning, points.shift, points.spins,
            moving, turning, v_free, change, out,
        )  # fmt: skip
        tentative = moving if dv is None else moving + surface_map.velocities(dv)
        kernels.add_normal_rotation(
            contacts.key, contacts.vertices, contacts.weights, contacts.normal, points.smooth, self.model.rigid_surface.fixed,
            self.x, tentative, self.dt, out,
        )  # fmt: skip
        return out
