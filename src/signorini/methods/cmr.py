"""One time step by constraint manifold refinement: the paper's numbered list, top to bottom.

Implements: Otaduy2009 §4.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory, ContactSet
from signorini.contact.contact_points import PointFinder
from signorini.contact.frames import FramedProblem, build_mlcp, movable_contacts
from signorini.contact.smooth_contacts import ExpectedTurn
from signorini.dynamics.advance import Placement
from signorini.dynamics.assembly import LinearSystem
from signorini.dynamics.joint_forces import JointForces
from signorini.methods.anticipated_impacts import late_contact, with_anticipated
from signorini.methods.contact_response import ContactResponse, Squeeze, respond
from signorini.methods.free_motion import FreeMotion, free_motion, starting_motion
from signorini.methods.islands import NOBODY
from signorini.methods.joint_response import JointResponse
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.methods.rebound import with_rebound
from signorini.methods.report import Tally
from signorini.methods.trial_motion import TrialMotion
from signorini.model.surface_map import SurfaceMap

Floats = NDArray[np.float64]
FARTHEST_TURN = 0.75
"""Angle by which a rigid body that hits something may turn in a sub-step [rad]: the response is linear in its arms."""
TOUCHING = 1.5
"""Distance over the contact distance of a pair up to which it is taken to touch: what rests, slides or rolls does."""
FARTHEST_SPIN = 0.5
"""Angle by which a soft solid may rotate in a sub-step [rad]. Velocities are chords, with θ²/12 less energy than the rotation:
that of a body whose spin changes would grow by a percent at 0.7 rad."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one attempt at a (sub-)step."""

    moment: Moment | None
    """The end of the step, free of intersection; None when refinement or the solver did not get there."""
    solved: SolvedContacts | None
    """Its contact problem; None when it was not accepted."""
    tentative_velocity: Floats
    """(n, 3) the last velocity that was tried [m/s]."""
    pushing: NDArray[np.integer] = field(default_factory=lambda: NOBODY)
    """(m, 2) the pairs of bodies that may push each other in it: they have contacts."""
    bounded: bool = False
    """Whether the contact problem was not solved and its response is bounded."""
    turn: float = 0.0
    """Angle by which a rigid body would turn and hit something on the way, if that is too far to respond to [rad]."""
    spin: float = 0.0
    """Angle by which a soft solid would rotate, if that is too far for a sub-step [rad]."""


def attempt_step(
    world: World,
    start: Moment,
    end_time: float,
    tally: Tally,
    *,
    final: bool = True,
    careful: bool = False,
    rotating_frames: bool = True,
    farthest_spin: float = np.inf,
    linearisations: int | None = None,
    first_order: NDArray[np.bool_] | None = None,
) -> Attempt:
    """Try to advance to `end_time` [s]: refine the constraints until continuous detection finds no further contact.

    An unsolved contact problem ends the attempt unless it is `final`: then the response is bounded. A `careful` attempt is of
    first order, with several linearisations; the nodes `first_order` (n,) are so in any. Soft solids are computed in frames
    that rotate with them, or at rest; always at rest in a second-order step. An attempt in which one would rotate by more than
    `farthest_spin` [rad] ends at once.
    """
    model, settings, state, dt = world.model, world.settings, start.state, end_time - start.state.time
    rule, reference = starting_motion(world, state, dt, careful, rotating_frames, first_order)
    if reference.solids is not None and reference.solids.farthest_turn > farthest_spin:
        return Attempt(None, None, state.v, spin=reference.solids.farthest_turn)
    tally.work.count_attempt(model.node_count, len(start.candidates))

    # 1, 2. Linearise the dynamics and solve without contact (Eqs. 2, 3).
    memory = start.memory if isinstance(start.memory, ContactMemory) else None
    free = free_motion(world, state, memory, tally, rule, reference, careful=careful, linearisations=linearisations)
    system, motion = free.system, TrialMotion(world, start, end_time, spin=free.system.spin)
    v_free, joints = _with_joints(motion, free.velocity)

    # 3. The constraints of pairs that are near at the start of the step.
    points = _point_finder(world, motion, expected := _expected(memory, v_free, dt))
    surface_map = model.surface_map.turned(state.rotations)
    contacts = points.near(movable_contacts(start.near.contacts, surface_map, system.free), start.candidates)
    moving = motion.surface_velocity(motion.place(v_free).surface_positions)
    contacts = points.staying(contacts, moving, TOUCHING * world.pair_distance(contacts.bodies))
    motion.separation = points.separation(contacts, motion.separation)
    contacts, near = with_anticipated(contacts, memory, motion, expected, points, surface_map, system.free, tally)
    impulse, dv = _recall(memory, contacts, v_free, dt)
    surface_velocity = _velocity_about_expected(motion, surface_map, moving, v_free, dv)
    point_velocity = points.velocities(contacts, surface_map, surface_velocity, v_free, None)
    squeeze = Squeeze(np.zeros(len(contacts)), expected=memory is not None and memory.squeezed, still=-v_free)

    # 4. Refine. Continuous detection always runs at least once, also when no pair was near.
    v1 = v_free
    for refinement in range(1, settings.max_refinements + 1):
        tally.refinements = max(tally.refinements, refinement)
        # 4.1 Collision response.
        with tally.phase("contact"):
            asked = _build_problem(world, system, contacts, surface_velocity, surface_map, point_velocity, dt)
            solve = joints.respond if joints else respond
            found = solve(asked, contacts, squeeze, impulse, dv, settings, tally, final=final)
        if found is None or motion.joints_open(v1 := motion.joined(v_free + found.response.dv)):
            return Attempt(None, None, v1, contacts.bodies)
        # 4.2 Tentative state.
        problem, response, squeeze, placed = found.problem, found.response, found.squeeze, motion.place(v1)
        # 4.3 What would this motion hit?
        with tally.phase("check"):
            impacts = motion.find_impacts(placed)
        tally.count_check(len(motion.candidates))
        impulse, dv = problem.to_world(response.impulse), response.dv
        if not len(impacts.contacts):
            forces = None if joints is None else joints.forces(system, asked.mlcp, response, v1)
            return _accepted(motion, free, found, contacts, near, placed, v1, forces, tally)
        if (turn := motion.largest_turn(placed, impacts.contacts)) > FARTHEST_TURN:
            return Attempt(None, None, v1, contacts.bodies, turn=turn)
        if tally.work.is_spent or len(response.infeasible):
            break  # more contacts cannot be satisfied where those that there are cannot be
        # 4.4 Augment the constraints; rotations are linearised about the tentative state (decisions 0007, 0021).
        motion.keep_on_path(impacts.contacts, contacts)
        new = points.impacts(impacts.contacts, contacts)
        new, squeeze = squeeze.augmented(contacts, new, motion.asked_room(new, contacts, refinement))
        contacts = contacts.merged_with(new)
        impulse = np.concatenate([impulse, np.zeros((len(new), 3))])
        if len(model.rigids):
            surface_velocity = motion.surface_velocity(placed.surface_positions) - surface_map.velocities(response.dv)
            point_velocity = points.velocities(contacts, surface_map, surface_velocity, v_free, response.dv)
    return Attempt(None, None, v1, contacts.bodies)


