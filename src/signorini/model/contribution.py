"""Contributions of bodies to the model: all that the time loop knows about a body, whatever its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements
from signorini.model.contact_rules import BodyContact, PairRuleLike
from signorini.model.jointed.joint_specs import DriveSpec, JointSpec
from signorini.model.motion_check import checked_motion
from signorini.model.surface_map import MapRows

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
NO_EDGES = np.zeros((0, 2), np.int32)
NO_TRIANGLES = np.zeros((0, 3), np.int32)


@runtime_checkable
class Motion(Protocol):
    """A scripted motion: anything that places points in time."""

    def positions(self, rest: Floats, time: float) -> Floats:
        """Where the points `rest` (n, 3) of time 0 are at `time` [s]."""
        ...


class Turning(NamedTuple):
    """Rotation of a scripted motion between two times, whole turns included, which the positions at both times do not tell."""

    vector: Floats
    """(3,) rotation vector [rad]."""
    centre: Floats
    """(3,) a point on the axis at the first time [m]."""
    angle: float
    """Sum of all angles [rad]; that of `vector` unless it turns to and fro, or about several axes."""


def turning_of(motion: Motion, start: float, end: float) -> Turning | None:
    """Rotation of a motion between two times [s]; None if it has no method `turning`."""
    turning = getattr(motion, "turning", None)
    return None if turning is None else turning(start, end)


@dataclass(frozen=True, slots=True)
class Pinned:
    """Nodes with a prescribed motion until a time."""

    nodes: Ints
    rest: Floats
    """(k, 3) where they are at time 0 [m]."""
    motion: Motion | None
    """None: they stay where they are. Else every answer of it is checked."""
    release_time: float
    """[s]"""
    body: str = ""
    """Whose nodes they are, for messages."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "motion", checked_motion(self.motion, f"the motion of a pin of {self.body!r}"))

    def positions(self, time: float) -> Floats:
        """Where they are at a time, (k, 3) [m]; what the motion returns is checked."""
        return self.rest if self.motion is None else self.motion.positions(self.rest, time)


@dataclass(frozen=True, slots=True)
class Script:
    """Surface vertices with a prescribed motion."""

    rest: Floats
    """(k, 3) where they are at time 0 [m]."""
    motion: Motion | None
    body: str = ""
    """Whose vertices they are, for messages."""

    def __post_init__(self) -> None:
        self.follow(self.motion)

    def follow(self, motion: Motion | None) -> None:
        """Take another motion from now on: a user commands the body, and what is attached to it follows."""
        object.__setattr__(self, "motion", checked_motion(motion, f"the motion of {self.body!r}"))

    def turning(self, start: float, end: float) -> Turning | None:
        """How its motion turns between two times [s]; None if it does not say."""
        return None if self.motion is None else turning_of(self.motion, start, end)

    def positions(self, time: float) -> Floats:
        """Where they are at a time, (k, 3) [m]; what the motion returns is checked."""
        return self.rest if self.motion is None else self.motion.positions(self.rest, time)


@dataclass(frozen=True, slots=True)
class RigidPart:
    """The rotation of a rigid body, whose two nodes are its centre of mass and its angular velocity."""

    inertia: Floats
    """(3, 3) about the centre of mass, in the frame of the mesh [kg m²]."""
    rotation: Floats
    """(4,) unit quaternion (x, y, z, w) that turns the mesh into the world at the start."""
    smooth: bool = True
    """Whether contact takes the smooth surface that the mesh stands for, where it does (decision 0012)."""


@dataclass(frozen=True, slots=True)
class Plane:
    """The boundary of a half-space: points x with normal·x < height are inside."""

    normal: Floats
    """(3,) of length 1."""
    height: float
    """[m]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSet:
    """The degrees of freedom of a body, as nodes of three coordinates."""

    mass: Floats
    """(n,) [kg]; zero for the angular node of a rigid body."""
    drag: Floats
    """(n,) rate at which nodes are slowed down [1/s]."""
    positions: Floats
    """(n, 3) at the start [m]."""
    velocities: Floats
    """(n, 3) at the start [m/s]."""


NO_NODES = NodeSet(mass=np.zeros(0), drag=np.zeros(0), positions=np.zeros((0, 3)), velocities=np.zeros((0, 3)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """Contribution of a body to the model. Nodes and vertices count from 0 within the body."""

    name: str
    kind: str
    """The name of its kind, for views and files."""
    friction: float
    contact: BodyContact = field(default_factory=BodyContact)
    """How it touches others beside friction."""
    gravity: Floats | None = None
    """(3,) its own acceleration of gravity [m/s²]; None: that of the scene."""
    nodes: NodeSet = NO_NODES
    """Its degrees of freedom; none if its motion is scripted."""
    rest: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """(v, 3) vertices of its surface at rest [m]; what contact distances are chosen by."""
    triangles: Ints = field(default_factory=lambda: NO_TRIANGLES)
    """(t, 3) of its surface."""
    edges: Ints = field(default_factory=lambda: NO_EDGES)
    """(k, 2) edges that collide although they belong to no triangle."""
    rows: MapRows | None = None
    """How its nodes move the vertices of its surface; None: it has no vertices."""
    thick: bool = False
    """Whether its surface bounds a volume: only one side of its triangles is outside."""
    hollow: bool = False
    """Whether other bodies may be inside its closed surface, as in a container."""
    elements: tuple[Elements, ...] = ()
    pins: tuple[Pinned, ...] = ()
    rotating_frame: bool = False
    """Whether its steps are taken in a reference frame that rotates with it (decision 0008)."""
    rigid: RigidPart | None = None
    script: Script | None = None
    """Its scripted motion, if it is moved by nothing else."""
    plane: Plane | None = None
    """The plane of a half-space, which has no vertices."""


class AttachmentLike(Protocol):
    """Nodes of one body that move with another, by name."""

    @property
    def body(self) -> str: ...
    @property
    def vertices(self) -> Ints: ...
    @property
    def to(self) -> str: ...


class LoadLike(Protocol):
    """A load on a body, by name."""

    @property
    def kind(self) -> str: ...
    @property
    def body(self) -> str: ...

    def elements(self, part: Contribution) -> Elements:
        """What it adds to the model of the body; nodes count from 0 within it."""
        ...


class ModelSource(Protocol):
    """Source of a model: a scene, or anything else that lists contributions."""

    @property
    def gravity(self) -> Floats:
        """(3,) [m/s²]"""
        ...

    @property
    def attachments(self) -> Sequence[AttachmentLike]: ...

    @property
    def loads(self) -> Sequence[LoadLike]: ...

    @property
    def pair_rules(self) -> Sequence[PairRuleLike]:
        """Rules for the contact of pairs of bodies; later ones win."""
        ...

    @property
    def body_names(self) -> list[str]:
        """The names of all bodies; the place in this list is the number of a body."""
        ...

    def contributions(self) -> list[Contribution]:
        """What the bodies contribute, in the order in which the model numbers nodes and vertices: scripted bodies last."""
        ...

    def joint_specs(self) -> tuple[list[JointSpec], list[DriveSpec]]:
        """The joints and drives of rigid bodies."""
        ...

    def free_elements(self) -> list[tuple[Elements, tuple[str, ...]]]:
        """Elements beyond those of the bodies, with the body of each column of their nodes (or one for all)."""
        ...
