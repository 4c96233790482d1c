"""Scene: what the user builds. Bodies, ground, gravity and friction; nothing here computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from signorini.bodies.materials import ClothMaterial, cloth_material
from signorini.errors import InputError
from signorini.mesh import TriangleMesh, as_points, as_vector
from signorini.motions import Motion, Points, as_motion
from signorini.settings import check_number, check_positive

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
        given = np.atleast_1d(np.asarray(vertices))
        if not np.issubdtype(given.dtype, np.integer) or given.ndim != 1:
            raise InputError(f"pin of {self.name!r}: vertices must be integers, got {given.dtype} {given.shape}")
        bad = given[(given < 0) | (given >= len(self.positions))]
        if len(bad):
            raise InputError(
                f"pin of {self.name!r}: vertex {int(bad[0])} does not exist, the mesh has vertices 0 to "
                f"{len(self.positions) - 1}"
            )
        if not check_number(f"release_time of a pin of {self.name!r}", release_time) > 0.0:
            raise InputError(f"pin of {self.name!r}: release_time must be positive, got {release_time:g} s")
        self.pins.append(
            Pin(vertices=np.unique(given).astype(np.int32), motion=as_motion(motion), release_time=release_time)
        )
        return self


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


Body = Cloth | Kinematic | HalfSpace


class Scene:
    """The bodies and their environment. SI units; z is up.

    Friction of a pair of bodies is the geometric mean of their coefficients. `air_drag` [1/s] is the rate at which still
    air slows every node down (force = air_drag · mass · velocity).
    """

    def __init__(
        self,
        *,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        friction: float = 0.3,
        air_drag: float = 0.0,
        name: str = "scene",
    ) -> None:
        self.name = name
        self.air_drag = _check_non_negative("air_drag", air_drag)
        self.gravity = as_vector("gravity", gravity)
        self.friction = _check_non_negative("friction", friction)
        self.bodies: dict[str, Body] = {}

    def add_cloth(
        self,
        mesh: TriangleMesh,
        *,
        area_density: float = 0.2,
        material: str | ClothMaterial = "cotton",
        name: str | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        friction: float | None = None,
        initial_vertices: ArrayLike | None = None,
    ) -> Cloth:
        """Add a sheet of `area_density` [kg/m²] whose resting shape is `mesh`.

        It starts rotated by the rotation vector `rotation` [rad] and moved by `position` [m], with `velocity` [m/s].
        `initial_vertices` (n, 3), when given, replaces the mesh's own vertices as the (unrotated) starting shape: the
        sheet then starts deformed.
        """
        mesh = _check_mesh(mesh)
        start = mesh
        if initial_vertices is not None:
            vertices = as_points("initial_vertices", initial_vertices)
            if len(vertices) != len(mesh.vertices):
                raise InputError(
                    f"initial_vertices must have one row per vertex, got {len(vertices)} for {len(mesh.vertices)}"
                )
            start = TriangleMesh(vertices, mesh.triangles)
        positions = _placed(start, position, rotation)
        cloth = Cloth(
            name=self._new_name("cloth", name),
            mesh=mesh,
            positions=positions,
            velocities=np.tile(as_vector("velocity", velocity), (len(positions), 1)),
            area_density=check_positive("area_density", area_density, unit="kg/m²"),
            material=cloth_material(material),
            friction=self._friction_or_default(friction),
        )
        self.bodies[cloth.name] = cloth
        return cloth

    def add_kinematic(
        self,
        mesh: TriangleMesh,
        *,
        motion: MotionLike = None,
        name: str | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        friction: float | None = None,
    ) -> Kinematic:
        """Add an obstacle: a surface that is at rest or moves by `motion`, whatever touches it."""
        body = Kinematic(
            name=self._new_name("kinematic", name),
            mesh=_check_mesh(mesh),
            positions=_placed(mesh, position, rotation),
            motion=as_motion(motion),
            friction=self._friction_or_default(friction),
        )
        self.bodies[body.name] = body
        return body

    def add_ground(
        self,
        *,
        height: float = 0.0,
        normal: Sequence[float] = (0.0, 0.0, 1.0),
        name: str | None = None,
        friction: float | None = None,
    ) -> HalfSpace:
        """Add a half-space: the plane normal·x = height [m], solid below."""
        n = as_vector("normal", normal)
        length = float(np.linalg.norm(n))
        if not length > 0.0:
            raise InputError(f"normal of a ground must not be zero, got {tuple(normal)}")
        if not np.isfinite(check_number("height of a ground", height)):
            raise InputError(f"height of a ground must be finite, got {height} m")
        ground = HalfSpace(
            name=self._new_name("ground", name),
            normal=n / length,
            height=float(height),
            friction=self._friction_or_default(friction),
        )
        self.bodies[ground.name] = ground
        return ground

    def _friction_or_default(self, friction: float | None) -> float:
        return self.friction if friction is None else _check_non_negative("friction", friction)

    def _new_name(self, kind: str, name: str | None) -> str:
        if name is None:
            numbered = (f"{kind}-{number}" for number in count(2))
            name = next(free for free in chain([kind], numbered) if free not in self.bodies)
        if not isinstance(name, str) or not name or set(name) & set("/\\\0") or name.startswith("."):
            raise InputError(
                f"name of a body must be a non-empty string without slashes and not begin with a dot, got {name!r}"
            )
        if name in self.bodies:
            raise InputError(f"a body named {name!r} exists already: give each body its own name")
        return name


def _check_non_negative(name: str, value: Any) -> float:
    number = check_number(name, value)
    if not np.isfinite(number) or number < 0.0:
        raise InputError(f"{name} must be a finite number of at least 0, got {value!r}")
    return number


def _check_mesh(mesh: TriangleMesh) -> TriangleMesh:
    if not isinstance(mesh, TriangleMesh):
        raise InputError(
            f"mesh must be a signorini.TriangleMesh (see signorini.shapes and signorini.load_mesh), got {type(mesh).__name__}"
        )
    return mesh


def _placed(mesh: TriangleMesh, position: Sequence[float], rotation: Sequence[float]) -> NDArray[np.float64]:
    R = Rotation.from_rotvec(as_vector("rotation", rotation)).as_matrix()
    return mesh.vertices @ R.T + as_vector("position", position)
