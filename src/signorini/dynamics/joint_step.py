"""Joints in one (sub-)step: the velocities that they allow, and the exact end of the step that a velocity leads to.

The impulses of joints act at the anchors as they lie at the start of the step, and the joints are closed at its end: g(q1) = 0
to rounding, so that nothing drifts (the rule of SHAKE, symmetric in time; decision 0020). The velocities of a mechanism are
v = Z w + Y μ, with J Z = 0 at the start and Z'MY = 0: dynamics and contact determine w alone, and Y μ, which is of second order
in dt, bends the motion back to where joints allow it. Y μ follows from w by Newton's method.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from signorini.model.jointed.joint_geometry import (
    FramePoses,
    JointPlaces,
    joint_coordinates,
    joint_places,
    joint_rows,
    velocity_rows,
)
from signorini.model.jointed.joint_specs import Coordinate
from signorini.model.jointed.joints import Joints, Mechanism
from signorini.model.model import Model
from signorini.model.rigid_bodies import FreeSpin, rotation_matrices, turned
from signorini.model.state import State

Floats = NDArray[np.float64]
REDUNDANT = 1e-9
"""Part of the largest pivot below which an equation says nothing new, as several do in a closed loop of hinges."""
CLOSED = 1e-13
"""Violation of joints over the size of the bodies that counts as none."""
MOST_ITERATIONS = 30
"""Of Newton's method; three to five are usual."""
FARTHEST_BEYOND = 0.5
"""Angle beyond a limit that one step can go too far [rad]; what is farther away is on the other side."""
TOO_OPEN = 1e-8
"""Violation of joints over the size of the bodies with which a step is not accepted."""


@dataclass(frozen=True, slots=True)
class Elimination:
    """What the joints of one mechanism of b bodies leave free at the start of a step."""

    mechanism: Mechanism
    nodes: NDArray[np.intp]
    """(2b,) velocity and angular velocity of each body."""
    M: Floats
    """(6b, 6b) masses and inertias."""
    root: Floats
    """(6b, 6b) L^-T with L L' the masses and inertias: columns are orthonormal in kinetic energy."""
    free: Floats
    """(6b, d) Z: the motions that joints allow, Z'MZ = I."""
    bound: Floats
    """(6b, 6b - d) Y: the motions that joints resist, Z'MY = 0."""
    mass: float
    """Mean mass of the bodies [kg]."""

    def take(self, v: Floats) -> Floats:
        """(6b,) its part of velocities (n, 3)."""
        return v[self.nodes].ravel()


