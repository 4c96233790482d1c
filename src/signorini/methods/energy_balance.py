"""Energy balance of the islands of a (sub-)step: how the energy of each changed, and the work that explains it.

Gravity is part of the energy. Scripted bodies, moving pins and loads (elements that store no energy, such as wind) do work.
Friction takes energy, and so do impact, damping and the backward Euler rule, which are what is left of the balance. They never
give any: growth that no work explains is an error of the step. Every island has a balance of its own, so that what flies far
away neither hides nor pays for the errors of others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.body_energies import sums_by_body
from signorini.elements.element import Elements, Linearisation, Weights
from signorini.linalg.block_matrix import BlockMatrix
from signorini.methods.contact_work import contact_work
from signorini.methods.islands import NOBODY, Islands, find_islands
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.model.model import Model
from signorini.model.state import State
from signorini.settings import DEFAULT_TOLERANCE, SolverSettings

Floats = NDArray[np.float64]
LEVERAGE = 20.0
"""Speed over that of a script, up to which its work explains the motion of a body: that of a wedge of 3 degrees. In a squeeze the
linearised contacts can have a way out sideways, thousands of times faster, that is none."""
ROUNDING = 1e-12
"""Part of the energies of an island up to which their sums are not known better."""

AMOUNTS = ("change", "script_work", "pin_work", "load_work", "friction_loss", "scale")
"""Fields of a balance that add up."""


@dataclass(frozen=True, slots=True)
class EnergyBalance:
    """Change of the energy in a (sub-)step and the work done on the bodies [J], of one island or summed over all."""

    change: float = 0.0
    """Of kinetic, gravitational and elastic energy."""
    script_work: float = 0.0
    """By scripted bodies, and by pinned vertices, through contact."""
    pin_work: float = 0.0
    """By pins that move."""
    load_work: float = 0.0
    """By elements that store no energy."""
    friction_loss: float = 0.0
    """What sliding friction turned into heat: the work of its impulses, with the mean velocities of the points where they act."""
    scale: float = 0.0
    """Energy that took part: kinetic at the start, work, and what gravity and elasticity released."""

    @property
    def work(self) -> float:
        """Of everything outside the bodies but gravity."""
        return self.script_work + self.pin_work + self.load_work

    def plus(self, other: EnergyBalance) -> EnergyBalance:
        """The balance of both one after the other."""
        return EnergyBalance(*(getattr(self, name) + getattr(other, name) for name in AMOUNTS))


@dataclass(frozen=True, slots=True)
class IslandBalances:
    """Balances of k islands: arrays (k,) [J] with the meaning of the fields of `EnergyBalance`."""

    islands: Islands
    change: Floats
    script_work: Floats
    pin_work: Floats
    load_work: Floats
    friction_loss: Floats
    scale: Floats
    head_start: Floats
    """What backward Euler took in the fall of bodies that rebound, at most, and their rebound may give back."""
    noise: Floats
    """Energy of the motion that the tolerance of the solver leaves, and rounding: growth by less means nothing."""

    @property
    def net(self) -> Floats:
        """(k,) change that no work explains; negative where energy was lost."""
        return self.change - (self.script_work + self.pin_work + self.load_work) - self.head_start

    @property
    def surplus(self) -> Floats:
        """(k,) growth that no work explains; zero where energy was lost."""
        return np.maximum(0.0, self.net)

    def grew_beyond(self, part: float | Floats) -> NDArray[np.bool_]:
        """(k,) whether energy grew unexplained by more than a `part` of the energy that took part, the same for all or (k,).

        What is not a number has grown.
        """
        return ~(self.surplus <= part * self.scale + self.noise)

    def total(self) -> EnergyBalance:
        """The sum over the islands."""
        return EnergyBalance(*(float(getattr(self, name).sum()) for name in AMOUNTS))


def measure_balances(
    world: World,
    start: Moment,
    end: Moment,
    solved: SolvedContacts | None,
    pushing: NDArray[np.integer] = NOBODY,
) -> IslandBalances:
    """The balances of a (sub-)step from its start to its end.

    Without `solved` a fail-safe made it, of a motion in which pairs of bodies `pushing` (m, 2) gave momentum to each other.
    """
    model, parts, dt = world.model, world.parts, end.state.time - start.state.time
    bodies, pinned = parts.body_count, model.pinned(end.state.time)[0]
    touching = _touching(start, end, solved, pushing)
    islands = find_islands(parts, touching, parts.node_body[pinned])
    pins, friction = np.zeros(bodies), np.zeros(bodies)
    if solved is None:
        scripts = _failsafe_work(world, start, end, touching, pinned)
    else:
        scripts, friction = contact_work(world, start, end, solved)
        rows = None if solved.system is None else solved.system.pin_rows
        if rows is not None:
            work = (rows.reactions(solved.velocity) * solved.velocity[rows.nodes]).sum(axis=1)
            pins = sums_by_body(parts.node_body[rows.nodes], work, bodies)
    loads = _load_work(world, start.state, end.state, solved, dt)
    if solved is not None and solved.joints is not None:
        loads += sums_by_body(parts.rigid_body, solved.joints.drive_work, bodies)
        pins += sums_by_body(parts.rigid_body, solved.joints.scripted_work, bodies)
    before, after = start.body_energies(world), end.body_energies(world)
    scripts, pins, loads = islands.sums(scripts), islands.sums(pins), islands.sums(loads)
    explained = scripts
    kinetic, potential, elastic = (islands.sums(one) for one in before)
    fallen, relaxed = potential - islands.sums(after.potential), elastic - islands.sums(after.elastic)
    mass = islands.sums(parts.mass)
    if solved is not None and (scripts > 0.0).any():
        stored = np.maximum(0.0, -fallen) + np.maximum(0.0, -relaxed)
        explained = np.minimum(scripts, stored + 0.5 * mass * (LEVERAGE * _script_speed(model, start, end, dt)) ** 2)
    fall = 0.5 * islands.sums(parts.squared_weight) * dt**2
    work = np.abs(explained) + np.abs(pins) + np.abs(loads)
    return IslandBalances(
        islands,
        change=islands.sums(after.kinetic) - kinetic - fallen - relaxed,
        script_work=explained,
        pin_work=pins,
        load_work=loads,
        friction_loss=np.maximum(0.0, islands.sums(friction)),
        scale=kinetic + work + np.maximum(0.0, fallen) + np.maximum(0.0, relaxed) + fall,
        head_start=islands.sums(_head_start(world, start.state, solved, dt)),
        noise=0.5 * mass * _tolerance(world) ** 2
        + ROUNDING * (kinetic + np.abs(potential) + elastic)
        + islands.sums(_midstep_difference(world, start.state, end.state, dt)),
    )


def tolerated_work(world: World, solved: SolvedContacts | None, islands: Islands) -> Floats:
    """What impulses do to islands (k,) [J] over the error of velocities that the contact solver may leave.

    Where things rest or are held fast, hardly any energy takes part in a step, and this is more than all of it.
    """
    if solved is None or not len(solved.contacts):
        return np.zeros(islands.count)
    own = solved.problem.contact_count
    size = np.sqrt((solved.world_impulse[:own] ** 2).sum(axis=1))
    work, bodies = np.zeros(len(islands.of_body)), solved.contacts.bodies[:own]
    for side in (0, 1):
        np.add.at(work, bodies[:, side], 0.5 * _tolerance(world) * size)
    work[~world.parts.movable] = 0.0
    return islands.sums(work)


def _midstep_difference(world: World, start: State, end: State, dt: float) -> Floats:
    """What the energy of rigid bodies grows by (bodies,) [J] only because their velocities are those of half a step before.

    Velocities are those of the chord of a step, so that its kinetic energy plus the potential of gravity at its middle is kept:
    by joints (decision 0020), and by contacts that guide, such as a pin in a bore. With the potential at the end, their
    sum rises and falls by ½ dt m g·v in every swing, which is no growth. Velocities of second-order steps are those of the end.
    """
    model, parts, grown = world.model, world.parts, np.zeros(world.parts.body_count)
    if world.settings.integrator != "euler":
        return grown
    nodes = model.rigids.nodes
    change = ((end.v[nodes] - start.v[nodes]) * model.node_gravity[nodes]).sum(axis=1)
    np.add.at(grown, parts.node_body[nodes], np.maximum(0.0, -0.5 * dt * model.mass[nodes] * change))
    return grown


def _head_start(world: World, start: State, solved: SolvedContacts | None, dt: float) -> Floats:
    """What the potential energy of bodies that rebound (bodies,) [J] was half a step before the start, beyond that at the start.

    Backward Euler takes ½ m g² dt² in each step of a free flight: after a fall from rest, this.
    """
    model, parts, ahead = world.model, world.parts, np.zeros(world.parts.body_count)
    if solved is None or solved.rebounding is None:
        return ahead
    fallen = 0.5 * dt * model.mass * (start.v * model.node_gravity).sum(axis=1)
    fallen[model.rigids.spins] = 0.0
    bodies = np.unique(solved.contacts.bodies[: len(solved.rebounding)][solved.rebounding])
    bodies = bodies[parts.movable[bodies]]
    ahead[bodies] = sums_by_body(parts.node_body, fallen, parts.body_count)[bodies]
    return np.maximum(0.0, ahead)


def _script_speed(model: Model, start: Moment, end: Moment, dt: float) -> float:
    """Speed of the fastest scripted vertex or pin in a (sub-)step [m/s]."""
    pinned = model.pinned(end.state.time)[0]
    first = model.kinematic_first
    moved = np.concatenate(
        [end.surface_positions[first:] - start.surface_positions[first:], end.state.q[pinned] - start.state.q[pinned]]
    )
    return float(np.sqrt((moved**2).sum(axis=1).max(initial=0.0))) / dt


def _tolerance(world: World) -> float:
    """Velocity that the contact solver leaves as an error [m/s]."""
    solver = world.settings.solver
    return solver.residual if isinstance(solver, SolverSettings) else DEFAULT_TOLERANCE


def _touching(
    start: Moment, end: Moment, solved: SolvedContacts | None, pushing: NDArray[np.integer]
) -> NDArray[np.integer]:
    """Pairs of bodies (m, 2) that push each other; where the forces are not known, also those that are near."""
    if solved is not None:
        return solved.contacts.bodies[solved.world_impulse.any(axis=1)]
    return np.concatenate([start.near.contacts.bodies, end.near.contacts.bodies, pushing])


def _failsafe_work(
    world: World, start: Moment, end: Moment, touching: NDArray[np.integer], pinned: NDArray[np.int32]
) -> Floats:
    """A bound of what scripted bodies and pins can do to each body, (bodies,) [J], in a step whose forces are not known.

    What they push at once, without bouncing, ends with at most twice their speed; so does what that touches.
    """
    model, parts, dt = world.model, world.parts, end.state.time - start.state.time
    speed = np.zeros(parts.body_count)
    for slot in model.bodies.values():
        if slot.scripted:
            moved = end.surface_positions[slot.vertices] - start.surface_positions[slot.vertices]
            speed[slot.number] = np.sqrt((moved**2).sum(axis=1).max(initial=0.0)) / dt
    pins = np.sqrt(((end.state.q[pinned] - start.state.q[pinned]) ** 2).sum(axis=1)) / dt
    np.maximum.at(speed, parts.node_body[pinned], pins)
    islands = find_islands(parts, touching, parts.node_body[pinned])
    fastest = np.zeros(islands.count)
    for here, there in ((touching[:, 0], touching[:, 1]), (touching[:, 1], touching[:, 0])):
        own = parts.movable[here] & ~parts.movable[there]
        np.maximum.at(fastest, islands.of_body[here[own]], speed[there[own]])
    np.maximum.at(fastest, islands.of_body[parts.movable], speed[parts.movable])
    return np.where(parts.movable, 2.0 * parts.mass * fastest[islands.of_body] ** 2, 0.0)


def _load_work(world: World, start: State, end: State, solved: SolvedContacts | None, dt: float) -> Floats:
    """Work of elements that store no energy and of forces by hand, by body (bodies,) [J].

    It is the mean of the forces at both places times the motion: exact to third order for a pressure that follows its surface.
    Forces that depend on velocities, such as wind, are those that acted in the step: linear in the velocities at the end, about
    those that it began with. A light body has the speed of the wind at the end, which then does not push it any more. The
    motion of an angular node is its rotation. Where torques act before a free body turns, their work is done there.
    """
    model, parts = world.model, world.parts
    loads = [k for k, e in enumerate(model.elements) if type(e).energy is Elements.energy and len(e)]
    if not loads and not len(start.applied):
        return np.zeros(parts.body_count)
    internal, force = model.element_states(start), np.zeros_like(start.q)
    nothing, half = np.zeros_like(start.q), Weights(force=0.5, damping=0.5, stiffness=0.0)
    begun = start.v if solved is None or solved.reference is None else solved.reference.start_velocity
    damping = BlockMatrix(model.pattern.indptr, model.pattern.indices, np.zeros_like(model.pattern.data), start.q)
    for state in (start, end) if loads else ():
        at = Linearisation(state.q, nothing, nothing, begun, end.time, state.rotations, model.rigids.nodes)
        for k in loads:
            model.elements[k].assemble(at, half, internal[k], model.element_entries[k], damping.data, force)
    if loads:
        force -= damping.times(end.v)
    if len(start.applied):
        force += start.applied
    moved = end.q - start.q
    moved[model.rigids.spins] = dt * end.v[model.rigids.spins]
    work = (force * moved).sum(axis=1)
    kick = None if solved is None or solved.system is None else solved.system.spin.kick
    if solved is not None and kick is not None:
        free = ~np.isin(parts.rigid_body, solved.contacts.bodies[solved.world_impulse.any(axis=1)])
        w = start.v[model.rigids.spins]
        after = w + model.rigids.angular_velocity(start.rotations, kick)
        work[model.rigids.spins[free]] = (0.5 * kick * (w + after)).sum(axis=1)[free]
    return sums_by_body(parts.node_body, work, parts.body_count)
