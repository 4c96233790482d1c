"""Contacts of a step, and the impulses that are remembered for the next one.

Implements: Otaduy2009 §3.2 (the set g of constraints) and the warm start of §5.5 step 1.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

VERTEX_PLANE, VERTEX_VERTEX, VERTEX_EDGE, VERTEX_TRIANGLE, EDGE_EDGE = range(5)
"""Kinds of contacts, named by the features that the closest points are inside of."""
SEEN_FROM_EDGE = 5
"""Not a contact: one edge at a vertex says that the vertex is its nearest point to another edge."""
KIND_SHIFT, FIRST_SHIFT = 60, 30
"""Bits of a contact key at which the kind and the first primitive begin; the second primitive begins at bit 0."""
PRIMITIVE_MASK = (1 << FIRST_SHIFT) - 1
"""Bits of the number of a primitive."""


SAME = 1e-6
"""Difference of normals and weights of two contacts of the same pair that are the same constraint."""


@dataclass(frozen=True, slots=True)
class ContactPoints:
    """Where the impulses of m contacts act on rigid bodies (decision 0012)."""

    shift: NDArray[np.float64]
    """(m, 2, 3) from pa and from pb to where the impulse acts on that side [m]; zero unless the side is rigid."""
    spins: NDArray[np.int32]
    """(m, 2) the angular node of the rigid body on each side, or -1."""
    smooth: NDArray[np.bool_]
    """(m,) whether a is a point of a smooth patch instead of a vertex."""
    turning: NDArray[np.float64]
    """(m,) part of the normal velocity of a smooth patch that is not linear in ω [m/s]."""

    def only(self, rows: NDArray[np.integer]) -> ContactPoints:
        """The points of the contacts of these numbers."""
        return ContactPoints(self.shift[rows], self.spins[rows], self.smooth[rows], self.turning[rows])

    def joined(self, other: ContactPoints) -> ContactPoints:
        """The points of two sets of contacts."""
        return ContactPoints(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)))


def unshifted_points(count: int) -> ContactPoints:
    """The points of `count` contacts whose impulses act at pa and pb."""
    spins, smooth = np.full((count, 2), -1, np.int32), np.zeros(count, dtype=bool)
    return ContactPoints(np.zeros((count, 2, 3)), spins, smooth, np.zeros(count))


@dataclass(frozen=True, slots=True)
class ContactSet:
    """m contacts between points pa = Σ w x over the positive weights and pb = −Σ w x over the negative ones.

    The constraint of a contact is normal · (pa − pb) ≥ contact_distance at the end of the step; for a plane, pb is on it.
    """

    key: NDArray[np.int64]
    """(m,) kind and the two primitives, packed: the identity of a contact from step to step."""
    vertices: NDArray[np.int32]
    """(m, 4) surface vertices, -1 where fewer take part."""
    weights: NDArray[np.float64]
    """(m, 4)"""
    normal: NDArray[np.float64]
    """(m, 3) unit, from b to a."""
    distance: NDArray[np.float64]
    """(m,) normal · (pa − pb) at the start of the step [m]."""
    bodies: NDArray[np.int32]
    """(m, 2) body numbers of a and b."""
    points: ContactPoints | None = None
    """Where the impulses act; None: at pa and pb."""

    def __len__(self) -> int:
        return len(self.key)

    def without(self, rows: NDArray[np.integer]) -> ContactSet:
        """The set without the contacts of these numbers."""
        return self.only(np.delete(np.arange(len(self)), rows))

    def only(self, rows: NDArray[np.integer]) -> ContactSet:
        """The contacts of these numbers."""
        arrays = (getattr(self, f.name)[rows] for f in fields(self)[:-1])
        return ContactSet(*arrays, points=None if self.points is None else self.points.only(rows))

    def same_as(self, other: ContactSet) -> NDArray[np.int64]:
        """(k,) for each of the other contacts the number of one of the same pair, point and normal here, or -1."""
        rows = np.full(len(other), -1, dtype=np.int64)
        for k in np.flatnonzero(np.isin(other.key, self.key)):
            at = np.flatnonzero(self.key == other.key[k])
            off = np.abs(self.normal[at] - other.normal[k]).max(axis=1) + np.abs(
                self.weights[at] - other.weights[k]
            ).max(axis=1)
            if off.min() <= SAME:
                rows[k] = at[off.argmin()]
        return rows

    def merged_with(self, other: ContactSet) -> ContactSet:
        """Both sets; a pair that comes back with a new normal adds a second constraint, the first one stays."""
        arrays = (np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)[:-1])
        points = None
        if self.points is not None or other.points is not None:
            points = _points_of(self).joined(_points_of(other))
        return ContactSet(*arrays, points=points)


def _points_of(contacts: ContactSet) -> ContactPoints:
    return unshifted_points(len(contacts)) if contacts.points is None else contacts.points


def empty_contacts() -> ContactSet:
    """A set without contacts."""
    return ContactSet(
        np.zeros(0, np.int64),
        np.zeros((0, 4), np.int32),
        np.zeros((0, 4)),
        np.zeros((0, 3)),
        np.zeros(0),
        np.zeros((0, 2), np.int32),
    )


@dataclass(frozen=True, slots=True)
class ContactMemory:
    """World-space impulses of a solved step by contact key: the start of the next solve."""

    key: NDArray[np.int64]
    """(k,) increasing."""
    impulse: NDArray[np.float64]
    """(k, 3) impulse on side a in the world frame [N s]."""
    dv: NDArray[np.float64]
    """(n, 3) velocity correction of the step [m/s]."""
    dt: float
    squeezed: bool = False
    """Whether contacts had to give up distance in that step."""
    late: bool = False
    """Whether contacts of what bends acted in it that were not near at its start."""

    @classmethod
    def of(
        cls,
        contacts: ContactSet,
        world_impulse: NDArray[np.float64],
        dv: NDArray[np.float64],
        dt: float,
        *,
        squeezed: bool = False,
        late: bool = False,
    ) -> ContactMemory:
        """Remember a solved step; impulses of contacts with the same key are added."""
        if (contacts.key[1:] > contacts.key[:-1]).all():  # as detection gives them; further contacts come after these
            return cls(contacts.key, world_impulse + 0.0, dv, dt, squeezed, late)
        key, inverse = np.unique(contacts.key, return_inverse=True)
        impulse = np.zeros((len(key), 3))
        np.add.at(impulse, inverse, world_impulse)
        return cls(key, impulse, dv, dt, squeezed, late)

    def plus(self, key: NDArray[np.int64], impulse: NDArray[np.float64]) -> ContactMemory:
        """The memory with world impulses (j, 3) of further contacts (j,); what it knows of a contact stays."""
        new = ~np.isin(key, self.key)
        keys, inverse = np.unique(np.concatenate([self.key, key[new]]), return_inverse=True)
        impulses = np.zeros((len(keys), 3))
        np.add.at(impulses, inverse, np.concatenate([self.impulse, impulse[new]]))
        return replace(self, key=keys, impulse=impulses)

    def recall(self, contacts: ContactSet, dt: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """World impulses (m, 3) for these contacts and dv (n, 3), scaled to the step dt; zero where nothing is known."""
        scale = dt / self.dt
        impulse = np.zeros((len(contacts), 3))
        if len(self.key):
            at = np.minimum(np.searchsorted(self.key, contacts.key), len(self.key) - 1)
            known = self.key[at] == contacts.key
            impulse[known] = scale * self.impulse[at[known]]
        return impulse, scale * self.dv
