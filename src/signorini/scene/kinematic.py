"""Kinematic bodies: obstacles that move by a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.model.contribution import Contribution, Motion, Script
from signorini.model.surface_map import prescribed_rows
from signorini.scene.body import Body, BodyList
from signorini.scene.body_options import ContactOptions, checked_options
from signorini.scene.checks import check_look, check_mesh, placed
from signorini.scene.motions import as_motion
from signorini.scene.pins import MotionLike
from signorini.scene.tables import Table, TableReader, TableWriter, check_rows, is_unplaced, mesh_arrays

if TYPE_CHECKING:
    from signorini.scene.scene import Scene


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Kinematic(Body):
    """A surface that moves by a script and is not moved by contact."""

    kind: ClassVar[str] = "kinematic"
    carries: ClassVar[bool] = True

    mesh: TriangleMesh
    positions: NDArray[np.float64]
    """(n, 3) where the vertices are at time 0, before `motion` moves them [m]."""
    motion: Motion | None
    hollow: bool = False
    """Whether other bodies may be inside its closed surface, as in a container."""

    def contribution(self, air_drag: float) -> Contribution:
        """Vertices that no node moves."""
        return Contribution(
            name=self.name,
            kind=self.kind,
            friction=self.friction,
            contact=self.options.contact(),
            rest=self.mesh.vertices,
            triangles=self.mesh.triangles,
            rows=prescribed_rows(len(self.positions)),
            thick=True,
            hollow=self.hollow,
            script=Script(self.positions, self.motion),
        )

    def to_table(self, writer: TableWriter) -> Table:
        """`[[kinematic]]`, with its mesh and where it starts in a file."""
        return {
            "name": self.name,
            "mesh": writer.save_arrays(self.name, {**mesh_arrays(self.mesh), "positions": self.positions}),
            "motion": writer.motion(self.motion, self.name),
            "hollow": self.hollow,
            "friction": self.friction,
            **self.options.to_table(),
            "color": self.color,
            "finish": self.finish,
        }

    @classmethod
    def from_table(cls, scene: Scene, values: Mapping[str, Any], reader: TableReader) -> None:
        """`Scene.add_kinematic`."""
        mesh, start = reader.surface(values["mesh"], "mesh")
        given = {key: value for key, value in values.items() if key not in ("mesh", "motion")}
        motion = reader.motion(values["motion"])
        if "positions" not in start:
            scene.add_kinematic(mesh, motion=motion, **given)
            return
        check_rows(start, len(mesh.vertices))
        body = scene.add_kinematic(TriangleMesh(start["positions"], mesh.triangles), motion=motion, **given)
        body.mesh = mesh
        if is_unplaced(values):
            body.positions = start["positions"]


class AddsKinematic(BodyList):
    """Scenes with scripted obstacles."""

    def add_kinematic(
        self,
        mesh: TriangleMesh,
        *,
        motion: MotionLike = None,
        name: str | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        friction: float | None = None,
        hollow: bool = False,
        color: str | None = None,
        finish: str | None = None,
        **options: Unpack[ContactOptions],
    ) -> Kinematic:
        """Add an obstacle: a surface that is at rest or moves by `motion`, whatever touches it.

        Parameters:
            mesh: its surface.
            motion: scripted motion from where it starts; by default it is at rest.
            name: name of the body; by default that of its kind, with a number if there are several.
            position: displacement of the mesh at the start [m].
            rotation: rotation vector by which the mesh is turned at the start, before it is displaced [rad].
            friction: friction coefficient; by default that of the scene.
            hollow: whether it is an empty shell, such as a container, so that bodies may start inside its closed surface; a
                closed mesh with its triangles inward is hollow in any case.
            color: colour in pictures and in the viewer, a name such as teal or #rrggbb; by default one of its kind.
            finish: finish in pictures: matt, glossy, jelly, woven, checks or stripes; by default that of its kind.
            options: restitution, contact_distance (`ContactOptions`).
        """
        if not isinstance(hollow, bool):
            raise InputError(f"hollow of a kinematic body must be true or false, got {hollow!r}")
        check_mesh(mesh)
        return self._add(
            Kinematic(
                name=self._new_name("kinematic", name),
                mesh=mesh,
                positions=placed(mesh.vertices, position, rotation, name),
                motion=as_motion(motion),
                friction=self._friction_or_default(friction),
                options=checked_options(name or "kinematic", options, ContactOptions),
                **check_look(name or "kinematic", color, finish),
                hollow=hollow,
            )
        )
