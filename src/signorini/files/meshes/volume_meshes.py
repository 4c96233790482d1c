"""Tetrahedral meshes from files: Gmsh, legacy VTK, Medit, TetGen, and our own npz."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from signorini.checks import check_path
from signorini.errors import InputError
from signorini.files.meshes.gmsh_file import read_gmsh
from signorini.files.meshes.mesh_scanner import MeshScanner, RawTets
from signorini.files.meshes.surface_meshes import read_arrays
from signorini.files.meshes.units import Unit, conversion
from signorini.files.meshes.up_axis import UpAxis
from signorini.files.meshes.vtk_file import read_vtk
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.vertex_groups import groups_from_arrays


def load_tets(path: str | Path, *, up: UpAxis | None = None, scale: float = 1.0, unit: Unit | None = None) -> TetMesh:
    """Read the tetrahedra of a mesh file.

    Formats: Gmsh .msh (2.2 and 4.1, text and binary), legacy .vtk (text and binary), Medit .mesh (text), TetGen .node with
    .ele, and .npz with `vertices` and `tetrahedra`. Vertices keep the order of the file; those that belong to no
    tetrahedron are dropped, as are all other elements. Tetrahedra with the wrong orientation are turned round, flat ones
    are an error. The physical groups of Gmsh files become `groups` of the mesh, which places (`places.Group`) choose by name.

    Parameters:
        path: the file.
        up: axis that points up in the file, "x", "y" or "z" (default), which is turned to z.
        scale: factor of all coordinates.
        unit: unit of the file: "um", "mm", "cm", "m" (default), "km", "in" or "ft".
    """
    file = check_path("mesh file", path)
    frame = conversion("a mesh", up=up, scale=scale, unit=unit)
    if not file.exists():
        raise InputError(f"mesh file {str(file)!r} does not exist")
    if file.is_dir():
        raise InputError(f"mesh file {str(file)!r} is a directory")
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise InputError(
            f"mesh file {str(file)!r} has the unknown format {file.suffix!r}: volume meshes are read from {', '.join(READERS)}"
        )
    raw = reader(file)
    if len(raw.tetrahedra) == 0:
        others = f"; it has {', '.join(sorted(raw.others))}" if raw.others else ""
        raise InputError(f"mesh file {str(file)!r} has no tetrahedra of four nodes{others}")
    try:
        used, tetrahedra = np.unique(raw.numbered(raw.tetrahedra, "tetrahedron"), return_inverse=True)
        corners = tetrahedra.reshape(-1, 4).astype(np.int32)
        return TetMesh.flipped(frame.apply(raw.points[used]), corners, raw.groups_of(used))
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None


def _read_medit(file: Path) -> RawTets:
    scanner = MeshScanner(file)
    if (scanner.word() or "") != "MeshVersionFormatted":
        scanner.fail("a Medit file must start with MeshVersionFormatted; binary ones are not supported", at=0)
    raw = RawTets()
    while (keyword := scanner.word()) not in (None, "End"):
        if keyword == "Dimension" and (dimension := scanner.count("the dimension")) != 3:
            scanner.fail(f"the dimension must be 3, found {dimension}")
        if keyword == "Vertices":
            count = scanner.count("the number of vertices")
            raw.points = scanner.numbers(4 * count, np.float64, "the vertices").reshape(-1, 4)[:, :3]
            raw.names = np.arange(1, count + 1)
        elif keyword == "Tetrahedra":
            count = scanner.count("the number of tetrahedra")
            raw.tetrahedra = scanner.numbers(5 * count, np.int64, "the tetrahedra").reshape(-1, 5)[:, :4]
        elif keyword in ("Triangles", "Quadrilaterals", "Hexahedra", "Prisms", "Pyramids", "TetrahedraP2"):
            raw.others.add(keyword)
    return raw


def _read_tetgen(file: Path) -> RawTets:
    """From either file of the pair. Points and tetrahedra are numbered from 0 or 1, as the .node file says."""
    nodes, elements = (file.with_suffix(suffix) for suffix in (".node", ".ele"))
    for part in (nodes, elements):
        if not part.exists():
            raise InputError(f"mesh file {str(file)!r} needs {part.name!r} beside it")
    scanner = _without_comments(nodes)
    count, dimension, attributes, markers = (int(i) for i in scanner.numbers(4, np.int64, "the header"))
    if dimension != 3 or attributes < 0 or markers not in (0, 1):
        scanner.fail(f"the header must be a count, 3, a count and 0 or 1, found {dimension} {attributes} {markers}")
    width = 4 + attributes + markers
    count = scanner.checked_count(count, "the number of nodes")
    table = scanner.numbers(width * count, np.float64, "the nodes").reshape(-1, width)
    names, points = scanner.integers_of(table[:, 0], "the numbers of the nodes"), table[:, 1:4]
    scanner = _without_comments(elements)
    count, corners, attributes = (int(i) for i in scanner.numbers(3, np.int64, "the header"))
    if corners not in (4, 10) or attributes < 0:
        scanner.fail(f"the header must be a count, 4 and a count, found {count} {corners} {attributes}")
    if corners == 10:
        return RawTets(names, points, others={"second-order tetrahedra"})
    width = 5 + attributes
    count = scanner.checked_count(count, "the number of tetrahedra")
    rows = scanner.numbers(width * count, np.float64, "the tetrahedra").reshape(-1, width)
    return RawTets(names, points, scanner.integers_of(rows[:, 1:5], "the nodes of tetrahedra"))


def _without_comments(file: Path) -> MeshScanner:
    """A scanner that does not see what is behind a # on a line."""
    scanner = MeshScanner(file)
    lines = scanner.data.split(b"\n")
    scanner.data = b"\n".join(line.split(b"#", 1)[0] for line in lines)
    return scanner


def _read_npz(file: Path) -> RawTets:
    data = read_arrays(file)
    for name in ("vertices", "tetrahedra"):
        if name not in data:
            raise InputError(
                f"mesh file {str(file)!r} has no array {name!r}, it has {', '.join(sorted(data)) or 'none'}"
            )
    try:
        groups = groups_from_arrays(data)
        mesh = TetMesh.flipped(data["vertices"], data["tetrahedra"], groups)
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None
    raw = RawTets(np.arange(len(mesh.vertices)), mesh.vertices, mesh.tetrahedra.astype(np.int64))
    raw.groups = {name: vertices.astype(np.int64) for name, vertices in groups.items()}
    return raw


READERS: dict[str, Callable[[Path], RawTets]] = {
    ".msh": lambda file: read_gmsh(MeshScanner(file)),
    ".vtk": lambda file: read_vtk(MeshScanner(file)),
    ".mesh": _read_medit,
    ".node": _read_tetgen,
    ".ele": _read_tetgen,
    ".npz": _read_npz,
}
"""The reader of each suffix."""
