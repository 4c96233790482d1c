"""The collision loop: the integrator runs ahead, collisions are repaired, and a step that still collides is taken back.

Implements: Sifakis2008 §3, which restates Bridson2002.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts
from signorini.errors import SimulationStoppedError
from signorini.methods.collision_loop.effective_motion import EffectiveMotion
from signorini.methods.collision_loop.impulses import resolve_by_impulses
from signorini.methods.collision_loop.newmark import has_exploded, integrate, stable_step
from signorini.methods.collision_loop.repulsions import apply_repulsions
from signorini.methods.collision_loop.volume_impulses import resolve_by_volumes
from signorini.methods.failsafes.impact_zones import apply_impact_zones
from signorini.methods.failsafes.scale_back import emergency_step
from signorini.methods.moment import Moment, Tally, World
from signorini.methods.report import StepReport, StepStatus
from signorini.methods.substeps import CoveredStep, describe_pinch, fill_report
from signorini.model.rigid_bodies import predict_spin
from signorini.model.state import State

Floats = NDArray[np.float64]
FINEST = 1024
"""Parts of one step of the integrator into which a fail-safe that cannot follow scripted bodies may cut it."""
MOST_STEPS = 100_000
"""Steps of the integrator for one step of the simulation; what needs more has exploded or is far too stiff."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a collision step."""

    moment: Moment | None
    """Its end, free of intersection; None when pairs were left on a collision course."""
    velocity: Floats
    """(n, 3) the effective velocity that was tried last [m/s]."""
    impacts: Impacts
    """What is left on a collision course."""


