"""Motion of a (sub-)step without contact: linearised dynamics, solved as often as the integrator asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory
from signorini.dynamics.advance import Taken
from signorini.dynamics.assembly import LinearSystem, assemble
from signorini.dynamics.continued_motion import carry_on_arcs, expected_motion, start_of
from signorini.dynamics.reference_frames import ReferenceMotion, frames_at_rest, reference_motion
from signorini.dynamics.step_rule import StepRule, second_order_rule
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.methods.impact_jumps import impact_jumps
from signorini.methods.moment import World
from signorini.methods.report import Tally
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


def free_motion(
    world: World,
    state: State,
    memory: ContactMemory | None,
    dt: float,
    tally: Tally,
    *,
    careful: bool,
    rotating_frames: bool,
) -> FreeMotion:
    """Linearise and solve, as often as the settings ask for, or a careful step does, which is of first order."""
    model, settings, linearised_at = world.model, world.settings, None
    rule = second_order_rule(state, dt, restart=careful) if settings.integrator == "bdf2" else StepRule(dt)
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
            v_free = _with_momentum(reference, system, v_free, 0.0 if memory is None else memory.dv * (dt / memory.dt))
            return FreeMotion(rule, system, v_free, reference, linearised_at)
        linearised_at = v_free.copy()
        if rule.second_order:
            carry_on_arcs(model, state, dt, system.spin, linearised_at)
        else:
            model.attachments.carry(linearised_at, state.rotations)


def _with_momentum(reference, system, v_free, contact):
    solids = reference.solids
    if solids is None:
        return v_free
    gained = (v_free + contact - reference.start_velocity)[solids.nodes]
    v_free = v_free.copy()
    change = np.zeros_like(v_free)
    change[solids.nodes] = solids.missing_spin(reference, gained)
    system.b[:] += system.A.times(change)
    return v_free + change
