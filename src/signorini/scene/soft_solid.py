"""Soft solids: elastic bodies of tetrahedra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.elements.solid_law import SolidLaw
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh, as_vector
from signorini.geometry.vertex_groups import Groups, group_arrays
from signorini.model.contribution import Contribution, NodeSet
from signorini.scene.body import BodyList
from signorini.scene.body_options import DeformableOptions, checked_options
from signorini.scene.checks import check_look, check_mesh, check_tets, matching_vertices, placed
from signorini.scene.pins import PinnableBody, pinned, pins_from_tables, pins_to_tables
from signorini.scene.solid_material import LAWS, Element, SolidMaterial, solid_material
from signorini.scene.solids.skin import Skin, solid_skin
from signorini.scene.solids.solid_elements import solid_elements
from signorini.scene.tables import Table, TableReader, TableWriter, check_rows, is_unplaced, mesh_arrays

if TYPE_CHECKING:
    from signorini.scene.scene import Scene

Floats = NDArray[np.float64]


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class SoftSolid(PinnableBody):
    """An elastic solid of tetrahedra. Its nodes are the vertices of `tets`, whose shape is the resting shape."""

    kind: ClassVar[str] = "soft_solid"

    tets: TetMesh
    skin: Skin
    node_positions: Floats
    """(n, 3) where the nodes start [m]."""
    node_velocities: Floats
    material: SolidMaterial

    def __repr__(self) -> str:
        return f"{PinnableBody.__repr__(self)}, {self.material.law.name}; elements: {self.element_text}"

    @property
    def mesh(self) -> TriangleMesh:
        """The surface that touches others, at rest."""
        return self.skin.mesh

    @property
    def positions(self) -> Floats:
        """(s, 3) where the vertices of `mesh` start [m]."""
        return self.skin.carried(self.node_positions)

    @property
    def velocities(self) -> Floats:
        """(s, 3) with which the vertices of `mesh` start [m/s]."""
        return self.skin.carried(self.node_velocities)

    @property
    def groups(self) -> Groups:
        """Numbers of the nodes of each named group of the mesh file."""
        return self.tets.groups

    @property
    def attachable_nodes(self) -> int:
        """The vertices of `tets`."""
        return len(self.node_positions)

    @property
    def filled_volumes(self) -> Floats:
        """(t,) volume of material in each tetrahedron [m³]: those that are filled in part weigh and resist as much less."""
        volume = self.tets.volumes()
        return volume if self.skin.fractions is None else volume * self.skin.fractions

    @property
    def element_text(self) -> str:
        """Which elements it is made of, and why."""
        return self.material.element_text

    def contribution(self, air_drag: float) -> Contribution:
        """Its nodes, joined by tetrahedra, and the surface that they move."""
        volume = self.filled_volumes
        mass = lumped_masses(self.tets, self.material.density * volume)
        return Contribution(
            name=self.name,
            kind=self.kind,
            friction=self.friction,
            contact=self.options.contact(),
            gravity=self.options.gravity,
            nodes=NodeSet(
                mass=mass,
                drag=air_drag + np.full(len(mass), float(self.material.mass_damping)),
                positions=self.node_positions,
                velocities=self.node_velocities,
            ),
            rest=self.mesh.vertices,
            triangles=self.mesh.triangles,
            rows=self.skin.rows(),
            thick=True,
            rotating_frame=True,
            elements=solid_elements(self.tets, self.material, volume),
            pins=pinned(self.pins, self.node_positions),
        )

    def scale_stiffness(self, factor: float) -> None:
        """Multiply Young's modulus of its material."""
        self.material = self.material.scaled(factor)

    def to_table(self, writer: TableWriter) -> Table:
        """`[[soft_solid]]`, with its tetrahedra, how they start, and its embedded surface in files."""
        nodes = {"positions": self.node_positions, "velocities": self.node_velocities}
        volume = {
            "vertices": self.tets.vertices,
            "tetrahedra": self.tets.tetrahedra,
            **nodes,
            **group_arrays(self.tets.groups),
        }
        if self.material.law is not LAWS.get(self.material.law.name):
            writer.python_code("constitutive law", self.material.law.name)
        surface = None
        if self.skin.embedding is not None:
            surface = writer.save_arrays(f"{self.name}-surface", mesh_arrays(self.mesh))
        return {
            "name": self.name,
            "tets": writer.save_arrays(self.name, volume),
            "surface": surface,
            "material": self.material.to_table(),
            "friction": self.friction,
            **self.options.to_table(),
            "color": self.color,
            "finish": self.finish,
            "pins": pins_to_tables(self.name, self.pins, writer),
        }

    @classmethod
    def from_table(cls, scene: Scene, values: Mapping[str, Any], reader: TableReader) -> None:
        """`Scene.add_soft_solid`, then its pins."""
        surface = None if values["surface"] is None else reader.surface(values["surface"], "surface")[0]
        tets, start = reader.volume(values["tets"], surface, "tets")
        check_rows(start, len(tets.vertices))
        given = {k: value for k, value in values.items() if k not in ("tets", "surface", "material", "pins")}
        material = reader.material(values["material"], SolidMaterial)
        first = start.get("positions")
        solid = scene.add_soft_solid(tets, surface=surface, material=material, initial_vertices=first, **given)
        if "positions" in start and is_unplaced(values):
            solid.node_positions = start["positions"]
        if "velocities" in start:
            solid.node_velocities = start["velocities"] + solid.node_velocities
        pins_from_tables(solid, values["pins"], reader)


