"""The mesh files that a scene file names, read as they are, good or bad."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from signorini.diagnosis.specimen import Specimen
from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import read_surface
from signorini.files.meshes.units import conversion
from signorini.geometry.faces import Faces
from signorini.scene.kinds import KINDS


@dataclass(frozen=True, slots=True, eq=False)
class SceneMesh:
    """A surface of a scene file."""

    name: str
    """Of its body."""
    file: str
    """As the scene file names it."""
    raw: Specimen | None
    """In the units and axes of the file; None if it cannot be read."""
    placed: Specimen | None
    """In metres with z up, without the position of the body."""
    faces: Faces | None = None
    """Its polygons and texture coordinates."""
    says_up: bool = False
    """Whether the scene file or the mesh file says which axis is up."""
    error: InputError | None = None


def scene_meshes(file: Path) -> list[SceneMesh]:
    """The surfaces of the bodies of a scene file that come from mesh files; an empty list if it cannot be read at all."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return []
    found = []
    for kind in KINDS:
        tables = data.get(kind.kind)
        for index, table in enumerate(tables if isinstance(tables, list) else []):
            for key in ("mesh", "surface"):
                mesh = table.get(key) if isinstance(table, dict) else None
                if isinstance(mesh, dict) and isinstance(mesh.get("file"), str):
                    name = str(table.get("name") or (kind.kind if index == 0 else f"{kind.kind}-{index + 1}"))
                    found.append(_read(file.parent, name, kind.kind, mesh, hollow=table.get("hollow") is True))
    return found


def _read(folder: Path, name: str, kind: str, table: dict[str, Any], *, hollow: bool) -> SceneMesh:
    try:
        raw = read_surface(folder / table["file"])
        options = {"up": table.get("up"), "scale": table.get("scale", 1.0), "unit": table.get("unit")}
        frame = conversion("a mesh", **options, own_up=raw.up, own_metres=raw.metres)
        own = Specimen.of(name, raw.vertices, raw.triangles, kind=kind, hollow=hollow)
        placed = replace(own, vertices=frame.apply(own.vertices))
    except InputError as error:
        return SceneMesh(name, table["file"], None, None, error=error)
    except (TypeError, ValueError) as error:
        return SceneMesh(name, table["file"], None, None, error=InputError(f"mesh of {name!r}: {error}"))
    return SceneMesh(name, table["file"], own, placed, raw.faces, options["up"] is not None or raw.up != "z")
