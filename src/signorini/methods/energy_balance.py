"""Energy balance of a (sub-)step: how the energy changed, and the work that explains it.

Gravity is part of the energy. Scripted bodies, moving pins and loads (elements that store no energy, such as wind) do work.
Friction takes energy, and so do impact, damping and the backward Euler rule, which are what is left of the balance. They never
give any: growth that no work explains is an error of the step.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements, Linearisation, Weights
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EnergyBalance:
    """Change of the energy in a (sub-)step and the work done on the bodies [J]."""

    change: float = 0.0
    """Of kinetic, gravitational and elastic energy."""
    script_work: float = 0.0
    """By scripted bodies, and by pinned vertices, through contact."""
    pin_work: float = 0.0
    """By pins that move."""
    load_work: float = 0.0
    """By elements that store no energy."""
    friction_loss: float = 0.0
    """What sliding friction turned into heat."""
    scale: float = 0.0
    """Energy that took part: kinetic at the start, work, and what gravity and elasticity released."""

    @property
    def work(self) -> float:
        """Of everything outside the bodies but gravity."""
        return self.script_work + self.pin_work + self.load_work

    @property
    def surplus(self) -> float:
        """Growth that no work explains; zero where energy was lost."""
        return max(0.0, self.change - self.work)

    def plus(self, other: EnergyBalance) -> EnergyBalance:
        """The balance of both one after the other."""
        return EnergyBalance(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def grew_beyond(self, part: float) -> bool:
        """Whether energy grew unexplained by more than a `part` of the energy that took part."""
        return self.surplus > part * self.scale


def measure_balance(world: World, start: Moment, end: Moment, solved: SolvedContacts | None) -> EnergyBalance:
    """The balance of a (sub-)step from its start to its end; without `solved`, a fail-safe made the step."""
    model, dt = world.model, end.state.time - start.state.time
    before, after = start.energies(model), end.energies(model)
    if solved is None:
        scripts, friction, pins = _failsafe_work(model, start, end), 0.0, 0.0
    else:
        scripts, friction = _contact_work(model, start, end, solved)
        rows = None if solved.system is None else solved.system.pin_rows
        pins = 0.0 if rows is None else float((rows.reactions(solved.velocity) * solved.velocity[rows.nodes]).sum())
    loads = _load_work(model, start.state, end.state, dt)
    released = max(0.0, before.potential - after.potential) + max(0.0, before.elastic - after.elastic)
    fall = 0.5 * float(model.mass.sum()) * float(model.gravity @ model.gravity) * dt**2
    scale = before.kinetic + abs(scripts) + abs(pins) + abs(loads) + released + fall
    return EnergyBalance(after.total - before.total, scripts, pins, loads, friction, scale)


def _contact_work(model: Model, start: Moment, end: Moment, solved: SolvedContacts) -> tuple[float, float]:
    """Work of prescribed vertices through contact, and the loss by friction [J]."""
    contacts, impulse = solved.contacts, solved.world_impulse
    if not len(contacts):
        return 0.0, 0.0
    moving = (end.surface_positions - start.surface_positions) / solved.problem.dt
    weights = np.where(contacts.vertices >= 0, contacts.weights, 0.0)[:, :, None]
    sliding = (weights * moving[contacts.vertices]).sum(axis=1)
    tangential = impulse - (impulse * contacts.normal).sum(axis=1, keepdims=True) * contacts.normal
    friction = -float((tangential * sliding).sum())
    prescribed = np.zeros_like(moving)
    if solved.system is not None and solved.system.pin_rows is not None:
        pinned = np.where(solved.system.free[:, None], 0.0, solved.velocity)
        prescribed = model.surface_map.turned(start.state.rotations).velocities(pinned)
    prescribed[model.kinematic_first :] = moving[model.kinematic_first :]
    scripts = -float((impulse * (weights * prescribed[contacts.vertices]).sum(axis=1)).sum())
    return scripts, max(0.0, friction)


def _failsafe_work(model: Model, start: Moment, end: Moment) -> float:
    """A bound of what scripted bodies and pins can do to all bodies in a step whose forces are not known [J].

    What they push at once, without bouncing, ends with at most twice their speed.
    """
    moved = end.surface_positions[model.kinematic_first :] - start.surface_positions[model.kinematic_first :]
    nodes, _ = model.pinned(end.state.time)
    moved = np.concatenate([moved, end.state.q[nodes] - start.state.q[nodes]])
    speed = np.sqrt((moved**2).sum(axis=1).max(initial=0.0)) / (end.state.time - start.state.time)
    return 2.0 * float(model.mass.sum()) * speed**2


def _load_work(model: Model, start: State, end: State, dt: float) -> float:
    """Work of elements that store no energy [J]: their forces at the start, for the velocities at the end, times the motion."""
    loads = [k for k, e in enumerate(model.elements) if type(e).energy is Elements.energy and len(e)]
    if not loads:
        return 0.0
    internal, impulse = model.element_states(start), np.zeros_like(start.q)
    nothing = np.zeros_like(start.q)
    at = Linearisation(start.q, nothing, nothing, end.v, end.time)
    data = np.zeros_like(model.pattern.data)
    for k in loads:
        weights = Weights(force=dt, damping=0.0, stiffness=0.0)
        model.elements[k].assemble(at, weights, internal[k], model.element_entries[k], data, impulse)
    return float((impulse * (end.q - start.q)).sum()) / dt
