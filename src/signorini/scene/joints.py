"""Joints, locks and drives of rigid bodies in a scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import chain, count
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_choice, check_number
from signorini.errors import InputError, short
from signorini.geometry.triangle_mesh import as_vector
from signorini.model.jointed.joint_specs import DriveSpec, JointSpec
from signorini.scene.body import Body, BodyList
from signorini.scene.checks import check_non_negative
from signorini.scene.joint_parts import (
    COORDINATES,
    ROWS,
    Drive,
    Joint,
    JointKind,
    Lock,
    drive_specs,
    joint_drive,
    joint_spec,
    lock_specs,
)
from signorini.scene.kinematic import Kinematic
from signorini.scene.rigid import Rigid

Floats = NDArray[np.float64]
LARGEST_ANGLE = 3.0
"""Largest limit of a hinge [rad]: beyond half a turn an angle and its limit are ambiguous."""


class AddsJoints(BodyList):
    """Scenes whose rigid bodies have joints, locks and drives."""

    def __init__(self, *, friction: float) -> None:
        super().__init__(friction=friction)
        self.joints: dict[str, Joint] = {}
        self.locks: dict[str, Lock] = {}
        self.drives: dict[str, Drive] = {}

    def add_joint(
        self,
        kind: JointKind,
        body: str | Body,
        *,
        to: str | Body | None = None,
        at: Sequence[float] | None = None,
        axis: Sequence[float] = (0.0, 0.0, 1.0),
        lower: float | None = None,
        upper: float | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        target: float = 0.0,
        target_velocity: float = 0.0,
        max_force: float = float("inf"),
        name: str | None = None,
    ) -> Joint:
        """Tie a rigid body to another rigid body, to a kinematic body or to the world, as both are at the start.

        Parameters:
            kind: ball (one point in common), hinge (an axis in common), slider (only moves along an axis) or fixed.
            body: name of the rigid body.
            to: name of the rigid or kinematic body that it is tied to; by default the world.
            at: where the joint is at the start, in the world [m]; by default the centre of mass of `body`.
            axis: direction of the axis of a hinge or slider at the start, in the world; it need not have length 1.
            lower: least angle of a hinge [rad] or distance of a slider [m], counted from the start; by default there is none.
            upper: largest angle of a hinge [rad] or distance of a slider [m], counted from the start; by default there is none.
            stiffness: stiffness of the drive of a hinge [N m/rad] or slider [N/m] towards `target`.
            damping: damping of the drive of a hinge [N m s/rad] or slider [N s/m] towards `target_velocity`.
            target: angle [rad] or distance [m] that the drive goes to, counted from the start.
            target_velocity: angular velocity [rad/s] or velocity [m/s] that the damping of the drive goes to.
            max_force: largest torque [N m] or force [N] of the drive; by default it has no limit.
            name: name of the joint; by default that of its kind, with a number if there are several.
        """
        check_choice("kind of a joint", kind, ROWS)
        own = self._rigid(body, "add_joint")
        what = f"{kind} joint of {own.name!r}"
        other = None if to is None else self._carrier(to, what)
        if other is own:
            raise InputError(f"{what}: a body cannot be tied to itself")
        direction = as_vector(f"axis of the {what}", axis)
        if not np.linalg.norm(direction) > 0.0:
            raise InputError(f"axis of the {what} must not be zero, got {short(axis)}")
        joint = Joint(
            kind=kind,
            body=own.name,
            to=None if other is None else other.name,
            at=_tuple(own.center if at is None else as_vector(f"at of the {what}", at)),
            axis=_tuple(direction),
            lower=_limit(what, "lower", lower, kind),
            upper=_limit(what, "upper", upper, kind),
            stiffness=check_non_negative(f"stiffness of the {what}", stiffness),
            damping=check_non_negative(f"damping of the {what}", damping),
            target=check_finite(f"target of the {what}", target),
            target_velocity=check_finite(f"target_velocity of the {what}", target_velocity),
            max_force=check_limit(f"max_force of the {what}", max_force),
            name=self._joint_name(kind, name),
        )
        if joint.driven and kind not in COORDINATES:
            raise InputError(f"{what}: only hinges and sliders have a drive; use add_drive for a whole body")
        if (joint.lower or 0.0) > 0.0 or (joint.upper or 0.0) < 0.0:
            raise InputError(
                f"{what}: limits count from where it starts, so lower must be at most 0 and upper at least 0, got lower = "
                f"{lower} and upper = {upper}"
            )
        self.joints[joint.name] = joint
        return joint

    def lock(
        self,
        body: str | Body,
        *,
        translation: str = "",
        rotation: str = "",
        frame: Literal["world", "body"] = "world",
        name: str | None = None,
    ) -> Lock:
        """Lock degrees of freedom of a rigid body: its centre of mass does not move along, and it does not turn about, some axes.

        Parameters:
            body: name of the rigid body.
            translation: axes along which its centre of mass does not move, such as "xy".
            rotation: axes about which it does not turn, such as "z".
            frame: whether these are axes of the world, or those of the body's mesh, which turn with it.
            name: name of the lock; by default `lock`, with a number if there are several.
        """
        own = self._rigid(body, "lock")
        for key, axes in (("translation", translation), ("rotation", rotation)):
            if not isinstance(axes, str) or not set(axes) <= set("xyz") or len(set(axes)) != len(axes):
                raise InputError(
                    f"{key} of a lock of {own.name!r} must be some of the letters x, y, z, got {short(axes)}"
                )
        if not translation and not rotation:
            raise InputError(f"lock of {own.name!r}: give axes of translation or rotation, such as translation='xy'")
        check_choice(f"frame of a lock of {own.name!r}", frame, ("world", "body"))
        lock = Lock(
            body=own.name,
            translation=translation,
            rotation=rotation,
            frame=frame,
            name=self._joint_name("lock", name),
        )
        self.locks[lock.name] = lock
        return lock

    def add_drive(
        self,
        body: str | Body,
        *,
        stiffness: float,
        damping: float = 0.0,
        max_force: float = float("inf"),
        angular_stiffness: float = 0.0,
        angular_damping: float = 0.0,
        max_torque: float = float("inf"),
        name: str | None = None,
    ) -> Drive:
        """Drive a rigid body to a pose by a force and a torque: at first where it starts, later by `drive_to` of the body.

        Parameters:
            body: name of the rigid body.
            stiffness: force by distance of the centre of mass from its target [N/m].
            damping: force by velocity of the centre of mass [N s/m].
            max_force: largest force [N]; by default it has no limit.
            angular_stiffness: torque by angle from the target [N m/rad]; with no stiffness and damping the body turns freely.
            angular_damping: torque by angular velocity [N m s/rad].
            max_torque: largest torque [N m]; by default it has no limit.
            name: name of the drive; by default `drive`, with a number if there are several.
        """
        own = self._rigid(body, "add_drive")
        if any(drive.body == own.name for drive in self.drives.values()):
            raise InputError(f"add_drive: {own.name!r} has a drive already")
        what = f"of the drive of {own.name!r}"
        drive = Drive(
            body=own.name,
            stiffness=check_non_negative(f"stiffness {what}", stiffness),
            damping=check_non_negative(f"damping {what}", damping),
            max_force=check_limit(f"max_force {what}", max_force),
            angular_stiffness=check_non_negative(f"angular_stiffness {what}", angular_stiffness),
            angular_damping=check_non_negative(f"angular_damping {what}", angular_damping),
            max_torque=check_limit(f"max_torque {what}", max_torque),
            name=self._joint_name("drive", name),
        )
        self.drives[drive.name] = drive
        return drive

    def joint_specs(self) -> tuple[list[JointSpec], list[DriveSpec]]:
        """The joints and drives as the model takes them."""
        specs, drives = [], []
        for joint in self.joints.values():
            if joint.driven:
                drives.append(joint_drive(joint, len(specs)))
            specs.append(joint_spec(joint))
        for lock in self.locks.values():
            specs += lock_specs(lock, self._rigid(lock.body, "lock"))
        for drive in self.drives.values():
            drives += drive_specs(drive, self._rigid(drive.body, "add_drive"))
        return specs, drives

    def _rigid(self, body: str | Body, call: str) -> Rigid:
        own = self._named(body)
        if not isinstance(own, Rigid):
            raise InputError(
                f"{call}: {own.name!r} is of kind {own.kind!r}; joints, locks and drives act on rigid bodies"
            )
        return own

    def _carrier(self, body: str | Body, what: str) -> Body:
        other = self._named(body)
        if not isinstance(other, Rigid | Kinematic):
            raise InputError(
                f"{what}: {other.name!r} is of kind {other.kind!r}; a body can be tied to a rigid or kinematic body or, "
                "without `to`, to the world"
            )
        return other

    def _joint_name(self, kind: str, name: str | None) -> str:
        taken = {*self.joints, *self.locks, *self.drives}
        if name is None:
            numbered = (f"{kind}-{number}" for number in count(2))
            return next(free for free in chain([kind], numbered) if free not in taken)
        if not isinstance(name, str) or not name:
            raise InputError(f"name of a joint must be a non-empty string, got {short(name)}")
        if name in taken:
            raise InputError(f"a joint, lock or drive named {name!r} exists already: give each its own name")
        return name


def check_limit(what: str, value: Any) -> float:
    """A largest force: a number of at least 0, or infinite."""
    number = check_number(what, value)
    if not number >= 0.0:
        raise InputError(f"{what} must be at least 0, got {short(value)}")
    return number


def check_finite(what: str, value: Any) -> float:
    """The number, if it is finite."""
    number = check_number(what, value)
    if not np.isfinite(number):
        raise InputError(f"{what} must be finite, got {short(value)}")
    return number


def joint_table(entry: Joint | Lock | Drive) -> dict[str, Any]:
    """The table of a joint, a lock or a drive in a scene file; what has no limit is left out."""
    values = {f.name: getattr(entry, f.name) for f in fields(entry)}
    values = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
    return {key: None if value == float("inf") else value for key, value in values.items()}


def _tuple(vector: Floats) -> tuple[float, float, float]:
    x, y, z = (float(c) for c in vector)
    return x, y, z


def _limit(what: str, name: str, value: float | None, kind: str) -> float | None:
    if value is None:
        return None
    if kind not in COORDINATES:
        raise InputError(f"{what}: only hinges and sliders have limits, got {name} = {short(value)}")
    number = check_finite(f"{name} of the {what}", value)
    if kind == "hinge" and abs(number) > LARGEST_ANGLE:
        raise InputError(f"{name} of the {what} must be within {LARGEST_ANGLE:g} rad of the start, got {number:g}")
    return number
