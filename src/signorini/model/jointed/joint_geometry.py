"""Equations of joints at a placement of the bodies: how far they are violated, and how the frames change that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.model.jointed.joint_specs import Coordinate, Row
from signorini.model.jointed.joints import Joints

Floats = NDArray[np.float64]
_PLANE, _DOT, _SLIDE = int(Row.PLANE), int(Row.DOT), int(Row.SLIDE)  # attributes of an Enum are slow to look up
_NEXT, _OTHER = np.array([1, 2, 0]), np.array([2, 0, 1])


@dataclass(frozen=True, slots=True)
class FramePoses:
    """Poses of the frames of all joints."""

    X: Floats
    """(f, 3) origins [m]."""
    R: Floats
    """(f, 3, 3) rotations."""


@dataclass(frozen=True, slots=True)
class JointPlaces:
    """Anchors and axes of all joints in the world."""

    first_arm: Floats
    """(k, 3) from the origin of the first frame to its anchor [m]."""
    second_arm: Floats
    gap: Floats
    """(k, 3) from the second anchor to the first [m]."""
    first_axes: Floats
    """(k, 3, 3) as rows."""
    second_axes: Floats


def joint_places(joints: Joints, poses: FramePoses) -> JointPlaces:
    """Anchors and axes of all joints for poses of the frames."""
    a, b = joints.first, joints.second
    first_arm = np.einsum("kij,kj->ki", poses.R[a], joints.first_anchor)
    second_arm = np.einsum("kij,kj->ki", poses.R[b], joints.second_anchor)
    return JointPlaces(
        first_arm,
        second_arm,
        poses.X[a] + first_arm - poses.X[b] - second_arm,
        np.einsum("kij,kcj->kci", poses.R[a], joints.first_triad),
        np.einsum("kij,kcj->kci", poses.R[b], joints.second_triad),
    )


def joint_rows(joints: Joints, places: JointPlaces) -> tuple[Floats, Floats]:
    """The violation (r,) [m] of each equation, zero for those of velocities, and its derivative (r, 4, 3).

    The four vectors act on the velocity and the angular velocity of the first frame, then of the second one.
    """
    rows, joint = joints.rows, joints.rows.joint
    g, J = np.zeros(len(joint)), np.zeros((len(joint), 4, 3))
    plane = np.flatnonzero(rows.kind == _PLANE)
    k = joint[plane]
    u = places.second_axes[k, rows.second_axis[plane]]
    g[plane] = (u * places.gap[k]).sum(axis=1)
    J[plane, 0], J[plane, 1], J[plane, 2] = u, _cross(places.first_arm[k], u), -u
    J[plane, 3] = -_cross(places.second_arm[k] + places.gap[k], u)
    dot = np.flatnonzero(rows.kind == _DOT)
    k = joint[dot]
    s, t = places.first_axes[k, rows.first_axis[dot]], places.second_axes[k, rows.second_axis[dot]]
    g[dot] = joints.size[k] * (s * t).sum(axis=1)
    J[dot, 1] = joints.size[k, None] * _cross(s, t)
    J[dot, 3] = -J[dot, 1]
    if not velocity_rows(joints).any():
        return g, J
    slide = np.flatnonzero(rows.kind == Row.SLIDE)
    J[slide, 0] = places.first_axes[joint[slide], rows.first_axis[slide]]
    for kind, axes in ((Row.SPIN, places.first_axes), (Row.WORLD_SPIN, places.second_axes)):
        spin = np.flatnonzero(rows.kind == kind)
        J[spin, 1] = joints.size[joint[spin], None] * axes[joint[spin], rows.first_axis[spin]]
    return g, J


def joint_coordinates(joints: Joints, places: JointPlaces) -> tuple[Floats, Floats]:
    """The coordinate (k,) [rad or m] that each joint leaves free, 0 where there is none, and its derivative (k, 4, 3).

    Angles are between -π and π.
    """
    x, J = np.zeros(len(joints)), np.zeros((len(joints), 4, 3))
    k = np.flatnonzero(joints.coordinate == Coordinate.ANGLE)
    across, axes = places.first_axes[k, 1], places.second_axes[k]
    x[k] = np.arctan2((across * axes[:, 2]).sum(axis=1), (across * axes[:, 1]).sum(axis=1))
    J[k, 1], J[k, 3] = axes[:, 0], -axes[:, 0]
    k = np.flatnonzero(joints.coordinate == Coordinate.DISTANCE)
    u = places.second_axes[k, 0]
    x[k] = (u * places.gap[k]).sum(axis=1)
    J[k, 0], J[k, 1], J[k, 2] = u, _cross(places.first_arm[k], u), -u
    J[k, 3] = -_cross(places.second_arm[k] + places.gap[k], u)
    return x, J


def velocity_rows(joints: Joints) -> NDArray[np.bool_]:
    """(r,) whether an equation is about velocities only."""
    return joints.rows.kind >= _SLIDE


def _cross(a: Floats, b: Floats) -> Floats:
    """(k, 3) cross products of rows; np.cross takes five times as long for a few."""
    return a[:, _NEXT] * b[:, _OTHER] - a[:, _OTHER] * b[:, _NEXT]
