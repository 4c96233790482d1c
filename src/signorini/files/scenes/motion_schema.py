"""The tables of scripted motions in a scene file."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import Field

from signorini.characters.mesh_sequence import load_mesh_sequence
from signorini.files.scenes.scene_table import Table, Vector
from signorini.files.scenes.table_builder import call_table, dataclass_keys, table_from
from signorini.files.scenes.table_types import stands_for
from signorini.scene import motions
from signorini.scene.pins import MotionLike

PLAIN_MOTIONS: dict[str, type] = {
    "translate": motions.Translate,
    "rotate": motions.Rotate,
    "turn": motions.Turn,
    "keyframes": motions.Keyframes,
}
"""Motions that are written with all their fields, by their `kind`."""
_TYPES: dict[str, dict[str, Any]] = {
    "keyframes": {"times": list[float], "translations": list[Vector] | None, "rotations": list[list[float]] | None}
}
"""Types of arrays in the tables of plain motions."""


def _plain_table(kind: str, motion: type) -> type[Table]:
    tag = {"kind": (Literal[kind], ...)}  # pyright: ignore[reportInvalidTypeForm]
    keys = dataclass_keys(motion, types=_TYPES.get(kind))
    return table_from(f"{motion.__name__}Table", motion, {**tag, **keys})


class FramesTable(Table):
    """A sequence of frames: linear in between, at rest outside (`motions.Frames`)."""

    kind: Literal["frames"]
    file: str = Field(description="npz file with `times` (k,) [s] and `frames` (k, n, 3) [m], beside the scene file.")


def _sequence_table() -> type[Table]:
    """The table of `load_mesh_sequence`."""
    keys = call_table("SequenceKeys", load_mesh_sequence, types={"files": str}).model_fields
    return table_from(
        "SequenceTable",
        load_mesh_sequence,
        {"kind": (Literal["sequence"], ...), **{key: (field.annotation, field) for key, field in keys.items()}},
        text="A sequence of mesh files, one a frame (`load_mesh_sequence`), whose first is the mesh of the body.",
    )


class BonesTable(Table):
    """A surface around a skeleton, which follows its bones (`Skeleton.surface`)."""

    kind: Literal["bones"]
    file: str = Field(description="npz file that `save_scene` writes for a character, beside the scene file.")


class ChainTable(Table):
    """One motion after the other, each applied to the result of the one before (`motions.Chain`)."""

    kind: Literal["chain"]
    motions: list[MotionTable] = Field(  # pyright: ignore[reportInvalidTypeForm]
        description="Tables of motions, in the order in which they are applied."
    )


class ScriptTable(Table):
    """A Python function, which a file cannot hold: written as a note, refused when the file is loaded."""

    kind: Literal["script"]
    note: str = Field(default="", description="Where the function was.")


MOTION_TABLES: tuple[type[Table], ...] = (
    *(_plain_table(kind, motion) for kind, motion in PLAIN_MOTIONS.items()),
    FramesTable,
    _sequence_table(),
    BonesTable,
    ChainTable,
    ScriptTable,
)
MotionTable: Any = Annotated[Union[MOTION_TABLES], Field(discriminator="kind")]  # noqa: UP007 (made at run time)

ChainTable.model_rebuild()
stands_for(MotionLike, MotionTable | None)
