"""`up`, `scale` and `unit` in every loader and in scene files, and polygons with texture coordinates of OBJ files."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.files.meshes.units import METRES
from signorini.geometry.faces import Faces
from signorini.geometry.triangles import area_vectors
from support.stored_runs import quads_file

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
TURNED = {"x": POINTS[:, [2, 1, 0]] * [-1, 1, 1], "y": POINTS[:, [0, 2, 1]] * [1, -1, 1], "z": POINTS}
"""What the points are with z up, by the axis that points up in the file."""


def write_tets(folder):
    file = folder / "one.mesh"
    rows = "\n".join(f"{x} {y} {z} 0" for x, y, z in POINTS)
    file.write_text(f"MeshVersionFormatted 1\nDimension 3\nVertices 4\n{rows}\nTetrahedra 1\n1 2 3 4 0\nEnd\n")
    return file


def write_surface(folder, name="one.obj"):
    rows = "".join(f"v {x} {y} {z}\n" for x, y, z in POINTS)
    (folder / name).write_text(rows + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    return folder / name


@pytest.mark.parametrize("up", ["x", "y", "z"])
@pytest.mark.parametrize("unit", [*METRES, None])
def test_every_loader_turns_and_scales(tmp_path, up, unit):
    options = {"up": up, "unit": unit, "scale": 2.0}
    expected = 2.0 * METRES[unit or "m"] * TURNED[up]
    write_surface(tmp_path, "two.obj")
    for found in (
        sg.load_mesh(write_surface(tmp_path), **options).vertices,
        sg.load_tets(write_tets(tmp_path), **options).vertices,
        sg.load_mesh_sequence([tmp_path / "one.obj", tmp_path / "two.obj"], fps=10, **options)[0].vertices,
        sg.load_mesh_sequence([tmp_path / "one.obj", tmp_path / "two.obj"], fps=10, **options)[1].frames[1],
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_scene_files_have_the_same_options(tmp_path):
    write_surface(tmp_path)
    write_tets(tmp_path)
    (tmp_path / "scene.toml").write_text(
        '[[rigid]]\nmesh = { file = "one.obj", up = "y", unit = "cm" }\ndensity = 1000.0\n'
        '[[soft_solid]]\ntets = { file = "one.mesh", up = "x", unit = "mm", scale = 3.0 }\nposition = [0, 0, 1]\n'
    )
    bodies = sg.load_scene(tmp_path / "scene.toml").scene.bodies
    np.testing.assert_allclose(bodies["rigid"].mesh.vertices, 0.01 * TURNED["y"], rtol=1e-14)
    np.testing.assert_allclose(bodies["soft_solid"].tets.vertices, 0.003 * TURNED["x"], rtol=1e-14)


def test_a_sequence_in_a_scene_file(tmp_path):
    """The same motion as that of `load_mesh_sequence`, also when the scene is saved and loaded again."""
    write_surface(tmp_path, "walk_1.obj")
    lowered = (tmp_path / "walk_1.obj").read_text().replace("v 0.0 0.0 0.0", "v 0.0 -0.5 0.0")
    (tmp_path / "walk_2.obj").write_text(lowered)
    (tmp_path / "scene.toml").write_text(
        '[[kinematic]]\nname = "walker"\nmesh = { file = "walk_1.obj", up = "y", unit = "cm" }\n'
        'motion = { kind = "sequence", files = "walk_*.obj", fps = 2.0, start = 1.0, up = "y", unit = "cm" }\n'
    )
    scene = sg.load_scene(tmp_path / "scene.toml").scene
    expected = sg.load_mesh_sequence(tmp_path / "walk_*.obj", fps=2.0, start=1.0, up="y", unit="cm")[1]
    again = sg.load_scene(sg.save_scene(tmp_path / "saved/scene.toml", scene)).scene
    for body in (scene.bodies["walker"], again.bodies["walker"]):
        np.testing.assert_array_equal(body.motion.frames, expected.frames)
        assert list(body.motion.times) == [1.0, 1.5]
        np.testing.assert_array_equal(body.positions, expected.frames[0])
    np.testing.assert_allclose(expected.frames[1][0], [0.0, 0.0, -0.005])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": "yards"}, "unit of a mesh must be one of um, mm, cm, m, km, in, ft, got 'yards'"),
        ({"unit": 3}, "got 3"),
        ({"up": "w"}, "up axis of a mesh must be 'x', 'y' or 'z', got 'w'"),
        ({"up": ["y"]}, "got ['y']"),
        ({"scale": -1.0}, "scale of a mesh must be positive"),
    ],
)
def test_wrong_options_are_named(tmp_path, options, words):
    for load, file in ((sg.load_mesh, write_surface(tmp_path)), (sg.load_tets, write_tets(tmp_path))):
        with pytest.raises(sg.InputError) as caught:
            load(file, **options)
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('{ file = "one.obj", unit = "yard" }', "unit of a mesh must be one of"),
        ('{ file = "one.obj", units = "cm" }', "did you mean 'unit'"),
        ('{ file = "one.obj", up = 2 }', "up axis of a mesh"),
    ],
)
def test_wrong_options_in_a_scene_file_are_named(tmp_path, table, words):
    write_surface(tmp_path)
    (tmp_path / "scene.toml").write_text(f"[[cloth]]\nmesh = {table}\n")
    with pytest.raises(sg.InputError, match=r"scene\.toml: cloth\[0\]") as caught:
        sg.load_scene(tmp_path / "scene.toml")
    assert words in str(caught.value)


def test_obj_keeps_polygons_and_texture(tmp_path):
    mesh = sg.load_mesh(quads_file(tmp_path))
    faces = mesh.faces
    assert faces is not None
    assert faces.counts.tolist() == [4, 4, 3, 3]
    assert faces.corners.tolist() == [0, 1, 4, 3, 1, 2, 5, 4, 3, 4, 6, 2, 7, 5]
    assert faces.uv_corners.tolist() == [0, 1, 4, 3, 6, 2, 5, 4, 3, 4, 6, 2, 1, 5]
    np.testing.assert_array_equal(faces.uv[6], [0.25, 0.75])
    assert mesh.triangles.tolist() == [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [3, 4, 6], [2, 7, 5]]


def test_obj_forms_of_faces(tmp_path):
    """Numbers from the end, normals, missing texture coordinates, continued lines and comments."""
    file = tmp_path / "forms.obj"
    file.write_text(
        "v 0 0 0 # origin\nv 1 0 0\nv 1 1 0\nvn 0 0 1\nvt 0.5\nf -3//1 -2//1 \\\n-1//1\nv 0 1 0 0.5 0.5 0.5\nf 1/1/1 3//1 4/-1\n"
    )
    faces = sg.load_mesh(file).faces
    assert faces is not None
    assert faces.corners.tolist() == [0, 1, 2, 0, 2, 3] and faces.uv_corners.tolist() == [-1, -1, -1, 0, -1, 0]
    assert not faces.has_uv


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("f 1 2", "three corners"),
        ("f 1 2 9", "vertex 9, but there are 3"),
        ("f 1/1 2/1 3/7", "texture coordinate 7"),
        ("f 1 2 x", "line 5"),
        ("f 0 1 2", "line 5"),
        ("v 1 2", "line 5"),
    ],
)
def test_bad_lines_of_obj_are_named(tmp_path, line, words):
    (tmp_path / "bad.obj").write_text(f"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n{line}\n")
    with pytest.raises(sg.InputError, match=r"bad\.obj") as caught:
        sg.load_mesh(tmp_path / "bad.obj")
    assert words in str(caught.value)


def regular(n: int) -> np.ndarray:
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle), 0.3 * np.cos(angle) + 0.1])


@pytest.mark.parametrize(
    "corners",
    [
        regular(4),
        regular(7),
        np.array([[0, 0, 0], [2, 0, 0], [0.5, 0.5, 0], [0, 2, 0]]),  # a dart: concave at the third corner
        np.array([[2, 0, 0], [0.5, 0.5, 0], [0, 2, 0], [0, 0, 0]]),  # the same from its second corner
        np.array([[0, 0, 0], [4, 0, 0], [4, 3, 0], [3, 3, 0], [3, 1, 0], [1, 1, 0], [1, 3, 0], [0, 3, 0]]),  # a U
        np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]]),  # with a corner in a straight side
    ],
    ids=["quad", "heptagon", "dart", "turned dart", "u", "straight"],
)
def test_polygons_are_covered_once(corners):
    """The triangles face one way, and their areas add up to that of the polygon (shoelace formula)."""
    faces = Faces(np.array([len(corners)], np.int32), np.arange(len(corners), dtype=np.int32))
    vectors = area_vectors(corners.astype(float), faces.triangulated(corners.astype(float)))
    whole = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    assert len(vectors) == len(corners) - 2
    assert (vectors @ whole > 0.0).all()
    assert np.linalg.norm(vectors, axis=1).sum() == pytest.approx(np.linalg.norm(whole), rel=1e-12)
