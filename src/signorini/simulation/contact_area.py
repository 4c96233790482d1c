"""Area of the vertices of a body that is in contact: what a contact force is divided by to give a pressure.

A third of each triangle belongs to each of its corners, and counts as far as it faces what presses there: with the cosine of the
angle between its normal and that of the contact. The side faces of a block do not count at the edges of the face it stands on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.triangles import area_vectors
from signorini.methods.moment import SolvedContacts
from signorini.model.model import BodySlot

Floats = NDArray[np.float64]
LEAST_PART = 0.01
"""Contacts with less than this part of the largest force at a vertex do not say where it is in contact."""


def contact_pressure(solved: SolvedContacts, slot: BodySlot, x: Floats) -> Floats:
    """Normal force on each vertex of a body over its area in contact, (n,) [Pa]; x (v, 3) is where the surface is [m].

    What presses from both sides of a sheet is added up.
    """
    vertex, force, direction = _presses(solved, slot)
    total = np.bincount(vertex, weights=force, minlength=slot.count)
    area = contact_areas(slot, x[slot.vertices], vertex, force, direction)
    return np.divide(total, area, out=np.zeros(slot.count), where=area > 0.0)


def _presses(solved: SolvedContacts, slot: BodySlot) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Vertices (p,) of a body, counted within it, on which contacts press, normal forces (p,) [N] and their directions (p, 3)."""
    contacts, lam = solved.contacts, solved.impulse[:, 0]
    mine = (contacts.vertices >= slot.first) & (contacts.vertices < slot.first + slot.count)
    row, column = np.nonzero(mine & (lam > 0.0)[:, None] & (contacts.weights != 0.0))
    weight = contacts.weights[row, column]
    vertex = contacts.vertices[row, column].astype(np.intp) - slot.first
    return vertex, np.abs(weight) * lam[row] / solved.dt, np.sign(weight)[:, None] * contacts.normal[row]


def contact_areas(slot: BodySlot, x: Floats, vertex: NDArray[np.intp], force: Floats, direction: Floats) -> Floats:
    """(n,) area of each vertex that faces the forces on it [m²]; x (n, 3) is where the vertices of the body are [m].

    `vertex` (p,), `force` (p,) [N] and `direction` (p, 3) say what presses where; other vertices have no area.
    """
    largest = np.zeros(slot.count)
    np.maximum.at(largest, vertex, force)
    tells = force >= LEAST_PART * largest[vertex]
    vertex, direction = vertex[tells], direction[tells]
    corners = slot.triangles.ravel()
    order = np.argsort(corners, kind="stable")
    first = np.searchsorted(corners[order], np.arange(slot.count + 1))
    count = np.diff(first)[vertex]
    press = np.repeat(np.arange(len(vertex)), count)
    place = np.arange(len(press)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first[vertex], count)
    corner = order[place]
    vectors = area_vectors(x, slot.triangles)  # twice the area long
    facing = -np.einsum("pi,pi->p", vectors[corner // 3], direction[press]) / 6.0
    third = np.zeros(len(corners))
    np.maximum.at(third, corner, facing if slot.thick else np.abs(facing))
    return np.bincount(corners, weights=third, minlength=slot.count).astype(np.float64)
