"""Rotating reference frames of soft solids, in which backward Euler takes their steps (decision 0008).

In a frame at rest, one linearisation moves the points of a spinning body along tangents, so that it swells, and the exact step
loses (ω dt)² of its angular velocity. In a frame that rotates with the body neither happens. So the rotation of a solid about its
centre in the last step is continued by the implicit midpoint rule with the same angular momentum; velocities relative to
it are those of deformation and the centrifugal impulse, which is rotated with the frame. Elastic forces, which rotate with
the body too, are linearised about the rotated body. What a body stretches in the step by that slows its rotation
(`RotatedSolids.missing_spin`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.dynamics import reference_frames_kernels as kernels
from signorini.linalg.nearest_rotation import nearest_rotation
from signorini.model import rigid_bodies_kernels
from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]
CONVERGED = 1e-6
"""Change of the rotation in the last iteration of the midpoint rule [rad] above which the rule has no solution."""
TINY = 1e-300
"""Angle of a body at rest, to divide by [rad]."""


@dataclass(frozen=True, slots=True)
class ReferenceMotion:
    """The rigid rotation of soft solids in one step, which the system of the step is linearised about."""

    start_velocity: Floats
    """(n, 3) velocities of all nodes that the step begins with [m/s]; those of solids with the centrifugal impulse of its end."""
    velocity: Floats
    """(n, 3) straight-line velocity of the reference rotation, (R r − r) / dt [m/s]; zero outside soft solids."""
    solids: RotatedSolids | None = None
    """The bodies that rotate; None: frames are at rest."""


def reference_motion(model: Model, state: State, dt: float) -> ReferenceMotion:
    """Continue the rotation of all soft solids for dt [s].

    The velocities at the end of a step are displacements over its length, so they tell its rotation. The next one is R. The
    velocities relative to R are deformation and, because the last displacement had another direction, the centrifugal
    impulse, which is rotated by R to be radial about the rotated body: it stretches and does not brake. Velocities of
    deformation stay as they are in space, which is the Coriolis force in the rotating frame.
    """
    # Deviates from Otaduy2009 Eq. 3, whose b has M v0 and F(q0) as they were
    solids = [slot for slot in model.bodies.values() if slot.rotating_frame]
    start_velocity, velocity = state.v.copy(), np.zeros_like(state.v)
    if not solids:
        return ReferenceMotion(start_velocity, velocity)
    sizes = np.array([slot.node_count for slot in solids])
    nodes: slice | NDArray[np.intp] = slice(solids[0].first_node, solids[-1].first_node + solids[-1].node_count)
    if nodes.stop - nodes.start != sizes.sum():  # bodies of another kind are numbered in between
        nodes = np.concatenate([np.arange(slot.first_node, slot.first_node + slot.node_count) for slot in solids])
    bodies = _NodeGroups(model.mass[nodes], np.repeat(np.arange(len(sizes)), sizes), len(sizes))
    r, v = bodies.centred(state.q[nodes]), bodies.centred(state.v[nodes])
    S = bodies.moments(r, r)
    J = np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S
    rate, deformation = _last_rotation(bodies, S, J, r, v, state.interval)
    P = Rotation.from_rotvec(_angles(rate, dt))
    R = _continued(P, J)
    w = (bodies.rotated(R, r) - r) / dt
    centrifugal = (r - bodies.rotated(P.inv(), r)) / dt - w
    # R has the angular momentum already: the torque of what is left is of third order in the rotation.
    spin = _solved(J, bodies.angular_sums(r, centrifugal))
    outwards = bodies.rotated(R, centrifugal - bodies.spinning(spin, r))
    start_velocity[nodes] += w + outwards + deformation - v
    velocity[nodes] = w
    turn = dt * float(np.sqrt((rate * rate).sum(axis=1)).max())
    return ReferenceMotion(start_velocity, velocity, RotatedSolids(nodes, bodies, J, r, r + dt * w, outwards, turn))


def frames_at_rest(state: State) -> ReferenceMotion:
    """The reference frames of a step that is taken in a frame at rest: dissipative, whatever the bodies do."""
    return ReferenceMotion(state.v.copy(), np.zeros_like(state.v))


@dataclass(frozen=True, slots=True)
class _NodeGroups:
    """The k nodes of s bodies, one body after the other."""

    mass: Floats
    """(k,) [kg]"""
    owner: NDArray[np.int64]
    """(k,) the body of each node."""
    count: int
    """s"""

    def centred(self, values: Floats) -> Floats:
        """Values (k, 3) less their mean over the body."""
        out = np.empty_like(values)
        kernels.centre(self.mass, self.owner, values, np.zeros((self.count, 4)), out)
        return out

    def moments(self, a: Floats, b: Floats) -> Floats:
        """Σ m a b' (s, 3, 3) over the nodes of each body, of vectors a and b (k, 3)."""
        out = np.zeros((self.count, 3, 3))
        kernels.sum_moments(self.mass, self.owner, a, b, out)
        return out

    def angular_sums(self, a: Floats, b: Floats) -> Floats:
        """Σ m a × b (s, 3)."""
        M = self.moments(a, b)
        return np.stack([M[:, 1, 2] - M[:, 2, 1], M[:, 2, 0] - M[:, 0, 2], M[:, 0, 1] - M[:, 1, 0]], axis=1)

    def rotated(self, rotations: Rotation, vectors: Floats) -> Floats:
        """Vectors (k, 3) of the nodes, each rotated by the rotation of its body."""
        out = np.empty_like(vectors)
        kernels.rotate(rotations.as_matrix(), self.owner, vectors, out)
        return out

    def spinning(self, spin: Floats, arms: Floats) -> Floats:
        """Velocities (k, 3) [m/s] of the nodes at `arms` (k, 3) from their centres, for angular velocities (s, 3) [rad/s]."""
        out = np.empty_like(arms)
        kernels.spin_velocities(spin, self.owner, arms, out)
        return out


