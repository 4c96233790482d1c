"""Joints of a model: which rigid bodies they tie together, their equations, and the drives that act on them.

A joint ties frames: those of the rigid bodies come first, then those of scripted bodies that joints name, then the world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.model.jointed.joint_specs import Coordinate, Driven, DriveSpec, JointSpec
from signorini.model.jointed.scripted_frames import ScriptedFrame
from signorini.model.rigid_bodies import RigidBodies

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class JointRows:
    """The equations of all joints, one scalar each."""

    kind: Ints
    """(r,) of `Row`."""
    joint: Ints
    """(r,)"""
    first_axis: Ints
    """(r,) axis of the first body."""
    second_axis: Ints
    """(r,) axis of the second body."""


@dataclass(frozen=True, slots=True)
class Drives:
    """The drives of all joints and bodies. The arrays of targets, gains and limits are what a user changes between steps."""

    names: tuple[str, ...]
    driven: Ints
    """(d,) of `Driven`."""
    joint: Ints
    """(d,) number of the joint, or -1."""
    body: Ints
    """(d,) number of the rigid body."""
    rows: NDArray[np.intp]
    """(d,) their rows in the arrays below, which the parts of a model share."""
    gains: Floats
    """(e, 3) stiffness, damping and limit."""
    targets: Floats
    """(e, 5) coordinate, position or quaternion, and the target velocity last."""

    def __len__(self) -> int:
        return len(self.driven)

    def arrays(self) -> dict[str, Floats]:
        """Targets, gains and limits, for a checkpoint."""
        return {"drive_gains": self.gains, "drive_targets": self.targets}

    def recall(self, arrays: Mapping[str, Any]) -> None:
        """Take targets, gains and limits from a checkpoint, if it has them."""
        for name, own in self.arrays().items():
            if name in arrays and np.shape(arrays[name]) == own.shape:
                own[:] = arrays[name]


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Rigid bodies that joints tie together, and what acts on them."""

    bodies: Ints
    """(b,) numbers of the rigid bodies."""
    rows: NDArray[np.intp]
    """(r,) its equations."""
    joints: NDArray[np.intp]
    """Its joints."""
    drives: NDArray[np.intp]
    """Its drives."""


@dataclass(frozen=True, slots=True)
class Joints:
    """Constants of k joints."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    first: Ints
    """(k,) frame of the body."""
    second: Ints
    """(k,) frame of what it is tied to."""
    first_anchor: Floats
    """(k, 3) in the frame of the body [m]."""
    second_anchor: Floats
    first_triad: Floats
    """(k, 3, 3) the axes of the joint, as rows, in the frame of the body."""
    second_triad: Floats
    size: Floats
    """(k,) length by which angles become distances: the size of the body [m]."""
    coordinate: Ints
    """(k,) of `Coordinate`."""
    lower: Floats
    """(k,)"""
    upper: Floats
    """(k,)"""
    rows: JointRows
    drives: Drives
    scripted: tuple[ScriptedFrame, ...]
    rigid_count: int
    mechanisms: tuple[Mechanism, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def world(self) -> int:
        """The number of the world's frame."""
        return self.rigid_count + len(self.scripted)

    @property
    def bodies(self) -> Ints:
        """Numbers of all rigid bodies that joints or drives act on."""
        return np.concatenate([*(m.bodies for m in self.mechanisms), np.zeros(0, np.int32)]).astype(np.int32)

    def pairs(self) -> Ints:
        """(p, 2) rigid bodies that joints tie together."""
        both = self.second < self.rigid_count
        return np.column_stack([self.first[both], self.second[both]]).astype(np.int32)

    def held(self) -> Ints:
        """Rigid bodies that joints tie to the world or to scripted bodies, or that drives hold."""
        return np.unique(np.concatenate([self.first[self.second >= self.rigid_count], self.drives.body]))

    def driven(self) -> Ints:
        """Rigid bodies that something outside moves: a drive, or a scripted body that they are tied to."""
        scripted = (self.second >= self.rigid_count) & (self.second < self.world)
        return np.unique(np.concatenate([self.first[scripted], self.drives.body]))


