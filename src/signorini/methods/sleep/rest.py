"""What is remembered of rest from step to step: who sleeps, the forces that hold sleepers, and how calm all others have been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory, ContactPoints, ContactSet, empty_contacts, unshifted_points
from signorini.errors import InputError
from signorini.methods.moment import RestingContacts
from signorini.methods.sleep.awake_scene import AwakeScene
from signorini.model.state import State

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
AWAKE = -1
PREFIX = "memory_rest_"
"""How the names of the arrays in a checkpoint begin."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Who sleeps, and how calm the others have been."""

    island: Ints
    """(bodies,) number of the sleeping island of each body, which wakes as a whole; -1 for bodies that are awake."""
    steps: int
    """Steps of the present block so far (`methods/sleep/calm`)."""
    peak: Floats
    """(bodies,) the largest speed in the present block [m/s]; infinite after a step that was not solved."""
    last_peak: Floats
    """(bodies,) that of the block before."""
    contacts: RestingContacts
    """Contacts of the sleepers."""
    state: State | None = None
    """The state at whose time this was so; another one was set from outside. None: not known."""
    scene: AwakeScene | None = None
    """The awake part of the scene at that state, if some bodies sleep and some do not; it is made again if it is not there."""
    complete: bool = True
    """Whether the contacts near that state are those of all bodies, not only of awake ones."""

    @property
    def asleep(self) -> Flags:
        """(bodies,) whether the body sleeps."""
        return self.island != AWAKE

    def woken(self, contacts: ContactMemory | None, hit: Flags) -> tuple[Rest, ContactMemory | None]:
        """Wake all islands with a body that is `hit` (bodies,); `contacts` remember the impulses that held them."""
        islands = np.unique(self.island[hit & self.asleep])
        if not len(islands):
            return self, contacts
        woken = np.isin(self.island, islands)
        rows = woken[self.contacts.contacts.bodies].any(axis=1)
        if contacts is not None:
            released = self.contacts.only(np.flatnonzero(rows))
            contacts = contacts.plus(released.contacts.key, released.world_force * contacts.dt)
        infinite = np.where(woken, np.inf, self.peak), np.where(woken, np.inf, self.last_peak)
        rest = replace(
            self,
            island=np.where(woken, AWAKE, self.island).astype(np.int32),
            peak=infinite[0],
            last_peak=infinite[1],
            contacts=self.contacts.only(np.flatnonzero(~rows)),
            scene=None,
        )
        return rest, contacts

    def arrays(self) -> dict[str, NDArray]:
        """What a checkpoint has of it."""
        held, points = self.contacts, self.contacts.contacts.points or unshifted_points(len(self.contacts))
        arrays = {"island": self.island, "steps": np.array(self.steps), "peak": self.peak, "last_peak": self.last_peak}
        arrays |= {name: getattr(held, name) for name in ("force", "world_force", "gap", "friction")}
        arrays |= {f.name: getattr(held.contacts, f.name) for f in fields(ContactSet) if f.name != "points"}
        arrays |= {f.name: getattr(points, f.name) for f in fields(ContactPoints)}
        return {PREFIX + name: array for name, array in arrays.items()}

    @classmethod
    def recalled(cls, arrays: Mapping[str, NDArray]) -> Rest | None:
        """From the arrays of a checkpoint; None: nothing is known."""
        if PREFIX + "island" not in arrays:
            return None
        own = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
        try:
            points = ContactPoints(own["shift"], own["spins"], own["smooth"], own["turning"])
            names = [f.name for f in fields(ContactSet) if f.name != "points"]
            contacts = ContactSet(*(own[name] for name in names), points=points)
            held = RestingContacts(contacts, own["force"], own["world_force"], own["gap"], own["friction"])
            rest = cls(own["island"], int(own["steps"]), own["peak"], own["last_peak"], held)
        except (KeyError, TypeError) as error:
            raise InputError(f"the checkpoint is damaged: what it says of sleeping bodies lacks {error}") from None
        sizes = {len(array) for array in (*(own[name] for name in names), held.force, held.gap, points.shift)}
        if len(sizes) != 1 or rest.peak.shape != rest.island.shape or rest.last_peak.shape != rest.island.shape:
            raise InputError("the checkpoint is damaged: what it says of sleeping bodies has different lengths")
        return rest


def all_awake(bodies: int) -> Rest:
    """Nobody sleeps, and nothing is known of how calm they are."""
    none = RestingContacts(empty_contacts(), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))
    infinite = np.full(bodies, np.inf)
    return Rest(np.full(bodies, AWAKE, np.int32), 0, np.zeros(bodies), infinite, none)
