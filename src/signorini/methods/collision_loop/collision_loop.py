"""The collision loop: the integrator runs ahead, collisions are repaired, and a step that still collides is taken back.

Implements: Sifakis2008 §3, which restates Bridson2002.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts
from signorini.errors import InputError, SimulationStoppedError
from signorini.methods.collision_loop.effective_motion import EffectiveMotion
from signorini.methods.collision_loop.impulses import resolve_by_impulses
from signorini.methods.collision_loop.newmark import has_exploded, integrate, stable_step
from signorini.methods.collision_loop.repulsions import apply_repulsions
from signorini.methods.collision_loop.volume_impulses import resolve_by_volumes
from signorini.methods.failsafes.impact_zones import apply_impact_zones
from signorini.methods.failsafes.scale_back import scale_back
from signorini.methods.method import CoveredStep, Method
from signorini.methods.moment import Moment, World
from signorini.methods.report import StepStatus, Tally
from signorini.methods.stop_messages import collision_message, pinch_message
from signorini.model.rigid_bodies import predict_spin
from signorini.model.state import State

Floats = NDArray[np.float64]
Resolve = Callable[[EffectiveMotion, Floats, Tally], tuple[Floats, int]]
"""Changes an effective velocity (n, 3) [m/s] so that pairs do not collide; also returns how many pairs did."""
PARTS = 1024
"""Equal parts of one step of the integrator, down to which a fail-safe that cannot follow scripted bodies may cut it."""
MOST_STEPS = 100_000
"""Steps of the integrator for one step of the simulation; what needs more has exploded or is far too stiff."""


@dataclass(frozen=True, slots=True)
class CollisionLoopMemory:
    """What the collision loop keeps from step to step."""

    loops: int
    """Steps of the integrator that are tried next between two treatments of collisions."""


class CollisionLoop(Method):
    """The collision loop of Sifakis2008 §3; a subclass names how geometric collisions (step 3b) are resolved."""

    chooses_steps = True
    resolve: ClassVar[Resolve]

    def check(self, start: Moment) -> None:
        """Raise an `InputError` if bodies have joints."""
        if self.world.model.joints is not None:
            raise InputError(f"method {self.name!r} cannot simulate joints, locks and drives: use method 'cmr'")

    def cover(self, start: Moment, end_time: float) -> CoveredStep:
        """Advance to exactly `end_time` [s]; raise `SimulationStoppedError` when that is impossible."""
        tally = Tally()
        moment = cover_by_collision_steps(self.world, start, end_time, type(self).resolve, tally)
        dt, names = end_time - start.state.time, self.world.model.body_names
        return CoveredStep(moment, None, tally.report(moment, dt=dt, names=names))

    def memory_arrays(self, memory: object) -> dict[str, NDArray]:
        """The number of loops that is tried next; 0 if it is not known yet."""
        return {"collision_loops": np.array(memory.loops if isinstance(memory, CollisionLoopMemory) else 0)}

    def recalled(self, arrays: Mapping[str, NDArray]) -> CollisionLoopMemory | None:
        """The number of loops in a checkpoint; None if it has none."""
        loops = int(arrays.get("collision_loops", 0))
        return CollisionLoopMemory(loops) if loops > 0 else None


class VolumeCollisionLoop(CollisionLoop):
    """The method `volume`: collisions are resolved by volume-preserving impulses (Sifakis2008 §5)."""

    name = "volume"
    resolve = staticmethod(resolve_by_volumes)


class ImpulseCollisionLoop(CollisionLoop):
    """The method `impulses`: collisions are resolved by impulses one after the other (Bridson2002 §7.4)."""

    name = "impulses"
    resolve = staticmethod(resolve_by_impulses)


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one attempt at a collision step."""

    moment: Moment | None
    """Its end, free of intersection; None when pairs were left on a collision course."""
    velocity: Floats
    """(n, 3) the effective velocity that was tried last [m/s]."""
    impacts: Impacts
    """Pairs that are left on a collision course."""


def cover_by_collision_steps(world: World, start: Moment, end_time: float, resolve: Resolve, tally: Tally) -> Moment:
    """The end of the step, reached by collision steps of as many loops as go well."""
    settings, interval = world.settings.collision_loop, end_time - start.state.time
    # Progress in parts of a step of the integrator; a collision step has `stride` parts.
    whole, done = _base_steps(world, start.state, interval) * PARTS, 0
    remembered = start.memory.loops if isinstance(start.memory, CollisionLoopMemory) else settings.max_loops
    stride = min(remembered, settings.max_loops) * PARTS
    moment, retried = start, False
    while done < whole:
        parts = min(stride, whole - done)
        t1 = end_time if done + parts == whole else start.state.time + interval * ((done + parts) / whole)
        attempt = attempt_collision_step(world, moment, t1, -(-parts // PARTS), resolve, tally)
        after = attempt.moment
        if after is None and parts > PARTS:
            # 5. Restore the collision-free state and retry with half the loops.
            stride, retried = max(PARTS, parts // PARTS // 2 * PARTS), True
            tally.halvings += 1
            continue
        if after is None:
            after, retried = last_resort(world, moment, t1, attempt, tally), True
            tally.failsafe_substeps += 1
            if after is None:
                stride = parts // 2
                if stride == 0:
                    raise SimulationStoppedError(pinch_message(world, attempt.impacts, moment.state.time))
                continue
        moment, done = after, done + parts
        tally.accept_substep(interval * (parts / whole))
        # A larger step is tried only after one that went well at once.
        if not retried and parts == stride:
            stride = min(2 * stride, settings.max_loops * PARTS)
        retried = False
    return replace(moment, memory=CollisionLoopMemory(max(1, stride // PARTS)))


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


def attempt_collision_step(
    world: World, start: Moment, end_time: float, loops: int, resolve: Resolve, tally: Tally
) -> Attempt:
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
    v, colliding = resolve(motion, v, tally)
    tally.contact_count = max(tally.contact_count, near + colliding)
    # 4. New positions.
    placed = motion.place(v)
    # 5. Accept a motion that is certified on the straight line.
    with tally.phase("check"):
        impacts = motion.find_impacts(placed)
    tally.candidate_count = len(motion.candidates)
    if len(impacts.contacts):
        return Attempt(None, v, impacts)
    v1 = _final_velocity(motion, candidate, v_candidate, v, placed.rotations, collided=colliding > 0)
    with tally.phase("detection"):
        return Attempt(motion.finish_from(candidate, placed, v1), v, impacts)


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
        raise SimulationStoppedError(collision_message(world, attempt.impacts, start.state.time))
    dt, rigids, v = end_time - start.state.time, world.model.rigids, attempt.velocity.copy()
    if len(rigids):
        v[rigids.spins] -= predict_spin(rigids, start.state.rotations, start.state.v[rigids.spins], dt).drift
    after, _ = apply_impact_zones(world, start, end_time, v, tally)
    return after or scale_back(world, start, end_time, v, tally)[0]
