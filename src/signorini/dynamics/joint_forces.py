"""Forces of joints and drives in a (sub-)step that was taken, and the work that they do on the bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.joint_drives import DriveRow, DriveState, drive_impulses
from signorini.dynamics.joint_step import JointStep
from signorini.model.jointed.joint_specs import Coordinate

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JointForces:
    """Impulses of k joints and d drives, by name."""

    names: tuple[str, ...]
    impulse: Floats
    """(k, 3) on the first body [N s]."""
    angular: Floats
    """(k, 3) on the first body, about the anchor [N m s]."""
    drive_names: tuple[str, ...]
    drive_impulse: tuple[Floats, ...]
    """(1,) or (3,) each [N s] or [N m s]."""
    dt: float
    drive_work: Floats
    """(b,) on each rigid body [J]: by drives."""
    scripted_work: Floats
    """(b,) by scripted bodies through joints [J]."""


def joint_forces(
    step: JointStep,
    rows: list[DriveRow],
    state: DriveState,
    dv: Floats,
    v_end: Floats,
    momentum: Floats,
) -> JointForces:
    """The forces of a step that ended with velocities v_end (n, 3) [m/s], the response being dv (n, 3).

    `momentum` (n, 3) [N s] is what joints, limits and drives gave the nodes.
    """
    joints, count = step.joints, len(step.joints)
    impulse, angular = np.zeros((count, 3)), np.zeros((count, 3))
    drive_work, scripted_work = np.zeros(joints.rigid_count), np.zeros(joints.rigid_count)
    wanted, given, number = drive_impulses(step, rows, state, dv), [], 0
    scripted = np.zeros((joints.world + 1, 2, 3))
    scripted[joints.rigid_count : -1] = step.scripted_rates()
    order = []
    for e in step.eliminations:
        f = momentum[e.nodes].ravel().copy()
        moved = v_end.copy()
        moved[step.model.rigids.spins] += step.spin.drift
        moved = e.take(moved)
        for d in e.mechanism.drives:
            row, direction = rows[number], state.limited[number]
            p = wanted[number] if direction is None else row.limit * direction
            f -= row.J.T @ p
            drive_work[joints.drives.body[d]] += float(p @ (row.J @ moved))
            given.append(p)
            order.append(int(d))
            number += 1
        own = e.mechanism.joints
        limited = own[
            (np.isfinite(joints.lower[own]) | np.isfinite(joints.upper[own]))
            & (joints.coordinate[own] != Coordinate.NONE)
        ]
        every = np.concatenate([step.J[e.mechanism.rows], step.J_coordinate[limited]])
        of = np.concatenate([joints.rows.joint[e.mechanism.rows], limited])
        if not len(of):
            continue
        D = step.dense(e, every, of)
        size = np.maximum(np.linalg.norm(D, axis=1), 1e-300)
        force = np.linalg.lstsq((D / size[:, None]).T, f, rcond=1e-9)[0] / size
        np.add.at(impulse, of, force[:, None] * every[:, 0])
        turning = every[:, 1] - np.cross(step.start.first_arm[of], every[:, 0])
        np.add.at(angular, of, force[:, None] * turning)
        work = -force * (every[:, 2:] * scripted[joints.second[of]]).sum(axis=(1, 2))
        np.add.at(scripted_work, joints.first[of], work)
    names = tuple(joints.drives.names[d] for d in order)
    return JointForces(joints.names, impulse, angular, names, tuple(given), step.dt, drive_work, scripted_work)
