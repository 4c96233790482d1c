"""One time step by constraint manifold refinement: the paper's numbered list, top to bottom.

Implements: Otaduy2009 §4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory, ContactSet
from signorini.collision.detect import detect_continuous, detect_proximity
from signorini.contact.frames import FramedProblem, build_mlcp
from signorini.contact.mlcp import WarmStart
from signorini.dynamics.advance import advance, state_after
from signorini.dynamics.assembly import LinearSystem, assemble
from signorini.dynamics.reference_frames import Turning, turn_solids
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.methods.moment import Moment, SolvedContacts, Tally, World
from signorini.model.surface_map import SurfaceMap
from signorini.solvers import solve

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one try at a step of length dt."""

    moment: Moment | None
    """The end of the step, free of intersection; None when refinement or the solver did not get there."""
    solved: SolvedContacts | None
    tentative_velocity: Floats
    """(n, 3) the last velocity that was tried [m/s]."""


def attempt_step(world: World, start: Moment, dt: float, tally: Tally) -> Attempt:
    """Try to advance by dt: refine the constraints until continuous detection finds no further contact."""
    model, settings, state = world.model, world.settings, start.state
    x0, t1 = start.surface_positions, state.time + dt

    # 1, 2. Linearise the dynamics and solve without contact (Eqs. 2, 3).
    turning = turn_solids(model, state, dt)
    system, v_free, linearised_at = _unconstrained_velocity(world, start, turning, dt, tally)
    kinematic = model.kinematic_positions(t1)
    x_free = advance(model, state, v_free, system.spin, kinematic, dt).surface_positions

    # 3. The constraints of pairs that are near at the start of the step.
    contacts, candidates = start.near.contacts, start.candidates
    impulse, dv = _recall(start.memory, contacts, v_free, dt)
    surface_map = model.surface_map.turned(state.rotations)
    surface_velocity = (x_free - x0) / dt

    # 4. Refine. Continuous detection always runs at least once, also when no pair was near.
    v1 = v_free
    for refinement in range(1, settings.max_refinements + 1):
        tally.refinements = max(tally.refinements, refinement)
        # 4.1 Collision response.
        with tally.phase("contact"):
            problem = _build_problem(world, system, contacts, surface_velocity, surface_map, dt)
            response = solve(problem.mlcp, settings.solver, WarmStart(dv, problem.to_frames(impulse)))
            tally.count_solve(response, contacts)
        # 4.2 Tentative state.
        v1 = v_free + response.dv
        if response.diverged:
            return Attempt(None, None, v1)
        placed = advance(model, state, v1, system.spin, kinematic, dt)
        x1 = placed.surface_positions
        # 4.3 What would this motion hit?
        with tally.phase("check"):
            candidates = world.pairs_for(x0, x1, candidates)
            impacts = detect_continuous(model.surface, candidates, x0, x1, separation=world.separation)
        tally.candidate_count = len(candidates)
        impulse, dv = problem.to_world(response.impulse), response.dv
        if not len(impacts.contacts):
            with tally.phase("detection"):
                near = detect_proximity(model.surface, candidates, x1, distance=world.detection_distance)
            tally.take_residuals(response)
            after = state_after(model, state, placed, v1, system.spin, t1)
            end = Moment(after, x1, near, candidates, ContactMemory.of(contacts, impulse, dv, dt))
            solved = SolvedContacts(contacts, problem.mlcp, response, impulse, state, v1, turning, linearised_at)
            return Attempt(end, solved, v1)
        # 4.4 Augment the constraints; what turns is linearised about the tentative state (decision 0007).
        contacts = contacts.merged_with(impacts.contacts)
        impulse = np.concatenate([impulse, np.zeros((len(impacts.contacts), 3))])
        if len(model.rigids):
            surface_velocity = (x1 - x0) / dt - surface_map.velocities(response.dv)
    return Attempt(None, None, v1)


def _unconstrained_velocity(
    world: World, start: Moment, turning: Turning, dt: float, tally: Tally
) -> tuple[LinearSystem, Floats, Floats | None]:
    """The system of the last linearisation, its solution v*, and where it was linearised."""
    settings, state, memory, linearisations = world.settings, start.state, start.memory, 0
    # What contact added in the last step is missing again: near rest this is a much better guess than v0 alone.
    v_free = turning.velocities if memory is None else turning.velocities - memory.dv * (dt / memory.dt)
    linearised_at = None
    while True:
        with tally.phase("assembly"):
            system = assemble(world.model, state, dt, turning=turning, linearised_at=linearised_at)
        with tally.phase("unconstrained"):
            v_free = solve_unconstrained(
                system.A,
                system.b,
                v_free,
                tolerance=settings.linear_tolerance,
                direct_below=settings.direct_solve_below,
                velocity=turning.velocities,
            )
        linearisations += 1
        if linearisations == settings.newton_iterations:
            return system, v_free, linearised_at
        linearised_at = v_free.copy()
        world.model.attachments.carry(linearised_at, state.rotations)


def _build_problem(
    world: World,
    system: LinearSystem,
    contacts: ContactSet,
    surface_velocity: Floats,
    surface_map: SurfaceMap,
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
        contact_distance=world.contact_distance,
        push_out_speed=world.settings.push_out_speed,
    )


def _recall(memory: ContactMemory | None, contacts: ContactSet, v_free: Floats, dt: float) -> tuple[Floats, Floats]:
    """World impulses and velocity correction to start from (Otaduy2009 §5.5 step 1)."""
    if memory is None:
        return np.zeros((len(contacts), 3)), np.zeros_like(v_free)
    return memory.recall(contacts, dt)