class JointStep:
    """The joints of a model in one (sub-)step from a state."""

    def __init__(
        self, model: Model, joints: Joints, state: State, spin: FreeSpin, dt: float, kinematic: tuple[Floats, Floats]
    ) -> None:
        """`kinematic`: where the scripted vertices are at the start and at the end of the step, (k, 3) each [m]."""
        self.model, self.joints, self.state, self.dt = model, joints, state, dt
        self.spin = spin
        self._scripted = [(f.of_all(kinematic[0]), f.of_all(kinematic[1])) for f in joints.scripted]
        self.velocity_row = velocity_rows(joints)
        self._limited = bool((np.isfinite(joints.lower) | np.isfinite(joints.upper)).any())
        self.slot = np.full(joints.world + 1, -1)
        for mechanism in joints.mechanisms:
            self.slot[mechanism.bodies] = np.arange(len(mechanism.bodies))
        R = rotation_matrices(state.rotations)
        X = state.q[model.rigids.nodes]
        self.start = joint_places(joints, self._poses(X, R, 0))
        self.violation, self.J = joint_rows(joints, self.start)
        self.coordinate, self.J_coordinate = joint_coordinates(joints, self.start)
        self.eliminations = [self._eliminate(mechanism) for mechanism in joints.mechanisms]

    def allowed(self, v: Floats) -> Floats:
        """The velocities (n, 3) nearest to v in kinetic energy that joints allow at the start of the step, before bending."""
        out = v.copy()
        for e in self.eliminations:
            out[e.nodes] = (e.free @ (e.free.T @ (e.M @ e.take(v)))).reshape(-1, 3)
        return out

    def joined(self, v: Floats, drift: Floats | None = None) -> Floats:
        """Velocities (n, 3) that close all joints at the end of the step and do not pass their limits, from v on.

        Only the parts that joints resist are changed. `drift` (b, 3) [rad/s] is that of the free rotation, or less.
        """
        out, drift = v.copy(), self.spin.drift if drift is None else drift
        bound = {k: e.bound for k, e in enumerate(self.eliminations)}
        limits = np.zeros(0, np.intp)
        for _ in range(2):
            self._close(out, drift, bound, limits)
            if not self._limited:
                break
            x, _ = joint_coordinates(self.joints, self._end(out, drift))
            found = np.flatnonzero(limit_excess(self.joints, x) > 1e-12)
            found = np.setdiff1d(found, limits)
            if not len(found):
                break
            limits = np.concatenate([limits, found])
            for k, e in enumerate(self.eliminations):
                own = limits[np.isin(limits, e.mechanism.joints)]
                push = e.root @ (e.root.T @ self.dense(e, self.J_coordinate[own], own).T)
                bound[k] = np.concatenate([e.bound, push], axis=1)
        return out

    def openness(self, v: Floats, drift: Floats | None = None) -> float:
        """The largest violation of a joint [m], over the size of its body, at the end of a step with velocities (n, 3)."""
        g, _ = joint_rows(self.joints, self._end(v, self.spin.drift if drift is None else drift))
        return float((np.abs(g) / self.joints.size[self.joints.rows.joint]).max(initial=0.0))

    def rates(self, v: Floats, J: Floats, of: NDArray[np.integer]) -> Floats:
        """Derivatives J (r, 4, 3) of joints `of` (r,) times the motion with velocities v (n, 3), scripted frames included."""
        rate = np.zeros((self.joints.world + 1, 2, 3))
        rigids = self.model.rigids
        rate[: len(rigids), 0] = v[rigids.nodes]
        rate[: len(rigids), 1] = v[rigids.spins] + self.spin.drift
        rate[len(rigids) : -1] = self.scripted_rates()
        a, b = rate[self.joints.first[of]], rate[self.joints.second[of]]
        return (J[:, :2] * a).sum(axis=(1, 2)) + (J[:, 2:] * b).sum(axis=(1, 2))

    def scripted_rates(self) -> Floats:
        """(s, 2, 3) velocities and angular velocities of the frames of scripted bodies in this step."""
        rates = np.zeros((len(self._scripted), 2, 3))
        for rate, ((X0, R0), (X1, R1)) in zip(rates, self._scripted, strict=True):
            rate[0] = (X1 - X0) / self.dt
            rate[1] = _rotation_vector(R1 @ R0.T) / self.dt
        return rates

    def dense(self, e: Elimination, J: Floats, of: NDArray[np.integer]) -> Floats:
        """Derivatives J (r, 4, 3) of joints `of` (r,) as rows (r, 6b) of a mechanism."""
        first, second = self.slot[self.joints.first[of]], self.slot[self.joints.second[of]]
        out = np.zeros((len(J), 2 * len(e.mechanism.bodies), 3))
        rows = np.arange(len(J))
        out[rows, 2 * first], out[rows, 2 * first + 1] = J[:, 0], J[:, 1]
        both = second >= 0
        out[rows[both], 2 * second[both]] += J[both, 2]
        out[rows[both], 2 * second[both] + 1] += J[both, 3]
        return out.reshape(len(J), 6 * len(e.mechanism.bodies))

    def _poses(self, X: Floats, R: Floats, when: int) -> FramePoses:
        """The frames of all joints; `when` is 0 for the start and 1 for the end of the step."""
        own = [one[when] for one in self._scripted]
        return FramePoses(
            np.concatenate([X, *(x[None] for x, _ in own), np.zeros((1, 3))]),
            np.concatenate([R, *(r[None] for _, r in own), np.eye(3)[None]]),
        )

    def _end(self, v: Floats, drift: Floats) -> JointPlaces:
        rigids, state = self.model.rigids, self.state
        R = rotation_matrices(turned(state.rotations, self.dt * (v[rigids.spins] + drift)))
        X = state.q[rigids.nodes] + self.dt * v[rigids.nodes]
        return joint_places(self.joints, self._poses(X, R, 1))

    def _eliminate(self, mechanism: Mechanism) -> Elimination:
        model, bodies = self.model, mechanism.bodies
        linear = model.rigids.nodes[bodies]
        nodes = np.column_stack([linear, linear + 1]).ravel().astype(np.intp)
        blocks = np.zeros((len(nodes), 3, 3))
        blocks[::2] = model.rigids.mass[bodies, None, None] * np.eye(3)
        blocks[1::2] = self.spin.inertia[bodies]
        blocks *= (1.0 + self.dt * model.drag[nodes])[:, None, None]
        root: Floats = np.asarray(la.block_diag(*np.linalg.inv(np.linalg.cholesky(blocks)).transpose(0, 2, 1)))
        M, mass = np.asarray(la.block_diag(*blocks), dtype=np.float64), float(model.rigids.mass[bodies].mean())
        partial = Elimination(mechanism, nodes, M, root, root, root[:, :0], mass)
        rows = mechanism.rows
        if not len(rows):
            return partial
        W = self.dense(partial, self.J[rows], self.joints.rows.joint[rows]) @ root
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        factors = la.qr(W.T, pivoting=True)
        Q, pivots = np.asarray(factors[0]), np.abs(np.diag(np.asarray(factors[1])))  # pyright: ignore[reportGeneralTypeIssues]
        rank = int((pivots > REDUNDANT * pivots[0]).sum())
        return Elimination(mechanism, nodes, M, root, root @ Q[:, rank:], root @ Q[:, :rank], mass)

    def _close(self, v: Floats, drift: Floats, bound: dict[int, Floats], limits: NDArray[np.intp]) -> None:
        """Newton's method on the equations of all joints and on some limits, in place."""
        joints, dt = self.joints, self.dt
        level, least = np.inf, v.copy()
        for _ in range(MOST_ITERATIONS):
            places = self._end(v, drift)
            g, J = joint_rows(joints, places)
            g, J = g / dt, np.where(self.velocity_row[:, None, None], self.J, J)
            if self.velocity_row.any():
                g[self.velocity_row] = self.rates(v, self.J, joints.rows.joint)[self.velocity_row]
            worst = float((np.abs(g) * dt / joints.size[joints.rows.joint]).max(initial=0.0))
            over, Jx = np.zeros(len(joints)), self.J_coordinate
            if len(limits):
                x, Jx = joint_coordinates(joints, places)
                over = limit_excess(joints, x, signed=True) / dt
                worst = max(worst, float((np.abs(over[limits]) * dt).max()))
            if worst < level:
                level, least = worst, v.copy()
            if worst <= CLOSED or not np.isfinite(worst):
                break
            turn = _left_jacobians(dt * (v[self.model.rigids.spins] + drift))
            for k, e in enumerate(self.eliminations):
                rows, own = e.mechanism.rows, limits[np.isin(limits, e.mechanism.joints)]
                if not len(rows) + len(own):  # a body with a drive and no joint
                    continue
                D = np.concatenate(
                    [self.dense(e, J[rows], joints.rows.joint[rows]), self.dense(e, Jx[own], own)]
                ).reshape(-1, 2 * len(e.mechanism.bodies), 3)
                D[:, 1::2] = np.einsum("rbi,bij->rbj", D[:, 1::2], turn[e.mechanism.bodies])
                K = D.reshape(len(D), -1) @ bound[k]
                right = np.concatenate([g[rows], over[own]])
                square = K.shape[0] == K.shape[1]
                try:
                    y = np.linalg.solve(K, right) if square else np.linalg.lstsq(K, right, rcond=REDUNDANT)[0]
                except np.linalg.LinAlgError:
                    y = np.linalg.lstsq(K, right, rcond=REDUNDANT)[0]
                v[e.nodes] -= (bound[k] @ y).reshape(-1, 3)
        v[:] = least


