"""Narrow-phase detection: contacts within a distance at one state, and contacts that a motion would cause.

Implements: Otaduy2009 §3.2, (i) proximity and (ii) continuous detection.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision import detect_kernels as kernels
from signorini.collision.broad_phase import Candidates
from signorini.collision.contact_set import (
    EDGE_EDGE,
    FIRST_SHIFT,
    KIND_SHIFT,
    PRIMITIVE_MASK,
    SEEN_FROM_EDGE,
    VERTEX_EDGE,
    VERTEX_VERTEX,
    ContactSet,
    empty_contacts,
)
from signorini.collision.paths import STRAIGHT, Paths
from signorini.collision.separation import Separation
from signorini.collision.surface import Surface

Positions = NDArray[np.float64]
OBLIQUE = 0.02
"""Sine of the angle (1°) by which a triangle may rise towards the other edge of an edge-edge contact (decision 0005)."""


@dataclass(frozen=True, slots=True)
class Proximity:
    """Contacts within the detection distance at one state."""

    contacts: ContactSet
    """Pairs closer than the detection distance."""
    min_distance: float
    """The least distance of any two primitives [m]; inf when no pair is within the detection distance."""


@dataclass(frozen=True, slots=True)
class Impacts:
    """Contacts that a motion would cause."""

    contacts: ContactSet
    first_time: float
    """Earliest time of impact, as a fraction of the motion; inf for none."""


class _Buffers:
    """Room for the contacts that a kernel finds; asked again with more room when it was too little."""

    def __init__(self, capacity: int) -> None:
        self.key = np.empty(capacity, np.int64)
        self.vertices = np.empty((capacity, 4), np.int32)
        self.weights = np.empty((capacity, 4))
        self.normal = np.empty((capacity, 3))
        self.distance = np.empty(capacity)

    def arrays(self) -> tuple[NDArray, ...]:
        return self.key, self.vertices, self.weights, self.normal, self.distance

    def contacts(self, surface: Surface, count: int, *, only_nearest: bool) -> ContactSet:
        """Each contact once, by increasing key; `only_nearest` leaves out pairs that are not nearest to each other."""
        if count == 0:
            return empty_contacts()
        unique, rows, views = np.unique(self.key[:count], return_index=True, return_counts=True)
        if only_nearest:
            rows = rows[_are_nearest(surface, unique, views)]
        key, vertices, weights = self.key[rows], self.vertices[rows], self.weights[rows]
        bodies = np.empty((len(rows), 2), np.int32)
        kernels.bodies_of(key, vertices, weights, surface.vertex_body, surface.plane_body, bodies)
        return ContactSet(key, vertices, weights, self.normal[rows], self.distance[rows], bodies)


def _are_nearest(surface: Surface, key: NDArray[np.int64], views: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which contacts, given by unique keys and how many pairs saw them, join points that are nearest to each other.

    A vertex above a flat mesh is nearest to one triangle only; the edges of the triangles around are near too, but
    obliquely, and would brake a sliding vertex. A vertex and an edge are nearest to each other if all triangles at the edge
    and all edges at the vertex say so, two vertices if all their triangles do and all pairs of an edge at one and an edge at
    the other of which at least one is lone.
    """
    kind = key >> KIND_SHIFT
    first, second = (key >> FIRST_SHIFT) & PRIMITIVE_MASK, key & PRIMITIVE_MASK
    nearest = kind != SEEN_FROM_EDGE
    pair = kind == VERTEX_VERTEX
    v, w = first[pair], second[pair]
    edges, lone = surface.vertex_edges, surface.vertex_lone_edges
    pairs_with_lone = edges[v] * edges[w] - (edges[v] - lone[v]) * (edges[w] - lone[w])
    nearest[pair] = views[pair] == surface.vertex_valence[v] + surface.vertex_valence[w] + pairs_with_lone
    edge = np.flatnonzero(kind == VERTEX_EDGE)
    is_lone = second[edge] >= surface.first_lone_edge
    alone, edge = edge[is_lone], edge[~is_lone]
    nearest[alone] = views[alone] == edges[first[alone]]
    twin = key[edge] + ((SEEN_FROM_EDGE - VERTEX_EDGE) << KIND_SHIFT)
    at = np.minimum(np.searchsorted(key, twin), len(key) - 1)
    from_edges = np.where(key[at] == twin, views[at], 0)
    nearest[edge] = (views[edge] == surface.edge_valence[second[edge]]) & (from_edges == edges[first[edge]])
    return nearest


