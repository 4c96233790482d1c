"""Triangle meshes from files: those with polygons and texture coordinates, what trimesh reads, and our own npz."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_path
from signorini.errors import InputError
from signorini.files.meshes.gltf_file import read_gltf
from signorini.files.meshes.gmsh_file import read_gmsh
from signorini.files.meshes.mesh_scanner import MeshScanner
from signorini.files.meshes.obj_file import read_obj
from signorini.files.meshes.ply_file import read_ply
from signorini.files.meshes.raw_surface import RawSurface
from signorini.files.meshes.units import Unit, conversion
from signorini.files.meshes.up_axis import UpAxis
from signorini.files.meshes.usd_file import ENDINGS as USD_ENDINGS
from signorini.files.meshes.usd_file import read_usd
from signorini.geometry.faces import Faces
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangles import merged_corners
from signorini.geometry.vertex_groups import groups_from_arrays

_WITHOUT_SURFACE = {"bz2", "dxf", "svg", "tar.bz2", "tar.gz", "xyz", "zip"}
"""Endings that trimesh knows of archives, drawings and points."""


def load_mesh(
    path: str | Path, *, up: UpAxis | None = None, scale: float = 1.0, unit: Unit | None = None
) -> TriangleMesh:
    """Read the triangles of a mesh file.

    Formats: .obj, .msh (Gmsh), .usd, .usda, .usdc and .usdz (extra `usd`), .gltf, .glb, .ply, .stl, .off and what else trimesh
    reads, and .npz with `vertices` and `triangles`. Vertices keep the order of the file, polygons are split into triangles, and
    several objects become one mesh; `mesh.faces` keeps the polygons and texture coordinates of OBJ, PLY, USD and glTF files,
    `mesh.groups` the physical groups of Gmsh files. STL and glTF files repeat vertices: only in these, vertices at exactly the
    same place are made one (in glTF, those of one mesh).

    Parameters:
        path: the file.
        up: axis that points up in the file, "x", "y" or "z", which is turned to z; by default what the file says (y in glTF,
            upAxis in USD), and z where it does not.
        scale: factor of all coordinates.
        unit: unit of the file: "um", "mm", "cm", "m", "km", "in" or "ft"; by default what the file says (metersPerUnit in USD),
            and metres where it does not.
    """
    file = check_path("mesh file", path)
    conversion("a mesh", up=up, scale=scale, unit=unit)  # before anything is read
    raw = read_surface(file)
    frame = conversion("a mesh", up=up, scale=scale, unit=unit, own_up=raw.up, own_metres=raw.metres)
    try:
        return TriangleMesh(frame.apply(raw.vertices), raw.triangles, raw.faces, raw.groups)
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None


def read_surface(file: Path) -> RawSurface:
    """The triangles of a mesh file as they are, good or bad; an `InputError` if there are none or it cannot be read."""
    if not file.exists():
        raise InputError(f"mesh file {str(file)!r} does not exist")
    if file.is_dir():
        raise InputError(f"mesh file {str(file)!r} is a directory")
    match file.suffix.lower():
        case ".npz":
            raw = _read_npz(file)
        case ".msh":
            raw = _read_gmsh_surface(file)
        case ".obj":
            raw = read_obj(file)
        case ".ply":
            raw = read_ply(file)
        case ".gltf" | ".glb":
            raw = read_gltf(file)
        case ending if ending in USD_ENDINGS:
            raw = read_usd(file)
        case _:
            raw = _read_trimesh(file)
    if raw.vertices.size == 0 or raw.triangles.size == 0:
        raise InputError(f"mesh file {str(file)!r} has no triangles ({raw.vertices.size // 3} vertices)")
    return raw


def read_arrays(file: Path) -> dict[str, NDArray[Any]]:
    """All arrays of an npz file, or an `InputError` that names it."""
    try:
        with np.load(file, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except FileNotFoundError:
        raise InputError(f"file {str(file)!r} does not exist") from None
    except Exception as error:  # what numpy, zipfile and zlib raise for a damaged file is not documented
        raise InputError(f"file {str(file)!r} is not a readable npz file ({_one_line(error)})") from None


def _read_npz(file: Path) -> RawSurface:
    data = read_arrays(file)
    for name in ("vertices", "triangles"):
        if name not in data:
            raise InputError(
                f"mesh file {str(file)!r} has no array {name!r}, it has {', '.join(sorted(data)) or 'none'}"
            )
        if data[name].dtype.kind not in "biuf":
            raise InputError(f"mesh file {str(file)!r}: {name} must be numbers, the array is {data[name].dtype}")
    try:
        faces = Faces.from_arrays(data, data["vertices"].shape[0] if data["vertices"].ndim else 0)
        groups = groups_from_arrays(data)
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None
    return RawSurface(data["vertices"], data["triangles"], faces, groups=groups)


def _read_gmsh_surface(file: Path) -> RawSurface:
    """The triangles of a Gmsh file, with the vertices that belong to one, and its physical groups."""
    raw = read_gmsh(MeshScanner(file))
    if not len(raw.triangles):
        what = "has tetrahedra but no triangles: use load_tets(...), or load_tets(...).surface()[0]"
        others = f" ({', '.join(sorted(raw.others))})" if raw.others else ""
        raise InputError(f"mesh file {str(file)!r} {what if len(raw.tetrahedra) else f'has no triangles{others}'}")
    try:
        used, triangles = np.unique(raw.numbered(raw.triangles, "triangle"), return_inverse=True)
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None
    return RawSurface(raw.points[used], triangles.reshape(-1, 3).astype(np.int32), groups=raw.groups_of(used))


def _read_trimesh(file: Path) -> RawSurface:
    import trimesh

    own = {"npz", "msh", *(ending.removeprefix(".") for ending in USD_ENDINGS)}
    known = sorted({*trimesh.available_formats(), *own} - _WITHOUT_SURFACE)
    kind = file.suffix.lower().removeprefix(".")
    if kind not in known:
        what = f"has the unknown format {kind!r}" if kind else "has no ending"
        names = ", ".join(sorted(set(known) - {"stl_ascii"}))  # which no file is called, and can be read
        raise InputError(f"mesh file {str(file)!r} {what}: use one of {names}")
    try:
        mesh = trimesh.load_mesh(file, process=False, maintain_order=True)
        if isinstance(mesh, trimesh.Scene):
            mesh = mesh.to_mesh()
        vertices, triangles = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    except Exception as error:  # the readers of trimesh raise whatever happens to go wrong in them
        raise InputError(f"mesh file {str(file)!r} cannot be read as {kind} ({_one_line(error)})") from error
    if kind.startswith("stl") and len(vertices):
        vertices, triangles = merged_corners(vertices, triangles)
    return RawSurface(vertices, triangles)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 120 else text[:117] + "..."
