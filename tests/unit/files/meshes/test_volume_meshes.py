"""load_tets: every format as text and binary, and what is said about files that cannot be read."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.files.meshes.volume_meshes import load_tets
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.tet_shapes import box_tets

MESH = box_tets(1.0, 2.0, 0.5, cells=(2, 1, 1))
TRIANGLES = [[0, 1, 2], [1, 2, 3]]


def lines(rows) -> str:
    return "".join(" ".join(f"{x!r}" for x in row) + "\n" for row in rows)


def numbered(mesh: TetMesh, first: int):
    return [[k + first, *row] for k, row in enumerate(mesh.vertices.tolist())]


def gmsh_2(mesh: TetMesh, file: Path) -> None:
    elements = [[k + 1, 2, 2, 0, 1, *(n + 1 for n in row)] for k, row in enumerate(TRIANGLES)]
    elements += [[k + 3, 4, 2, 0, 1, *(n + 1 for n in row)] for k, row in enumerate(mesh.tetrahedra.tolist())]
    text = '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 "all"\n$EndPhysicalNames\n'
    text += f"$Nodes\n{len(mesh.vertices)}\n{lines(numbered(mesh, 1))}$EndNodes\n"
    file.write_text(text + f"$Elements\n{len(elements)}\n{lines(elements)}$EndElements\n")


def gmsh_2_binary(mesh: TetMesh, file: Path, order: str = "<") -> None:
    data = b"$MeshFormat\n2.2 1 8\n" + struct.pack(order + "i", 1) + b"\n$EndMeshFormat\n"
    data += b"$Nodes\n%d\n" % len(mesh.vertices)
    for k, row in enumerate(mesh.vertices.tolist()):
        data += struct.pack(order + "i3d", 10 * k, *row)
    data += b"\n$EndNodes\n$Elements\n%d\n" % (2 + len(mesh.tetrahedra))
    data += struct.pack(order + "3i", 2, 2, 2)
    for k, row in enumerate(TRIANGLES):
        data += struct.pack(order + "6i", k, 0, 1, *(10 * n for n in row))
    data += struct.pack(order + "3i", 4, len(mesh.tetrahedra), 2)
    for k, row in enumerate(mesh.tetrahedra.tolist()):
        data += struct.pack(order + "7i", k, 0, 1, *(10 * n for n in row))
    file.write_bytes(data + b"\n$EndElements\n")


def gmsh_4(mesh: TetMesh, file: Path) -> None:
    x, half = mesh.vertices.tolist(), 5
    text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n"
    text += f"$Nodes\n2 {len(x)} 1 {len(x)}\n2 1 1 {half}\n" + lines([[k + 1] for k in range(half)])
    text += lines([[*row, 0.5, 0.25] for row in x[:half]])  # points of a surface with its two parameters
    text += f"3 1 0 {len(x) - half}\n" + lines([[k + 1] for k in range(half, len(x))]) + lines(x[half:])
    text += f"$EndNodes\n$Elements\n2 {2 + len(mesh.tetrahedra)} 1 99\n2 1 2 2\n"
    text += lines([[k + 1, *(n + 1 for n in row)] for k, row in enumerate(TRIANGLES)])
    text += f"3 1 4 {len(mesh.tetrahedra)}\n"
    text += lines([[k + 3, *(n + 1 for n in row)] for k, row in enumerate(mesh.tetrahedra.tolist())])
    file.write_text(text + "$EndElements\n")


def gmsh_4_binary(mesh: TetMesh, file: Path, order: str = "<") -> None:
    n, t = len(mesh.vertices), len(mesh.tetrahedra)
    data = b"$MeshFormat\n4.1 1 8\n" + struct.pack(order + "i", 1) + b"\n$EndMeshFormat\n$Nodes\n"
    data += struct.pack(order + "4q3iq", 1, n, 1, n, 3, 1, 0, n)
    data += np.arange(1, n + 1).astype(order + "i8").tobytes() + mesh.vertices.astype(order + "f8").tobytes()
    data += b"\n$EndNodes\n$Elements\n" + struct.pack(order + "4q3iq", 1, t, 1, t, 3, 1, 4, t)
    data += np.column_stack([np.arange(1, t + 1), mesh.tetrahedra + 1]).astype(order + "i8").tobytes()
    file.write_bytes(data + b"\n$EndElements\n")


def vtk(mesh: TetMesh, file: Path, *, binary: bool = False) -> None:
    n, t = len(mesh.vertices), len(mesh.tetrahedra)
    cells = [x for row in TRIANGLES for x in (3, *row)] + [x for row in mesh.tetrahedra.tolist() for x in (4, *row)]
    types = [5] * len(TRIANGLES) + [10] * t

    def body(values, kind: str) -> bytes:
        array = np.asarray(values)
        return array.astype(">" + kind).tobytes() + b"\n" if binary else lines([array.ravel().tolist()]).encode()

    data = b"# vtk DataFile Version 3.0\n\n" + (b"BINARY\n" if binary else b"ASCII\n")
    data += b"DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 2 double\n" + body([1.5, 2.0], "f8")
    data += b"POINTS %d double\n" % n + body(mesh.vertices, "f8")
    data += b"CELLS %d %d\n" % (t + len(TRIANGLES), len(cells)) + body(cells, "i4")
    data += b"CELL_TYPES %d\n" % len(types) + body(types, "i4")
    file.write_bytes(data + b"POINT_DATA 1\nnothing of interest\n")


def vtk_binary(mesh: TetMesh, file: Path) -> None:
    vtk(mesh, file, binary=True)


def medit(mesh: TetMesh, file: Path) -> None:
    text = f"MeshVersionFormatted 2\n# by a test, with words\nDimension\n3\nVertices\n{len(mesh.vertices)}\n"
    text += lines([[*row, 0] for row in mesh.vertices.tolist()])
    text += f"Triangles {len(TRIANGLES)}\n" + lines([[*(n + 1 for n in row), 7] for row in TRIANGLES])
    text += f"Tetrahedra {len(mesh.tetrahedra)}\n"
    file.write_text(text + lines([[*(n + 1 for n in row), 1] for row in mesh.tetrahedra.tolist()]) + "End\n")


def tetgen(mesh: TetMesh, file: Path, first: int = 1) -> None:
    text = f"# nodes\n{len(mesh.vertices)} 3 1 1\n"
    text += lines([[*row, 0.5, 0] for row in numbered(mesh, first)]) + "# made by a test\n"
    file.with_suffix(".node").write_text(text)
    rows = [[k + first, *(n + first for n in row)] for k, row in enumerate(mesh.tetrahedra.tolist())]
    file.with_suffix(".ele").write_text(f"{len(rows)}  4  0  # three numbers\n" + lines(rows))


def npz(mesh: TetMesh, file: Path) -> None:
    np.savez(file, vertices=mesh.vertices, tetrahedra=mesh.tetrahedra)


Writer = Callable[[TetMesh, Path], None]
WRITERS: dict[str, tuple[str, Writer]] = {
    "gmsh 2.2 text": (".msh", gmsh_2),
    "gmsh 2.2 binary": (".msh", gmsh_2_binary),
    "gmsh 2.2 big-endian": (".msh", lambda mesh, file: gmsh_2_binary(mesh, file, ">")),
    "gmsh 4.1 text": (".msh", gmsh_4),
    "gmsh 4.1 binary": (".msh", gmsh_4_binary),
    "gmsh 4.1 big-endian": (".msh", lambda mesh, file: gmsh_4_binary(mesh, file, ">")),
    "vtk text": (".vtk", vtk),
    "vtk binary": (".vtk", vtk_binary),
    "medit": (".mesh", medit),
    "tetgen from 1, .node": (".node", tetgen),
    "tetgen from 0, .ele": (".ele", lambda mesh, file: tetgen(mesh, file, 0)),
    "npz": (".npz", npz),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_formats_give_the_mesh_back(tmp_path: Path, kind: str) -> None:
    suffix, write = WRITERS[kind]
    file = tmp_path / f"block{suffix}"
    write(MESH, file)
    loaded = load_tets(file, scale=0.5)
    np.testing.assert_array_equal(loaded.vertices, 0.5 * MESH.vertices)
    np.testing.assert_array_equal(loaded.tetrahedra, MESH.tetrahedra)


@pytest.mark.parametrize("kind", [k for k in WRITERS if k != "npz"])
def test_a_file_cut_anywhere_is_an_error_in_one_sentence(tmp_path: Path, kind: str) -> None:
    suffix, write = WRITERS[kind]
    file = tmp_path / f"block{suffix}"
    write(MESH, file)
    whole = file.read_bytes()
    last = max(whole.rfind(b"\n$EndEl"), whole.rfind(b"CELL_TYPES") + 14, whole.rfind(b"Tetrahedra") + 14)
    end = last if last > 20 else len(whole.split(b"# made")[0]) - 4
    for size in [*range(0, end, 41), end - 1]:
        file.write_bytes(whole[:size])
        with pytest.raises(InputError) as caught:
            load_tets(file)
        assert "block" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [k for k in WRITERS if k != "npz"])
def test_damaged_bytes_give_a_mesh_or_an_error_in_one_sentence(tmp_path: Path, kind: str) -> None:
    suffix, write = WRITERS[kind]
    file = tmp_path / f"block{suffix}"
    write(MESH, file)
    whole = file.read_bytes()
    rng = np.random.default_rng(len(kind))
    for _ in range(60):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(whole), 3):
            damaged[place] = rng.integers(0, 256)
        file.write_bytes(bytes(damaged))
        try:
            load_tets(file)
        except InputError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("binary", [False, True])
def test_vtk_files_of_another_writer(tmp_path: Path, binary: bool) -> None:
    pyvista = pytest.importorskip("pyvista")
    cells = np.column_stack([np.full(len(MESH.tetrahedra), 4), MESH.tetrahedra]).ravel()
    grid = pyvista.UnstructuredGrid(cells, np.full(len(MESH.tetrahedra), 10), MESH.vertices)
    grid.point_data["temperature"] = np.arange(len(MESH.vertices))
    grid.save(tmp_path / "block.vtk", binary=binary)
    assert b"OFFSETS" in (tmp_path / "block.vtk").read_bytes()  # the newer way to write cells
    loaded = load_tets(tmp_path / "block.vtk")
    np.testing.assert_allclose(loaded.vertices, MESH.vertices, atol=1e-7)
    np.testing.assert_array_equal(loaded.tetrahedra, MESH.tetrahedra)


def test_wrong_orientation_is_turned_and_unused_nodes_are_dropped(tmp_path: Path) -> None:
    wrong = MESH.tetrahedra.copy()
    wrong[::2] = wrong[::2][:, [1, 0, 2, 3]]
    np.savez(tmp_path / "a.npz", vertices=MESH.vertices, tetrahedra=wrong)
    np.testing.assert_allclose(load_tets(tmp_path / "a.npz").volumes(), MESH.volumes())
    file = tmp_path / "one.mesh"
    text = "MeshVersionFormatted 1 Dimension 3 Vertices 5 9 9 9 0 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 "
    file.write_text(text + "Tetrahedra 1 3 2 4 5 0")
    mesh = load_tets(file)
    assert len(mesh.vertices) == 4
    assert mesh.volume() == pytest.approx(1.0 / 6.0)
    file.write_text(text + "Tetrahedra 2 3 2 4 5 0 3 2 4 4 0")
    with pytest.raises(InputError, match=r"one\.mesh.*1 of 2 tetrahedra are flat, the first are 1"):
        load_tets(file)


GMSH_2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
NODES_2 = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.msh", "", ["line 1", "the file ends where $MeshFormat"]),
        ("a.msh", "solid\n", ["line 1", "must start with $MeshFormat"]),
        ("a.msh", "$MeshFormat\n4.0 0 8\n", ["line 2", "4.0", "4.1 or 2.2"]),
        ("a.msh", "$MeshFormat\nvery new\n", ["line 2", "version"]),
        ("a.msh", GMSH_2 + NODES_2.replace("2 1 0 0", "2 1 zero 0"), ["line 7", "a number", "'zero'"]),
        ("a.msh", GMSH_2 + NODES_2.replace("\n4\n", "\nfour\n"), ["line 5", "an integer", "'four'"]),
        ("a.msh", GMSH_2 + NODES_2.replace("$EndNodes\n", ""), ["$EndNodes is missing"]),
        ("a.msh", GMSH_2 + NODES_2 + "$Elements\n1\n1 4 0 1 2 3\n$EndElements\n", ["line 13", "3 nodes"]),
        ("a.msh", GMSH_2 + NODES_2 + "$Elements\n1\n1 99 0 1 2 3\n$EndElements\n", ["type 99"]),
        ("a.msh", GMSH_2 + NODES_2 + "$Elements\n1\n1 4 0 1 2 3 9\n$EndElements\n", ["tetrahedron 0", "node 9"]),
        ("a.msh", GMSH_2 + NODES_2 + "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n", ["no tetrahedra", "Gmsh type 2"]),
        (
            "a.msh",
            GMSH_2 + NODES_2 + "$Elements\n1\n1 11 0 1 2 3 4 1 2 3 4 1 2\n$EndElements\n",
            ["no tetrahedra", "second-order tetrahedra"],
        ),
        (
            "a.msh",
            GMSH_2 + NODES_2.replace("4 0 0 1", "3 0 0 1") + "$Elements\n1\n1 4 0 1 2 3 3\n$EndElements",
            ["twice"],
        ),
        ("a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", ["line 4", "UNSTRUCTURED_GRID"]),
        ("a.vtk", "# vtk DataFile Version 3.0\nt\nTEXT\n", ["line 3", "ASCII or BINARY"]),
        (
            "a.vtk",
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1² float\n",
            ["line 5", "a count"],
        ),
        ("a.vtk", "<VTKFile>\n", ["line 1", "legacy VTK"]),
        ("a.mesh", "MeshVersionFormatted 2\nDimension 2\n", ["line 2", "dimension must be 3"]),
        ("a.mesh", "\x00\x01\x02", ["line 1", "binary ones are not supported"]),
        ("a.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices -4\n", ["number of vertices cannot be -4"]),
        ("a.node", "1 3 0 0\n1 0 0 0\n", ["'a.ele'"]),
        ("a.msh", GMSH_2 + NODES_2.replace("2 1 0 0", "2.5 1 0 0"), ["names of nodes", "2.5"]),
        ("a.stl", "solid", ["unknown format '.stl'", ".msh"]),
    ],
)
def test_bad_files_are_named_with_the_line(tmp_path: Path, name: str, text: str, words: list[str]) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        load_tets(file)
    message = str(caught.value)
    assert name in message
    assert "\n" not in message
    for word in words:
        assert word in message


def test_missing_files_and_bad_scale(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.msh.*does not exist"):
        load_tets(tmp_path / "gone.msh")
    with pytest.raises(InputError, match="is a directory"):
        load_tets(tmp_path)
    npz(MESH, tmp_path / "a.npz")
    with pytest.raises(InputError, match="scale"):
        load_tets(tmp_path / "a.npz", scale=-1.0)
    np.savez(tmp_path / "half.npz", vertices=np.eye(3))
    with pytest.raises(InputError, match="no array 'tetrahedra'"):
        load_tets(tmp_path / "half.npz")


DATA = os.environ.get("SIGNORINI_EXTERNAL_DATA")


@pytest.mark.skipif(DATA is None, reason="SIGNORINI_EXTERNAL_DATA is not set")
@pytest.mark.parametrize(
    ("name", "count"),
    [("cube", 6), ("bar-186", 186), ("bar-651", 651), ("torus", 491), ("sphere1K", 6851), ("mat40x40", 9126)],
)
def test_meshes_of_others_and_their_own_idea_of_the_surface(name: str, count: int) -> None:
    file = Path(str(DATA)) / "meshes" / f"{name}.msh"
    mesh = load_tets(file)
    assert len(mesh.tetrahedra) == count
    text = file.read_text().split("$Surface\n")[1].split("$EndSurface")[0]
    expected = np.array([[int(i) for i in row.split()] for row in text.strip().splitlines()[1:]]) - 1
    surface, nodes = mesh.surface()
    found = nodes[surface.triangles]

    def turned(triangles: np.ndarray) -> set[tuple[int, ...]]:
        rows = triangles.tolist()
        return {tuple(row[(row.index(min(row)) + k) % 3] for k in range(3)) for row in rows}

    assert turned(found) == turned(expected)
