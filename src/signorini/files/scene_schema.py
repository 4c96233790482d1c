"""The tables and keys of a scene file: types, units, defaults. Every error names its key path and the nearest key."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, Union, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator
from pydantic_core import PydanticCustomError

from signorini.bodies.materials import ClothMaterial
from signorini.errors import InputError
from signorini.settings import Settings, SolverSettings

Vector = Annotated[list[float], Field(min_length=3, max_length=3)]
ZERO = [0.0, 0.0, 0.0]


class Table(BaseModel):
    """A table that rejects keys it does not know and suggests the nearest one it does."""

    model_config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            for key in data:
                if key not in cls.model_fields:
                    raise PydanticCustomError("unknown_key", "{text}", {"text": unknown_key(key, cls.model_fields)})
        return data


class TranslateTable(Table):
    """`motions.Translate`: constant velocity [m/s] from `start` to `stop` [s]."""

    kind: Literal["translate"]
    velocity: Vector
    start: float = 0.0
    stop: float = float("inf")


class RotateTable(Table):
    """`motions.Rotate`: constant `rate` [rad/s] about the line through `center` [m] along `axis`."""

    kind: Literal["rotate"]
    rate: float
    axis: Vector = [0.0, 0.0, 1.0]
    center: Vector = ZERO
    start: float = 0.0
    stop: float = float("inf")


class FramesTable(Table):
    """`motions.Frames`: an npz file with `times` (k,) [s] and `frames` (k, n, 3) [m]."""

    kind: Literal["frames"]
    file: str


class ChainTable(Table):
    """`motions.Chain`: one motion after the other."""

    kind: Literal["chain"]
    motions: list[MotionTable]


class ScriptTable(Table):
    """A Python function, which a file cannot hold: written as a note, refused when the file is loaded."""

    kind: Literal["script"]
    note: str = ""


MotionTable = Annotated[
    Union[TranslateTable, RotateTable, FramesTable, ChainTable, ScriptTable],  # noqa: UP007 (needed at run time)
    Field(discriminator="kind"),
]


class PinTable(Table):
    """`Cloth.pin`: vertex indices, fixed or moved by `motion`, until `release_time` [s]."""

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
    pins: list[PinTable] = []


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
    normal: Vector = [0.0, 0.0, 1.0]
    friction: float | None = None


class SceneTable(Table):
    """`Scene(...)`: gravity [m/s²], friction, air_drag [1/s].

    `order` lists all body names in the order in which they are added (default: cloth, kinematic, ground).
    """

    name: str = "scene"
    gravity: Vector = [0.0, 0.0, -9.81]
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


SolverTable = _table_of(SolverSettings)
SettingsTable = _table_of(Settings, solver=SolverTable)
MaterialTable = _table_of(ClothMaterial)


class Document(Table):
    """A whole scene file."""

    scene: SceneTable = SceneTable()
    simulation: SimulationTable = SimulationTable()
    settings: SettingsTable = Field(default_factory=SettingsTable)  # pyright: ignore[reportInvalidTypeForm]
    cloth: list[ClothTable] = []
    kinematic: list[KinematicTable] = []
    ground: list[GroundTable] = []


ChainTable.model_rebuild()


def unknown_key(key: str, known: Iterable[str]) -> str:
    """The sentence for a key that does not exist."""
    names = list(known)
    nearest = difflib.get_close_matches(str(key), names, n=1, cutoff=0.5)
    hint = f"did you mean {nearest[0]!r}? " if nearest else ""
    return f"unknown key {key!r}: {hint}The keys here are {', '.join(names)}"


def checked(table: type[Table], data: Any, *, where: str, path: tuple[str | int, ...] = ()) -> Any:
    """`data` as an instance of `table`; the first thing wrong with it becomes an `InputError`."""
    try:
        return table.model_validate(data)
    except ValidationError as error:
        raise InputError(_sentence(error, where, path)) from None


def key_path(path: Iterable[str | int]) -> str:
    """`("cloth", 0, "pins")` as `cloth[0].pins`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _sentence(error: ValidationError, where: str, path: tuple[str | int, ...]) -> str:
    problems = error.errors(include_url=False)
    first = problems[0]
    # pydantic inserts the tag of a discriminated union and the names of union members into the path
    parts = [p for p in first["loc"] if p not in _TAGS and not str(p).startswith(("dict[", "list["))]
    at = key_path((*path, *parts)) or "the document"
    more = f" ({len(problems) - 1} more problems)" if len(problems) > 1 else ""
    match first["type"]:
        case "unknown_key":
            return f"{where}: {at}: {first['msg']}{more}"
        case "missing":
            return f"{where}: {at}: this key is required{more}"
        case "union_tag_invalid":
            given = str(first.get("ctx", {}).get("tag"))
            nearest = difflib.get_close_matches(given, _TAGS, n=1, cutoff=0.0)[0]
            return f"{where}: {at}.kind: {given!r} is unknown, did you mean {nearest!r}? There are {', '.join(_TAGS)}"
        case "union_tag_not_found":
            return f"{where}: {at}: the key 'kind' is required, one of {', '.join(_TAGS)}"
    expected = first["msg"].replace("Input should be", "expected").replace("List should have", "expected")
    return f"{where}: {at} = {_short(first['input'])}: {expected}{more}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


_TAGS = ("translate", "rotate", "frames", "chain", "script")
