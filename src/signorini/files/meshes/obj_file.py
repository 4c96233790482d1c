"""Wavefront OBJ: vertices, polygons and texture coordinates, all in the order of the file."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import numpy as np

from signorini.errors import InputError, short
from signorini.files.meshes.raw_surface import RawSurface, surface_of_faces
from signorini.geometry.faces import Faces


def read_obj(file: Path) -> RawSurface:
    """The polygons of all objects of a file as one surface; normals, materials, lines and curves are left out."""
    text = file.read_bytes().decode("utf-8", "replace")
    points: list[list[float]] = []
    uv: list[list[float]] = []
    counts: list[int] = []
    corners: list[int] = []
    uv_corners: list[int] = []
    for number, line in enumerate(text.replace("\\\r\n", "  ").replace("\\\n", " ").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words or words[0] not in ("v", "vt", "f"):
            continue
        try:
            match words[0]:
                case "v":
                    points.append([float(words[1]), float(words[2]), float(words[3])])
                case "vt":
                    uv.append([float(words[1]), float(words[2]) if len(words) > 2 else 0.0])
                case _:
                    for word in words[1:]:
                        vertex, _, rest = word.partition("/")
                        corners.append(_index(int(vertex), len(points)))
                        texture = rest.partition("/")[0]
                        uv_corners.append(_index(int(texture), len(uv)) if texture else -1)
                    counts.append(len(words) - 1)
        except (ValueError, IndexError):
            _fail(file, number, f"{words[0]!r} cannot be read in {short(line.strip())}")
        if words[0] == "f" and counts[-1] < 3:
            _fail(file, number, f"a face needs at least three corners, got {short(line.strip())}")
    textured = any(index >= 0 for index in uv_corners)
    _check_range(file, "vertex", corners, len(points))
    _check_range(file, "texture coordinate", uv_corners if textured else [], len(uv))
    faces = Faces(
        np.array(counts, dtype=np.int32),
        np.array(corners, dtype=np.int32),
        np.array(uv if textured else [], dtype=np.float64).reshape(-1, 2),
        np.array(uv_corners if textured else [], dtype=np.int32),
    )
    return surface_of_faces(np.array(points, dtype=np.float64).reshape(-1, 3), faces)


def _index(number: int, count: int) -> int:
    """From 0, for a number from 1, or from -1 for the last of what has been read."""
    if number == 0:
        raise ValueError
    return number - 1 if number > 0 else count + number


def _check_range(file: Path, what: str, indices: list[int], count: int) -> None:
    least = -1 if what != "vertex" else 0
    for index in indices:
        if not least <= index < count:
            raise InputError(
                f"mesh file {str(file)!r}: a face names {what} {index + 1}, but there are {count}: is the file cut off?"
            )


def _fail(file: Path, line: int, message: str) -> NoReturn:
    raise InputError(f"mesh file {str(file)!r}, line {line}: {message}")
