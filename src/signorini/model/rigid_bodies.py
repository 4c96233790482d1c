"""Rigid bodies: two nodes each, the velocity of the centre of mass and the angular velocity ω, both in the world frame.

Within a step the rotation without torque is followed accurately with the angular momentum L = J ω held constant; contact then
changes L. The orientation at the end of the free rotation gives the block J of the system matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.model import rigid_bodies_kernels as kernels

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RigidBodies:
    """Constants of b rigid bodies. The linear node of a body is `nodes`, its angular node the next one."""

    nodes: NDArray[np.int32]
    """(b,)"""
    mass: Floats
    """(b,) [kg]"""
    inertia: Floats
    """(b, 3, 3) about the centre of mass, in the frame of the body's mesh [kg m²]."""
    inverse_inertia: Floats
    """(b, 3, 3)"""

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def spins(self) -> NDArray[np.int32]:
        """(b,) the angular nodes."""
        return self.nodes + 1

    def momentum(self, rotations: Floats, w: Floats) -> Floats:
        """Angular momenta L = J ω about the centres of mass, (b, 3) [kg m²/s]."""
        return _tensors_times(rotations, self.inertia, w)

    def angular_velocity(self, rotations: Floats, momentum: Floats) -> Floats:
        """ω = J⁻¹ L, (b, 3) [rad/s]."""
        w = _tensors_times(rotations, self.inverse_inertia, momentum)
        # Refined once: the rounding of the inverse is always the same and would add up over thousands of steps.
        return w + _tensors_times(rotations, self.inverse_inertia, momentum - self.momentum(rotations, w))

    def world_inertia(self, rotations: Floats) -> Floats:
        """J = R J0 R', (b, 3, 3) [kg m²]."""
        J = np.empty((len(self), 3, 3))
        kernels.world_tensors(rotations, self.inertia, J)
        return J


@dataclass(frozen=True, slots=True)
class FreeSpin:
    """Free rotation of b rigid bodies in one step."""

    momentum: Floats
    """(b, 3) L, the same at the start and at the end [kg m²/s]."""
    inertia: Floats
    """(b, 3, 3) J in the orientation at the end [kg m²]."""
    drift: Floats
    """(b, 3) the velocity that turns the body in this step, less ω at the end of it [rad/s]."""
    kick: Floats | None = None
    """(b, 3) what torques add to L before the body turns [kg m²/s]; None: they act at the end."""


def build_rigid_bodies(nodes: list[int], mass: Floats, inertia: Floats) -> RigidBodies:
    """From the linear nodes, masses (b,) [kg] and inertia tensors (b, 3, 3) [kg m²] in the bodies' frames."""
    symmetric = np.ascontiguousarray(0.5 * (inertia + inertia.transpose(0, 2, 1)))
    inverse = np.asarray(np.linalg.inv(symmetric), dtype=np.float64)
    return RigidBodies(np.array(nodes, dtype=np.int32), mass, symmetric, inverse)


def predict_spin(bodies: RigidBodies, rotations: Floats, w: Floats, dt: float, kick: Floats | None = None) -> FreeSpin:
    """Follow the free rotation from orientations (b, 4) and angular velocities (b, 3) for dt [s].

    With a `kick` (b, 3) [kg m²/s] it is the rotation with the momentum after that. Torques that act at the end turn the body away
    from where its free rotation has led, which is energy from nothing where it turns far in a step.
    """
    if not len(bodies):
        return FreeSpin(w, bodies.inertia, w)
    start = bodies.momentum(rotations, w)
    L = start if kick is None else start + kick
    end = np.empty_like(rotations)
    kernels.spin_freely(rotations, L, bodies.inverse_inertia, dt, end)
    turn = np.empty_like(w)
    kernels.turns_between(rotations, end, turn)
    after = bodies.angular_velocity(end, L)
    turn = with_whole_turns(turn, 0.5 * dt * (w + after))
    return FreeSpin(start, bodies.world_inertia(end), turn / dt - after, kick)


def with_whole_turns(turns: Floats, near: Floats) -> Floats:
    """Rotation vectors (b, 3) [rad] with whole turns added about their axes so that they come nearest to others (b, 3)."""
    angle = np.sqrt((turns * turns).sum(axis=1))
    along = (turns * near).sum(axis=1) / np.maximum(angle, 1e-300)
    # Orientations that agree have no axis between them: then the whole turns are about that of the other vector.
    closed = angle < 1e-9
    whole = np.round((np.where(closed, np.sqrt((near * near).sum(axis=1)), along) - angle) / (2.0 * np.pi))
    if not whole.any():
        return turns
    axis = np.where(closed[:, None], near, turns)
    axis = axis / np.maximum(np.sqrt((axis * axis).sum(axis=1)), 1e-300)[:, None]
    return np.where(whole[:, None] != 0.0, turns + 2.0 * np.pi * whole[:, None] * axis, turns)


def turned(rotations: Floats, vectors: Floats) -> Floats:
    """Orientations (b, 4) after turns by rotation vectors (b, 3) [rad] in the world frame."""
    out = np.empty_like(rotations)
    kernels.turn_all(rotations, vectors, out)
    return out


def turned_vectors(rotations: Floats, vectors: Floats) -> Floats:
    """R vector for orientations (k, 4) and vectors (k, 3)."""
    out = np.empty_like(vectors)
    kernels.rotate_all(rotations, vectors, out)
    return out


def rotation_matrices(rotations: Floats) -> Floats:
    """Matrices (b, 3, 3) of unit quaternions (b, 4)."""
    x, y, z, w = rotations.T
    return np.stack(
        [
            np.stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)], axis=-1),
            np.stack([2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)], axis=-1),
            np.stack([2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)], axis=-1),
        ],
        axis=-2,
    )


def _tensors_times(rotations: Floats, tensors: Floats, vectors: Floats) -> Floats:
    out = np.empty((len(rotations), 3))
    kernels.tensors_times(rotations, tensors, np.ascontiguousarray(vectors), out)
    return out