def lumped_masses(mesh: TetMesh, element_masses: Floats) -> Floats:
    """Masses (n,) [kg] of the nodes: a quarter of the mass (t,) [kg] of every tetrahedron to each of its nodes."""
    shares = np.repeat(0.25 * element_masses, 4)
    return np.bincount(mesh.tetrahedra.ravel(), weights=shares, minlength=len(mesh.vertices)).astype(np.float64)


def rigid_velocities(
    tets: TetMesh, skin: Skin, positions: Floats, velocity: ArrayLike, angular_velocity: ArrayLike
) -> Floats:
    """Velocities (n, 3) [m/s] of the nodes of a solid at positions (n, 3) [m] that moves as if it were rigid."""
    share = tets.volumes() if skin.fractions is None else tets.volumes() * skin.fractions
    weight = np.bincount(tets.tetrahedra.ravel(), weights=np.repeat(share, 4), minlength=len(positions))
    arms = positions - weight @ positions / weight.sum()
    tangential = np.cross(as_vector("angular_velocity", angular_velocity), arms)
    return np.asarray(as_vector("velocity", velocity) + tangential, dtype=np.float64)


class AddsSoftSolid(BodyList):
    """Scenes with soft solids."""

    def add_soft_solid(
        self,
        tets: TetMesh,
        *,
        density: float | None = None,
        young: float | None = None,
        poisson: float | None = None,
        material: str | SolidMaterial = "rubber",
        model: str | SolidLaw | None = None,
        element: Element | None = None,
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
        color: str | None = None,
        finish: str | None = None,
        **options: Unpack[DeformableOptions],
    ) -> SoftSolid:
        """Add an elastic solid whose resting shape is `tets`.

        Parameters:
            tets: resting shape of the solid, as tetrahedra.
            density: mass per volume in place of the material's [kg/m³].
            young: Young's modulus in place of the material's [Pa].
            poisson: Poisson's ratio in place of the material's.
            material: a preset's name, or a material.
            model: constitutive law in place of the material's: "corotational", "neo-hookean", "stable-neo-hookean", or in Python
                a SolidLaw; the laws "mooney-rivlin" and "ogden" need constants, which a material has.
            element: elements in place of the material's: "tetrahedra", "locking-free", or "automatic" by Poisson's ratio.
            mass_damping: α of Rayleigh damping α M + β K in place of the material's [1/s].
            stiffness_damping: β of Rayleigh damping α M + β K in place of the material's [s].
            surface: a mesh inside the tetrahedra that follows them and touches others in their place; what lies outside a
                closed surface has neither weight nor strength. By default the surface of the tetrahedra.
            name: name of the body; by default that of its kind, with a number if there are several.
            position: displacement of the mesh at the start [m].
            rotation: rotation vector by which the mesh is turned at the start, before it is displaced [rad].
            velocity: velocity of the centre of mass at the start [m/s].
            angular_velocity: angular velocity about the centre of mass at the start, in the world frame [rad/s].
            friction: friction coefficient; by default that of the scene.
            initial_vertices: (n, 3) starting shape in place of the vertices of `tets`, before it is turned and
                displaced [m]: the solid then starts deformed.
            color: colour in pictures and in the viewer, a name such as teal or #rrggbb; by default one of its kind.
            finish: finish in pictures: matt, glossy, jelly, woven, checks or stripes; by default that of its kind.
            options: restitution, contact_distance, self_contact, gravity (`DeformableOptions`).
        """
        check_tets(tets)
        changes = {
            "density": density, "young": young, "poisson": poisson, "model": model, "element": element,
            "mass_damping": mass_damping, "stiffness_damping": stiffness_damping,
        }  # fmt: skip
        chosen = replace(solid_material(material), **{key: v for key, v in changes.items() if v is not None})
        new_name = self._new_name("soft_solid", name)
        skin = solid_skin(tets, None if surface is None else check_mesh(surface), new_name)
        start = tets.vertices if initial_vertices is None else matching_vertices(initial_vertices, len(tets.vertices))
        positions = placed(start, position, rotation, name)
        return self._add(
            SoftSolid(
                name=new_name,
                tets=tets,
                skin=skin,
                node_positions=positions,
                node_velocities=rigid_velocities(tets, skin, positions, velocity, angular_velocity),
                material=chosen,
                friction=self._friction_or_default(friction),
                options=checked_options(new_name, options, DeformableOptions),
                **check_look(new_name, color, finish),
            )
        )
