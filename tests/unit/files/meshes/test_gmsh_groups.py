"""Physical groups of Gmsh files, versions 2.2 and 4.1, text and binary: they survive loading and choose vertices."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.geometry.tet_mesh import TetMesh

BLOCK = sg.shapes.box_tets(0.2, 0.1, 0.1, cells=(4, 2, 2))
SURFACE, _NODES = BLOCK.surface()
SIDES = _NODES[SURFACE.triangles]
"""(t, 3) the triangles of the surface, in numbers of the nodes."""
NAMES = {(2, 1): "left end", (2, 2): "right", (0, 5): "corner", (3, 1): "rubber"}


def chosen(axis: int, value: float) -> np.ndarray:
    return np.flatnonzero(np.isclose(BLOCK.vertices[:, axis], value))


LEFT, RIGHT = chosen(0, BLOCK.vertices[:, 0].min()), chosen(0, BLOCK.vertices[:, 0].max())
CORNER = int(LEFT[0])


def parts() -> list[tuple[int, int, int, np.ndarray]]:
    """Dimension, physical group, type of element and nodes of each part of the file."""
    inside = [np.isin(SIDES, nodes).all(axis=1) for nodes in (LEFT, RIGHT)]
    others = SIDES[~inside[0] & ~inside[1]]
    sides = [(2, 1, 2, SIDES[inside[0]]), (2, 2, 2, SIDES[inside[1]]), (2, 0, 2, others)]
    return [(0, 5, 15, np.array([[CORNER]])), *sides, (3, 1, 4, BLOCK.tetrahedra)]


def physical_names() -> str:
    rows = "".join(f'{dimension} {tag} "{name}"\n' for (dimension, tag), name in NAMES.items())
    return f"$PhysicalNames\n{len(NAMES)}\n{rows}$EndPhysicalNames\n"


def text_2(file: Path) -> None:
    nodes = "".join(f"{k + 1} {x!r} {y!r} {z!r}\n" for k, (x, y, z) in enumerate(BLOCK.vertices.tolist()))
    rows = [(kind, tag, row) for _, tag, kind, table in parts() for row in (table + 1).tolist()]
    elements = "".join(
        f"{k + 1} {kind} 2 {tag} 7 {' '.join(map(str, row))}\n" for k, (kind, tag, row) in enumerate(rows)
    )
    text = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{physical_names()}$Nodes\n{len(BLOCK.vertices)}\n{nodes}$EndNodes\n"
    file.write_text(f"{text}$Elements\n{len(rows)}\n{elements}$EndElements\n")


def binary_2(file: Path) -> None:
    data = b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n" + physical_names().encode()
    data += b"$Nodes\n%d\n" % len(BLOCK.vertices)
    data += b"".join(struct.pack("<i3d", k + 1, *x) for k, x in enumerate(BLOCK.vertices.tolist()))
    data += b"\n$EndNodes\n$Elements\n%d\n" % sum(len(table) for *_, table in parts())
    for _, tag, kind, table in parts():
        data += struct.pack("<3i", kind, len(table), 2)
        data += b"".join(struct.pack(f"<{3 + len(row)}i", 1, tag, 7, *row) for row in (table + 1).tolist())
    file.write_bytes(data + b"\n$EndElements\n")


def entities(pack: Callable[..., bytes]) -> bytes:
    """A point, three surfaces and a volume; the numbers of parts of the geometry differ from those of the groups."""
    data = pack("qqqq", 1, 0, 3, 1) + pack("idddqi", 30, 0.0, 0.0, 0.0, 1, 5)
    for number, tag in ((31, 1), (32, -2), (33, 0)):
        data += pack("i" + 6 * "d", number, *(6 * [0.0])) + (pack("qi", 1, tag) if tag else pack("q", 0)) + pack("q", 0)
    return data + pack("i" + 6 * "d", 40, *(6 * [0.0])) + pack("qi", 1, 1) + pack("qiii", 3, 31, -32, 33)


def blocks(pack: Callable[..., bytes]) -> bytes:
    count = sum(len(table) for *_, table in parts())
    data = pack("qqqq", len(parts()), count, 1, count)
    for (dimension, _, kind, table), number in zip(parts(), (30, 31, 32, 33, 40), strict=True):
        data += pack("iiiq", dimension, number, kind, len(table))
        data += b"".join(pack("q" * (1 + len(row)), k + 1, *row) for k, row in enumerate((table + 1).tolist()))
    return data


def version_4(file: Path, pack: Callable[..., bytes], head: bytes) -> None:
    n = len(BLOCK.vertices)
    nodes = pack("qqqq", 1, n, 1, n) + pack("iiiq", 3, 40, 0, n)
    nodes += b"".join(pack("q", k + 1) for k in range(n)) + b"".join(pack("ddd", *x) for x in BLOCK.vertices.tolist())
    data = head + b"$EndMeshFormat\n" + physical_names().encode() + b"$Entities\n" + entities(pack)
    data += b"\n$EndEntities\n$Nodes\n" + nodes + b"\n$EndNodes\n$Elements\n" + blocks(pack)
    file.write_bytes(data + b"\n$EndElements\n")


def text_4(file: Path) -> None:
    version_4(file, lambda _, *v: (" ".join(map(repr, v)) + "\n").encode(), b"$MeshFormat\n4.1 0 8\n")


def binary_4(file: Path) -> None:
    head = b"$MeshFormat\n4.1 1 8\n" + struct.pack("<i", 1) + b"\n"
    version_4(file, lambda kinds, *v: struct.pack("<" + kinds, *v), head)


WRITERS = {"2.2 text": text_2, "2.2 binary": binary_2, "4.1 text": text_4, "4.1 binary": binary_4}


@pytest.mark.parametrize("version", WRITERS)
def test_groups_survive_loading(tmp_path: Path, version: str) -> None:
    WRITERS[version](tmp_path / "block.msh")
    mesh = sg.load_tets(tmp_path / "block.msh")
    np.testing.assert_array_equal(mesh.tetrahedra, BLOCK.tetrahedra)
    assert set(mesh.groups) == set(NAMES.values())
    np.testing.assert_array_equal(mesh.groups["left end"], LEFT)
    np.testing.assert_array_equal(mesh.groups["right"], RIGHT)
    np.testing.assert_array_equal(mesh.groups["corner"], [CORNER])
    np.testing.assert_array_equal(mesh.groups["rubber"], np.arange(len(BLOCK.vertices)))
    surface = sg.load_mesh(tmp_path / "block.msh")
    assert len(surface.triangles) == len(SIDES)
    assert surface.is_closed
    np.testing.assert_allclose(surface.vertices[surface.groups["right"]][:, 0], BLOCK.vertices[:, 0].max())


def test_groups_without_names_are_called_by_their_numbers(tmp_path: Path) -> None:
    text_2(tmp_path / "block.msh")
    text = (tmp_path / "block.msh").read_text()
    (tmp_path / "block.msh").write_text(text.replace(physical_names(), ""))
    mesh = sg.load_tets(tmp_path / "block.msh")
    assert set(mesh.groups) == {"surface 1", "volume 1", "2", "5"}
    np.testing.assert_array_equal(mesh.groups["surface 1"], LEFT)


@pytest.mark.parametrize("version", ["2.2 text", "4.1 text"])
def test_groups_in_pins_attachments_and_loads_of_python_and_of_scene_files(tmp_path: Path, version: str) -> None:
    WRITERS[version](tmp_path / "block.msh")
    scene = sg.Scene(gravity=(0, 0, 0))
    block = scene.add_soft_solid(sg.load_tets(tmp_path / "block.msh"), name="block", material="rubber")
    scene.add_kinematic(sg.shapes.box(0.02, 0.2, 0.2), position=(0.13, 0, 0), name="plate")
    block.pin(sg.places.Group(name="left end"))
    scene.attach("block", sg.places.Group(name="right"), to="plate")
    scene.add_force("block", (0, 0, 1.0), vertices=sg.places.Group(name="rubber"))
    load = scene.add_pressure("block", 100.0, vertices=sg.places.Group(name="left end"))
    np.testing.assert_array_equal(block.positions[load.vertices], BLOCK.vertices[LEFT])
    (tmp_path / "scene.toml").write_text(
        """
