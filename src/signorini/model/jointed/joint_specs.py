"""Joints and drives as a scene hands them to the model: names of bodies, points and axes in the world at the start."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Row(IntEnum):
    """One scalar equation of a joint; axes are those of the joint (axis, and two across)."""

    PLANE = 0
    """The distance of the two anchors along an axis of the second body."""
    DOT = 1
    """The cosine between an axis of the first body and one of the second, which are perpendicular at the start."""
    SLIDE = 2
    """The velocity of the first body along an axis of its own."""
    SPIN = 3
    """The angular velocity of the first body about an axis of its own."""
    WORLD_SPIN = 4
    """The angular velocity of the first body about an axis of the second."""


class Coordinate(IntEnum):
    """The motion that a joint leaves free and that limits and drives act on."""

    NONE = 0
    ANGLE = 1
    """Angle about the axis [rad]."""
    DISTANCE = 2
    """Distance along the axis [m]."""


class Driven(IntEnum):
    """Degree of freedom that a drive acts on."""

    COORDINATE = 0
    """The coordinate of a joint."""
    CENTRE = 1
    """The centre of mass of a rigid body."""
    ORIENTATION = 2
    """The orientation of a rigid body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSpec:
    """A joint of a rigid body with another one, with a scripted body or with the world."""

    name: str
    kind: str
    """What the user called for, for views and messages."""
    body: str
    to: str | None
    """None: the world."""
    anchor: Floats
    """(3,) where it is at the start [m]."""
    triad: Floats
    """(3, 3) its axis and two directions across, as rows, at the start."""
    rows: tuple[tuple[Row, int, int], ...]
    """The equations, each with the axes (of both bodies) that it is about."""
    coordinate: Coordinate = Coordinate.NONE
    lower: float = -np.inf
    """Least value of the coordinate [rad or m]."""
    upper: float = np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveSpec:
    """A force towards a target, with a limit."""

    name: str
    driven: Driven
    body: str
    joint: int = -1
    """The number of the joint whose coordinate is driven."""
    stiffness: float
    """[N/m] or [N m/rad]"""
    damping: float
    """[N s/m] or [N m s/rad]"""
    limit: float
    """Largest force [N] or torque [N m]."""
    target: Floats
    """(4,) a coordinate first, or a position, or a quaternion."""
    target_velocity: float = 0.0
