"""One time step by constraint manifold refinement: the paper's numbered list, top to bottom.

Implements: Otaduy2009 §4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory, ContactSet
from signorini.contact.contact_points import PointFinder
from signorini.contact.frames import FramedProblem, build_mlcp, movable_contacts
from signorini.contact.smooth_contacts import ExpectedTurn
from signorini.dynamics.advance import Taken
from signorini.dynamics.assembly import LinearSystem, assemble
from signorini.dynamics.continued_motion import carry_on_arcs, expected_motion, start_of
from signorini.dynamics.reference_frames import ReferenceMotion, frames_at_rest, reference_motion
from signorini.dynamics.step_rule import StepRule, second_order_rule
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.methods.contact_response import Squeeze, respond
from signorini.methods.impact_jumps import impact_jumps
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.methods.report import Tally
from signorini.methods.trial_motion import TrialMotion
from signorini.model.state import State
from signorini.model.surface_map import SurfaceMap

Floats = NDArray[np.float64]
FARTHEST_TURN = 0.75
"""Angle by which a rigid body that hits something may turn in a sub-step [rad]: the response is linear in its arms."""
CAREFUL_LINEARISATIONS = 3
"""Newton iterations of the unconstrained step in sub-steps that are repeated because energy grew."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one attempt at a (sub-)step."""

    moment: Moment | None
    """The end of the step, free of intersection; None when refinement or the solver did not get there."""
    solved: SolvedContacts | None
    """Its contact problem; None when it was not accepted."""
    tentative_velocity: Floats
    """(n, 3) the last velocity that was tried [m/s]."""
    bounded: bool = False
    """Whether the contact problem was not solved and its response is bounded."""
    turn: float = 0.0
    """Angle by which a rigid body would turn and hit something on the way, if that is too far to respond to [rad]."""


def attempt_step(
    world: World,
    start: Moment,
    end_time: float,
    tally: Tally,
    *,
    final: bool = True,
    careful: bool = False,
    rotating_frames: bool = True,
) -> Attempt:
    """Try to advance to `end_time` [s]: refine the constraints until continuous detection finds no further contact.

    An unsolved contact problem ends the attempt, for a shorter one to be tried, unless it is `final`: then the response is
    bounded. A `careful` attempt is of first order, with several linearisations. Soft solids are computed in frames that rotate
    with them, or at rest; always at rest in a second-order step.
    """
    model, settings, state, dt = world.model, world.settings, start.state, end_time - start.state.time
    tally.work.count_attempt(model.node_count, len(start.candidates))

    # 1, 2. Linearise the dynamics and solve without contact (Eqs. 2, 3).
    memory = start.memory if isinstance(start.memory, ContactMemory) else None
    rule = _rule(world, state, dt, careful=careful)
    free = _free_motion(world, state, memory, rule, tally, careful=careful, rotating_frames=rotating_frames)
    system, v_free, motion = free.system, free.velocity, TrialMotion(world, start, end_time, spin=free.system.spin)

    # 3. The constraints of pairs that are near at the start of the step.
    points = _point_finder(world, motion, v_free if memory is None else v_free + memory.dv * (dt / memory.dt))
    surface_map = model.surface_map.turned(state.rotations)
    contacts = points.near(movable_contacts(start.near.contacts, surface_map, system.free), start.candidates)
    motion.separation = points.separation(contacts, motion.separation)
    impulse, dv = _recall(memory, contacts, v_free, dt)
    surface_velocity = motion.surface_velocity(motion.place(v_free).surface_positions)
    point_velocity = points.velocities(contacts, surface_map, surface_velocity, v_free, None)

    squeeze = Squeeze(np.zeros(len(contacts)), expected=memory is not None and memory.squeezed, still=-v_free)

    # 4. Refine. Continuous detection always runs at least once, also when no pair was near.
    v1 = v_free
    for refinement in range(1, settings.max_refinements + 1):
        tally.refinements = max(tally.refinements, refinement)
        # 4.1 Collision response.
        with tally.phase("contact"):
            problem = _build_problem(world, system, contacts, surface_velocity, surface_map, point_velocity, dt)
            found = respond(problem, contacts, squeeze, impulse, dv, settings, tally, final=final)
        if found is None:
            return Attempt(None, None, v1)
        problem, response, squeeze = found.problem, found.response, found.squeeze
        # 4.2 Tentative state.
        v1 = v_free + response.dv
        placed = motion.place(v1)
        # 4.3 What would this motion hit?
        with tally.phase("check"):
            impacts = motion.find_impacts(placed)
        tally.count_check(len(motion.candidates))
        impulse, dv = problem.to_world(response.impulse), response.dv
        if not len(impacts.contacts):
            tally.take_response(response, contacts)
            with tally.phase("detection"):
                memory = ContactMemory.of(contacts, impulse, dv, dt, squeezed=squeeze.any)
                taken = _taken(world, state, rule, system, contacts.bodies[impulse.any(axis=1)], v_free, dv)
                end = motion.finish(placed, v1, memory=memory, taken=taken)
            solved = SolvedContacts(
                contacts, problem.mlcp, response, impulse, state, v1, free.reference, free.linearised_at, rule, system
            )
            return Attempt(end, solved, v1, bounded=found.bounded)
        turn = motion.largest_turn(placed, impacts.contacts)
        if turn > FARTHEST_TURN:
            return Attempt(None, None, v1, turn=turn)
        if tally.work.is_spent or len(response.infeasible):
            break  # more contacts cannot be satisfied where those that there are cannot be
        # 4.4 Augment the constraints; rotations are linearised about the tentative state (decision 0007).
        new = points.impacts(impacts.contacts, contacts)
        contacts = contacts.merged_with(new)
        impulse = np.concatenate([impulse, np.zeros((len(new), 3))])
        squeeze = squeeze.with_new_contacts(len(new))
        if len(model.rigids):
            surface_velocity = motion.surface_velocity(placed.surface_positions) - surface_map.velocities(response.dv)
            point_velocity = points.velocities(contacts, surface_map, surface_velocity, v_free, response.dv)
    return Attempt(None, None, v1)


