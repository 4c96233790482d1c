"""Files that a repair writes: meshes beside the old ones, and a scene file that names them."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.diagnosis.repair import repaired_surface
from signorini.diagnosis.scene_meshes import scene_meshes
from signorini.diagnosis.specimen import Specimen
from signorini.errors import InputError
from signorini.files.exports.formats.obj import face_lines
from signorini.geometry.faces import Faces


def repaired_name(file: Path) -> Path:
    """`coat.obj` gives `coat.repaired.obj`; formats that are not written become ply."""
    ending = file.suffix if file.suffix.lower() in (".obj", ".ply", ".npz", ".toml") else ".ply"
    return file.with_name(f"{file.stem}.repaired{ending}")


def carried_faces(faces: Faces | None, before: Specimen, after: Specimen) -> Faces | None:
    """The polygons and texture coordinates of a surface after a repair that has only merged or dropped vertices, or None."""
    if faces is None or before.triangles.shape != after.triangles.shape or len(before.missing):
        return None
    number = np.full(len(before.vertices), -1)
    number[before.triangles.ravel()] = after.triangles.ravel()
    if not np.array_equal(number[before.triangles], after.triangles):  # triangles were turned round or flipped
        return None
    return replace(faces, corners=number[faces.corners].astype(np.int32))


def write_mesh(
    file: Path, vertices: NDArray[np.float64], triangles: NDArray[np.int64], faces: Faces | None = None
) -> None:
    """Write triangles, or the polygons that they were made from, with all digits, as obj, ply or npz; ply has triangles only."""
    if not len(triangles):
        raise InputError(f"nothing is left to write to {str(file)!r}: the mesh has no triangle that can be used")
    file.parent.mkdir(parents=True, exist_ok=True)
    match file.suffix.lower():
        case ".npz":
            further: dict[str, Any] = {} if faces is None else faces.to_arrays()
            np.savez_compressed(file, vertices=vertices, triangles=triangles.astype(np.int32), **further)
        case ".obj":
            lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
            polygons = Faces.of_triangles(triangles) if faces is None else faces
            lines += [f"vt {u!r} {v!r}" for u, v in polygons.uv.tolist()] + face_lines(polygons, 1, 1)
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        case ".ply":
            corners = np.zeros(len(triangles), dtype=[("n", "u1"), ("v", "<i4", 3)])
            corners["n"], corners["v"] = 3, triangles
            header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(vertices)}"]
            header += [f"property double {axis}" for axis in "xyz"]
            header += [f"element face {len(corners)}", "property list uchar int vertex_indices", "end_header"]
            body = vertices.astype("<f8").tobytes() + corners.tobytes()
            file.write_bytes(("\n".join(header) + "\n").encode() + body)
        case ending:
            raise InputError(f"a repaired mesh is written as obj, ply or npz, got {ending!r} in {str(file)!r}")


def write_scene(file: Path, target: Path) -> tuple[list[Path], list[str]]:
    """Repair the mesh files of a scene file; returns what was written and what was done. Other tables stay as they are."""
    if target.parent.resolve() != file.parent.resolve():
        raise InputError(
            f"the repaired scene {str(target)!r} must be beside {str(file)!r}: its files are named relative to it"
        )
    if target.suffix.lower() != ".toml":
        raise InputError(f"the repaired scene {str(target)!r} must end in .toml")
    text, written, steps = _read_toml(file), [], []
    done: dict[str, Path] = {}
    for mesh in scene_meshes(file):
        if mesh.raw is None or mesh.file in done:
            continue
        fixed, own = repaired_surface(mesh.raw)
        if not own:
            continue
        new = repaired_name(file.parent / mesh.file)
        write_mesh(new, fixed.vertices, fixed.triangles, carried_faces(mesh.faces, mesh.raw, fixed))
        done[mesh.file] = new
        written.append(new)
        steps += [f"{mesh.name}: {step}" for step in own]
        relative = str(Path(mesh.file).with_name(new.name))
        for quote in ("'", '"'):
            text = text.replace(f"{quote}{mesh.file}{quote}", f"{quote}{relative}{quote}")
    target.write_text(text, encoding="utf-8")
    return [target, *written], steps


def _read_toml(file: Path) -> str:
    """The text of a scene file that can be read at all; what else is wrong with it `check` says."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"scene file {str(file)!r} cannot be repaired: {error}") from None
    return text
