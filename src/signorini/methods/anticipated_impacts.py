"""Anticipated impacts: what a step would hit if contact acted as in the last step, as contacts of its first problem.

Thin fabrics are near each other only when they touch. Where contact was found on the way in one step it is in the next one, and
each time costs a second contact problem, unless it is looked for before the first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory, ContactSet
from signorini.contact.contact_points import PointFinder
from signorini.contact.frames import movable_contacts
from signorini.methods.report import Tally
from signorini.methods.trial_motion import TrialMotion
from signorini.model.model import Model
from signorini.model.surface_map import SurfaceMap

Floats = NDArray[np.float64]


def with_anticipated(
    contacts: ContactSet,
    memory: ContactMemory | None,
    motion: TrialMotion,
    expected: Floats,
    points: PointFinder,
    surface_map: SurfaceMap,
    movable: NDArray[np.uint8],
    tally: Tally,
) -> tuple[ContactSet, int]:
    """The contacts near the start, after them those that the expected velocities (n, 3) [m/s] lead to; how many are near.

    Only after a step in which such contacts mattered (`ContactMemory.late`). Where something bends, a contact that is not
    reached after all is harmless; bodies that keep their shape would be braked by planes that they pass (decision 0012).
    """
    near = len(contacts)
    if memory is None or not memory.late:
        return contacts, near
    with tally.phase("check"):
        found = motion.find_impacts(motion.place(expected)).contacts
    tally.count_check(len(motion.candidates))
    new = bends(motion.world.model, found) & ~np.isin(found.key, contacts.key)
    found = movable_contacts(found.only(np.flatnonzero(new)), surface_map, movable)
    return contacts.merged_with(points.impacts(found, contacts)) if len(found) else contacts, near


def bends(model: Model, contacts: ContactSet) -> NDArray[np.bool_]:
    """(m,) the contacts of which at least one body can be deformed."""
    soft = ~model.rigid_surface.fixed
    return (soft[contacts.vertices] & (contacts.vertices >= 0) & (contacts.weights != 0.0)).any(axis=1)


def late_contact(model: Model, contacts: ContactSet, near: int, normal_impulse: Floats) -> bool:
    """Whether a contact that bends carries an impulse (m,) [N s] and is none of the first `near`, those near the start."""
    pushing = near + np.flatnonzero(normal_impulse[near:] > 0.0)
    return len(pushing) > 0 and bool(bends(model, contacts.only(pushing)).any())
