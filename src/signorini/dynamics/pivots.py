"""Pivots: the points of rigid bodies whose paths are straight lines within a step.

The path of a body between two poses is ours to choose (decisions 0011, 0021): a pivot p moves on a straight line and the body
turns about it. To second order in the rotation vector φ, a point x of the body leaves its own straight line by
s (1 - s) M (x - p) / 2 with M = |φ|² I - φ φ', outwards. If pivots are centres of mass, a box that tilts about its edge dips
below it on the way, and two boxes that lean against each other intersect; no impulse mends that. So the pivots of bodies that
meet on the way although their contacts are satisfied at its end are placed where the contact points bulge apart:
n · (M_a (x - p_a) - M_b (x - p_b)) is at least |n · (T_a - T_b)| with T = |φ|² φ × (x - p). Two thirds of that is what terms of
third order can take away, the rest is for those of higher order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.dynamics.pivots_kernels import place_pivots

Floats = NDArray[np.float64]
SWEEPS = 200
"""Projections on each condition at most. A row of leaning boxes takes tens of them; bodies that are held from two sides while
they turn cannot satisfy all."""
FARTHEST_TURN = 0.3
"""Angle up to which a body gets a pivot [rad]: the paths of its points then change by at most 1.1 % of the distance of the pivot
from its centre. The path of a body that hits something and turns farther is that of its free motion, and the step is divided."""
MISSED = 1e-9
"""What a condition may be missed by, over the size of the bodies: rounding."""


class Pivots:
    """Contacts of rigid bodies that shall bulge apart on the way."""

    def __init__(self) -> None:
        self.bodies = np.zeros((0, 2), np.int32)
        """(m, 2) the rigid bodies of both sides, -1 for what does not turn."""
        self.normals, self.points = np.zeros((0, 3)), np.zeros((0, 3))
        """(m, 3) unit, from the second side to the first; (m, 3) the first side's point at the start [m]."""

    def __bool__(self) -> bool:
        return len(self.bodies) > 0

    def add(self, contacts: ContactSet, x0: Floats, rotor: NDArray[np.int32]) -> None:
        """Add contacts, for vertices at x0 (v, 3) [m] and the rigid body that turns each vertex (v,), or -1."""
        known, weights = contacts.vertices >= 0, contacts.weights
        first = np.where(known & (weights > 0.0), weights, 0.0)
        points = np.einsum("mk,mki->mi", first, x0[contacts.vertices]) / first.sum(axis=1, keepdims=True)
        bodies = np.full((len(contacts), 2), -1, np.int32)
        for side, of_side in enumerate((known & (weights > 0.0), known & (weights < 0.0))):
            has, vertex = of_side.any(axis=1), of_side.argmax(axis=1)
            bodies[has, side] = rotor[contacts.vertices[has, vertex[has]]]
        self.bodies = np.concatenate([self.bodies, bodies])
        self.normals = np.concatenate([self.normals, contacts.normal])
        self.points = np.concatenate([self.points, points])

    def places(self, centers: Floats, turns: Floats) -> Floats:
        """The pivots (b, 3) [m] of bodies with centres of mass (b, 3) [m] that turn by rotation vectors (b, 3) [rad]."""
        pivots = centers.copy()
        if not self:
            return pivots
        size = float(np.ptp(self.points, axis=0).max(initial=0.0) + np.abs(self.points - centers[0]).max(initial=0.0))
        movable = np.linalg.norm(turns, axis=1) <= FARTHEST_TURN
        place_pivots(self.bodies, self.normals, self.points, turns, movable, SWEEPS, MISSED * size, pivots)
        return pivots
