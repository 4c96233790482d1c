"""Steps of a scene in which some bodies sleep.

Sleepers are obstacles that stand still, and only what is awake is computed. A step in which something awake pushes a sleeper is
taken again with the sleeper's whole island awake: no impulse on a sleeper is ever accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory
from signorini.contact.mlcp import Mlcp, Response
from signorini.errors import SimulationStoppedError
from signorini.linalg.block_matrix import BlockMatrix
from signorini.methods.energy_balance import EnergyBalance
from signorini.methods.moment import Moment, RestingContacts, SolvedContacts, World, moment_at
from signorini.methods.report import Tally
from signorini.methods.sleep.awake_scene import AwakeScene, awake_scene
from signorini.methods.sleep.calm import calm_islands, next_block, step_is_solved, watched
from signorini.methods.sleep.rest import Rest, all_awake
from signorini.methods.sleep.waking import changed, changing, disturbed

Flags = NDArray[np.bool_]
Advance = Callable[[World, Moment], tuple[Moment, SolvedContacts | None, Tally]]
"""Takes a whole step in a world from a moment whose memory are the impulses to start from."""
Outcome = tuple[Moment, SolvedContacts | None, Tally, Rest, ContactMemory | None]


class SleepingSteps:
    """The steps of one world."""

    def __init__(self, world: World) -> None:
        self.world = world

    def cover(
        self, start: Moment, end_time: float, rest: Rest | None, contacts: ContactMemory | None, advance: Advance
    ) -> Outcome:
        """Take a step: its end, its contacts, its tally, and what is remembered of rest and of impulses."""
        bodies = self.world.parts.body_count
        rest = all_awake(bodies) if rest is None or len(rest.island) != bodies else rest
        complete = rest.complete or rest.state is not start.state
        begin = start.state.time
        if rest.asleep.any():
            hit = changed(self.world, rest.asleep, start.state, rest.state)
            hit |= disturbed(self.world, rest.asleep, start.surface_positions, begin, end_time)
            hit |= changing(self.world, rest.asleep, start.state, begin, end_time)
            rest, contacts = rest.woken(contacts, hit)
            if rest.state is not start.state:
                rest = replace(rest, scene=None)
        moment, solved, tally, rest, contacts = self._taken(start, complete, end_time, rest, contacts, advance)
        return self._watched(start, moment, solved, tally, rest, contacts)

    def _taken(
        self,
        start: Moment,
        complete: bool,
        end_time: float,
        rest: Rest,
        contacts: ContactMemory | None,
        advance: Advance,
    ) -> Outcome:
        """The step with as many sleepers as nothing pushes."""
        world, whole = self.world, start if complete else None
        while True:
            asleep = rest.asleep
            if asleep.any() and not (world.parts.movable & ~asleep).any():
                end, solved = self._standing_still(start, end_time, rest)
                tally = Tally(substeps=1, shortest_substep=end_time - start.state.time)
                _count_contacts(tally, rest.contacts)
                return end, solved, tally, replace(rest, state=end.state, complete=complete), contacts
            if whole is None and (rest.scene is None or not asleep.any()):
                whole = moment_at(world, start.state)
            if not asleep.any():
                assert whole is not None
                end, solved, tally = advance(world, whole.with_memory(contacts))
                own = end.memory if isinstance(end.memory, ContactMemory) else None
                return end, solved, tally, replace(rest, state=end.state, scene=None, complete=True), own
            scene = rest.scene
            if scene is None:
                assert whole is not None
                scene = awake_scene(world, whole, asleep)
            hit = asleep
            try:
                end, solved, tally = advance(scene.world, scene.moment.with_memory(scene.part_memory(contacts)))
                if not tally.failsafe_substeps:
                    hit = asleep & _touched(tally.touching, len(asleep))
            except SimulationStoppedError:  # with everything awake it may go on, or say what is wrong
                pass
            else:
                if not hit.any():
                    return self._whole(scene, end, solved, tally, rest, contacts)
            rest, contacts = rest.woken(contacts, hit)

    def _whole(
        self,
        scene: AwakeScene,
        end: Moment,
        solved: SolvedContacts | None,
        tally: Tally,
        rest: Rest,
        contacts: ContactMemory | None,
    ) -> Outcome:
        """The outcome of a step of the awake part, for the whole."""
        moment = scene.whole_moment(end)
        after = replace(rest, state=moment.state, scene=replace(scene, moment=end), complete=False)
        _count_contacts(tally, rest.contacts)
        return (
            moment,
            scene.whole_solution(solved, rest.contacts),
            tally,
            after,
            scene.whole_memory(end.memory, contacts),
        )

    def _standing_still(self, start: Moment, end_time: float, rest: Rest) -> tuple[Moment, SolvedContacts]:
        """The end of a step in which all bodies sleep, and the contacts that hold them."""
        dt, state, x = end_time - start.state.time, start.state, start.surface_positions
        model, held = self.world.model, rest.contacts
        kinematic = model.kinematic_positions(end_time)
        if not np.array_equal(kinematic, x[model.kinematic_first :]):
            x = x.copy()
            x[model.kinematic_first :] = kinematic
        after = replace(state, time=end_time, interval=dt)
        end = replace(start, state=after, surface_positions=x, memory=None)
        solved = SolvedContacts(
            held.contacts, _nothing(dt), _no_response(), held.world_force * dt, state, np.zeros_like(state.v), None, None,
            resting=held,
        )  # fmt: skip
        return end.with_energies(start.body_energies(self.world)), solved

    def _watched(
        self,
        start: Moment,
        end: Moment,
        solved: SolvedContacts | None,
        tally: Tally,
        rest: Rest,
        contacts: ContactMemory | None,
    ) -> Outcome:
        """The outcome of a step after islands that have been calm for long enough have fallen asleep."""
        world, begin = self.world, start.state.time
        if rest.asleep[world.parts.movable].all():
            return end, solved, tally, rest, contacts
        fine = solved is not None and contacts is not None and step_is_solved(tally) and not contacts.squeezed
        rest, block_ends = watched(world, rest, end, end.state.time - begin, solved=fine)
        if not block_ends:
            return end, solved, tally, rest, contacts
        fallen = np.zeros(world.parts.body_count, dtype=bool)
        island, x = rest.island.copy(), start.surface_positions
        restless = changing(world, world.parts.movable, end.state, begin, end.state.time)
        for own in calm_islands(world, rest, tally.touching, end.state.time, restless):
            if not disturbed(world, own, x, begin, end.state.time).any():
                fallen |= own
                island[own] = np.flatnonzero(own)[0]
        rest = next_block(rest)
        if fallen.any() and solved is not None:
            end, lost = _stopped(world, end, fallen)
            tally.energy = tally.energy.plus(EnergyBalance(change=-lost))
            held = rest.contacts.joined(_holding(world, solved, fallen, island >= 0))
            rest = replace(rest, island=island, contacts=held, state=end.state, scene=None)
        return end, solved, tally, rest, contacts


def _count_contacts(tally: Tally, held: RestingContacts) -> None:
    """Add the contacts of sleepers to those of a step."""
    tally.contact_count += len(held)
    tally.active_count += int(np.count_nonzero(held.force[:, 0] > 0.0))


def _touched(pairs: set[tuple[int, int]], bodies: int) -> Flags:
    """(bodies,) the bodies of some pairs."""
    touched = np.zeros(bodies, dtype=bool)
    touched[[body for pair in pairs for body in pair]] = True
    return touched


def _stopped(world: World, end: Moment, fallen: Flags) -> tuple[Moment, float]:
    """The moment with the bodies that have `fallen` asleep (bodies,) at rest, and the kinetic energy that this took [J]."""
    energies, state = end.body_energies(world), end.state
    awake = ~fallen[world.parts.node_body]
    v = np.where(awake[:, None], state.v, 0.0)
    nodes = np.flatnonzero(awake)
    history = None if state.history is None else state.history.only(nodes).spread(nodes, len(v))
    lost = float(energies.kinetic[fallen].sum())
    kinetic = np.where(fallen, 0.0, energies.kinetic)
    return replace(end, state=replace(state, v=v, history=history)).with_energies(
        energies._replace(kinetic=kinetic)
    ), lost


def _holding(world: World, solved: SolvedContacts, fallen: Flags, asleep: Flags) -> RestingContacts:
    """The contacts that hold bodies that have just `fallen` asleep (bodies,), among those that are `asleep`."""
    bodies = solved.contacts.bodies
    rows = np.flatnonzero(fallen[bodies].any(axis=1) & (asleep | ~world.parts.movable)[bodies].all(axis=1))
    forces = solved.impulse[rows] / solved.dt, solved.world_impulse[rows] / solved.dt
    return RestingContacts(solved.contacts.only(rows), *forces, solved.gap[rows], solved.friction[rows])


def _nothing(dt: float) -> Mlcp:
    """The contact problem of a step in which nothing can move."""
    zero, none, blocks = np.zeros(1, np.int32), np.zeros(0), np.zeros((0, 3, 3))
    return Mlcp(BlockMatrix(zero, zero[:0], blocks), zero, zero[:0], blocks, none, np.zeros((0, 3)), none, dt)


def _no_response() -> Response:
    none = np.zeros((0, 3))
    return Response(none, none, 0, 0, True, False, 0.0, 0.0, 0.0, 0.0, 0.0, np.zeros(0, np.int32))