def build_joints(
    specs: Sequence[JointSpec],
    drives: Sequence[DriveSpec],
    rigid_of: dict[str, int],
    scripted_of: dict[str, ScriptedFrame],
    centres: Floats,
    rotations: Floats,
    sizes: Floats,
) -> Joints | None:
    """The joints, from the centres (b, 3), rotation matrices (b, 3, 3) and sizes (b,) of its rigid bodies at the start."""
    if not specs and not drives:
        return None
    used = sorted({spec.to for spec in specs if spec.to is not None and spec.to in scripted_of})
    count = len(rigid_of)
    scripted = tuple(scripted_of[name] for name in used)
    starts = [frame.pose(frame.rest) for frame in scripted]
    X = np.concatenate([centres, *(start[0][None] for start in starts), np.zeros((1, 3))])
    R = np.concatenate([rotations.reshape(-1, 3, 3), *(start[1][None] for start in starts), np.eye(3)[None]])
    number = rigid_of | {name: count + k for k, name in enumerate(used)}
    first = np.array([rigid_of[s.body] for s in specs], np.int32)
    second = np.array([len(X) - 1 if s.to is None else number[s.to] for s in specs], np.int32)
    anchor = np.array([s.anchor for s in specs]).reshape(-1, 3)
    triad = np.array([s.triad for s in specs]).reshape(-1, 3, 3)
    rows = [(int(kind), k, i, j) for k, s in enumerate(specs) for kind, i, j in s.rows]
    table = np.array(rows, np.int32).reshape(-1, 4).T.copy()
    joints = Joints(
        names=tuple(s.name for s in specs),
        kinds=tuple(s.kind for s in specs),
        first=first,
        second=second,
        first_anchor=np.einsum("kji,kj->ki", R[first], anchor - X[first]),
        second_anchor=np.einsum("kji,kj->ki", R[second], anchor - X[second]),
        first_triad=np.einsum("kcj,kji->kci", triad, R[first]),
        second_triad=np.einsum("kcj,kji->kci", triad, R[second]),
        size=sizes[first],
        coordinate=np.array([int(s.coordinate) for s in specs], np.int32),
        lower=np.array([s.lower for s in specs]),
        upper=np.array([s.upper for s in specs]),
        rows=JointRows(*table),
        drives=_drives(drives, rigid_of),
        scripted=scripted,
        rigid_count=count,
        mechanisms=(),
    )
    return replace(joints, mechanisms=find_mechanisms(joints))


def _drives(specs: Sequence[DriveSpec], rigid_of: dict[str, int]) -> Drives:
    return Drives(
        names=tuple(s.name for s in specs),
        driven=np.array([int(s.driven) for s in specs], np.int32),
        joint=np.array([s.joint for s in specs], np.int32),
        body=np.array([rigid_of[s.body] for s in specs], np.int32),
        rows=np.arange(len(specs)),
        gains=np.array([(s.stiffness, s.damping, s.limit) for s in specs]).reshape(-1, 3),
        targets=np.array([(*s.target, s.target_velocity) for s in specs], dtype=np.float64).reshape(-1, 5),
    )


def find_mechanisms(joints: Joints) -> tuple[Mechanism, ...]:
    """The groups of rigid bodies that hang together, each with its equations, joints and drives."""
    leader = np.arange(joints.rigid_count)
    for a, b in joints.pairs().tolist():
        leader[leader == leader[a]] = leader[b]
    of_joint = leader[joints.first] if len(joints) else np.zeros(0, np.intp)
    found = []
    for root in np.unique(np.concatenate([of_joint, leader[joints.drives.body]])).astype(int):
        found.append(
            Mechanism(
                np.flatnonzero(leader == root).astype(np.int32),
                np.flatnonzero(of_joint[joints.rows.joint] == root) if len(joints) else np.zeros(0, np.intp),
                np.flatnonzero(of_joint == root),
                np.flatnonzero(leader[joints.drives.body] == root),
            )
        )
    return tuple(found)


def part_of_joints(joints: Joints | None, number: Ints, rigids: RigidBodies) -> Joints | None:
    """The joints of some rigid bodies, which have new numbers (b,), -1 for all others; whole mechanisms are in it or not."""
    if joints is None:
        return None
    kept = np.flatnonzero(number[joints.first] >= 0)
    own_drives = np.flatnonzero(number[joints.drives.body] >= 0)
    if not len(kept) and not len(own_drives):
        return None
    shift = len(rigids) - joints.rigid_count
    new = np.full(len(joints), -1, np.int32)
    new[kept] = np.arange(len(kept))
    second = joints.second[kept]
    rigid = second < joints.rigid_count
    second = np.where(rigid, number[np.where(rigid, second, 0)], second + shift).astype(np.int32)
    rows = np.flatnonzero(new[joints.rows.joint] >= 0)
    drives = joints.drives
    part = replace(
        joints,
        names=tuple(joints.names[k] for k in kept),
        kinds=tuple(joints.kinds[k] for k in kept),
        first=number[joints.first[kept]],
        second=second,
        first_anchor=joints.first_anchor[kept],
        second_anchor=joints.second_anchor[kept],
        first_triad=joints.first_triad[kept],
        second_triad=joints.second_triad[kept],
        size=joints.size[kept],
        coordinate=joints.coordinate[kept],
        lower=joints.lower[kept],
        upper=joints.upper[kept],
        rows=JointRows(
            joints.rows.kind[rows],
            new[joints.rows.joint[rows]],
            joints.rows.first_axis[rows],
            joints.rows.second_axis[rows],
        ),
        drives=replace(
            drives,
            names=tuple(drives.names[k] for k in own_drives),
            driven=drives.driven[own_drives],
            joint=np.where(drives.joint[own_drives] >= 0, new[drives.joint[own_drives]], -1).astype(np.int32),
            body=number[drives.body[own_drives]],
            rows=drives.rows[own_drives],
        ),
        rigid_count=len(rigids),
    )
    return replace(part, mechanisms=find_mechanisms(part))


__all__ = ["Coordinate", "Driven", "Drives", "JointRows", "Joints", "Mechanism", "build_joints", "part_of_joints"]
