"""Energies of a state, for the report of a step."""

from __future__ import annotations

import numpy as np

from signorini.elements import hinge_friction_kernels, hinges_kernels, springs_kernels, tetrahedra_kernels
from signorini.model.model import Model
from signorini.model.state import State


def elastic_energy(model: Model, state: State) -> float:
    """Energy stored in springs, hinges, sticking friction elements and solids [J]."""
    e, q = model.elements, state.q
    s, h, f, t = e.springs, e.hinges, e.hinge_friction, e.tetrahedra
    energy = springs_kernels.energy(s.nodes, s.rest_length, s.stiffness, s.compression, q)
    energy += hinges_kernels.energy(h.nodes, h.rest_angle, h.stiffness, q)
    if len(state.set_angles):
        energy += hinge_friction_kernels.energy(f.nodes, f.stiffness, f.limit, state.set_angles, q)
    if len(t):
        energy += tetrahedra_kernels.energy(
            t.nodes, t.rest_inverse, t.volume, t.lame_mu, t.lame_lambda, t.neo_hookean, q
        )
    return energy


def kinetic_energy(model: Model, state: State) -> float:
    """Of all nodes and of the rotation of rigid bodies [J]."""
    energy = 0.5 * float(model.mass @ (state.v**2).sum(axis=1))
    if len(model.rigids):
        w = state.v[model.rigids.spins]
        energy += 0.5 * float((w * model.rigids.momentum(state.rotations, w)).sum())
    return energy


def max_speed(model: Model, state: State) -> float:
    """The speed of the fastest node or surface vertex of a rigid body [m/s]."""
    v = state.v
    if len(model.rigids):
        v = v.copy()
        v[model.rigids.spins] = 0.0
        v = np.concatenate([v, model.surface_map.turned(state.rotations).velocities(state.v)])
    return float(np.sqrt((v**2).sum(axis=1).max()))
