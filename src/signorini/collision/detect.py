"""Narrow-phase detection: contacts within a distance at one state, and contacts that a motion would cause.

Implements: Otaduy2009 §3.2, (i) proximity and (ii) continuous detection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.collision import detect_kernels as kernels
from signorini.collision import nearest_contacts_kernels as nearest_kernels
from signorini.collision.broad_phase import Candidates
from signorini.collision.contact_records_kernels import set_normals
from signorini.collision.contact_set import ContactSet
from signorini.collision.distance_bounds import SelectedPairs
from signorini.collision.paths import STRAIGHT, Paths
from signorini.collision.separation import Separation
from signorini.collision.surface import Surface
from signorini.parallel.team import most_threads, run_together

Positions = NDArray[np.float64]
OBLIQUE = 0.02
"""Sine of the angle (1°) by which a triangle may rise towards the other edge of an edge-edge contact (decision 0005)."""
CHUNKS, WORTH_SHARING = 16, 8000
"""Parts of the pairs of each kind that threads share, and pairs from which on they do: below, waking them takes longer."""


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


class _Records:
    """Room for what a kernel finds; asked again with more room when it was too little."""

    def __init__(self, *capacity: int) -> None:
        self.key = np.empty(capacity, np.int64)
        self.vertices = np.empty((*capacity, 4), np.int32)
        self.weights = np.empty((*capacity, 4))
        self.normal = np.empty((*capacity, 3))
        self.distance = np.empty(capacity)

    def arrays(self) -> tuple[NDArray, ...]:
        return self.key, self.vertices, self.weights, self.normal, self.distance

    def rows(self, surface: Surface, count: int, *, only_nearest: bool) -> NDArray[np.int64]:
        """The first row of each key, by increasing key; `only_nearest` leaves out pairs that are not nearest to each other."""
        table = np.full(1 << max(2 * count - 1, 1).bit_length(), nearest_kernels.FREE_SLOT, np.int32)
        first, views = np.empty(count, np.int64), np.empty(count, np.int32)
        unique = nearest_kernels.count_views(self.key, count, table, first, views)
        rows = first[:unique]
        if only_nearest:
            rows = np.empty(unique, np.int64)
            nearest = nearest_kernels.select_nearest(
                self.key, table, first, views, unique, surface.vertex_valence, surface.vertex_edges,
                surface.vertex_lone_edges, surface.edge_valence, surface.first_lone_edge, rows,
            )  # fmt: skip
            rows = rows[:nearest]
        return rows[np.argsort(self.key[rows])]

    def contacts(self, surface: Surface, rows: NDArray[np.int64]) -> ContactSet:
        """The contacts in some rows."""
        key, vertices, weights = self.key[rows], self.vertices[rows], self.weights[rows]
        bodies = np.empty((len(rows), 2), np.int32)
        kernels.bodies_of(key, vertices, weights, surface.vertex_body, surface.plane_body, bodies)
        return ContactSet(key, vertices, weights, self.normal[rows], self.distance[rows], bodies)


def find_oblique(surface: Surface, contacts: ContactSet, x: Positions) -> NDArray[np.int64]:
    """Edge-edge contacts of two thick bodies whose points are not nearest to each other, at positions x (v, 3).

    If a triangle at one of the edges comes nearer to the point on the other edge, the pair is seen from the side, as a
    diagonal of a box's wall is from the plane below: it would brake a sliding box (decision 0005).
    """
    rows = np.empty(len(contacts), np.int64)
    count = nearest_kernels.find_oblique(
        contacts.key, contacts.vertices, contacts.normal, surface.vertex_solid, surface.edge_opposite, x, OBLIQUE, rows
    )
    return rows[:count]


def detect_proximity(surface: Surface, candidates: Candidates, x: Positions, *, distance: float) -> Proximity:
    """All contacts closer than `distance` [m] at positions x (v, 3) and the least distance found."""
    triangles, edges = candidates.bounds.near(x, distance)
    capacity = 256 + len(triangles.pairs) + 2 * len(edges.pairs) + len(candidates.vertex_plane)
    arguments = (
        surface.triangles, surface.edges, surface.triangle_edges, surface.first_lone_edge, surface.plane_normal,
        surface.plane_height, x, distance,
    )  # fmt: skip
    records, count, least = _tested(
        kernels.proximity, kernels.proximity_in_chunks, triangles, edges, candidates.vertex_plane, arguments, capacity
    )
    rows = records.rows(surface, count, only_nearest=True)
    set_normals(rows, x, *records.arrays())
    contacts = records.contacts(surface, rows)
    oblique = find_oblique(surface, contacts, x)
    return Proximity(contacts.without(oblique) if len(oblique) else contacts, least)


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
    triangles, edges = candidates.bounds.approaching(x0, x1, separation.largest, paths)
    arguments = (
        surface.triangles, surface.edges, surface.triangle_edges, surface.plane_normal, surface.plane_height, x0, x1,
        paths.arrays, separation.vertices, separation.planes,
    )  # fmt: skip
    records, count, first = _tested(
        kernels.impacts, kernels.impacts_in_chunks, triangles, edges, candidates.vertex_plane, arguments, 1024
    )
    return Impacts(records.contacts(surface, records.rows(surface, count, only_nearest=False)), first)


def _tested(
    alone: Callable[..., tuple[int, float]],
    in_chunks: Callable[..., None],
    triangles: SelectedPairs,
    edges: SelectedPairs,
    planes: NDArray[np.int32],
    arguments: tuple[Any, ...],
    capacity: int,
) -> tuple[_Records, int, float]:
    """The records that a kernel makes of pairs, their number, and the least distance or time; the bounds have learnt from it.

    Threads share the pairs if there are many. Chunks and the order of their records do not depend on the number of threads.
    """
    threads = most_threads(CHUNKS if len(triangles.pairs) + len(edges.pairs) >= WORTH_SHARING else 1)
    while True:
        records = _Records(capacity)
        if threads == 1:
            count, least = alone(
                triangles.pairs, edges.pairs, planes, *arguments, triangles.distance, edges.distance, *records.arrays()
            )
        else:
            rooms, spans, extremes = (
                _Records(threads, capacity),
                np.zeros((2 * CHUNKS + 1, 3), np.int64),
                np.empty(2 * CHUNKS + 1),
            )
            run_together(
                threads, in_chunks, CHUNKS, triangles.pairs, edges.pairs, planes, arguments, triangles.distance,
                edges.distance, spans, extremes, *rooms.arrays(),
            )  # fmt: skip
            count, least = int((spans[:, 2] - spans[:, 1]).sum()), extremes.min()
            if count <= capacity:  # then no thread was short of room either
                kernels.join_chunks(spans, rooms.arrays(), records.arrays())
        if count <= capacity:
            triangles.learn()
            edges.learn()
            return records, count, float(least)
        capacity = count
