"""The tables and keys of a scene file: types, units, defaults."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, Literal, get_type_hints

from pydantic import Field, create_model

from signorini.files.scenes.motion_schema import MotionTable
from signorini.files.scenes.scene_table import GRAVITY, UP, ZERO, Table, Vector, checked, key_path, unknown_key
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.solid_material import SolidMaterial
from signorini.settings import CollisionLoopSettings, HongSettings, Settings, SolverSettings

LawName = Literal["corotational", "neo-hookean"]
"""The constitutive laws that a scene file can name (`solid_material.LAWS`)."""

__all__ = [
    "MATERIAL_TABLES",
    "AttachmentTable",
    "ClothTable",
    "Document",
    "GroundTable",
    "KinematicTable",
    "MaterialTable",
    "PinTable",
    "RigidTable",
    "SceneTable",
    "SettingsTable",
    "SoftSolidTable",
    "SolidMaterialTable",
    "Table",
    "checked",
    "key_path",
    "unknown_key",
]


class PinTable(Table):
    """`Cloth.pin` and `SoftSolid.pin`: vertex indices, fixed or moved by `motion`, until `release_time` [s]."""

    vertices: list[int]
    motion: MotionTable | None = None
    release_time: float = float("inf")


class ClothTable(Table):
    """`Scene.add_cloth`. `mesh` is a shape or a file; `material` a preset's name or a table."""

    name: str | None = None
    mesh: dict[str, Any]
    area_density: float = 0.2
    material: str | dict[str, Any] = "cotton"
    position: Vector = ZERO
    rotation: Vector = ZERO
    velocity: Vector = ZERO
    friction: float | None = None
    pins: list[PinTable] = Field(default_factory=list)


class SoftSolidTable(Table):
    """`Scene.add_soft_solid`. `tets` is a volume shape or file, `surface` a surface shape or file inside of it.

    `material` is a preset's name or a table; `density` [kg/m³], `young` [Pa], `poisson`, `model`, `mass_damping` [1/s] and
    `stiffness_damping` [s] replace those of the material.
    """

    name: str | None = None
    tets: dict[str, Any]
    surface: dict[str, Any] | None = None
    density: float | None = None
    young: float | None = None
    poisson: float | None = None
    material: str | dict[str, Any] = "rubber"
    model: LawName | None = None
    mass_damping: float | None = None
    stiffness_damping: float | None = None
    position: Vector = ZERO
    rotation: Vector = ZERO
    velocity: Vector = ZERO
    angular_velocity: Vector = ZERO
    friction: float | None = None
    pins: list[PinTable] = Field(default_factory=list)


class RigidTable(Table):
    """`Scene.add_rigid`: a closed mesh with its `density` [kg/m³] or its `mass` [kg]."""

    name: str | None = None
    mesh: dict[str, Any]
    density: float | None = None
    mass: float | None = None
    position: Vector = ZERO
    rotation: Vector = ZERO
    velocity: Vector = ZERO
    angular_velocity: Vector = ZERO
    friction: float | None = None


class KinematicTable(Table):
    """`Scene.add_kinematic`."""

    name: str | None = None
    mesh: dict[str, Any]
    motion: MotionTable | None = None
    position: Vector = ZERO
    rotation: Vector = ZERO
    friction: float | None = None


class GroundTable(Table):
    """`Scene.add_ground`."""

    name: str | None = None
    height: float = 0.0
    normal: Vector = UP
    friction: float | None = None


class AttachmentTable(Table):
    """`Scene.attach`: vertices of the cloth or nodes of the solid `body` move with the kinematic or rigid body `to`."""

    body: str
    vertices: list[int]
    to: str


class SceneTable(Table):
    """`Scene(...)`: gravity [m/s²], friction, air_drag [1/s].

    `order` lists all body names in the order in which they are added (default: cloth, soft_solid, rigid, kinematic,
    ground).
    """

    name: str = "scene"
    gravity: Vector = GRAVITY
    friction: float = 0.3
    air_drag: float = 0.0
    order: list[str] | None = None


class SimulationTable(Table):
    """`Simulation(..., dt)` [s], and `run(seconds, fps)`."""

    dt: float = 4e-3
    seconds: float = 4.0
    fps: float = 30.0


def _table_of(kind: type, **replaced: Any) -> type[Table]:
    """The table of a settings dataclass: the same names, types and defaults."""
    hints = get_type_hints(kind)
    columns: dict[str, Any] = {}
    for f in fields(kind):
        if f.name in replaced:
            columns[f.name] = (replaced[f.name], Field(default_factory=replaced[f.name]))
        elif f.default is MISSING:
            columns[f.name] = (hints[f.name], ...)
        else:
            columns[f.name] = (hints[f.name], f.default)
    return create_model(kind.__name__ + "Table", __base__=Table, __doc__=kind.__doc__, **columns)


SettingsTable = _table_of(
    Settings,
    solver=_table_of(SolverSettings),
    collision_loop=_table_of(CollisionLoopSettings),
    hong=_table_of(HongSettings),
)
MaterialTable = _table_of(ClothMaterial)
SolidMaterialTable = _table_of(SolidMaterial)
MATERIAL_TABLES = {ClothMaterial: MaterialTable, SolidMaterial: SolidMaterialTable}


class Document(Table):
    """A whole scene file."""

    scene: SceneTable = SceneTable()
    simulation: SimulationTable = SimulationTable()
    settings: SettingsTable = Field(default_factory=SettingsTable)  # pyright: ignore[reportInvalidTypeForm]
    cloth: list[ClothTable] = Field(default_factory=list)
    soft_solid: list[SoftSolidTable] = Field(default_factory=list)
    rigid: list[RigidTable] = Field(default_factory=list)
    kinematic: list[KinematicTable] = Field(default_factory=list)
    ground: list[GroundTable] = Field(default_factory=list)
    attachment: list[AttachmentTable] = Field(default_factory=list)
