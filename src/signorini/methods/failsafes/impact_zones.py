"""Rigid impact zones, a fail-safe: what collides moves as one rigid body, and so does what this body then hits.

The colliding pairs of a motion are grouped into zones by the nodes that they share. A zone moves rigidly with the momentum
and the angular momentum that its nodes had; the motion is looked at again, zones grow and merge, until nothing collides. A
zone that touches something scripted moves with it.

Implements: Provot1997 §3 and Bridson2002 §7.5, the last resort of Sifakis2008 §3 step 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import empty_contacts
from signorini.collision.detect import Impacts
from signorini.methods.failsafes.impact_zones_groups import build_zones
from signorini.methods.failsafes.impact_zones_motion import ZoneVelocities, move_zones
from signorini.methods.moment import Moment, World
from signorini.methods.report import Tally
from signorini.methods.trial_motion import TrialMotion

MAX_ROUNDS = 200
"""Times that zones may grow; a fold of a cloth grows by about one row of vertices at a time."""


def apply_impact_zones(
    world: World, start: Moment, end_time: float, velocity: NDArray[np.float64], tally: Tally
) -> tuple[Moment | None, Impacts]:
    """Advance to `end_time` [s] with the motion `velocity` (n, 3) [m/s], in which whatever collides moves in rigid zones.

    Returns the end of the step, certified free by continuous detection, and the impacts of the full motion; or None and the
    impacts that are left when zones can no longer grow, because scripted members contradict each other, or the budget of the
    step is spent.
    """
    model, motion = world.model, TrialMotion(world, start, end_time)
    pinned, v = motion.pins[0], motion.prescribed(velocity)
    contacts = empty_contacts()
    velocities, zones = ZoneVelocities(v, v), build_zones(model, contacts, pinned)
    with tally.phase("check"):
        placed = motion.place(velocities.path)
        first = found = motion.find_impacts(placed)
        for _ in range(MAX_ROUNDS):
            tally.work.count_check(len(motion.candidates))
            if not len(found.contacts):
                return motion.finish(placed, velocities.end_velocity(model, motion.spin, placed.rotations)), first
            contacts = contacts.merged_with(found.contacts)
            grown = build_zones(model, contacts, pinned)
            if grown.equals(zones) or not tally.work.may_go_on_in_failsafe:
                break
            tally.work.count_zones(model.node_count)
            zones, velocities = grown, move_zones(motion, grown, v)
            placed = motion.place(velocities.path)
            found = motion.find_impacts(placed)
    return None, found
