"""Hong2004: explicit steps, with contact forces that keep relative accelerations from being negative.

Implements: Hong2004 §2-5; docs/hong2004.md says how its text was read. The method is frictionless and does not certify its
motion: penetration is moved back after it happened, so the least distance of its reports may be negative.
"""

from __future__ import annotations

import math

from signorini.errors import InputError, SimulationStoppedError
from signorini.methods.hong.collision_response import Collisions
from signorini.methods.hong.contacts import detect_signed, group_pairs
from signorini.methods.hong.forces import elastic_forces
from signorini.methods.hong.runge_kutta import Motion, runge_kutta_step
from signorini.methods.hong.solids import gather_solids
from signorini.methods.hong.stability import frequency_ratio, stable_step
from signorini.methods.hong.step_data import StepData, element_size, model_data, step_data
from signorini.methods.hong.step_outcome import LastStep, covered_step
from signorini.methods.method import CoveredStep, Method
from signorini.methods.moment import Moment, World
from signorini.methods.report import Tally

ERROR_TARGET = 0.9
"""Part of the longest step that the error estimate allows which is tried next: the estimate is of leading order only."""
LARGEST_DECREASE = 0.2
"""Least factor on a rejected step: far from convergence the estimate is not to be trusted further."""
LARGEST_INCREASE = 2.0
"""Largest factor on an accepted step, for the same reason."""
ERROR_ORDER = 4
"""The estimated error of a step h is of order h^4."""


class Hong(Method):
    """The method `hong`: soft solids whose inside can be told from their outside, by Runge-Kutta 4 with adaptive steps."""

    name = "hong"
    certifies = False
    chooses_steps = True
    takes_loads = False

    def check(self, start: Moment) -> None:
        """Raise an `InputError` that names a body which the method cannot simulate."""
        surface = self.world.model.surface
        for slot in self.world.model.bodies.values():
            if not slot.scripted and (slot.rigid >= 0 or not slot.thick):
                raise InputError(
                    f"method 'hong' simulates soft solids among kinematic bodies and half-spaces, but {slot.name!r} is of kind "
                    f"{slot.kind!r}: use method 'cmr', 'volume' or 'impulses', or leave the body out"
                )
            own = surface.vertex_body[surface.edges[:, 0]] == slot.number
            if not (surface.edge_valence[own] == 2).all():
                raise InputError(
                    f"method 'hong' tells by the inside of a body what penetrates it, but the surface of {slot.name!r} is not "
                    "closed: close it, or use method 'cmr'"
                )
        if start.state.time == 0.0:
            _check_outside(self.world, start)

    def prepare(self) -> None:
        """Compute the data of the elements and calibrate the estimate of the stable step."""
        self.data = model_data(self.world.model)
        self.frequency_ratio = frequency_ratio(self.data)

    def cover(self, start: Moment, end_time: float) -> CoveredStep:
        """Advance to exactly `end_time` [s] by as many steps of Runge-Kutta 4 as stability and accuracy need."""
        world, tally, dt = self.world, Tally(), end_time - start.state.time
        step = step_data(self.data, start.state, end_time)
        collisions = Collisions(world, step, start.candidates, tally)
        tolerance = world.settings.hong.step_tolerance * self.data.element_size
        last = None

        begin = _begin(step, start)
        longest = h = stable_step(self.data, begin.q, self.frequency_ratio)
        _check_length(world, h, begin.time, dt)
        settled = collisions.settle(begin, begin, min(h, dt))
        while end_time - settled.motion.time > 1e-9 * dt:
            h = _even_step(min(h, longest, collisions.longest_step(settled.motion)), end_time - settled.motion.time)
            # 1. Contact forces f with f ≥ 0, d̈ ≥ 0, f d̈ = 0 at every stage of Runge-Kutta 4 (§3-5).
            with tally.phase("contact"):
                trial = runge_kutta_step(
                    step, settled.motion, settled.touching, h, collisions.carrying(settled.touching)
                )
            # 2. The adaptive step (§5).
            change = ERROR_TARGET * (tolerance / max(trial.error, 1e-300)) ** (1 / ERROR_ORDER)
            if not trial.error <= tolerance:
                h *= max(change, LARGEST_DECREASE) if math.isfinite(trial.error) else LARGEST_DECREASE
                _check_length(world, h, settled.motion.time, dt)
                tally.halvings += 1
                continue
            # 3. What penetrates is moved back on the surface, with interpolated internal forces, and stops approaching (§2).
            last = LastStep(settled, trial, h)
            collisions.remember(settled.touching, trial, h)
            settled = collisions.settle(settled.motion, trial.motion, h)
            tally.accept_substep(h)
            h *= min(change, LARGEST_INCREASE)
        assert last is not None
        return covered_step(world, step, settled, collisions.groups.candidates, last, tally)


def _check_outside(world: World, start: Moment) -> None:
    """Raise an `InputError` when a body starts inside another, as in a hollow body whose triangles face outward."""
    x, settings = start.surface_positions, world.settings.hong
    groups = group_pairs(world.model.surface, start.candidates, edges=settings.edge_contacts)
    contacts = detect_signed(world, groups, x, x, 0.0)
    legal = settings.tolerance * element_size(gather_solids(world.model.elements))
    if contacts.distance.min(initial=0.0) < -legal:
        a, b = (world.model.body_names[k] for k in contacts.bodies[int(contacts.distance.argmin())])
        raise InputError(
            f"{a!r} starts inside {b!r}, by the direction of its triangles: method 'hong' takes what they face as outside; "
            f"turn the triangles of {b!r} if it is hollow, or use method 'cmr'"
        )


def _begin(step: StepData, start: Moment) -> Motion:
    """The nodes at the start, pinned ones with their prescribed velocity."""
    q, v = start.state.q, start.state.v.copy()
    v[step.pinned] = step.pinned_velocity
    return Motion(start.state.time, q, v, elastic_forces(step.data.solids, q, blocks=step.blocks))


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
