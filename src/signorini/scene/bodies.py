"""The bodies of a scene as plain data: what they are made of and how they start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from signorini.errors import InputError
from signorini.geometry.embedding import Embedding, embed, embedded_volume_fractions
from signorini.geometry.mass_properties import MassProperties
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh, as_vector
from signorini.scene.checks import is_closed, placed
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.motions import Motion, Points, as_motion
from signorini.scene.solid_material import SolidMaterial
from signorini.settings import check_number

MotionLike = Motion | Callable[[Points, float], Points] | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pin:
    """Vertices whose position is prescribed: fixed, or moved by `motion`, until `release_time` [s]."""

    vertices: NDArray[np.int32]
    motion: Motion | None = None
    release_time: float = float("inf")


@dataclass(slots=True, kw_only=True, eq=False)
class Cloth:
    """A sheet. Its resting shape is the mesh as it was given; `positions` is where it starts."""

    name: str
    mesh: TriangleMesh
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    area_density: float
    material: ClothMaterial
    friction: float
    pins: list[Pin] = field(default_factory=list)

    def pin(self, vertices: ArrayLike, *, motion: MotionLike = None, release_time: float = float("inf")) -> Cloth:
        """Prescribe the motion of some vertices (fixed when `motion` is None) until `release_time` [s]."""
        self.pins.append(_checked_pin(self.name, len(self.positions), vertices, motion, release_time))
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """The surface of a soft solid that touches others: that of its tetrahedra, or a finer one embedded in them."""

    mesh: TriangleMesh
    """At rest."""
    nodes: NDArray[np.int32] | None
    """(s,) the node of each vertex; None for an embedded surface."""
    embedding: Embedding | None
    fractions: NDArray[np.float64] | None
    """(t,) how much of each tetrahedron is inside a closed embedded surface; None: all."""

    def carried(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Positions or velocities (s, 3) of the surface for those of the nodes (n, 3)."""
        if self.embedding is not None:
            return self.embedding.positions(values)
        return values[self.nodes]


def spinning(
    tets: TetMesh, skin: Skin, positions: NDArray[np.float64], velocity: ArrayLike, angular_velocity: ArrayLike
) -> NDArray[np.float64]:
    """Velocities (n, 3) of the nodes of a solid at positions (n, 3) that moves as if it were rigid."""
    share = tets.volumes() if skin.fractions is None else tets.volumes() * skin.fractions
    weight = np.bincount(tets.tetrahedra.ravel(), weights=np.repeat(share, 4), minlength=len(positions))
    arms = positions - weight @ positions / weight.sum()
    turning = np.cross(as_vector("angular_velocity", angular_velocity), arms)
    return np.asarray(as_vector("velocity", velocity) + turning, dtype=np.float64)


@dataclass(slots=True, kw_only=True, eq=False)
class SoftSolid:
    """An elastic solid of tetrahedra. Its nodes are the vertices of `tets`, whose shape is the resting shape."""

    name: str
    tets: TetMesh
    skin: Skin
    node_positions: NDArray[np.float64]
    """(n, 3) where the nodes start [m]."""
    node_velocities: NDArray[np.float64]
    material: SolidMaterial
    friction: float
    pins: list[Pin] = field(default_factory=list)

    @property
    def mesh(self) -> TriangleMesh:
        """The surface that touches others, at rest."""
        return self.skin.mesh

    @property
    def positions(self) -> NDArray[np.float64]:
        """(s, 3) where the vertices of `mesh` start [m]."""
        return self.skin.carried(self.node_positions)

    @property
    def velocities(self) -> NDArray[np.float64]:
        """(s, 3) with which the vertices of `mesh` start [m/s]."""
        return self.skin.carried(self.node_velocities)

    def pin(self, vertices: ArrayLike, *, motion: MotionLike = None, release_time: float = float("inf")) -> SoftSolid:
        """Prescribe the motion of some vertices of `tets` (fixed when `motion` is None) until `release_time` [s]."""
        self.pins.append(_checked_pin(self.name, len(self.node_positions), vertices, motion, release_time))
        return self


