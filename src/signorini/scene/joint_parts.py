"""Joints, locks and drives of a scene as plain data, and the equations that they become in the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.checks import told_fields
from signorini.model.jointed.joint_specs import Coordinate, Driven, DriveSpec, JointSpec, Row
from signorini.scene.rigid import Rigid

Floats = NDArray[np.float64]
JointKind = Literal["ball", "hinge", "slider", "fixed"]
_POINT = tuple((Row.PLANE, 0, axis) for axis in range(3))
_PARALLEL = ((Row.DOT, 0, 1), (Row.DOT, 0, 2))
_ALIGNED = (*_PARALLEL, (Row.DOT, 1, 2))
ROWS: dict[str, tuple[tuple[Row, int, int], ...]] = {
    "ball": _POINT,
    "hinge": (*_POINT, *_PARALLEL),
    "slider": (*_POINT[1:], *_ALIGNED),
    "fixed": (*_POINT, *_ALIGNED),
}
"""The equations of each kind of joint; the first axis is that of the hinge or slider."""
COORDINATES = {"hinge": Coordinate.ANGLE, "slider": Coordinate.DISTANCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """A joint of a rigid body with another body or with the world, as `Scene.add_joint` takes it."""

    __repr__ = told_fields

    kind: JointKind
    body: str
    to: str | None
    at: tuple[float, float, float]
    axis: tuple[float, float, float]
    lower: float | None
    upper: float | None
    stiffness: float
    damping: float
    target: float
    target_velocity: float
    max_force: float
    name: str

    @property
    def driven(self) -> bool:
        """Whether it has a drive."""
        return self.stiffness > 0.0 or self.damping > 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Degrees of freedom of a rigid body that are locked, as `Scene.lock` takes them."""

    __repr__ = told_fields

    body: str
    translation: str
    rotation: str
    frame: Literal["world", "body"]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """A drive of a rigid body to a pose, as `Scene.add_drive` takes it."""

    __repr__ = told_fields

    body: str
    stiffness: float
    damping: float
    max_force: float
    angular_stiffness: float
    angular_damping: float
    max_torque: float
    name: str


def _triad(axis: Sequence[float]) -> Floats:
    """(3, 3) the axis and two directions across, right-handed, as rows."""
    first = np.asarray(axis, dtype=np.float64)
    first = first / float(np.linalg.norm(first))
    across = np.eye(3)[np.argmin(np.abs(first))]
    second = across - (across @ first) * first
    second /= np.linalg.norm(second)
    return np.array([first, second, np.cross(first, second)], dtype=np.float64)


def joint_spec(joint: Joint) -> JointSpec:
    return JointSpec(
        name=joint.name,
        kind=joint.kind,
        body=joint.body,
        to=joint.to,
        anchor=np.array(joint.at),
        triad=_triad(joint.axis),
        rows=ROWS[joint.kind],
        coordinate=COORDINATES.get(joint.kind, Coordinate.NONE),
        lower=-np.inf if joint.lower is None else joint.lower,
        upper=np.inf if joint.upper is None else joint.upper,
    )


def joint_drive(joint: Joint, number: int) -> DriveSpec:
    return DriveSpec(
        name=joint.name,
        driven=Driven.COORDINATE,
        body=joint.body,
        joint=number,
        stiffness=joint.stiffness,
        damping=joint.damping,
        limit=joint.max_force,
        target=np.array([joint.target, 0.0, 0.0, 0.0]),
        target_velocity=joint.target_velocity,
    )


def lock_specs(lock: Lock, body: Rigid) -> list[JointSpec]:
    """Equations of places where there are some: only one locked axis of rotation, or axes that turn with the body, have none."""
    triad = np.eye(3) if lock.frame == "world" else Rotation.from_rotvec(body.rotation).as_matrix().T
    along, about = (["xyz".index(c) for c in axes] for axes in (lock.translation, lock.rotation))
    rows: list[tuple[Row, int, int]] = []
    if lock.frame == "world" or len(along) == 3:
        rows += [(Row.PLANE, 0, axis) for axis in along]
    else:
        rows += [(Row.SLIDE, axis, axis) for axis in along]
    if len(about) == 3:
        rows += [(Row.DOT, 0, 1), (Row.DOT, 0, 2), (Row.DOT, 1, 2)]
    elif len(about) == 2:
        left = ({0, 1, 2} - set(about)).pop()
        rows += [(Row.DOT, left, axis) for axis in about]
    else:
        rows += [(Row.WORLD_SPIN if lock.frame == "world" else Row.SPIN, axis, axis) for axis in about]
    return [
        JointSpec(
            name=lock.name, kind="lock", body=lock.body, to=None, anchor=body.center, triad=triad, rows=tuple(rows)
        )
    ]


def drive_specs(drive: Drive, body: Rigid) -> list[DriveSpec]:
    centre = DriveSpec(
        name=drive.name,
        driven=Driven.CENTRE,
        body=drive.body,
        stiffness=drive.stiffness,
        damping=drive.damping,
        limit=drive.max_force,
        target=np.array([*body.center, 0.0]),
    )
    turns = DriveSpec(
        name=drive.name,
        driven=Driven.ORIENTATION,
        body=drive.body,
        stiffness=drive.angular_stiffness,
        damping=drive.angular_damping,
        limit=drive.max_torque,
        target=Rotation.from_rotvec(body.rotation).as_quat(),
    )
    return [centre, turns] if drive.angular_stiffness > 0.0 or drive.angular_damping > 0.0 else [centre]
