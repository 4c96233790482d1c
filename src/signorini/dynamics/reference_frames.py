"""Soft solids go on turning: the frame in which backward Euler takes a step of theirs (decision 0008).

In a frame at rest, one linearisation lets a body that spins go along the tangents and swell, and the exact step loses (ω dt)² of
its angular velocity. In a frame that turns with the body neither happens. So the rigid part of what a solid did in the last step,
a rotation about its centre, is continued by the implicit midpoint rule with the same angular momentum; velocities relative to
that are turned along, and elastic forces, which turn with the body too, are linearised about the turned body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]
ACCURACY, SETTLED = 1e-12, 1e-6
"""Of the turns: at which they are not improved any more, and at least [rad]."""
MOST_ITERATIONS = 50


@dataclass(frozen=True, slots=True)
class Turning:
    """What soft solids do in a step as rigid bodies."""

    velocities: Floats
    """(n, 3) of all nodes, as the step begins; those of solids were turned along [m/s]."""
    way: Floats
    """(n, 3) that take each soft solid to where it will have turned, in one step; zero elsewhere [m/s]."""


def turn_solids(model: Model, state: State, dt: float) -> Turning:
    """How the soft solids go on turning for dt [s].

    The velocities at the end of a step are the way it went over dt, so they tell by which rotation P a solid turned. It goes on
    turning by R, and what its velocities were beyond the way of R is turned by R: deformation, and, because the last way was
    in another direction, the centrifugal impulse. It is radial about the turned body, so that it stretches without braking.
    """
    # Deviates from Otaduy2009 Eq. 3, whose b has M v0 and F(q0) as they were
    solids = [slot for slot in model.bodies.values() if slot.rotating_frame]
    velocities, way = state.v.copy(), np.zeros_like(state.v)
    if not solids:
        return Turning(velocities, way)
    # Nodes are numbered kind by kind: those of the solids follow each other.
    nodes = slice(solids[0].first_node, solids[-1].first_node + solids[-1].node_count)
    group = _Groups(model.mass[nodes, None], np.array([slot.node_count for slot in solids]))
    r, v = group.centred(state.q[nodes]), group.centred(state.v[nodes])
    S = group.sums(r[:, :, None] * r[:, None, :])
    P = _nearest_rotations(S - dt * group.sums(r[:, :, None] * v[:, None, :]))
    J = np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S
    R = _continued(P, J)
    w = (group.turned(R, r) - r) / dt
    centrifugal = (r - group.turned(P.inv(), r)) / dt - w
    # R has brought the angular momentum along already: what is left here is of third order in the turn.
    torque = group.sums(np.cross(r, centrifugal).astype(np.float64))
    beyond = v - w - np.cross(_solved(J, torque)[group.owner], r)
    velocities[nodes] += w + group.turned(R, beyond) - v
    way[nodes] = w
    return Turning(velocities, way)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Nodes of bodies, one body after the other."""

    mass: Floats
    """(k, 1) [kg]"""
    sizes: NDArray[np.int64]

    @property
    def owner(self) -> NDArray[np.int64]:
        """(k,) the body of each node."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def sums(self, values: Floats) -> Floats:
        """Σ m values (k, ...) over the nodes of each body, (bodies, ...)."""
        starts = np.cumsum(self.sizes) - self.sizes
        return np.add.reduceat(self.mass.reshape(-1, *(1,) * (values.ndim - 1)) * values, starts)

    def centred(self, values: Floats) -> Floats:
        """Values (k, 3) less their mean over the body."""
        return values - (self.sums(values) / self.sums(np.ones_like(self.mass)))[self.owner]

    def turned(self, rotations: Rotation, vectors: Floats) -> Floats:
        """Vectors (k, 3) of the nodes, each turned by the rotation of its body."""
        return np.einsum("kij,kj->ki", rotations.as_matrix()[self.owner], vectors)


def _nearest_rotations(C: Floats) -> Rotation:
    """P that brings r0 nearest to r, from the correlations C = Σ m r r0' (s, 3, 3) of both (Kabsch 1976).

    A body that exploded does not turn: whoever takes the step will find out.
    """
    U, _, Vt = np.linalg.svd(np.where(np.isfinite(C).all(axis=(1, 2), keepdims=True), C, np.eye(3)))
    U[:, :, 2] *= np.linalg.det(U @ Vt)[:, None]
    return Rotation.from_matrix(U @ Vt)


def _continued(P: Rotation, inertia: Floats) -> Rotation:
    """The free rotation of a step after one by P, for inertia tensors (s, 3, 3) between the two.

    Implicit midpoint rule: in the middle of each of both steps the angular momentum is J ω = L, the same L, for the J there. A
    body that turns too far in a step for the rule to have an answer (about a radian) goes on as it did.
    """
    turn = before = P.as_rotvec()
    L = (P**-0.5).apply(np.einsum("sij,sj->si", inertia, turn))
    for _ in range(MOST_ITERATIONS):
        half = Rotation.from_rotvec(0.5 * turn)
        before, turn = turn, half.apply(_solved(inertia, half.inv().apply(L)))
        if np.abs(turn - before).max() <= ACCURACY:
            break
    settled = np.abs(turn - before).max(axis=1, keepdims=True) <= SETTLED
    return Rotation.from_rotvec(np.where(settled, turn, P.as_rotvec()))


def _solved(matrices: Floats, vectors: Floats) -> Floats:
    """Solutions (s, 3) of the systems with matrices (s, 3, 3) and right-hand sides (s, 3)."""
    return np.asarray(np.linalg.solve(matrices, vectors[:, :, None]), dtype=np.float64)[:, :, 0]
