"""One step of Hong2004: explicit, with contact forces that keep relative accelerations from being negative.

Implements: Hong2004 §2-5; docs/hong2004.md says how its text was read. The method is frictionless and does not certify its
motion: penetration is moved back after it happened, so the least distance of its reports may be negative.
"""

from __future__ import annotations

import math

from signorini.errors import SimulationStoppedError
from signorini.methods.hong.collision import Collisions
from signorini.methods.hong.forces import elastic_forces
from signorini.methods.hong.last_step import LastStep, covered_step
from signorini.methods.hong.runge_kutta import Motion, runge_kutta_step
from signorini.methods.hong.stability import stable_step
from signorini.methods.hong.step_data import Course, check_bodies, plan_course
from signorini.methods.moment import Moment, Tally, World
from signorini.methods.report import StepReport
from signorini.methods.substeps import CoveredStep

SAFETY, LEAST_CHANGE, MOST_CHANGE = 0.9, 0.2, 2.0
"""Of the step control: the part of the tolerance to aim at, and the factors between which the step may change at once."""


def cover_by_hong(world: World, start: Moment, end_time: float) -> CoveredStep:
    """Advance to exactly `end_time` [s] by as many steps of Runge-Kutta 4 as stability and accuracy need."""
    check_bodies(world.model)
    course = plan_course(world.model, start.state, end_time)
    tally, report = Tally(), StepReport(dt=end_time - start.state.time, substeps=0)
    collisions = Collisions(world, course, start.candidates, tally)
    tolerance = world.settings.hong.step_tolerance * course.element_size
    last = None

    begin = _begin(course, start)
    if begin.time == 0.0:
        collisions.check_outside(begin)
    longest = h = stable_step(world, course, begin.q)
    _check_length(world, h, begin.time, report.dt)
    settled = collisions.settle(begin, begin, min(h, report.dt))
    while end_time - settled.motion.time > 1e-9 * report.dt:
        h = _even_step(min(h, longest, collisions.longest_step(settled.motion)), end_time - settled.motion.time)
        # 1. Contact forces f with f ≥ 0, d̈ ≥ 0, f d̈ = 0 at every stage of Runge-Kutta 4 (§3-5).
        with tally.phase("contact"):
            trial = runge_kutta_step(course, settled.motion, settled.touching, h, collisions.carrying(settled.touching))
        # 2. The adaptive step (§5).
        change = SAFETY * (tolerance / max(trial.error, 1e-300)) ** 0.25
        if not trial.error <= tolerance:
            h *= max(change, LEAST_CHANGE) if math.isfinite(trial.error) else LEAST_CHANGE
            _check_length(world, h, settled.motion.time, report.dt)
            report.halvings += 1
            continue
        # 3. What penetrates is moved back on the surface, with interpolated internal forces, and stops approaching (§2).
        last = LastStep(settled, trial, h)
        collisions.remember(settled.touching, trial, h)
        settled = collisions.settle(settled.motion, trial.motion, h)
        report.substeps += 1
        report.collision_interval = max(report.collision_interval, h)
        h *= min(change, MOST_CHANGE)
    assert last is not None
    return covered_step(world, course, settled, collisions.groups.candidates, last, tally, report)


def _begin(course: Course, start: Moment) -> Motion:
    """The nodes at the start, pinned ones with their prescribed velocity."""
    q, v = start.state.q, start.state.v.copy()
    v[course.pinned] = course.pinned_velocity
    return Motion(start.state.time, q, v, elastic_forces(course.solids, q, blocks=course.blocks))


def _even_step(h: float, left: float) -> float:
    """At most h [s], such that equal steps cover what is left of the step."""
    return left / math.ceil(left / h * (1.0 - 1e-9))


def _check_length(world: World, h: float, time: float, dt: float) -> None:
    """Raise `SimulationStoppedError` when a step of h [s] is too short to go on with."""
    most = world.settings.hong.max_substeps
    if dt > h * most:
        raise SimulationStoppedError(
            f"at t = {time:.6g} s method 'hong' needs steps of {h:.2g} s, more than {most} for dt = {dt:g} s: take a coarser "
            "mesh, a softer material or less stiffness_damping, a smaller dt, a larger hong max_substeps, or method 'cmr'"
        )
