"""Drives of joints and bodies in one (sub-)step: implicit springs and dampers towards targets, whose force has a limit.

The impulse of a drive is p = dt (k (target − x1) + c (target velocity − rate1)), with x1 = x0 + dt rate1 at the end of the step:
p = p0 − κ J dv with κ = dt² k + dt c. Beyond its limit it is the limit, in the direction of what it would be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.contact.joint_coordinates import JointCoordinates, LimitRows, MechanismCoordinates
from signorini.dynamics.joint_step import Elimination, JointStep
from signorini.model.jointed.joint_specs import Coordinate, Driven

Floats = NDArray[np.float64]
WITHIN = 1e-9
"""Part of its limit by which the force of a drive may be above or below it before the limit is taken up or left."""
SAME_DIRECTION = 1e-7
"""Change of the direction of a limited force [rad] that is none."""
LIMIT_REACH = 0.1
"""Part of a joint's size within which its limits are always part of the problem."""


@dataclass(frozen=True, slots=True)
class DriveRow:
    """One drive in one step; its vectors have one number for a coordinate, three for a place or an orientation."""

    mechanism: int
    J: Floats
    """(c, 6b)"""
    stiffness: float
    """κ = dt² k + dt c [kg] or [kg m²]."""
    impulse: Floats
    """(c,) p0, without the response [N s]."""
    limit: float
    """Largest impulse in this step [N s]."""
    rate: Floats
    """(c,) rate of the free motion [m/s or rad/s]."""


@dataclass(frozen=True, slots=True)
class DriveState:
    """Which drives are at their limits, and in which directions: None for those that are not."""

    limited: tuple[Floats | None, ...]


def drive_rows(step: JointStep, v_free: Floats) -> list[DriveRow]:
    """The drives of all mechanisms for free velocities (n, 3) [m/s]."""
    joints, drives, dt, rows = step.joints, step.joints.drives, step.dt, []
    rigids = step.model.rigids
    for number, e in enumerate(step.eliminations):
        for d in e.mechanism.drives:
            k, c, limit = drives.gains[drives.rows[d]]
            target, wanted = drives.targets[drives.rows[d], :4], drives.targets[drives.rows[d], 4]
            body = int(drives.body[d])
            match Driven(drives.driven[d]):
                case Driven.COORDINATE:
                    joint = drives.joint[[d]]
                    J = step.dense(e, step.J_coordinate[joint], joint)
                    error = target[:1] - step.coordinate[joint]
                    if joints.coordinate[joint[0]] == Coordinate.ANGLE:
                        error = (error + np.pi) % (2.0 * np.pi) - np.pi
                    rate = step.rates(v_free, step.J_coordinate[joint], joint)
                case Driven.CENTRE:
                    J = _columns(e, body, 0)
                    error = target[:3] - step.state.q[rigids.nodes[body]]
                    rate = v_free[rigids.nodes[body]]
                case Driven.ORIENTATION:
                    J = _columns(e, body, 1)
                    now = Rotation.from_quat(step.state.rotations[body])
                    error = (Rotation.from_quat(target) * now.inv()).as_rotvec()
                    rate = v_free[rigids.spins[body]] + step.spin.drift[body]
            stiffness = float(dt * dt * k + dt * c)
            impulse = dt * k * error - stiffness * rate
            if len(impulse) == 1:
                impulse = impulse + dt * c * wanted
            rows.append(DriveRow(number, J, stiffness, impulse, float(dt * limit), rate))
    return rows


def _columns(e: Elimination, body: int, which: int) -> Floats:
    """(3, 6b) the velocity (0) or angular velocity (1) of one body of a mechanism."""
    J = np.zeros((3, 6 * len(e.mechanism.bodies)))
    first = 6 * int(np.flatnonzero(e.mechanism.bodies == body)[0]) + 3 * which
    J[:, first : first + 3] = np.eye(3)
    return J


def drive_impulses(step: JointStep, rows: list[DriveRow], state: DriveState, dv: Floats) -> list[Floats]:
    """The impulse of each drive after a response dv (n, 3) [m/s], as it would be without limits."""
    return [row.impulse - row.stiffness * (row.J @ step.eliminations[row.mechanism].take(dv)) for row in rows]


def next_state(rows: list[DriveRow], state: DriveState, impulses: list[Floats]) -> tuple[DriveState, bool]:
    """The drives at their limits for impulses that they would have without, and whether they are the same as before."""
    limited, same = [], True
    for row, before, p in zip(rows, state.limited, impulses, strict=True):
        size = float(np.linalg.norm(p))
        above = size > row.limit * (1.0 + WITHIN) if before is None else size > row.limit * (1.0 - WITHIN)
        direction = p / size if above and size > 0.0 else None
        if direction is None or before is None:
            same = same and direction is before
        else:
            same = same and bool(np.linalg.norm(direction - before) <= SAME_DIRECTION)
        limited.append(direction)
    return DriveState(tuple(limited)), same


def joint_coordinates(step: JointStep, rows: list[DriveRow], state: DriveState, limits: LimitRows) -> JointCoordinates:
    """The coordinates of all mechanisms with their drives, some of which are at their limits."""
    found = []
    for number, e in enumerate(step.eliminations):
        Z, d = e.free, e.free.shape[1]
        H, right = np.eye(d), np.zeros(d)
        for row, direction in zip(rows, state.limited, strict=True):
            if row.mechanism != number:
                continue
            F = row.J @ Z
            if direction is None:
                H += row.stiffness * (F.T @ F)
            right += F.T @ (row.impulse if direction is None else row.limit * direction)
        C = np.linalg.cholesky(H)
        width = 3 * (-(-d // 3))
        T, back = np.zeros((len(Z), width)), np.zeros((width, len(Z)))
        T[:, :d] = np.sqrt(e.mass) * np.linalg.solve(C, Z.T).T
        back[:d] = C.T @ (e.M @ Z).T / np.sqrt(e.mass)
        shift = Z @ np.linalg.solve(H, right)
        found.append(MechanismCoordinates(e.nodes, T, back, shift, e.mass))
    return JointCoordinates(found, limits, step.model.node_count)


def limit_rows(step: JointStep, v_free: Floats) -> LimitRows:
    """The limits of joints that a step may reach, for free velocities (n, 3) [m/s]."""
    joints, dt = step.joints, step.dt
    every = np.arange(len(joints))
    rates = step.rates(v_free, step.J_coordinate, every)
    mechanism, rows, free, gaps = [], [], [], []
    for number, e in enumerate(step.eliminations):
        for k in e.mechanism.joints:
            scale = joints.size[k] if joints.coordinate[k] == Coordinate.ANGLE else 1.0
            for sign, bound in ((1.0, joints.lower[k]), (-1.0, joints.upper[k])):
                if not np.isfinite(bound) or joints.coordinate[k] == Coordinate.NONE:
                    continue
                gap = sign * (step.coordinate[k] - bound)
                if joints.coordinate[k] == Coordinate.ANGLE:
                    gap = (gap + np.pi) % (2.0 * np.pi) - np.pi if gap > np.pi or gap < -np.pi else gap
                reach = max(LIMIT_REACH * joints.size[k] / scale, 4.0 * dt * abs(rates[k]))
                if gap > reach:
                    continue
                mechanism.append(number)
                rows.append(sign * scale * step.dense(e, step.J_coordinate[[k]], np.array([k]))[0])
                free.append(sign * scale * rates[k])
                gaps.append(max(scale * gap, 0.0))
    return LimitRows(np.array(mechanism, np.intp), tuple(rows), np.array(free), np.array(gaps))
