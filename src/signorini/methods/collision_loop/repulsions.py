"""Repulsions with friction between pairs that are near at the start of a step.

Implements: Bridson2002 §7.2-7.3, step 3a of Sifakis2008 §3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.methods.collision_loop.effective_motion import EffectiveMotion
from signorini.methods.collision_loop.impulses import apply_impulses

RECOVERY = 0.1
"""Part of the overlap of two thicknesses that a repulsion may undo in one step (Bridson2002 §7.2)."""


def apply_repulsions(motion: EffectiveMotion, v: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """The effective velocity (n, 3) after repulsions, and how many pairs are closer than δ.

    A pair that approaches gets an inelastic impulse; one that is closer than δ is pushed apart. Of the spring of Bridson2002 only
    its limit is kept, a tenth of the overlap per step, at most `push_out_speed`: that needs no stiffness of a pair.
    """
    world, near = motion.world, motion.start.near.contacts
    contacts = near.without(np.flatnonzero(near.distance >= world.contact_distance))
    if not len(contacts):
        return v, 0
    overlap = world.contact_distance - contacts.distance
    target = np.minimum(RECOVERY * overlap / motion.dt, world.settings.push_out_speed)
    friction = world.model.pair_friction(contacts.bodies)
    for _ in range(world.settings.collision_loop.repulsion_sweeps):
        x1 = motion.place(v).surface_positions
        v, pushed = apply_impulses(motion, contacts, v, x1, target=target, friction=friction)
        if not pushed:
            break
    return v, len(contacts)
