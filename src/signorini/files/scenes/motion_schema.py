"""The tables of scripted motions in a scene file."""

from __future__ import annotations

from typing import Annotated, Literal, Union

from pydantic import Field

from signorini.files.scenes.scene_table import UP, ZERO, Table, Vector


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
    axis: Vector = UP
    center: Vector = ZERO
    start: float = 0.0
    stop: float = float("inf")


class TurnTable(Table):
    """`motions.Turn`: a smooth turn by `angle` [rad] about a line, from `start` in `duration` [s]."""

    kind: Literal["turn"]
    angle: float
    duration: float
    axis: Vector = UP
    center: Vector = ZERO
    start: float = 0.0
    then: Literal["rest", "turn"] = "rest"


class KeyframesTable(Table):
    """`motions.Keyframes`: displacements [m] and turns (rotation vectors [rad] or quaternions) at `times` [s]."""

    kind: Literal["keyframes"]
    times: list[float]
    translations: list[Vector] | None = None
    rotations: list[list[float]] | None = None
    center: Vector = ZERO
    interpolation: Literal["linear", "cubic"] = "linear"


class FramesTable(Table):
    """`motions.Frames`: an npz file with `times` (k,) [s] and `frames` (k, n, 3) [m]."""

    kind: Literal["frames"]
    file: str


class BonesTable(Table):
    """`articulation.BoneMotion`: an npz file with the arrays of `BoneMotion.to_arrays`, for a surface around a skeleton."""

    kind: Literal["bones"]
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
    Union[  # noqa: UP007 (needed at run time)
        TranslateTable, RotateTable, TurnTable, KeyframesTable, FramesTable, BonesTable, ChainTable, ScriptTable
    ],
    Field(discriminator="kind"),
]


ChainTable.model_rebuild()
