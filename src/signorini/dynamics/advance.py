"""Where a velocity takes the bodies in one step, and the state that they are in afterwards.

Particles move by dt v. A rigid body turns by R1 = exp(dt u) R0, where u is ω at the end of the step plus what its free rotation
turned more than that (`FreeSpin.drift`): contact changes both by the same amount. Within the step it turns at this constant rate
about its centre of mass, which moves on a straight line; continuous detection certifies this path (decision 0011).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.paths import STRAIGHT, Paths, ScriptedCurves
from signorini.collision.paths_kernels import SMALLEST_TURN, trace
from signorini.dynamics.continued_motion import solved_for
from signorini.dynamics.step_rule import StepRule
from signorini.model.model import Model
from signorini.model.rigid_bodies import FreeSpin, turned
from signorini.model.state import History, State

Floats = NDArray[np.float64]
MOST_GAINED = 1.5
"""Factor by which the energy of a rotation may grow because a body ends in another orientation than A was built for. A slender
body that hits something in a large turn would gain a multiple of it: then ω is made less instead of L kept. Less growth is left
to the energy balance of the step."""
NO_TURNS = np.zeros((0, 3))


@dataclass(frozen=True, slots=True)
class Placement:
    """Where everything is."""

    q: Floats
    """(n, 3) nodes [m]."""
    rotations: Floats
    """(b, 4) quaternions of the rigid bodies."""
    surface_positions: Floats
    """(v, 3) [m]"""
    turns: Floats
    """(b, 3) rotation vectors by which the rigid bodies turn on the way, whole turns included [rad]."""


def paths_of(model: Model, arms: Floats, turns: Floats, curves: ScriptedCurves) -> Paths:
    """The paths of all surface vertices to a placement, for arms (k, 3) of the surface map at the start [m]."""
    if not len(curves) and not (np.abs(turns) > SMALLEST_TURN).any():
        return STRAIGHT
    surface_map = model.surface_map
    kind = np.where(curves.kind >= 0, curves.kind + len(turns), curves.kind)
    return Paths(
        trace(
            surface_map.indptr, surface_map.nodes, surface_map.weights, surface_map.rotor, arms, model.kinematic_first,
            np.concatenate([turns, curves.turns]), curves.of_node, curves.of_vertex, kind, curves.arm, curves.extra,
            curves.offsets,
        )
    )  # fmt: skip


def advance(model: Model, state: State, v: Floats, spin: FreeSpin, kinematic: Floats, dt: float) -> Placement:
    """Move from `state` for dt [s] with velocities v (n, 3); `kinematic` (k, 3) is where the scripted vertices arrive [m]."""
    q = state.q + dt * v
    rotations, turns = state.rotations, NO_TURNS
    if len(model.rigids):
        spins = model.rigids.spins
        turns = dt * (v[spins] + spin.drift)
        rotations = turned(rotations, turns)
        q[spins] = 0.0
        model.attachments.place(q, rotations)
    return Placement(q, rotations, model.placed_surface(q, rotations, kinematic), turns)


@dataclass(frozen=True, slots=True)
class Taken:
    """How a step was taken that leaves a history: its rule, and the jumps of velocities by impacts."""

    rule: StepRule
    jumps: Floats
    """(n, 3) [m/s]"""
    rebound: Floats
    """(n, 3) what restitution added to velocities, not to displacements [m/s]"""


def state_after(
    model: Model, state: State, placed: Placement, u: Floats, spin: FreeSpin, time: float, taken: Taken | None = None
) -> State:
    """The state at the end of a step with displacements u (n, 3) over dt to a placement.

    In a step of first order u is the velocity at the end, too; in one that leaves a history `taken` tells that.

    Elements take their next internal state: friction beyond its limit has slipped. The angular momentum of a rigid body is
    that of the orientation which its block of A belongs to; ω is what has this momentum in the orientation that the body
    truly has, or less where that would be energy from nothing (`MOST_GAINED`).
    """
    v, history = (u, None) if taken is None else _continued(model, state, placed, u, spin, taken)
    if len(model.rigids):
        v, spins = v.copy(), model.rigids.spins
        L = np.einsum("bij,bj->bi", spin.inertia, v[spins])
        w = model.rigids.angular_velocity(placed.rotations, L)
        # Twice the energy of the rotation, in the orientation of A's block and in the true one.
        before, after = (v[spins] * L).sum(axis=1), (w * L).sum(axis=1)
        gained = after > MOST_GAINED * before
        w[gained] *= np.sqrt(before[gained] / after[gained])[:, None]
        v[spins] = w
        model.attachments.carry(v, placed.rotations)
    internal = model.element_states(state)
    after = tuple(e.next_state(placed.q, own) for e, own in zip(model.elements, internal, strict=True))
    return State(placed.q, v, time, after, placed.rotations, time - state.time, state.applied, history)


def _continued(
    model: Model, state: State, placed: Placement, u: Floats, spin: FreeSpin, taken: Taken
) -> tuple[Floats, History]:
    """Velocities (n, 3) at the end of a step with displacements u (n, 3) over dt, and the history that it leaves."""
    rule, spins, attached = taken.rule, model.rigids.spins, model.attachments.nodes
    jumps, rebound, before = taken.jumps.copy(), taken.rebound.copy(), state.v.copy()
    u = u - rebound
    if len(attached):
        model.attachments.carry(jumps, placed.rotations)
        model.attachments.carry(rebound, placed.rotations)
        u[attached] = (placed.q[attached] - state.q[attached]) / rule.dt
    if len(spins):
        before[spins] = spin.momentum
        for x in (u, jumps, rebound):
            x[spins] = np.einsum("bij,bj->bi", spin.inertia, x[spins])
    carried = np.zeros_like(u) if state.history is None else rule.carried(state.history)
    v = rule.end_velocity(u, carried, jumps) + rebound
    if len(spins):
        v[spins] = solved_for(spin.inertia, v[spins])
    earlier = None
    if state.history is not None and rule.continues(state.history):
        earlier = replace(state.history, before=None).shifted(jumps)
    return v, History(before + jumps, u, rule.dt, earlier).shifted(rebound)
