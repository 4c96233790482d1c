"""Rigid bodies: closed meshes that do not deform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.geometry.mass_properties import MassProperties
from signorini.geometry.triangle_mesh import TriangleMesh, as_vector
from signorini.model.contribution import Contribution, NodeSet, RigidPart
from signorini.model.surface_map import rigid_rows
from signorini.scene.body import Body, BodyList
from signorini.scene.body_options import MovableOptions, checked_options
from signorini.scene.checks import check_look, check_mesh, placed, rigid_properties
from signorini.scene.tables import Table, TableReader, TableWriter, mesh_arrays

if TYPE_CHECKING:
    from signorini.scene.scene import Scene

Floats = NDArray[np.float64]


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Rigid(Body):
    """A body that does not deform. A point x of its mesh starts at `rotation` x + `position`."""

    kind: ClassVar[str] = "rigid"
    carries: ClassVar[bool] = True

    mesh: TriangleMesh
    properties: MassProperties
    """Mass, centre of mass and inertia in the frame of the mesh."""
    density: float | None
    """[kg/m³], if the body was given by it and not by its mass."""
    position: Floats
    rotation: Floats
    """(3,) rotation vector [rad]."""
    velocity: Floats
    """(3,) of the centre of mass [m/s]."""
    angular_velocity: Floats
    """(3,) in the world frame [rad/s]."""
    smooth: bool
    """Whether it touches with the smooth surface that its mesh stands for, where its triangles meet at small angles."""

    @property
    def mass(self) -> float:
        """[kg]"""
        return self.properties.mass

    @property
    def center(self) -> Floats:
        """(3,) where the centre of mass starts [m]."""
        return Rotation.from_rotvec(self.rotation).as_matrix() @ self.properties.centre + self.position

    @property
    def positions(self) -> Floats:
        """(n, 3) where the vertices start [m]."""
        return placed(self.mesh.vertices, self.position, self.rotation)

    @property
    def velocities(self) -> Floats:
        """(n, 3) with which the vertices start [m/s]."""
        return self.velocity + np.cross(self.angular_velocity, self.positions - self.center)

    def contribution(self, air_drag: float) -> Contribution:
        """Two nodes, the centre of mass and the angular velocity, and the vertices that they move."""
        return Contribution(
            name=self.name,
            kind=self.kind,
            friction=self.friction,
            contact=self.options.contact(),
            gravity=self.options.gravity,
            nodes=NodeSet(
                mass=np.array([self.mass, 0.0]),
                drag=np.full(2, air_drag),
                positions=np.array([self.center, np.zeros(3)]),
                velocities=np.array([self.velocity, self.angular_velocity]),
            ),
            rest=self.mesh.vertices,
            triangles=self.mesh.triangles,
            rows=rigid_rows(self.mesh.vertices - self.properties.centre),
            thick=True,
            rigid=RigidPart(self.properties.inertia, Rotation.from_rotvec(self.rotation).as_quat(), self.smooth),
        )

    def to_table(self, writer: TableWriter) -> Table:
        """`[[rigid]]`, with its mesh in a file."""
        return {
            "name": self.name,
            "mesh": writer.save_arrays(self.name, mesh_arrays(self.mesh)),
            **({"mass": self.mass} if self.density is None else {"density": self.density}),
            "position": self.position.tolist(),
            "rotation": self.rotation.tolist(),
            "velocity": self.velocity.tolist(),
            "angular_velocity": self.angular_velocity.tolist(),
            "friction": self.friction,
            **self.options.to_table(),
            "color": self.color,
            "finish": self.finish,
            "smooth": self.smooth,
        }

    @classmethod
    def from_table(cls, scene: Scene, values: Mapping[str, Any], reader: TableReader) -> None:
        """`Scene.add_rigid`."""
        mesh, _ = reader.surface(values["mesh"], "mesh")
        scene.add_rigid(mesh, **{key: value for key, value in values.items() if key != "mesh"})


class AddsRigid(BodyList):
    """Scenes with rigid bodies."""

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
        smooth: bool = True,
        color: str | None = None,
        finish: str | None = None,
        **options: Unpack[MovableOptions],
    ) -> Rigid:
        """Add a rigid body: the inside of a closed mesh, of a `density` or a total `mass`.

        Parameters:
            mesh: its surface, closed, with triangles outward.
            density: mass per volume [kg/m³]; give this or `mass`.
            mass: total mass [kg]; give this or `density`.
            name: name of the body; by default that of its kind, with a number if there are several.
            position: displacement of the mesh at the start [m].
            rotation: rotation vector by which the mesh is turned at the start, before it is displaced [rad].
            velocity: velocity of the centre of mass at the start [m/s].
            angular_velocity: angular velocity at the start, in the world frame [rad/s].
            friction: friction coefficient; by default that of the scene.
            smooth: whether it rolls as the smooth body that its mesh stands for, where triangles meet at less than 0.5 rad;
                otherwise as the polyhedron that the mesh is.
            color: colour in pictures and in the viewer, a name such as teal or #rrggbb; by default one of its kind.
            finish: finish in pictures: matt, glossy, jelly, woven, checks or stripes; by default that of its kind.
            options: restitution, contact_distance, gravity (`MovableOptions`).
        """
        new_name = self._new_name("rigid", name)
        placed(check_mesh(mesh).vertices, position, rotation, new_name)  # of a sensible size, at a sensible place
        return self._add(
            Rigid(
                name=new_name,
                mesh=check_mesh(mesh),
                properties=rigid_properties(mesh, density, mass, new_name),
                density=None if density is None else float(density),
                position=as_vector("position", position),
                rotation=as_vector("rotation", rotation),
                velocity=as_vector("velocity", velocity),
                angular_velocity=as_vector("angular_velocity", angular_velocity),
                friction=self._friction_or_default(friction),
                options=checked_options(new_name, options, MovableOptions),
                **check_look(new_name, color, finish),
                smooth=bool(smooth),
            )
        )
