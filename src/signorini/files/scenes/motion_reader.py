"""Scripted motions from the tables of a scene file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from signorini.characters.articulation import BoneMotion
from signorini.characters.mesh_sequence import load_mesh_sequence
from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import read_arrays
from signorini.files.scenes.motion_schema import PLAIN_MOTIONS
from signorini.scene import motions


def read_motion(table: Any, folder: Path) -> motions.Motion | None:
    """The motion that a table describes; its files are relative to `folder`."""
    if table is None:
        return None
    if table.kind in PLAIN_MOTIONS:
        values = table.model_dump(exclude={"kind"})
        vectors = {name: tuple(values[name]) for name in ("velocity", "axis", "center") if name in values}
        return PLAIN_MOTIONS[table.kind](**{**values, **vectors})
    match table.kind:
        case "frames":
            return _read_frames(folder / table.file)
        case "sequence":
            values = table.model_dump(exclude={"kind", "files"})
            return load_mesh_sequence(folder / table.files, **values)[1]
        case "bones":
            return _read_bones(folder / table.file)
        case "chain":
            parts = (read_motion(part, folder) for part in table.motions)
            return motions.Chain(tuple(part for part in parts if part is not None))
    raise InputError(
        "this motion was a Python function, which a file cannot hold: run the script that made the scene instead, "
        f"or replace it by a frames motion{f' ({table.note})' if table.note else ''}"
    )


def _read_frames(source: Path) -> motions.Frames:
    arrays = read_arrays(source)
    for name in ("times", "frames"):
        if name not in arrays:
            raise InputError(f"file {str(source)!r} has no array {name!r}")
    return motions.Frames(times=arrays["times"].tolist(), frames=arrays["frames"])


def _read_bones(source: Path) -> BoneMotion:
    arrays: dict[str, Any] = read_arrays(source)
    try:
        return BoneMotion.from_arrays(arrays)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise InputError(f"file {str(source)!r}: {error}") from None
