"""Cloth: a sheet that stretches, shears and bends, as a continuum or as springs and hinges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.checks import check_choice, check_positive
from signorini.geometry.triangle_mesh import TriangleMesh, as_vector
from signorini.model.contribution import Contribution, NodeSet
from signorini.model.surface_map import node_rows
from signorini.scene.body import BodyList
from signorini.scene.body_options import DeformableOptions, checked_options
from signorini.scene.checks import check_look, check_mesh, matching_vertices, placed
from signorini.scene.cloth_material import CLOTH_MODELS, ClothMaterial, ClothModel, cloth_material
from signorini.scene.pins import PinnableBody, pinned, pins_from_tables, pins_to_tables
from signorini.scene.sheets.continuum_cloth import build_continuum
from signorini.scene.sheets.mass_spring_cloth import build_mass_spring, lumped_mass
from signorini.scene.sheets.warp import Warp, warp_directions
from signorini.scene.tables import Table, TableReader, TableWriter, check_rows, is_unplaced, mesh_arrays

if TYPE_CHECKING:
    from signorini.scene.scene import Scene

USUAL_DENSITY = 0.2
"""Mass per area [kg/m²] of a cloth whose material has none."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Cloth(PinnableBody):
    """A sheet. Its resting shape is the mesh as it was given; `positions` is where it starts."""

    kind: ClassVar[str] = "cloth"

    mesh: TriangleMesh
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    area_density: float
    material: ClothMaterial
    model: ClothModel = "continuum"
    warp: NDArray[np.float64]
    """(t, 3) direction of the warp in each triangle at rest."""

    @property
    def attachable_nodes(self) -> int:
        """Its vertices."""
        return len(self.positions)

    def contribution(self, air_drag: float) -> Contribution:
        """Its vertices are nodes, joined by the elements of its model."""
        mass = lumped_mass(self.mesh, self.area_density, self.name)
        if self.model == "continuum":
            elements = build_continuum(self.mesh, self.material, self.warp, self._clamped(), self.name)
        else:
            elements = build_mass_spring(self.mesh, self.material, self.name)
        return Contribution(
            name=self.name,
            kind=self.kind,
            friction=self.friction,
            contact=replace(self.options.contact(), thickness=self.material.thickness),
            gravity=self.options.gravity,
            nodes=NodeSet(
                mass=mass,
                drag=np.full(len(mass), air_drag),
                positions=self.positions,
                velocities=self.velocities,
            ),
            rest=self.mesh.vertices,
            triangles=self.mesh.triangles,
            rows=node_rows(np.arange(len(mass))),
            elements=elements,
            pins=pinned(self.pins, self.positions),
        )

    def _clamped(self) -> NDArray[np.bool_]:
        """(t,) triangles all of whose vertices one pin holds for ever."""
        clamped = np.zeros(len(self.mesh.triangles), dtype=np.bool_)
        for pin in self.pins:
            if np.isinf(pin.release_time):
                clamped |= np.isin(self.mesh.triangles, pin.vertices).all(axis=1)
        return clamped

    def scale_stiffness(self, factor: float) -> None:
        """Multiply the stiffnesses of its material."""
        self.material = self.material.scaled(factor)

    def to_table(self, writer: TableWriter) -> Table:
        """`[[cloth]]`, with its mesh and how it starts in a file."""
        start = {"positions": self.positions, "velocities": self.velocities, "warp": self.warp}
        return {
            "name": self.name,
            "mesh": writer.save_arrays(self.name, {**mesh_arrays(self.mesh), **start}),
            "area_density": self.area_density,
            "material": asdict(self.material),
            "model": self.model,
            "friction": self.friction,
            **self.options.to_table(),
            "color": self.color,
            "finish": self.finish,
            "pins": pins_to_tables(self.name, self.pins, writer),
        }

    @classmethod
    def from_table(cls, scene: Scene, values: Mapping[str, Any], reader: TableReader) -> None:
        """`Scene.add_cloth`, then its pins."""
        mesh, start = reader.surface(values["mesh"], "mesh")
        given = {key: value for key, value in values.items() if key not in ("mesh", "material", "pins")}
        warp = start.pop("warp", None)
        check_rows(start, len(mesh.vertices))
        material = reader.material(values["material"], ClothMaterial)
        cloth = scene.add_cloth(mesh, material=material, initial_vertices=start.get("positions"), **given)
        if warp is not None:
            check_rows({"warp": warp}, len(mesh.triangles), "triangle")
            cloth.warp = warp
        if "positions" in start and is_unplaced(values):
            cloth.positions = start["positions"]
        if "velocities" in start:
            cloth.velocities = start["velocities"] + cloth.velocities
        pins_from_tables(cloth, values["pins"], reader)


class AddsCloth(BodyList):
    """Scenes with cloth."""

    def add_cloth(
        self,
        mesh: TriangleMesh,
        *,
        area_density: float | None = None,
        material: str | ClothMaterial = "cotton",
        model: ClothModel = "continuum",
        warp: Warp = (1.0, 0.0, 0.0),
        name: str | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        friction: float | None = None,
        initial_vertices: ArrayLike | None = None,
        color: str | None = None,
        finish: str | None = None,
        **options: Unpack[DeformableOptions],
    ) -> Cloth:
        """Add a sheet whose resting shape is `mesh`.

        Parameters:
            mesh: resting shape of the sheet.
            area_density: mass per area [kg/m²]; by default that of the material, or 0.2 kg/m².
            material: a preset's name, or a material.
            model: continuum, whose numbers are those of the material on any mesh, or mass-spring, that of the papers.
            warp: direction of the warp threads in the mesh at rest; or "uv": that in which the first texture coordinate grows
                (in Python also one direction for each triangle).
            name: name of the body; by default that of its kind, with a number if there are several.
            position: displacement of the mesh at the start [m].
            rotation: rotation vector by which the mesh is turned at the start, before it is displaced [rad].
            velocity: velocity at the start [m/s].
            friction: friction coefficient; by default that of the scene.
            initial_vertices: (n, 3) starting shape in place of the mesh's own vertices, before it is turned and
                displaced [m]: the sheet then starts deformed.
            color: colour in pictures and in the viewer, a name such as teal or #rrggbb; by default one of its kind.
            finish: finish in pictures: matt, glossy, jelly, woven, checks or stripes; by default that of its kind.
            options: restitution, contact_distance, self_contact, gravity (`DeformableOptions`).
        """
        mesh = check_mesh(mesh)
        start = mesh.vertices
        if initial_vertices is not None:
            start = TriangleMesh(matching_vertices(initial_vertices, len(start)), mesh.triangles).vertices
        positions = placed(start, position, rotation, name)
        check_choice("model", model, CLOTH_MODELS)
        chosen = cloth_material(material, model)
        if area_density is None:
            area_density = chosen.area_density or USUAL_DENSITY
        return self._add(
            Cloth(
                name=self._new_name("cloth", name),
                mesh=mesh,
                positions=positions,
                velocities=np.tile(as_vector("velocity", velocity), (len(positions), 1)),
                area_density=check_positive("area_density", area_density, unit="kg/m²"),
                material=chosen,
                model=model,
                warp=warp_directions(mesh, warp),
                friction=self._friction_or_default(friction),
                options=checked_options(name or "cloth", options, DeformableOptions),
                **check_look(name or "cloth", color, finish),
            )
        )