def cover_by_collision_loop(world: World, start: Moment, end_time: float) -> CoveredStep:
    """Advance to exactly `end_time` [s]; raise `SimulationStoppedError` when that is impossible."""
    settings, interval = world.settings.collision_loop, end_time - start.state.time
    tally, report = Tally(), StepReport(dt=interval, substeps=0)
    base_steps = _base_steps(world, start.state, interval)
    # Progress in parts of a step of the integrator; a collision step has `stride` parts.
    whole, most, done = base_steps * FINEST, settings.max_loops * FINEST, 0
    stride = min(start.collision_loops or settings.max_loops, settings.max_loops) * FINEST
    moment, retried = start, False
    while done < whole:
        parts = min(stride, whole - done)
        t1 = end_time if done + parts == whole else start.state.time + interval * ((done + parts) / whole)
        attempt = attempt_collision_step(world, moment, t1, -(-parts // FINEST), tally)
        if attempt.moment is None and parts > FINEST:
            # 5. Restore the collision-free state and retry with half the loops.
            stride, retried = max(FINEST, parts // FINEST // 2 * FINEST), True
            report.halvings += 1
            continue
        if attempt.moment is None:
            after = last_resort(world, moment, t1, attempt, tally)
            report.failsafe_substeps += 1
            if after is None:
                stride, retried = parts // 2, True
                if stride == 0:
                    raise SimulationStoppedError(describe_pinch(world, attempt.impacts, moment.state.time))
                continue
            moment, retried = after, True
        else:
            moment = attempt.moment
        done += parts
        report.substeps += 1
        tally.collision_interval = max(tally.collision_interval, interval * (parts / whole))
        # A larger step is tried only after one that went well at once.
        if not retried and parts == stride:
            stride = min(2 * stride, most)
        retried = False
    moment = replace(moment, collision_loops=max(1, stride // FINEST))
    fill_report(report, tally, moment, world.model.body_names)
    return CoveredStep(moment, None, report)


def _base_steps(world: World, state: State, interval: float) -> int:
    """Equal steps of the integrator, of at most cfl times the stable one, that cover an interval [s]."""
    stable = stable_step(world.model, state)
    if not world.settings.collision_loop.cfl * stable * MOST_STEPS >= interval:
        raise SimulationStoppedError(
            f"at t = {state.time:.6g} s the integrator of method {world.settings.method!r} is stable up to {stable:.2g} s only, "
            f"more than {MOST_STEPS} steps for dt = {interval:g} s: it has exploded (take fewer max_loops), or is too stiff "
            "for it (take method 'cmr')"
        )
    return max(1, math.ceil(interval / (world.settings.collision_loop.cfl * stable) - 1e-9))


def attempt_collision_step(world: World, start: Moment, end_time: float, loops: int, tally: Tally) -> Attempt:
    """One round of the list of Sifakis2008 §3, from `start` to `end_time` [s] with `loops` steps of the integrator."""
    # 1. Candidate positions and velocities.
    with tally.phase("unconstrained"):
        candidate = integrate(world.model, start.state, end_time, loops, world.settings)
    if has_exploded(candidate):
        raise SimulationStoppedError(f"at t = {start.state.time:.6g} s: {StepStatus.NOT_FINITE.value}")
    # 2. The effective velocity.
    motion = EffectiveMotion(world, start, end_time)
    v_candidate = motion.velocity_to(candidate)
    # 3a. Repulsions and friction.
    with tally.phase("contact"):
        v, near = apply_repulsions(motion, v_candidate)
    # 3b. Geometric collisions.
    resolve = resolve_by_volumes if world.settings.method == "volume" else resolve_by_impulses
    v, colliding = resolve(motion, v, tally)
    tally.contact_count = max(tally.contact_count, near + colliding)
    # 4. New positions.
    placed = motion.place(v)
    # 5. Accept what is certified on the straight way there.
    with tally.phase("check"):
        impacts = motion.find_impacts(placed.surface_positions)
    tally.candidate_count = len(motion.candidates)
    if len(impacts.contacts):
        return Attempt(None, v, impacts)
    v1 = _final_velocity(motion, candidate, v_candidate, v, placed.rotations, collided=colliding > 0)
    with tally.phase("detection"):
        return Attempt(motion.finish(candidate, placed, v1), v, impacts)


def _final_velocity(
    motion: EffectiveMotion,
    candidate: State,
    v_candidate: Floats,
    v: Floats,
    rotations: Floats,
    *,
    collided: bool,
) -> Floats:
    """The velocities (n, 3) at the end of a step, by the rule at the end of Sifakis2008 §3.

    With collisions, what was processed goes on with its effective velocity; else the change is added to the candidate's. The
    effective velocity of a rotation is a mean over the step, so a rigid body always gets the change of angular momentum.
    """
    v1 = candidate.v + (v - v_candidate)
    if collided:
        processed = (v != v_candidate).any(axis=1)
        v1 = np.where(processed[:, None], v, candidate.v)
    rigids = motion.world.model.rigids
    if len(rigids):
        spins, before = rigids.spins, motion.start.state.rotations
        L = rigids.momentum(candidate.rotations, candidate.v[spins])
        L += rigids.momentum(before, v[spins] - v_candidate[spins])
        v1[spins] = rigids.angular_velocity(rotations, L)
    return v1


def last_resort(world: World, start: Moment, end_time: float, attempt: Attempt, tally: Tally) -> Moment | None:
    """Rigid impact zones from the motion that failed (step 5); what they cannot do either is scaled back."""
    if not world.settings.collision_loop.impact_zones:
        raise SimulationStoppedError(_describe_failure(world, attempt.impacts, start.state.time))
    dt, rigids, v = end_time - start.state.time, world.model.rigids, attempt.velocity.copy()
    if len(rigids):
        v[rigids.spins] -= predict_spin(rigids, start.state.rotations, start.state.v[rigids.spins], dt).drift
    after, _ = apply_impact_zones(world, start, dt, v, tally)
    return after or emergency_step(world, start, dt, v, tally)[0]


def _describe_failure(world: World, impacts: Impacts, time: float) -> str:
    names = world.model.body_names
    pairs = {tuple(sorted((names[a], names[b]))) for a, b in impacts.contacts.bodies.tolist()}
    between = ", ".join(f"{a!r} and {b!r}" for a, b in sorted(pairs))
    return (
        f"at t = {time:.6g} s one step of the integrator left {len(impacts.contacts)} pairs on a collision course, between "
        f"{between}: allow impact_zones, or lower cfl in collision_loop"
    )
