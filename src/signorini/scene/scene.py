"""Scene: what the user builds. Bodies, ground, gravity and friction; nothing here computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count

import numpy as np
from numpy.typing import ArrayLike

from signorini.errors import InputError
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh, as_vector
from signorini.scene.bodies import (
    Attachment,
    Body,
    Cloth,
    HalfSpace,
    Kinematic,
    MotionLike,
    Pin,
    Rigid,
    SoftSolid,
    checked_attachment,
    solid_skin,
    spinning,
)
from signorini.scene.checks import (
    check_mesh,
    check_non_negative,
    check_tets,
    matching_vertices,
    placed,
    rigid_properties,
)
from signorini.scene.cloth_material import ClothMaterial, cloth_material
from signorini.scene.motions import as_motion
from signorini.scene.solid_material import SolidMaterial, SolidModel, solid_material
from signorini.settings import check_number, check_positive

__all__ = [
    "Attachment",
    "Body",
    "Cloth",
    "HalfSpace",
    "Kinematic",
    "MotionLike",
    "Pin",
    "Rigid",
    "Scene",
    "SoftSolid",
]


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
        self.air_drag = check_non_negative("air_drag", air_drag)
        self.gravity = as_vector("gravity", gravity)
        self.friction = check_non_negative("friction", friction)
        self.bodies: dict[str, Body] = {}
        self.attachments: list[Attachment] = []

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
        mesh = check_mesh(mesh)
        start = mesh.vertices
        if initial_vertices is not None:
            start = TriangleMesh(matching_vertices(initial_vertices, len(start)), mesh.triangles).vertices
        positions = placed(start, position, rotation)
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

    def add_soft_solid(
        self,
        tets: TetMesh,
        *,
        density: float | None = None,
        young: float | None = None,
        poisson: float | None = None,
        material: str | SolidMaterial = "rubber",
        model: SolidModel | None = None,
        mass_damping: float | None = None,
        stiffness_damping: float | None = None,
        surface: TriangleMesh | None = None,
        name: str | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        angular_velocity: Sequence[float] = (0.0, 0.0, 0.0),
        friction: float | None = None,
        initial_vertices: ArrayLike | None = None,
    ) -> SoftSolid:
        """Add an elastic solid whose resting shape is `tets`.

        `density` [kg/m³], `young` [Pa], `poisson`, `model` ("corotational" or "neo-hookean"), `mass_damping` [1/s] and
        `stiffness_damping` [s] replace those of the material. `surface`, when given, is a mesh inside the tetrahedra that
        follows them and touches others in their place; what lies outside a closed surface has neither weight nor strength.
        The solid starts rotated by the rotation vector `rotation` [rad] and moved by `position` [m], with `velocity` [m/s] and
        `angular_velocity` [rad/s] about its centre of mass, in the world frame; `initial_vertices` (n, 3), when given, is its
        (unrotated) starting shape.
        """
        check_tets(tets)
        changes = {
            "density": density, "young": young, "poisson": poisson, "model": model,
            "mass_damping": mass_damping, "stiffness_damping": stiffness_damping,
        }  # fmt: skip
        chosen = replace(solid_material(material), **{key: v for key, v in changes.items() if v is not None})
        new_name = self._new_name("soft_solid", name)
        skin = solid_skin(tets, None if surface is None else check_mesh(surface), new_name)
        start = tets.vertices if initial_vertices is None else matching_vertices(initial_vertices, len(tets.vertices))
        positions = placed(start, position, rotation)
        solid = SoftSolid(
            name=new_name,
            tets=tets,
            skin=skin,
            node_positions=positions,
            node_velocities=spinning(tets, skin, positions, velocity, angular_velocity),
            material=chosen,
            friction=self._friction_or_default(friction),
        )
        self.bodies[solid.name] = solid
        return solid

    def add_rigid(
        self,
        mesh: TriangleMesh,
        *,
        density: float | None = None,
        mass: float | None = None,
        name: str | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        angular_velocity: Sequence[float] = (0.0, 0.0, 0.0),
        friction: float | None = None,
    ) -> Rigid:
        """Add a rigid body: the inside of a closed mesh, of a `density` [kg/m³] or a total `mass` [kg].

        Its mesh starts rotated by the rotation vector `rotation` [rad] and moved by `position` [m]; `velocity` [m/s] is that
        of the centre of mass, `angular_velocity` [rad/s] is in the world frame.
        """
        new_name = self._new_name("rigid", name)
        body = Rigid(
            name=new_name,
            mesh=check_mesh(mesh),
            properties=rigid_properties(mesh, density, mass, new_name),
            density=None if density is None else float(density),
            position=as_vector("position", position),
            rotation=as_vector("rotation", rotation),
            velocity=as_vector("velocity", velocity),
            angular_velocity=as_vector("angular_velocity", angular_velocity),
            friction=self._friction_or_default(friction),
        )
        self.bodies[body.name] = body
        return body

    def attach(self, body: str | Cloth | SoftSolid, vertices: ArrayLike, *, to: str | Kinematic | Rigid) -> Attachment:
        """Make vertices of a cloth, or nodes of a solid, move with another body as if glued where they start.

        A kinematic body carries them along; a rigid body also feels them.
        """
        attachment = checked_attachment(self._named(body), vertices, self._named(to), self.attachments)
        self.attachments.append(attachment)
        return attachment

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
            mesh=check_mesh(mesh),
            positions=placed(mesh.vertices, position, rotation),
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

    def _named(self, body: str | Body) -> Body:
        name = body if isinstance(body, str) else getattr(body, "name", repr(body))
        if name not in self.bodies or not (isinstance(body, str) or self.bodies[name] is body):
            raise InputError(f"there is no body {name!r} in this scene; there are {', '.join(self.bodies) or 'none'}")
        return self.bodies[name]

    def _friction_or_default(self, friction: float | None) -> float:
        return self.friction if friction is None else check_non_negative("friction", friction)

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
