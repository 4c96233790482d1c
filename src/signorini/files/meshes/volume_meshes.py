"""Tetrahedral meshes from files: Gmsh, legacy VTK, Medit, TetGen, and our own npz."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.files.meshes.gmsh_file import read_gmsh
from signorini.files.meshes.mesh_scanner import MeshScanner, RawTets
from signorini.files.meshes.surface_meshes import read_arrays
from signorini.files.meshes.units import Unit, conversion
from signorini.files.meshes.up_axis import UpAxis
from signorini.files.meshes.vtk_file import read_vtk
from signorini.geometry.tet_mesh import TetMesh


def load_tets(path: str | Path, *, up: UpAxis | None = None, scale: float = 1.0, unit: Unit | None = None) -> TetMesh:
    """Read the tetrahedra of a mesh file.

    Formats: Gmsh .msh (2.2 and 4.1, text and binary), legacy .vtk (text and binary), Medit .mesh (text), TetGen .node with
    .ele, and .npz with `vertices` and `tetrahedra`. Vertices keep the order of the file; those that belong to no
    tetrahedron are dropped, as are all other elements. Tetrahedra with the wrong orientation are turned round, flat ones
    are an error.

    Parameters:
        path: the file.
        up: axis that points up in the file, "x", "y" or "z" (default), which is turned to z.
        scale: factor of all coordinates.
        unit: unit of the file: "um", "mm", "cm", "m" (default), "km", "in" or "ft".
    """
    file = Path(path)
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
        used, tetrahedra = np.unique(_numbered(raw), return_inverse=True)
        return TetMesh.flipped(frame.apply(raw.points[used]), tetrahedra.reshape(-1, 4).astype(np.int32))
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None


def _numbered(raw: RawTets) -> NDArray[np.intp]:
    """The tetrahedra (t, 4) with the numbers of their nodes in place of the names."""
    order = np.argsort(raw.names, kind="stable")
    names = raw.names[order]
    double = np.flatnonzero(names[1:] == names[:-1])
    if len(double):
        raise InputError(f"node {names[double[0]]} is defined twice ({len(double)} such nodes)")
    place = np.minimum(np.searchsorted(names, raw.tetrahedra), max(0, len(names) - 1))
    wrong = np.ones(place.shape, bool) if len(names) == 0 else names[place] != raw.tetrahedra
    if wrong.any():
        which = int(np.argmax(wrong.any(axis=1)))
        node = raw.tetrahedra[which][wrong[which]][0]
        raise InputError(f"tetrahedron {which} has the node {node}, which the file does not define")
    return order[place]


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
        mesh = TetMesh.flipped(data["vertices"], data["tetrahedra"])
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None
    return RawTets(np.arange(len(mesh.vertices)), mesh.vertices, mesh.tetrahedra.astype(np.int64))


READERS: dict[str, Callable[[Path], RawTets]] = {
    ".msh": lambda file: read_gmsh(MeshScanner(file)),
    ".vtk": lambda file: read_vtk(MeshScanner(file)),
    ".mesh": _read_medit,
    ".node": _read_tetgen,
    ".ele": _read_tetgen,
    ".npz": _read_npz,
}
"""The reader of each suffix."""