@dataclass(slots=True, kw_only=True, eq=False)
class Rigid:
    """A body that does not deform. A point x of its mesh starts at `rotation` x + `position`."""

    name: str
    mesh: TriangleMesh
    properties: MassProperties
    """Mass, centre of mass and inertia in the frame of the mesh."""
    density: float | None
    """[kg/m³], if the body was given by it and not by its mass."""
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    """(3,) rotation vector [rad]."""
    velocity: NDArray[np.float64]
    """(3,) of the centre of mass [m/s]."""
    angular_velocity: NDArray[np.float64]
    """(3,) in the world frame [rad/s]."""
    friction: float

    @property
    def mass(self) -> float:
        """[kg]"""
        return self.properties.mass

    @property
    def center(self) -> NDArray[np.float64]:
        """(3,) where the centre of mass starts [m]."""
        return Rotation.from_rotvec(self.rotation).as_matrix() @ self.properties.centre + self.position

    @property
    def positions(self) -> NDArray[np.float64]:
        """(n, 3) where the vertices start [m]."""
        return placed(self.mesh.vertices, self.position, self.rotation)

    @property
    def velocities(self) -> NDArray[np.float64]:
        """(n, 3) with which the vertices start [m/s]."""
        return self.velocity + np.cross(self.angular_velocity, self.positions - self.center)


@dataclass(slots=True, kw_only=True, eq=False)
class Kinematic:
    """A surface that moves by a script and is not moved by contact."""

    name: str
    mesh: TriangleMesh
    positions: NDArray[np.float64]
    motion: Motion | None
    friction: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HalfSpace:
    """Everything below a plane is solid: points x with normal·x < height are inside."""

    name: str
    normal: NDArray[np.float64]
    height: float
    """Offset of the plane along its normal [m]."""
    friction: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attachment:
    """Vertices of a cloth, or nodes of a solid, that move with a kinematic or rigid body from the start on."""

    body: str
    vertices: NDArray[np.int32]
    to: str


Body = Cloth | SoftSolid | Rigid | Kinematic | HalfSpace


def checked_vertices(what: str, count: int, vertices: ArrayLike) -> NDArray[np.int32]:
    """Increasing vertex numbers, each once, or an `InputError` that begins with `what`."""
    given = np.atleast_1d(np.asarray(vertices))
    if not np.issubdtype(given.dtype, np.integer) or given.ndim != 1:
        raise InputError(f"{what}: vertices must be integers, got {given.dtype} {given.shape}")
    bad = given[(given < 0) | (given >= count)]
    if len(bad):
        raise InputError(f"{what}: vertex {int(bad[0])} does not exist, the mesh has vertices 0 to {count - 1}")
    return np.unique(given).astype(np.int32)


def _checked_pin(name: str, count: int, vertices: ArrayLike, motion: MotionLike, release_time: float) -> Pin:
    chosen = checked_vertices(f"pin of {name!r}", count, vertices)
    if not check_number(f"release_time of a pin of {name!r}", release_time) > 0.0:
        raise InputError(f"pin of {name!r}: release_time must be positive, got {release_time:g} s")
    return Pin(vertices=chosen, motion=as_motion(motion), release_time=release_time)


def solid_skin(tets: TetMesh, surface: TriangleMesh | None, name: str) -> Skin:
    """The surface of the tetrahedra, or `surface` embedded in them; a closed one says how far they are filled."""
    if surface is None:
        mesh, nodes = tets.surface()
        return Skin(mesh, nodes, None, None)
    embedding = embed(tets, surface.vertices, name, triangles=surface.triangles)
    return Skin(surface, None, embedding, embedded_volume_fractions(tets, surface) if is_closed(surface) else None)


def checked_attachment(source: Body, vertices: ArrayLike, target: Body, others: list[Attachment]) -> Attachment:
    """The attachment, or an `InputError` that says what is wrong with it."""
    if not isinstance(source, Cloth | SoftSolid):
        raise InputError(f"attach: {source.name!r} must be a cloth or a soft solid, only these have vertices to attach")
    if not isinstance(target, Kinematic | Rigid):
        raise InputError(
            f"attach: {target.name!r} must be a kinematic or rigid body; to fix vertices in space use pin(...)"
        )
    nodes = len(source.positions if isinstance(source, Cloth) else source.node_positions)
    chosen = checked_vertices(f"attachment of {source.name!r}", nodes, vertices)
    for other in others:
        both = np.intersect1d(chosen, other.vertices) if other.body == source.name else []
        if len(both):
            raise InputError(f"attach: vertex {both[0]} of {source.name!r} is attached to {other.to!r} already")
    return Attachment(body=source.name, vertices=chosen, to=target.name)