@dataclass(frozen=True, slots=True)
class RotatedSolids:
    """Soft solids in their rotating frames: s bodies with k nodes in one step."""

    nodes: slice | NDArray[np.intp]
    """(k,)"""
    bodies: _NodeGroups
    inertia: Floats
    """(s, 3, 3) about the centres at the start [kg m²]."""
    arms: Floats
    """(k, 3) r: from the centres to the nodes at the start [m]."""
    rotated: Floats
    """(k, 3) R r: the same arms rotated with the frame [m]."""
    outwards: Floats
    """(k, 3) velocities by the centrifugal impulse, rotated with the frame [m/s]."""
    farthest_turn: float
    """Angle by which the fastest of them would rotate [rad]."""

    def missing_spin(self, gained: Floats, held: NDArray[np.bool_]) -> Floats:
        """Velocities (k, 3) of rigid rotations that keep the angular momentum where forces have changed velocities by `gained`;
        zero for bodies of which some nodes are `held` (k,) by something else.

        The momentum of displacements is Σ m r × v for the arms r at the *start* of the step. For them the centrifugal impulse and
        forces that are radial about the rotated body have a torque, and only where these two are in balance they have none
        together: a body that stretches would spin faster and faster. The true torque of forces is that about the rotated body.
        """
        sums = self.bodies.angular_sums
        torque = sums(self.rotated - self.arms, gained) - sums(self.arms, self.outwards)
        spin = _solved(self.inertia, torque)
        spin[self.bodies.owner[held]] = 0.0
        return self.bodies.spinning(spin, self.arms)


def _last_rotation(
    bodies: _NodeGroups, S: Floats, J: Floats, r: Floats, v: Floats, interval: float
) -> tuple[Floats, Floats]:
    """Angular velocities (s, 3) [rad/s] of s bodies, and velocities (k, 3) of deformation, beyond the rotation [m/s].

    Velocities v (k, 3) about the centres are displacements over `interval` [s], chords of circles, or tangents if it is zero; the
    angular velocity is that of the chords, 2 sin(θ/2) / interval. Inertia tensors are J = tr(S) - S (s, 3, 3), with S = Σ m r r'.
    """
    if interval <= 0.0:
        rate = _solved(J, bodies.angular_sums(r, v))
        return rate, v - bodies.spinning(rate, r)
    C = S - interval * bodies.moments(r, v)
    finite = np.isfinite(C).all(axis=(1, 2), keepdims=True)  # what exploded does not rotate: the method reports it
    last = Rotation.from_matrix(nearest_rotation(np.where(finite, C, np.eye(3))))
    turn = last.as_rotvec()
    half = 0.5 * np.sqrt((turn * turn).sum(axis=1, keepdims=True))
    rate = turn * (np.sinc(half / np.pi) / interval)
    return rate, v - (r - bodies.rotated(last.inv(), r)) / interval


def _angles(rate: Floats, dt: float) -> Floats:
    """Rotation vectors (s, 3) of a step of dt [s] whose chords have the speed of angular velocities (s, 3) [rad/s].

    So the kinetic energy stays the same when steps become shorter or longer.
    """
    half = 0.5 * dt * np.sqrt((rate * rate).sum(axis=1, keepdims=True))
    return rate * dt * (np.arcsin(np.minimum(half, 1.0)) / np.maximum(half, TINY))


def _solved(tensors: Floats, vectors: Floats) -> Floats:
    """x (s, 3) with tensors (s, 3, 3) x = vectors (s, 3)."""
    return np.asarray(np.linalg.solve(tensors, vectors[:, :, None]), dtype=np.float64)[:, :, 0]


def _continued(P: Rotation, inertia: Floats) -> Rotation:
    """The free rotation of a step after one by P, for inertia tensors (s, 3, 3) between the two.

    Implicit midpoint rule: in the middle of each of both steps the angular momentum is J ω = L, the same L, for the J there. A
    body that rotates too far in a step for the rule to have a solution (about a radian) repeats its last rotation.
    """
    last = P.as_rotvec()
    L = (P**-0.5).apply(np.einsum("sij,sj->si", inertia, last))
    inverse = np.ascontiguousarray(np.linalg.inv(inertia), dtype=np.float64)
    turn, change = np.empty_like(last), np.empty(len(last))
    rigid_bodies_kernels.midpoint_turns(inverse, L, turn, change)
    return Rotation.from_rotvec(np.where(change[:, None] <= CONVERGED, turn, last))
