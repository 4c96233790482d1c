"""Play of a rigid body that another one encloses, in other orientations than that of the start.

A pin in its bore shows the room between parallel sides at the start. When it has turned, corners face sides, and there is less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.intersections import find_intersections
from signorini.methods.moment import World, moment_at
from signorini.model.model import BodySlot
from signorini.model.rigid_bodies import turned
from signorini.model.state import State

BLOCKED = -1.0
"""What stands for the distance where the body intersects something."""
SMALL_ANGLE = 0.02
"""Angle [rad] that is tried first: most axes, such as those about which a pin tilts in its bore, are ruled out by it."""
GOLDEN_ANGLE, TRIES = 2.399963229728653, 24
"""Step between the angles that are tried [rad], and their number: no multiple comes near the symmetry of a regular polygon."""
REFINEMENTS = 18
"""Halvings of the interval around the angle of least play: to 1e-6 rad, beyond which the play of round things does not change."""


def least_play(world: World, state: State, body: BodySlot, other: int) -> float:
    """The least distance [m] of a rigid body to the body of number `other` while it rotates about its principal axes of inertia.

    Axes about which it cannot rotate freely are left out. Infinite if there are no others.
    """
    rigids = world.model.rigids
    _, axes = np.linalg.eigh(rigids.world_inertia(state.rotations)[body.rigid])
    least = np.inf
    angles = [SMALL_ANGLE, -SMALL_ANGLE, *(k * GOLDEN_ANGLE for k in range(1, TRIES))]
    for axis in axes.T:

        def play(angle: float, axis: NDArray[np.float64] = axis) -> float:
            return _distance(world, _rotated(state, body, angle * axis), body, other)

        tried = []
        for angle in angles:
            tried.append(play(angle))
            if tried[-1] == BLOCKED:
                break
        if tried[-1] == BLOCKED:
            continue
        best, nearest, interval = angles[int(np.argmin(tried))], min(tried), np.pi / TRIES
        for _ in range(REFINEMENTS):
            for angle in (best - interval, best + interval):
                if BLOCKED < (found := play(angle)) < nearest:
                    best, nearest = angle, found
            interval *= 0.5
        least = min(least, nearest)
    return least


def _rotated(state: State, body: BodySlot, rotation: NDArray[np.float64]) -> State:
    """The state with one body rotated about its centre of mass by a rotation vector (3,) [rad]."""
    rotations = state.rotations.copy()
    rotations[body.rigid] = turned(rotations[[body.rigid]], rotation[None])[0]
    return replace(state, rotations=rotations)


def _distance(world: World, state: State, body: BodySlot, other: int) -> float:
    """Distance of two bodies [m]; BLOCKED if the first intersects something, infinite if they are far from each other."""
    moment, surface = moment_at(world, state), world.model.surface
    hits = find_intersections(world.tree, moment.surface_positions)
    edge, triangle = hits.edge_triangle.T
    touched = np.concatenate(
        [
            surface.vertex_body[surface.edges[edge, 0]],
            surface.vertex_body[surface.triangles[triangle, 0]],
            surface.vertex_body[hits.vertex_plane[:, 0]],
        ]
    )
    if (touched == body.number).any():
        return BLOCKED
    contacts = moment.near.contacts
    pair = (np.sort(contacts.bodies, axis=1) == sorted((body.number, other))).all(axis=1)
    return float(contacts.distance[pair].min(initial=np.inf))
