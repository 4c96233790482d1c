"""Motion that goes on as it is in a second-order step: what forces are linearised about first.

Nodes that are attached to rigid bodies move on arcs, which the elimination of these nodes takes as straight: A u = b holds for
the velocity T u + c, where T has the arms at the expected end and c is what is left of the arc.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.reference_frames import ReferenceMotion
from signorini.dynamics.step_rule import StepRule
from signorini.model.model import Model
from signorini.model.rigid_bodies import FreeSpin, predict_spin, turned
from signorini.model.state import State

Floats = NDArray[np.float64]


def expected_motion(model: Model, state: State, dt: float) -> Floats:
    """Displacements over dt (n, 3) [m/s] of bodies that go on as they are, rigid ones in free rotation.

    Extrapolating accelerations, too, would be exact to one more order, but that of stiff vibrations has nothing to do with what
    comes: steps that were linearised there had to be repeated ten times as often.
    """
    u = state.v.copy()
    if len(model.rigids):
        spins = model.rigids.spins
        spin = predict_spin(model.rigids, state.rotations, state.v[spins], dt)
        u[spins] = solved_for(spin.inertia, spin.momentum)
        carry_on_arcs(model, state, dt, spin, u)
    return u


def start_of(model: Model, state: State, rule: StepRule) -> ReferenceMotion:
    """What a second-order step begins with, in a frame at rest."""
    assert state.history is not None
    start, spins = rule.start_velocity(state.v, state.history), model.rigids.spins
    start[spins] = state.v[spins]  # b has their momenta
    return ReferenceMotion(start, np.zeros_like(start))


def carried_displacements(model: Model, state: State, rule: StepRule, spin: FreeSpin) -> Floats:
    """What v1 has less than its weight times u (n, 3) [m/s]; for angular nodes the ω of the same momentum now."""
    assert state.history is not None
    carried, spins = rule.carried(state.history), model.rigids.spins
    if len(spins):
        carried[spins] = solved_for(spin.inertia, carried[spins])
    return carried


def carry_on_arcs(model: Model, state: State, dt: float, spin: FreeSpin, u: Floats) -> None:
    """Give the attached nodes of u (n, 3) the displacements over dt of their bodies, which turn [m/s]."""
    if len(model.attachments):
        nodes, linear = model.attachments.nodes, model.attachments.linear
        moved = model.attachments.arms(end_rotations(model, state, dt, spin, u)) - model.attachments.arms(
            state.rotations
        )
        u[nodes] = u[linear] + moved / dt


def arc_offsets(model: Model, state: State, dt: float, spin: FreeSpin, u: Floats) -> Floats:
    """c (n, 3) [m/s] of a motion u (n, 3) whose attached nodes are carried on arcs; zero for all other nodes."""
    straight = u.copy()
    model.attachments.carry(straight, end_rotations(model, state, dt, spin, u))
    return u - straight


def end_rotations(model: Model, state: State, dt: float, spin: FreeSpin, u: Floats) -> Floats:
    """Orientations (b, 4) of the rigid bodies after a motion u (n, 3) [m/s]."""
    return turned(state.rotations, dt * (u[model.rigids.spins] + spin.drift))


def solved_for(tensors: Floats, vectors: Floats) -> Floats:
    """x (b, 3) with tensors (b, 3, 3) x = vectors (b, 3)."""
    return np.asarray(np.linalg.solve(tensors, vectors[:, :, None]), dtype=np.float64)[:, :, 0]
