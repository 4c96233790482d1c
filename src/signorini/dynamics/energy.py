"""Energies of a state, for the energy balance and the report of a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.dynamics import energy_kernels as kernels
from signorini.model.model import Model
from signorini.model.state import State


class Energies(NamedTuple):
    """Energies of a state [J]."""

    kinetic: float
    potential: float
    """Of gravity, zero at the origin."""
    elastic: float

    @property
    def total(self) -> float:
        return self.kinetic + self.potential + self.elastic


def energies(model: Model, state: State) -> Energies:
    """All energies of a state."""
    potential = -float(model.mass @ (state.q * model.node_gravity).sum(axis=1))
    return Energies(kinetic_energy(model, state), potential, elastic_energy(model, state))


def elastic_energy(model: Model, state: State) -> float:
    """Energy stored in all elements [J]."""
    internal = model.element_states(state)
    return sum((e.energy(state.q, own) for e, own in zip(model.elements, internal, strict=True)), 0.0)


def kinetic_energy(model: Model, state: State) -> float:
    """Of all nodes and of the rotation of rigid bodies [J]."""
    energy = 0.5 * float(model.mass @ (state.v**2).sum(axis=1))
    if len(model.rigids):
        w = state.v[model.rigids.spins]
        energy += 0.5 * float((w * model.rigids.momentum(state.rotations, w)).sum())
    return energy


def max_speed(model: Model, state: State) -> float:
    """The speed of the fastest node or surface vertex of a rigid body [m/s]."""
    v, largest = state.v, np.zeros(1)
    if len(model.rigids):
        v = v.copy()
        v[model.rigids.spins] = 0.0
        v = np.concatenate([v, model.surface_map.turned(state.rotations).velocities(state.v)])
    kernels.largest_squares(np.zeros(len(v), np.int32), v, largest)
    return float(np.sqrt(largest[0]))
