"""The linear velocity update A v = b of one step of backward Euler.

Implements: Otaduy2009 Eqs. 1-3, with G = I for nodes that are particles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.bodies import hinge_friction_kernels, hinges_kernels, springs_kernels
from signorini.dynamics import assembly_kernels as kernels
from signorini.dynamics.block_matrix import BlockMatrix
from signorini.model import Model
from signorini.state import State


@dataclass(frozen=True, slots=True)
class LinearSystem:
    """A v = b, with the rows of prescribed nodes replaced by their velocity."""

    A: BlockMatrix
    """M + dt C + dt² K [kg]; symmetric positive definite."""
    b: NDArray[np.float64]
    """(n, 3) [kg m/s]"""
    free: NDArray[np.uint8]
    """(n,) 0 for nodes whose velocity is prescribed."""


def assemble(
    model: Model,
    state: State,
    dt: float,
    *,
    linearised_at: NDArray[np.float64] | None = None,
) -> LinearSystem:
    """A = M + dt C + dt² K,  b = M v0 + dt F(q)   (Otaduy2009 Eq. 3; the damping force cancels in b).

    `linearised_at` is a velocity v (n, 3): the forces are then linearised at q0 + dt v instead of q0, which adds dt² K v
    to b. That is a further Newton iteration of backward Euler.
    """
    v_lin = np.zeros_like(state.v) if linearised_at is None else linearised_at
    q = state.q if linearised_at is None else state.q + dt * linearised_at
    A = BlockMatrix(model.pattern.indptr, model.pattern.indices, np.zeros_like(model.pattern.data))
    b = model.mass[:, None] * (state.v + dt * model.gravity)
    diagonal = np.arange(3)
    A.data[model.diagonal_entries[:, None], diagonal, diagonal] = model.mass[:, None] * (1.0 + dt * model.air_drag)
    s, h = model.springs, model.hinges
    springs_kernels.assemble(
        s.nodes, s.rest_length, s.stiffness, s.compression, s.damping, model.spring_entries, q, v_lin, dt, A.data, b
    )
    hinges_kernels.assemble(h.nodes, h.rest_angle, h.stiffness, h.damping, model.hinge_entries, q, v_lin, dt, A.data, b)
    if len(state.set_angles):
        e = model.hinge_friction
        hinge_friction_kernels.assemble(
            e.nodes, e.stiffness, e.limit, state.set_angles, model.hinge_friction_entries, q, v_lin, dt, A.data, b
        )
    free = np.ones(model.node_count, dtype=np.uint8)
    nodes, targets = model.pinned(state.time + dt)
    if len(nodes):
        free[nodes] = 0
        prescribed = np.zeros_like(b)
        prescribed[nodes] = (targets - state.q[nodes]) / dt
        kernels.prescribe(A.indptr, A.indices, A.data, b, free, model.mass, prescribed)
    return LinearSystem(A, b, free)


def elastic_energy(model: Model, state: State) -> float:
    """Energy stored in springs, hinges and sticking friction elements [J]."""
    s, h, e = model.springs, model.hinges, model.hinge_friction
    energy = springs_kernels.energy(s.nodes, s.rest_length, s.stiffness, s.compression, state.q)
    energy += hinges_kernels.energy(h.nodes, h.rest_angle, h.stiffness, state.q)
    if len(state.set_angles):
        energy += hinge_friction_kernels.energy(e.nodes, e.stiffness, e.limit, state.set_angles, state.q)
    return energy


def moved_state(model: Model, state: State, q: NDArray[np.float64], v: NDArray[np.float64], time: float) -> State:
    """The state after the nodes have moved to q with velocities v: friction elements beyond their limit have slipped."""
    angles = state.set_angles
    return State(q, v, time, model.hinge_friction.slipped(q, angles) if len(angles) else angles)
