"""load_mesh: what is read, and what is said about files that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import load_mesh, read_arrays
from signorini.geometry import shapes
from signorini.geometry.mass_properties import check_closed

OBJ = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def test_obj_keeps_order_and_splits_quads(tmp_path):
    file = tmp_path / "quad.obj"
    file.write_text(OBJ + "f 1 2 3 4\n")
    mesh = load_mesh(file, scale=0.5)
    np.testing.assert_array_equal(mesh.vertices, [[0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0]])
    assert len(mesh.triangles) == 2


@pytest.mark.parametrize("suffix", ["ply", "stl", "off", "npz"])
def test_formats_keep_the_surface(tmp_path, suffix):
    import trimesh

    ball = shapes.sphere(0.5, subdivisions=3)
    file = tmp_path / f"ball.{suffix}"
    if suffix == "npz":
        np.savez(file, vertices=ball.vertices, triangles=ball.triangles)
    else:
        trimesh.Trimesh(ball.vertices, ball.triangles, process=False).export(file)
    mesh = load_mesh(file)
    assert len(mesh.triangles) == len(ball.triangles)
    np.testing.assert_allclose(np.linalg.norm(mesh.vertices, axis=1), 0.5, atol=1e-6)


def test_several_objects_become_one_mesh(tmp_path):
    import trimesh

    file = tmp_path / "two.glb"
    trimesh.Scene([trimesh.creation.box(), trimesh.creation.box()]).export(file)
    assert len(load_mesh(file).triangles) == 24


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("nan.obj", OBJ.replace("1 1 0", "nan 1 0") + "f 1 2 3\n", ["finite", "number 2"]),
        ("flat.obj", OBJ + "f 1 2 2\n", ["degenerate", "triangle 0"]),
        ("index.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", []),
        ("points.obj", OBJ, []),
        ("empty.stl", "", []),
        ("broken.glb", "not a glb", []),
        ("model.xyzzy", "1 2 3", ["unknown format", "obj"]),
        ("broken.npz", "not a zip", ["npz"]),
    ],
)
def test_bad_files_are_named(tmp_path, name, text, words):
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        load_mesh(file)
    message = str(caught.value)
    assert name in message
    assert "\n" not in message
    for word in words:
        assert word in message


def test_missing_file_directory_and_array(tmp_path):
    with pytest.raises(InputError, match=r"gone\.obj.*does not exist"):
        load_mesh(tmp_path / "gone.obj")
    with pytest.raises(InputError, match="is a directory"):
        load_mesh(tmp_path)
    np.savez(tmp_path / "half.npz", vertices=np.eye(3))
    with pytest.raises(InputError, match="no array 'triangles'"):
        load_mesh(tmp_path / "half.npz")
    with pytest.raises(InputError, match="scale"):
        load_mesh(tmp_path / "half.npz", scale=0)


@pytest.mark.parametrize("suffix", ["stl", "STL", "stl_ascii"])
def test_vertices_of_an_stl_are_made_one(tmp_path, suffix):
    """An STL file repeats its vertices for every triangle; read as a mesh it is closed again."""
    import trimesh

    ball = shapes.sphere(0.5, subdivisions=3)
    file = tmp_path / f"ball.{suffix}"
    trimesh.Trimesh(ball.vertices, ball.triangles, process=False).export(file, file_type=suffix.lower())
    mesh = load_mesh(file, scale=0.1)
    assert len(mesh.vertices) == len(ball.vertices)
    check_closed(mesh)
    single = 0.1 * ball.vertices.astype(np.float32)
    np.testing.assert_allclose(mesh.vertices[mesh.triangles], single[ball.triangles], atol=1e-8)


def test_vertices_of_other_files_are_not_made_one(tmp_path):
    file = tmp_path / "two.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n")
    assert len(load_mesh(file).vertices) == 6


def test_every_damage_to_an_npz_is_one_sentence(tmp_path):
    """Cut off anywhere, or with any byte of its headers changed, a file is read or refused; nothing else is raised."""
    good, bad = tmp_path / "good.npz", tmp_path / "bad.npz"
    np.savez_compressed(good, vertices=np.eye(3), triangles=np.array([[0, 1, 2]]))
    content = good.read_bytes()
    damaged = [content[:k] for k in range(0, len(content), 7)]
    for k in range(len(content)):
        for value in (0, 1, 255):
            damaged.append(content[:k] + bytes([value]) + content[k + 1 :])
    refused = 0
    for data in damaged:
        bad.write_bytes(data)
        try:
            read_arrays(bad)
        except InputError as error:
            assert "bad.npz" in str(error)
            assert "\n" not in str(error)
            refused += 1
    assert refused > len(damaged) // 3
    np.save(tmp_path / "one.npy", np.eye(3))
    (tmp_path / "one.npy").rename(bad)
    with pytest.raises(InputError, match="not a readable npz file"):
        read_arrays(bad)


@pytest.mark.parametrize("name", ["vertices", "triangles"])
def test_text_instead_of_numbers_is_refused(tmp_path, name):
    arrays = {"vertices": np.eye(3), "triangles": np.array([[0, 1, 2]]), name: np.array([["a", "b", "c"]])}
    np.savez(tmp_path / "text.npz", **arrays)
    with pytest.raises(InputError, match=f"{name} must be numbers"):
        load_mesh(tmp_path / "text.npz")
