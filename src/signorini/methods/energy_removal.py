"""Removal of energy that no work explains, from the velocities of a state: the last resort of a step.

Vibration goes first: the velocities of a deformable body beyond its rigid motion, which changes neither its momentum nor its
angular momentum. Only what vibration does not have is taken from whole bodies, first from those that became faster.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.model.model import BodySlot, Model
from signorini.model.state import State

Floats = NDArray[np.float64]


def without_surplus(model: Model, before: State, after: State, surplus: float) -> State:
    """The state `after` with velocities reduced by `surplus` [J] of kinetic energy, as far as there is so much."""
    v = after.v.copy()
    slots = [slot for slot in model.bodies.values() if slot.node_count]
    soft = [slot for slot in slots if slot.deformable]
    rigid_part = [_rigid_motion(model.mass[slot.nodes], after.q[slot.nodes], v[slot.nodes]) for slot in soft]
    vibration = [
        _kinetic(model.mass[slot.nodes], v[slot.nodes] - own) for slot, own in zip(soft, rigid_part, strict=True)
    ]
    paid = min(surplus, sum(vibration))
    if paid > 0.0:
        factor = np.sqrt(1.0 - paid / sum(vibration))
        for slot, own in zip(soft, rigid_part, strict=True):
            v[slot.nodes] = own + factor * (v[slot.nodes] - own)
    left = surplus - paid
    if left > 0.0:
        _slow_down(model, slots, before, replace(after, v=v), left, v)
    model.attachments.carry(v, after.rotations)
    return replace(after, v=v)


def _slow_down(model: Model, slots: list[BodySlot], before: State, after: State, surplus: float, v: Floats) -> None:
    """Scale the velocities v (n, 3) of whole bodies, in proportion to the kinetic energy that they gained, then all alike."""
    kinetic = np.array([_body_kinetic(model, after, slot) for slot in slots])
    gained = np.maximum(kinetic - [_body_kinetic(model, before, slot) for slot in slots], 0.0)
    paid = min(surplus, float(gained.sum()))
    left = kinetic - (gained * (paid / gained.sum()) if paid > 0.0 else 0.0)
    left *= max(0.0, 1.0 - (surplus - paid) / max(float(left.sum()), 1e-300))
    for slot, own, rest in zip(slots, kinetic, left, strict=True):
        v[slot.nodes] *= np.sqrt(rest / own) if own > 0.0 else 1.0


def _body_kinetic(model: Model, state: State, slot: BodySlot) -> float:
    """Kinetic energy of one body [J]."""
    v = state.v[slot.nodes]
    energy = _kinetic(model.mass[slot.nodes], v)
    if slot.rigid >= 0:
        one = slice(slot.rigid, slot.rigid + 1)
        inertia = replace(model.rigids, inertia=model.rigids.inertia[one])
        energy += 0.5 * float(v[1] @ inertia.momentum(state.rotations[one], v[1:2])[0])
    return energy


def _kinetic(mass: Floats, v: Floats) -> float:
    """Kinetic energy [J] of particles with masses (n,) and velocities (n, 3)."""
    return 0.5 * float(mass @ (v**2).sum(axis=1))


def _rigid_motion(mass: Floats, q: Floats, v: Floats) -> Floats:
    """Velocities (n, 3) of the rigid motion with the momentum and the angular momentum of particles at q (n, 3)."""
    total = mass.sum()
    centre, mean = mass @ q / total, mass @ v / total
    arms = q - centre
    L = (mass[:, None] * np.cross(arms, v - mean)).sum(axis=0)
    square = (arms**2).sum(axis=1)
    J = np.eye(3) * (mass @ square) - np.einsum("n,ni,nj->ij", mass, arms, arms)
    return mean + np.cross(np.linalg.lstsq(J, L, rcond=1e-12)[0], arms)
