"""Where a velocity takes the bodies in one step, and the state that they are in afterwards.

Particles move by dt v. A rigid body turns by R1 = exp(dt u) R0, where u is ω at the end of the step plus what its free rotation
turned more than that (`FreeSpin.drift`): contact changes both by the same amount. Surface vertices go where this takes them, and
continuous detection certifies the straight lines there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.model.model import Model
from signorini.model.rigid_bodies import FreeSpin, turned
from signorini.model.state import State

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where everything is."""

    q: Floats
    """(n, 3) nodes [m]."""
    rotations: Floats
    """(b, 4) quaternions of the rigid bodies."""
    surface_positions: Floats
    """(v, 3) [m]"""


def advance(model: Model, state: State, v: Floats, spin: FreeSpin, kinematic: Floats, dt: float) -> Placement:
    """Move from `state` for dt [s] with velocities v (n, 3); `kinematic` (k, 3) is where the scripted vertices arrive [m]."""
    q = state.q + dt * v
    rotations = state.rotations
    if len(model.rigids):
        spins = model.rigids.spins
        rotations = turned(rotations, dt * (v[spins] + spin.drift))
        q[spins] = 0.0
        model.attachments.place(q, rotations)
    return Placement(q, rotations, model.placed_surface(q, rotations, kinematic))


def state_after(model: Model, state: State, placed: Placement, v: Floats, spin: FreeSpin, time: float) -> State:
    """The state at the end of a step that ended with velocities v (n, 3) at a placement.

    Elements take their next internal state: friction beyond its limit has slipped. The angular momentum of a rigid body is
    that of the orientation which its block of A belongs to; ω is what has this momentum in the orientation that the body
    truly has.
    """
    if len(model.rigids):
        v, spins = v.copy(), model.rigids.spins
        L = np.einsum("bij,bj->bi", spin.inertia, v[spins])
        v[spins] = model.rigids.angular_velocity(placed.rotations, L)
        model.attachments.carry(v, placed.rotations)
    internal = model.element_states(state)
    after = tuple(e.next_state(placed.q, own) for e, own in zip(model.elements, internal, strict=True))
    return State(placed.q, v, time, after, placed.rotations)