@dataclass(frozen=True, slots=True)
class _FreeMotion:
    """The step without contact."""

    system: LinearSystem
    """Of the last linearisation."""
    velocity: Floats
    """(n, 3) v*, its solution: displacements over dt [m/s]."""
    reference: ReferenceMotion
    linearised_at: Floats | None
    """(n, 3) where the forces of the system were linearised [m/s]; None: at the reference motion."""


def _rule(world: World, state: State, dt: float, *, careful: bool) -> StepRule:
    """The rule of an attempt; a careful one is of first order."""
    return second_order_rule(state, dt, restart=careful) if world.settings.integrator == "bdf2" else StepRule(dt)


def _taken(
    world: World,
    state: State,
    rule: StepRule,
    system: LinearSystem,
    touching: NDArray[np.integer],
    v_free: Floats,
    dv: Floats,
) -> Taken | None:
    """How a step was taken that responded with dv (n, 3) to contact of pairs of bodies (m, 2); None if nothing remembers it."""
    if not rule.remembers:
        return None
    return Taken(rule, impact_jumps(world, state, rule, system.spin, touching, v_free, dv))


def _free_motion(
    world: World,
    state: State,
    memory: ContactMemory | None,
    rule: StepRule,
    tally: Tally,
    *,
    careful: bool,
    rotating_frames: bool,
) -> _FreeMotion:
    """Linearise and solve, as often as the settings ask for, or a careful step does."""
    model, settings, dt, linearised_at = world.model, world.settings, rule.dt, None
    if rule.second_order:
        reference, linearised_at = start_of(model, state, rule), expected_motion(model, state, dt)
    else:
        reference = reference_motion(model, state, dt) if rotating_frames else frames_at_rest(state)
    expected = reference.start_velocity if linearised_at is None else linearised_at
    # What contact added in the last step is missing again: near rest this is a much better guess than v0 alone.
    v_free = expected if memory is None else expected - memory.dv * (dt / memory.dt)
    linearisations = max(CAREFUL_LINEARISATIONS if careful else 1, settings.linearisations)
    while True:
        with tally.phase("assembly"):
            system = assemble(model, state, dt, rule=rule, reference=reference, linearised_at=linearised_at)
        with tally.phase("unconstrained"):
            v_free = solve_unconstrained(
                system.A,
                system.b,
                v_free,
                tolerance=settings.linear_tolerance,
                direct_below=settings.direct_solve_below,
                velocity=expected,
            )
        linearisations -= 1
        if not linearisations:
            return _FreeMotion(system, v_free, reference, linearised_at)
        linearised_at = v_free.copy()
        if rule.second_order:
            carry_on_arcs(model, state, dt, system.spin, linearised_at)
        else:
            model.attachments.carry(linearised_at, state.rotations)


def _point_finder(world: World, motion: TrialMotion, expected: Floats) -> PointFinder:
    """The contact points of a step that is expected to go on with velocities (n, 3) [m/s]."""
    start = motion.start
    return PointFinder(
        world.model,
        start.state,
        start.surface_positions,
        ExpectedTurn(expected, motion.turned(expected), motion.dt),
        contact_distance=world.contact_distance,
        reach=world.detection_distance,
    )


def _build_problem(
    world: World,
    system: LinearSystem,
    contacts: ContactSet,
    surface_velocity: Floats,
    surface_map: SurfaceMap,
    point_velocity: Floats | None,
    dt: float,
) -> FramedProblem:
    return build_mlcp(
        system.A,
        contacts,
        surface_velocity,
        surface_map,
        system.free,
        world.model.pair_friction(contacts.bodies),
        dt=dt,
        contact_distance=world.pair_distance(contacts.bodies),
        point_velocity=point_velocity,
    )


def _recall(memory: ContactMemory | None, contacts: ContactSet, v_free: Floats, dt: float) -> tuple[Floats, Floats]:
    """World impulses and velocity correction to start from (Otaduy2009 §5.5 step 1)."""
    if memory is None:
        return np.zeros((len(contacts), 3)), np.zeros_like(v_free)
    return memory.recall(contacts, dt)
