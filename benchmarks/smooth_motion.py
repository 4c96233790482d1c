"""Motion without contact by three rules of a step: backward Euler, BDF2 and TR-BDF2. For `integrator_study.py`.

Backward Euler and BDF2 are those of the product, without detection and contact. TR-BDF2 (Bank et al. 1985, as the diagonally
implicit Runge-Kutta method of Hosea and Shampine 1996) is not in the product: the trapezoidal rule for the first 0.586 of a step,
then BDF2 for the whole. Both stages are backward Euler steps of h = 0.293 dt from places and velocities that the stages before
give, so that elements, damping and pins are those of the product as well. Rigid bodies cannot take part.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import signorini as sg
from signorini.dynamics.advance import advance, state_after
from signorini.dynamics.assembly import assemble
from signorini.dynamics.energy import energies
from signorini.dynamics.reference_frames import frames_at_rest
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.methods.free_motion import free_motion, starting_motion
from signorini.methods.report import Tally
from signorini.model.state import State

Floats = NDArray[np.float64]
Rule = Literal["euler", "bdf2", "tr-bdf2"]
STAGE = 1.0 - math.sqrt(0.5)
"""Length of the backward Euler step of a stage of TR-BDF2, over dt."""
WEIGHT = math.sqrt(2.0) / 4.0
"""Weight of the first two derivatives in the last stage of TR-BDF2."""
START = 1e-6
"""Length of the step that finds the accelerations at the start, over dt."""
NO_CONTACT = np.zeros((0, 2), dtype=np.int32)


@dataclass(frozen=True)
class Motion:
    """What a run leaves."""

    places: Floats
    """(times, nodes, 3) [m]"""
    energy: Floats
    """(steps + 1,) [J]"""
    kinetic: Floats
    """(steps + 1,) [J]"""
    momentum: Floats
    """(steps + 1, 3) angular momentum [kg m²/s]"""
    cpu: float
    """Of all steps, without the reading of energies [s]."""


class SmoothMotion:
    """A simulation that is stepped without detection and contact, by one of the rules."""

    def __init__(self, sim: sg.Simulation, rule: Rule, linearisations: int) -> None:
        self.rule: Rule = rule
        self.linearisations = linearisations
        integrator = "euler" if rule == "tr-bdf2" else rule
        settings = replace(sim._world.settings, integrator=integrator, newton_iterations=linearisations)
        self.world = replace(sim._world, settings=settings)
        self.state: State = sim.state
        self.acceleration: Floats | None = None

    def step(self, dt: float) -> None:
        self.state = self._two_stages(dt) if self.rule == "tr-bdf2" else self._one_stage(dt)

    def _one_stage(self, dt: float) -> State:
        world, state, model = self.world, self.state, self.world.model
        rule, reference = starting_motion(world, state, dt, careful=False, rotating_frames=True)
        free = free_motion(world, state, None, Tally(), rule, reference, careful=False)
        u, spin = free.velocity, free.system.spin
        placed = advance(model, state, u, spin, model.kinematic_positions(state.time + dt), dt)
        taken = free.taken(world, state, NO_CONTACT, np.zeros_like(u), np.zeros_like(u))
        return state_after(model, state, placed, u, spin, state.time + dt, taken)

    def _two_stages(self, dt: float) -> State:
        state, h = self.state, STAGE * dt
        v0, a0 = state.v, self.acceleration
        if a0 is None:
            a0 = (self._implicit(state.q, v0, START * dt, state.time, v0) - v0) / (START * dt)
        start = v0 + h * a0
        v2 = self._implicit(state.q + h * v0, start, h, state.time + h, v0)
        a2 = (v2 - start) / h
        start = v0 + WEIGHT * dt * (a0 + a2)
        q = state.q + WEIGHT * dt * (v0 + v2)
        v1 = self._implicit(q, start, h, state.time + dt - h, v2)
        self.acceleration = (v1 - start) / h
        q = q + h * v1
        own = self.world.model.element_states(state)
        after = tuple(e.next_state(q, o) for e, o in zip(self.world.model.elements, own, strict=True))
        return replace(state, q=q, v=v1, time=state.time + dt, internal=after, interval=dt)

    def _implicit(self, q: Floats, v: Floats, h: float, time: float, expected: Floats) -> Floats:
        """Velocities (n, 3) at the end of a step of backward Euler of h [s] from q and v, linearised where it is expected."""
        state, settings = replace(self.state, q=q, v=v, time=time), self.world.settings
        at = expected
        for _ in range(self.linearisations):
            system = assemble(self.world.model, state, h, reference=frames_at_rest(state), linearised_at=at)
            at = solve_unconstrained(
                system.A, system.b, at, tolerance=settings.linear_tolerance, direct_below=settings.direct_solve_below,
                velocity=expected,
            )  # fmt: skip
        return at


def run(sim: sg.Simulation, rule: Rule, linearisations: int, *, dt: float, seconds: float, every: float) -> Motion:
    """So many seconds in steps of dt, with places `every` so many seconds."""
    motion, model = SmoothMotion(sim, rule, linearisations), sim._world.model
    places, found, momenta, cpu = [], [energies(model, motion.state)], [], 0.0

    def momentum() -> Floats:
        return np.cross(motion.state.q, model.mass[:, None] * motion.state.v).sum(axis=0)

    momenta.append(momentum())
    for k in range(1, round(seconds / dt) + 1):
        begin = time.process_time()
        motion.step(dt)
        cpu += time.process_time() - begin
        found.append(energies(model, motion.state))
        momenta.append(momentum())
        if abs(k * dt / every - round(k * dt / every)) < 1e-6:
            places.append(motion.state.q.copy())
    total, kinetic = (np.array([getattr(e, name) for e in found]) for name in ("total", "kinetic"))
    return Motion(np.array(places), total, kinetic, np.array(momenta), cpu)
