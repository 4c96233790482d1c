"""Keys of a scene file that a sweep varies, such as `cloth.sheet.area_density`, `rigid.0.position` or `scene.gravity`."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signorini.errors import InputError
from signorini.files.scenes.loaded_scene import SceneFile
from signorini.files.scenes.scene_file import read_tables, save_scene, scene_from_tables
from signorini.files.scenes.scene_schema import Document
from signorini.files.scenes.scene_table import unknown_key

SECTIONS = tuple(Document.model_fields)
"""The tables of a scene file, with which such a key begins."""


def scene_with(tables: Mapping[str, Any], file: Path, changes: Mapping[str, Any]) -> SceneFile:
    """The scene of the tables of a file after changes of keys; meshes are read from beside `file`."""
    changed = copy.deepcopy(dict(tables))
    for key, value in changes.items():
        _assign(changed, key, value)
    return scene_from_tables(changed, file)


def rebuilt_with(made: SceneFile, changes: Mapping[str, Any], *, name: str) -> SceneFile:
    """A scene that Python code made, after changes of the keys that its scene file would have."""
    with tempfile.TemporaryDirectory(prefix="signorini-") as folder:
        file = Path(folder) / "scene.toml"
        options = {"dt": made.dt, "seconds": made.seconds, "fps": made.fps, "settings": made.settings}
        save_scene(file, made.scene, **options)
        try:
            return scene_with(read_tables(file), file, changes)
        except InputError as error:
            raise InputError(str(error).replace(str(file), name)) from None


def _assign(document: dict[str, Any], key: str, value: Any) -> None:
    *parents, last = key.split(".")
    place: Any = document
    for part in parents:
        place = _inner(place, part, key, make=parents[0] in ("scene", "simulation", "settings"))
    if isinstance(place, list):
        place[_index(place, last, key)] = value
    else:
        place[last] = value


def _inner(place: Any, part: str, key: str, *, make: bool) -> Any:
    """What a part of a key stands for: a key of a table, a number in a list, or the name of a body."""
    if isinstance(place, list):
        return place[_index(place, part, key)]
    if make:
        place.setdefault(part, {})
    if part not in place:
        raise InputError(f"parameter {key!r}: {unknown_key(part, place)}")
    if not isinstance(place[part], dict | list):
        raise InputError(f"parameter {key!r}: {part!r} is {place[part]!r}, which has no keys")
    return place[part]


def _index(entries: list[Any], part: str, key: str) -> int:
    if part.isdigit() and int(part) < len(entries):
        return int(part)
    names = [entry.get("name") for entry in entries if isinstance(entry, dict)]
    if part in names:
        return names.index(part)
    known = [str(name) for name in names if name is not None] or [str(k) for k in range(len(entries))]
    raise InputError(f"parameter {key!r}: there is no {part!r}; there are {', '.join(known)}")
