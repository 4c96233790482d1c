"""The last resort: a step that keeps the state free of intersection whatever the solver did.

The motion is scaled back to before the first impact, and the velocity with which pairs approach is removed. A motion
scaled to zero is always safe unless scripted bodies move into the cloth; then only smaller steps can help, and when those
do not either, the cloth is pinched and the simulation stops with the names of the bodies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts, detect_continuous, detect_proximity
from signorini.contact.contact_set import ContactSet
from signorini.dynamics.assembly import moved_state
from signorini.model import Model
from signorini.stepping.moment import Moment, Tally, World

SMALLEST_SCALE = 2.0**-12
"""Below this fraction the motion is set to zero."""
SWEEPS = 20
"""Passes over the impacts that remove approaching velocity."""


def emergency_step(
    world: World, start: Moment, dt: float, velocity: NDArray[np.float64], tally: Tally
) -> tuple[Moment | None, Impacts]:
    """Advance by dt with as much of the motion `velocity` (n, 3) as is safe; None if even standing still is not.

    Also returns the impacts of the full motion (of standing still, when that is not safe).
    """
    model, state = world.model, start.state
    x0, t1 = start.surface_positions, state.time + dt
    kinematic = model.kinematic_positions(t1)
    pinned, targets = model.pinned(t1)
    scale, impacts = 1.0, None
    with tally.phase("check"):
        while True:
            q1 = state.q + scale * dt * velocity
            q1[pinned] = targets
            x1 = np.concatenate([q1, kinematic])
            candidates = world.tree.find_candidates(x0, x1, distance=world.detection_distance, margin=0.0)
            found = detect_continuous(model.surface, candidates, x0, x1, separation=world.separation)
            impacts = impacts or found
            if not len(found.contacts):
                v1 = remove_approach(model, impacts.contacts, velocity, (x1 - x0) / dt, pinned)
                near = detect_proximity(model.surface, candidates, x1, distance=world.detection_distance)
                return Moment(moved_state(model, state, q1, v1, t1), x1, near, candidates, None), impacts
            if scale == 0.0:
                return None, found
            # The first retry stops just before the first impact, later ones shrink further, the last is no motion.
            scale = min(0.5 * scale, 0.9 * scale * found.first_time)
            scale = scale if scale > SMALLEST_SCALE else 0.0


def remove_approach(
    model: Model,
    contacts: ContactSet,
    velocity: NDArray[np.float64],
    surface_velocity: NDArray[np.float64],
    pinned: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Inelastic impulses, contact by contact: afterwards the pairs no longer approach (momentum is conserved)."""
    v = np.concatenate([velocity, surface_velocity[model.node_count :]])
    inverse_mass = np.zeros(len(v))
    inverse_mass[: model.node_count] = 1.0 / model.mass
    inverse_mass[pinned] = 0.0
    for _ in range(SWEEPS):
        for c in range(len(contacts)):
            members = contacts.vertices[c] >= 0
            i, w = contacts.vertices[c][members], contacts.weights[c][members]
            n = contacts.normal[c]
            approach = float(w @ (v[i] @ n))
            mobility = float((w * w) @ inverse_mass[i])
            if approach < 0.0 and mobility > 0.0:
                v[i] -= np.outer(inverse_mass[i] * w * approach / mobility, n)
    return v[: model.node_count]