def _accepted(
    motion: TrialMotion,
    free: FreeMotion,
    found: ContactResponse,
    contacts: ContactSet,
    near: int,
    placed: Placement,
    v1: Floats,
    forces: JointForces | None,
    tally: Tally,
) -> Attempt:
    """The attempt whose response leads to a placement without further contact, with displacements over dt v1 (n, 3) [m/s].

    The first `near` of its contacts were near at its start.
    """
    world, state, problem, response = motion.world, motion.start.state, found.problem, found.response
    impulse, dv = problem.to_world(response.impulse), response.dv
    tally.take_response(response, contacts)
    late = late_contact(world.model, contacts, near, response.impulse[:, 0])
    memory = ContactMemory.of(contacts, impulse, dv, motion.dt, squeezed=found.squeeze.any, late=late)
    response, v1, rebounding = with_rebound(world, problem, contacts, response, state.v, free.velocity, v1, tally)
    impulse = problem.to_world(response.impulse)  # velocities change, positions do not
    with tally.phase("detection"):
        taken = free.taken(world, state, contacts.bodies[impulse.any(axis=1)], dv, response.dv)
        end = motion.finish(placed, v1, memory=memory, taken=taken)
    made = free.reference, free.linearised_at, free.rule, free.system, forces, None, rebounding, free.correction
    solved = SolvedContacts(contacts, problem.mlcp, response, impulse, state, v1, *made)
    return Attempt(end, solved, v1, contacts.bodies, bounded=found.bounded)


def _with_joints(motion: TrialMotion, v_free: Floats) -> tuple[Floats, JointResponse | None]:
    """Free velocities (n, 3) that close the joints, and how joints respond; None if there are none."""
    if motion.joints is None:
        return v_free, None
    v_free = motion.joined(motion.joints.allowed(v_free))
    return v_free, JointResponse(motion.joints, v_free)


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


def _velocity_about_expected(
    motion: TrialMotion, surface_map: SurfaceMap, free: Floats, v_free: Floats, dv: Floats
) -> Floats:
    """Velocities (vertices, 3) [m/s] of the surface without contact, in which contacts are linear; `free` are those of v_free.

    Where something is attached to rigid bodies, rotations are linearised about the motion that is expected, v_free + dv (n, 3): a
    light body that something stiff is attached to would turn far without contact, and what an arc adds to its tangent is not
    undone by a response that is linear. Bodies alone turn little without contact, and what is expected is wrong after impacts.
    """
    model = motion.world.model
    if not (len(model.rigids) and len(model.attachments)):
        return free
    expected = motion.joined(v_free + dv)
    velocity = motion.surface_velocity(motion.place(expected).surface_positions)
    return velocity - surface_map.velocities(expected - v_free)


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


def _expected(memory: ContactMemory | None, v_free: Floats, dt: float) -> Floats:
    """Velocities (n, 3) [m/s] of a step in which contact acts as in the last one."""
    return v_free if memory is None else v_free + memory.dv * (dt / memory.dt)


def _recall(memory: ContactMemory | None, contacts: ContactSet, v_free: Floats, dt: float) -> tuple[Floats, Floats]:
    """World impulses and velocity correction to start from (Otaduy2009 §5.5 step 1)."""
    if memory is None:
        return np.zeros((len(contacts), 3)), np.zeros_like(v_free)
    return memory.recall(contacts, dt)
