"""The awake part of a scene in which some bodies sleep: its world, its moment, and how both become those of the whole again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory
from signorini.collision.detect import Proximity
from signorini.dynamics.body_energies import BodyEnergies
from signorini.dynamics.reference_frames import ReferenceMotion
from signorini.methods.moment import Moment, RestingContacts, SolvedContacts, World, moment_at
from signorini.model.awake_part import AwakePart, awake_part
from signorini.model.state import State

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AwakeScene:
    """The bodies that are awake, among others that stand still."""

    world: World
    """With the nodes of awake bodies only; sleepers are obstacles in it, like scripted bodies."""
    part: AwakePart
    moment: Moment
    """The present one, of this world."""
    awake: Flags
    """(bodies,)"""
    still: State
    """A state of the whole that has the sleepers where they are."""
    still_distance: float
    """The least distance of two sleepers, or of a sleeper and something fixed or scripted [m]; inf: none is near."""
    still_energies: BodyEnergies

    def part_memory(self, contacts: ContactMemory | None) -> ContactMemory | None:
        """The impulses to start from, without the velocities of sleepers."""
        return None if contacts is None else replace(contacts, dv=contacts.dv[self.part.nodes])

    def whole_memory(self, own: object, before: ContactMemory | None) -> ContactMemory | None:
        """The impulses after a step of the part; sleepers keep the velocity corrections that they had `before`."""
        if not isinstance(own, ContactMemory):
            return None
        dv = np.zeros((len(self.still.q), 3)) if before is None else before.dv * (own.dt / before.dt)
        dv[self.part.nodes] = own.dv
        return replace(own, dv=dv)

    def whole_moment(self, end: Moment) -> Moment:
        """A moment of the part as one of the whole. Its contacts are those of awake bodies."""
        own = end.body_energies(self.world)
        energies = BodyEnergies(*(np.where(self.awake, a, b) for a, b in zip(own, self.still_energies, strict=True)))
        near = Proximity(end.near.contacts, min(end.near.min_distance, self.still_distance))
        state = self.part.whole_of(end.state, self.still)
        return Moment(state, end.surface_positions, near, end.candidates).with_energies(energies)

    def whole_solution(self, solved: SolvedContacts | None, resting: RestingContacts) -> SolvedContacts | None:
        """A solution of the part in the numbers of the whole, with the contacts of sleepers."""
        if solved is None:
            return None
        contacts, reference = solved.contacts, solved.reference
        if contacts.points is not None:
            spins = contacts.points.spins
            spins = np.where(spins >= 0, self.part.nodes[spins], -1).astype(np.int32)
            contacts = replace(contacts, points=replace(contacts.points, spins=spins))
        if reference is not None:
            reference = ReferenceMotion(self._whole(reference.start_velocity), self._whole(reference.velocity))
        return replace(
            solved,
            contacts=contacts.merged_with(resting.contacts),
            world_impulse=np.concatenate([solved.world_impulse, resting.world_force * solved.dt]),
            start=self.part.whole_of(solved.start, self.still),
            velocity=self._whole(solved.velocity),
            reference=reference,
            linearised_at=None if solved.linearised_at is None else self._whole(solved.linearised_at),
            system=None,
            resting=resting,
        )

    def _whole(self, vectors: Floats) -> Floats:
        """Vectors (n, 3) of all nodes, zero for those of sleepers."""
        whole = np.zeros((len(self.still.q), 3))
        whole[self.part.nodes] = vectors
        return whole


def awake_scene(world: World, whole: Moment, asleep: Flags) -> AwakeScene:
    """The awake part of a world in which some bodies (bodies,) sleep, at a moment with the contacts of all bodies."""
    awake = world.parts.movable & ~asleep
    part = awake_part(world.model, awake, whole.surface_positions)
    own = World(
        part.model,
        world.tree.with_groups(part.model.surface),
        # The other fail-safes know scripted bodies only; a step that needs one wakes all anyway.
        replace(world.settings, failsafe="scale-back"),
        world.contact_distance,
        world.body_distances,
    )
    near = whole.near.contacts
    still = near.distance[~awake[near.bodies].any(axis=1)]
    moment = moment_at(own, part.part_of(whole.state))
    return AwakeScene(
        own, part, moment, awake, whole.state, float(still.min(initial=np.inf)), whole.body_energies(world)
    )
