"""Triangle meshes from files: every format that trimesh reads, and our own npz."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_positive
from signorini.errors import InputError
from signorini.geometry.mass_properties import welded
from signorini.geometry.triangle_mesh import TriangleMesh


def load_mesh(path: str | Path, *, scale: float = 1.0) -> TriangleMesh:
    """The triangles of a mesh file, with all coordinates multiplied by `scale` (0.001 for a file in millimetres).

    Formats: .obj, .ply, .stl, .off, .glb and what else trimesh reads, and .npz with `vertices` and `triangles`.
    Vertices keep the order of the file, polygons are split into triangles, and several objects become one mesh. STL files
    repeat each vertex for every triangle: only in these, vertices at exactly the same place are made one.
    """
    file = Path(path)
    check_positive("scale of a mesh", scale)
    if not file.exists():
        raise InputError(f"mesh file {str(file)!r} does not exist")
    if file.is_dir():
        raise InputError(f"mesh file {str(file)!r} is a directory")
    vertices, triangles = _read_npz(file) if file.suffix.lower() == ".npz" else _read_trimesh(file)
    try:
        mesh = TriangleMesh(scaled_points(vertices, scale), triangles)
        return welded(mesh) if file.suffix.lower().startswith(".stl") else mesh
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None


def scaled_points(vertices: NDArray[Any], scale: float) -> NDArray[np.float64]:
    """The vertices of a file times `scale`, or an `InputError` if they are no numbers."""
    try:
        return np.asarray(vertices, dtype=np.float64) * scale
    except (TypeError, ValueError):
        raise InputError(f"vertices must be numbers, got an array of {vertices.dtype}") from None


def read_arrays(file: Path) -> dict[str, NDArray[Any]]:
    """All arrays of an npz file, or an `InputError` that names it."""
    try:
        with np.load(file, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except FileNotFoundError:
        raise InputError(f"file {str(file)!r} does not exist") from None
    except Exception as error:  # what numpy, zipfile and zlib raise for a damaged file is not documented
        raise InputError(f"file {str(file)!r} is not a readable npz file ({_one_line(error)})") from None


def _read_npz(file: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    data = read_arrays(file)
    for name in ("vertices", "triangles"):
        if name not in data:
            raise InputError(
                f"mesh file {str(file)!r} has no array {name!r}, it has {', '.join(sorted(data)) or 'none'}"
            )
        if data[name].dtype.kind not in "biuf":
            raise InputError(f"mesh file {str(file)!r}: {name} must be numbers, the array is {data[name].dtype}")
    return data["vertices"], data["triangles"]


def _read_trimesh(file: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    import trimesh

    known = sorted(trimesh.available_formats())
    kind = file.suffix.lower().removeprefix(".")
    if kind not in known:
        raise InputError(
            f"mesh file {str(file)!r} has the unknown format {kind!r}: use one of npz, {', '.join(k for k in known)}"
        )
    try:
        mesh = trimesh.load_mesh(file, process=False, maintain_order=True)
        if isinstance(mesh, trimesh.Scene):
            mesh = mesh.to_mesh()
        vertices, triangles = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    except Exception as error:  # the readers of trimesh raise whatever happens to go wrong in them
        raise InputError(f"mesh file {str(file)!r} cannot be read as {kind} ({_one_line(error)})") from error
    if len(vertices) == 0 or len(triangles) == 0:
        raise InputError(f"mesh file {str(file)!r} has no triangles ({len(vertices)} vertices)")
    return vertices, triangles


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 120 else text[:117] + "..."