def limit_excess(joints: Joints, x: Floats, *, signed: bool = False) -> Floats:
    """How far the coordinates (k,) are beyond the limits of their joints; `signed`: negative below the lower one."""
    above, below = x - joints.upper, joints.lower - x
    angle = joints.coordinate == Coordinate.ANGLE
    # What is far beyond a limit of an angle has come there the other way around.
    above[angle], below[angle] = _beyond(above[angle]), _beyond(below[angle])
    inside = (x <= joints.upper) & (x >= joints.lower) | (joints.coordinate == Coordinate.NONE)
    upper = ~inside & (above > 0.0) & ~((below > 0.0) & (below < above))
    lower = ~inside & (below > 0.0) & ~upper
    excess = np.where(upper, above, np.where(lower, -below, 0.0))
    return excess if signed else np.abs(excess)


def _beyond(angle: Floats) -> Floats:
    """Angles beyond a limit, less than zero where they are no such."""
    finite = np.where(np.isfinite(angle), angle, -1.0)
    wrapped = (finite + np.pi) % (2.0 * np.pi) - np.pi
    return np.where((wrapped < FARTHEST_BEYOND) & np.isfinite(angle), wrapped, -1.0)


def _left_jacobians(turns: Floats) -> Floats:
    """(b, 3, 3) how exp(turn) turns further when the rotation vectors (b, 3) change: exp(t + δ) = exp(J δ) exp(t)."""
    angle = np.sqrt((turns * turns).sum(axis=1))
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    first = np.where(small, 0.5 - angle**2 / 24.0, (1.0 - np.cos(safe)) / safe**2)
    second = np.where(small, 1.0 / 6.0 - angle**2 / 120.0, (safe - np.sin(safe)) / safe**3)
    C = np.zeros((len(turns), 3, 3))
    C[:, 0, 1], C[:, 0, 2], C[:, 1, 2] = -turns[:, 2], turns[:, 1], -turns[:, 0]
    C -= C.transpose(0, 2, 1)
    return np.eye(3) + first[:, None, None] * C + second[:, None, None] * (C @ C)


def _rotation_vector(R: Floats) -> Floats:
    """(3,) the rotation vector of a matrix (3, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_rotvec()