[scene]
gravity = [0, 0, 0]
[[soft_solid]]
name = "block"
tets = { file = "block.msh" }
material = "rubber"
pins = [{ vertices = { kind = "group", name = "left end" } }]
[[kinematic]]
name = "plate"
mesh = { shape = "box", width = 0.02, depth = 0.2, height = 0.2 }
position = [0.13, 0, 0]
[[attachment]]
body = "block"
vertices = { kind = "group", name = "right" }
to = "plate"
[[force]]
body = "block"
force = [0, 0, 1]
vertices = { kind = "group", name = "rubber" }
[[pressure]]
body = "block"
pressure = 100
vertices = { kind = "group", name = "left end" }
"""
    )
    loaded = sg.load_scene(tmp_path / "scene.toml").scene
    again = sg.load_scene(sg.save_scene(tmp_path / "again" / "scene.toml", loaded)).scene
    assert {k: v.tolist() for k, v in again.bodies["block"].groups.items()} == {
        k: v.tolist() for k, v in block.groups.items()
    }
    sims = [sg.Simulation(each, dt=4e-3) for each in (scene, loaded, again)]
    for sim in sims:
        sim.bodies["block"].apply_force((0, 0, 1.0), nodes=sg.places.Group(name="corner"))
        sim.bodies["block"].apply_force((0, 0.1, 0), vertices=sg.places.Group(name="right"))
        for _ in range(3):
            sim.step()
    still = sims[0].bodies["block"].node_positions
    np.testing.assert_allclose(still[LEFT], BLOCK.vertices[LEFT], atol=1e-12)
    np.testing.assert_allclose(still[RIGHT], BLOCK.vertices[RIGHT], atol=1e-12)
    assert still[:, 2].mean() > BLOCK.vertices[:, 2].mean() + 1e-6
    for sim in sims[1:]:
        np.testing.assert_array_equal(sim.state.q, sims[0].state.q)
    with pytest.raises(sg.InputError, match=r"no group 'top'; it has 'corner', 'left end', 'right', 'rubber'"):
        block.pin(sg.places.Group(name="top"))


def test_groups_of_a_surface_pin_a_cloth(tmp_path: Path) -> None:
    text_2(tmp_path / "block.msh")
    scene = sg.Scene()
    cloth = scene.add_cloth(sg.load_mesh(tmp_path / "block.msh"), name="bag")
    cloth.pin(sg.places.Group(name="right"))
    assert len(cloth.pins[0].vertices) == len(RIGHT)


def test_wrong_groups_are_refused() -> None:
    with pytest.raises(sg.InputError, match="group 'a' has vertex 999"):
        TetMesh(BLOCK.vertices, BLOCK.tetrahedra, {"a": np.array([999])})
    with pytest.raises(sg.InputError, match="group 'a' must be integers"):
        sg.TriangleMesh(SURFACE.vertices, SURFACE.triangles, groups={"a": np.array([0.5])})


@pytest.mark.parametrize("version", WRITERS)
def test_damaged_groups_give_a_mesh_or_an_error_in_one_sentence(tmp_path: Path, version: str) -> None:
    file = tmp_path / "block.msh"
    WRITERS[version](file)
    whole = file.read_bytes()
    rng = np.random.default_rng(len(version))
    end = whole.index(b"$Nodes")
    for _ in range(60):
        damaged = bytearray(whole)
        for place in rng.integers(0, end, 2):
            damaged[place] = rng.integers(0, 256)
        file.write_bytes(bytes(damaged))
        try:
            sg.load_tets(file)
        except sg.InputError as error:
            assert "\n" not in str(error)