def find_oblique(surface: Surface, contacts: ContactSet, x: Positions) -> NDArray[np.intp]:
    """Edge-edge contacts of two thick bodies whose points are not nearest to each other, at positions x (v, 3).

    If a triangle at one of the edges comes nearer to the point on the other edge, the pair is seen from the side, as a
    diagonal of a box's wall is from the plane below: it would brake a sliding box (decision 0005).
    """
    rows = np.flatnonzero((contacts.key >> KIND_SHIFT) == EDGE_EDGE)
    rows = rows[surface.vertex_solid[contacts.vertices[rows]].all(axis=1)]
    if not len(rows):
        return rows
    key, corners = contacts.key[rows], x[contacts.vertices[rows]]
    oblique = np.zeros(len(rows), dtype=np.bool_)
    # Towards the other edge: against the normal from edge a, along it from edge b.
    for edge, ends, towards in (
        ((key >> FIRST_SHIFT) & PRIMITIVE_MASK, corners[:, :2], -contacts.normal[rows]),
        (key & PRIMITIVE_MASK, corners[:, 2:], contacts.normal[rows]),
    ):
        along = ends[:, 1] - ends[:, 0]
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        for side in range(2):
            third = surface.edge_opposite[edge, side]
            inward = x[third] - ends[:, 0]
            inward -= (inward * along).sum(axis=1, keepdims=True) * along
            rise = (inward * towards).sum(axis=1)
            oblique |= (third >= 0) & (rise > OBLIQUE * np.linalg.norm(inward, axis=1))
    return rows[oblique]


def detect_proximity(surface: Surface, candidates: Candidates, x: Positions, *, distance: float) -> Proximity:
    """All contacts closer than `distance` [m] at positions x (v, 3) and the least distance found."""
    capacity = 256 + len(candidates) // 2
    while True:
        buffers = _Buffers(capacity)
        count, least = kernels.proximity(
            candidates.vertex_triangle, candidates.edge_edge, candidates.vertex_plane, surface.triangles, surface.edges,
            surface.triangle_edges, surface.first_lone_edge, surface.plane_normal, surface.plane_height, x, distance,
            *buffers.arrays(),
        )  # fmt: skip
        if count <= capacity:
            contacts = buffers.contacts(surface, count, only_nearest=True)
            oblique = find_oblique(surface, contacts, x)
            return Proximity(contacts.without(oblique) if len(oblique) else contacts, float(least))
        capacity = count


def detect_continuous(
    surface: Surface,
    candidates: Candidates,
    x0: Positions,
    x1: Positions,
    *,
    separation: Separation,
    paths: Paths = STRAIGHT,
) -> Impacts:
    """Contacts whose distance falls below min(separation, half the start distance) on the paths from x0 to x1.

    Weights and normal are those at the time of impact, `distance` is measured at x0 along that normal (decision 0003).
    """
    capacity = 1024
    while True:
        buffers = _Buffers(capacity)
        count, first = kernels.impacts(
            candidates.vertex_triangle, candidates.edge_edge, candidates.vertex_plane, surface.triangles, surface.edges,
            surface.triangle_edges, surface.plane_normal, surface.plane_height, x0, x1, paths.arrays,
            separation.vertices, separation.planes,
            *buffers.arrays(),
        )  # fmt: skip
        if count <= capacity:
            return Impacts(buffers.contacts(surface, count, only_nearest=False), float(first))
        capacity = count
