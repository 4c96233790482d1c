"""Rotating reference frames of soft solids, in which backward Euler takes their steps (decision 0008).

In a frame at rest, one linearisation moves the points of a spinning body along tangents, so that it swells, and the exact step
loses (ω dt)² of its angular velocity. In a frame that rotates with the body neither happens. So the rotation of a solid about its
centre in the last step is continued by the implicit midpoint rule with the same angular momentum; velocities relative to
it are those of deformation and the centrifugal impulse, which is rotated with the frame. Elastic forces, which rotate with
the body too, are linearised about the rotated body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.linalg.nearest_rotation import nearest_rotation
from signorini.model import rigid_bodies_kernels
from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]
CONVERGED = 1e-6
"""Change of the rotation in the last iteration of the midpoint rule [rad] above which the rule has no solution."""
TINY = 1e-300
"""Speed times angle of a body at rest, to divide by."""


@dataclass(frozen=True, slots=True)
class ReferenceMotion:
    """The rigid rotation of soft solids in one step, which the system of the step is linearised about."""

    start_velocity: Floats
    """(n, 3) velocities of all nodes that the step begins with [m/s]; those of solids with the centrifugal impulse of its end."""
    velocity: Floats
    """(n, 3) straight-line velocity of the reference rotation, (R r − r) / dt [m/s]; zero outside soft solids."""
    solids: RotatedSolids | None = None
    """What rotates; None: nothing does."""


def reference_motion(model: Model, state: State, dt: float) -> ReferenceMotion:
    """Continue the rotation of all soft solids for dt [s].

    The velocities at the end of a step are displacements over dt, so they tell the rotation P of the last step. The next one is
    R. The velocities relative to R are deformation and, because the last displacement had another direction, the centrifugal
    impulse, which is rotated by R to be radial about the rotated body: it stretches and does not brake. Velocities of
    deformation stay as they are in space, which is the Coriolis force in the rotating frame, as far as they are resolved.
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
    bodies = _NodeGroups(model.mass[nodes, None], sizes)
    r, v = bodies.centred(state.q[nodes]), bodies.centred(state.v[nodes])
    S = bodies.sums(r[:, :, None] * r[:, None, :])
    P = _last_rotations(S - dt * bodies.sums(r[:, :, None] * v[:, None, :]))
    J = np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S
    R = _continued(P, J)
    w = (bodies.rotated(R, r) - r) / dt
    centrifugal = (r - bodies.rotated(P.inv(), r)) / dt - w
    # R has the angular momentum already: the torque of what is left is of third order in the rotation.
    torque = bodies.sums(np.cross(r, centrifugal).astype(np.float64))
    spin = np.asarray(np.linalg.solve(J, torque[:, :, None]), dtype=np.float64)[:, :, 0]
    outwards, deformation = centrifugal - np.cross(spin[bodies.owner], r), v - w - centrifugal
    rotated = bodies.rotated(R, deformation)
    part = _resolved(bodies, deformation, v, np.linalg.norm(P.as_rotvec(), axis=1) * max(1.0, state.interval / dt))
    start_velocity[nodes] += w + bodies.rotated(R, outwards) + rotated + part * (deformation - rotated) - v
    velocity[nodes] = w
    return ReferenceMotion(start_velocity, velocity, RotatedSolids(nodes, bodies, J, r, r + dt * w, deformation))


def frames_at_rest(state: State) -> ReferenceMotion:
    """The reference frames of a step that is taken in a frame at rest: dissipative, whatever the bodies do."""
    return ReferenceMotion(state.v.copy(), np.zeros_like(state.v))


@dataclass(frozen=True, slots=True)
class _NodeGroups:
    """The k nodes of s bodies, one body after the other."""

    mass: Floats
    """(k, 1) [kg]"""
    sizes: NDArray[np.int64]
    """(s,) nodes of each body."""

    @property
    def owner(self) -> NDArray[np.int64]:
        """(k,) the body of each node."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def sums(self, values: Floats) -> Floats:
        """Σ m values (k, ...) over the nodes of each body, (s, ...)."""
        starts = np.cumsum(self.sizes) - self.sizes
        return np.add.reduceat(self.mass.reshape(-1, *(1,) * (values.ndim - 1)) * values, starts)

    def centred(self, values: Floats) -> Floats:
        """Values (k, 3) less their mean over the body."""
        return values - (self.sums(values) / self.sums(np.ones_like(self.mass)))[self.owner]

    def rotated(self, rotations: Rotation, vectors: Floats) -> Floats:
        """Vectors (k, 3) of the nodes, each rotated by the rotation of its body."""
        return np.einsum("kij,kj->ki", rotations.as_matrix()[self.owner], vectors)


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
    deformation: Floats
    """(k, 3) velocities of deformation at the start as they are in space [m/s]."""

    def missing_spin(self, reference: ReferenceMotion, gained: Floats) -> Floats:
        """Velocities (k, 3) of rigid rotations that keep the angular momentum of a step in which the nodes have `gained` (k, 3).

        Velocities at the end are displacements over dt, whose momentum is Σ m r × v about the centre at the *start*. There, velocities
        of deformation have a torque that is none: a body that stretches would spin faster by what it stretches. The torque
        of forces is that about the rotated body.
        """
        begun = reference.start_velocity[self.nodes] - reference.velocity[self.nodes]
        lost = np.cross(self.arms, self.deformation - begun) + np.cross(self.rotated - self.arms, gained)
        torque = self.bodies.sums(np.asarray(lost, dtype=np.float64))
        spin = np.asarray(np.linalg.solve(self.inertia, torque[:, :, None]), dtype=np.float64)[:, :, 0]
        return np.cross(spin[self.bodies.owner], self.arms)


def _resolved(bodies: _NodeGroups, deformation: Floats, v: Floats, angle: Floats) -> Floats:
    """(k, 1) part, 0 to 1, in which velocities of deformation (k, 3) are told from those of rotation, by body.

    Velocities are chords of circles. Read as those of another step, as after halving it, or where they are tangents, as at the
    start, a rigid rotation seems to be deformation at up to half its speed times its `angle` (s,) in a step [rad]. What is not
    larger is rotated with the frame, which keeps its energy.
    """
    size, speed = (np.sqrt(bodies.sums((u * u).sum(axis=1, keepdims=True)))[:, 0] for u in (deformation, v))
    part = np.clip(size / np.maximum(angle * speed, TINY) - 1.0, 0.0, 1.0)
    return np.where(np.isfinite(part), part, 0.0)[bodies.owner, None]


def _last_rotations(C: Floats) -> Rotation:
    """The rotations of s bodies in the last step, from the correlations C = Σ m r r0' (s, 3, 3) with the places r0 before it.

    A body that exploded does not rotate: the method that takes the step reports it.
    """
    finite = np.isfinite(C).all(axis=(1, 2), keepdims=True)
    return Rotation.from_matrix(nearest_rotation(np.where(finite, C, np.eye(3))))


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
