"""Motion of a (sub-)step without contact: linearised dynamics, solved as often as the integrator asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory
from signorini.dynamics.advance import Taken
from signorini.dynamics.assembly import LinearSystem, angular_impulses, assemble
from signorini.dynamics.continued_motion import carry_on_arcs, expected_motion, start_of
from signorini.dynamics.reference_frames import ReferenceMotion, frames_at_rest, reference_motion
from signorini.dynamics.step_rule import StepRule, second_order_rule
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.methods.impact_jumps import impact_jumps
from signorini.methods.moment import World
from signorini.methods.report import Tally
from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]
CAREFUL_LINEARISATIONS = 3
"""Newton iterations of the unconstrained step in sub-steps that are repeated because energy grew."""


@dataclass(frozen=True, slots=True)
class FreeMotion:
    """The (sub-)step without contact (Otaduy2009 Eqs. 2, 3)."""

    rule: StepRule
    system: LinearSystem
    """Of the last linearisation."""
    velocity: Floats
    """(n, 3) v*, its solution: displacements over dt [m/s]."""
    reference: ReferenceMotion
    linearised_at: Floats | None
    """(n, 3) where the forces of the system were linearised [m/s]; None: at the reference motion."""
    correction: Floats | None
    """(n, 3) what the last linearisation changed [m/s]; None: it was the only one."""

    def taken(
        self, world: World, state: State, touching: NDArray[np.integer], dv: Floats, rebounded: Floats
    ) -> Taken | None:
        """How the step was taken that responded with dv (n, 3) to contact between pairs of bodies (m, 2) [m/s].

        `rebounded` (n, 3) is dv with what restitution added to it. None: nothing remembers the step.
        """
        if not self.rule.remembers:
            return None
        jumps = impact_jumps(world, state, self.rule, self.system.spin, touching, self.velocity, dv)
        return Taken(self.rule, jumps, rebounded - dv)


def starting_motion(
    world: World,
    state: State,
    dt: float,
    careful: bool,
    rotating_frames: bool,
    first_order: NDArray[np.bool_] | None = None,
) -> tuple[StepRule, ReferenceMotion]:
    """The rule of a (sub-)step and the motion that it begins with; a careful step is of first order, and that of some nodes."""
    rule = StepRule(dt)
    if world.settings.integrator == "bdf2":
        rule = second_order_rule(state, dt, restart=careful, first_order=first_order)
    if rule.second_order:
        return rule, start_of(world.model, state, rule)
    return rule, reference_motion(world.model, state, dt) if rotating_frames else frames_at_rest(state)


def free_motion(
    world: World,
    state: State,
    memory: ContactMemory | None,
    tally: Tally,
    rule: StepRule,
    reference: ReferenceMotion,
    *,
    careful: bool,
    linearisations: int | None = None,
) -> FreeMotion:
    """Linearise and solve so often, by default as often as the settings ask for; a careful step does it more often.

    In a careful step, torques act before rigid bodies turn, with the work that they do then.
    """
    model, settings, dt = world.model, world.settings, rule.dt
    linearised_at = expected_motion(model, state, dt) if rule.second_order else None
    expected = reference.start_velocity if linearised_at is None else linearised_at
    # What contact added in the last step is missing again: near rest this is a much better guess than v0 alone.
    contact = 0.0 if memory is None else memory.dv * (dt / memory.dt)
    v_free = expected - contact
    kick = angular_impulses(model, state, dt) if careful else None
    left = max(CAREFUL_LINEARISATIONS if careful else 1, linearisations or settings.linearisations)
    linearised_again = False
    while True:
        with tally.phase("assembly"):
            system = assemble(model, state, dt, rule=rule, reference=reference, linearised_at=linearised_at, kick=kick)
        with tally.phase("unconstrained"):
            earlier = v_free
            v_free = solve_unconstrained(
                system.A,
                system.b,
                v_free,
                tolerance=settings.linear_tolerance,
                direct_below=settings.direct_solve_below,
                velocity=expected,
            )
        left -= 1
        if not left:
            correction = v_free - earlier if linearised_again else None
            v_free = _slowed_by_stretch(model, reference, system, v_free, v_free + contact)
            return FreeMotion(rule, system, v_free, reference, linearised_at, correction)
        linearised_at, linearised_again = v_free.copy(), True
        if rule.second_order:
            carry_on_arcs(model, state, dt, system.spin, linearised_at)
        else:
            model.attachments.carry(linearised_at, state.rotations)


def _slowed_by_stretch(
    model: Model, reference: ReferenceMotion, system: LinearSystem, v_free: Floats, expected: Floats
) -> Floats:
    """The solution v_free (n, 3) of a system, and the system, with the angular momentum that free soft solids keep [m/s].

    `expected` (n, 3) is v_free with the response of the last step to contact, which holds what elastic forces push back.
    """
    solids = reference.solids
    if solids is None:
        return v_free
    held = system.free == 0
    held[model.attachments.nodes] = True
    change = np.zeros_like(v_free)
    change[solids.nodes] = solids.missing_spin((expected - reference.start_velocity)[solids.nodes], held[solids.nodes])
    system.b[:] += system.A.times(change)
    return v_free + change
