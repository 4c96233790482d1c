"""Mesh sequences: frames in their order and time, and one sentence for files that do not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from signorini.characters.mesh_sequence import load_mesh_sequence, natural_key
from signorini.errors import InputError
from signorini.geometry import shapes
from signorini.geometry.triangle_mesh import TriangleMesh

MESH = shapes.sphere(0.5, subdivisions=3)


def shifted(*offset: float) -> np.ndarray:
    return MESH.vertices + np.array(offset)


def write(path: Path, vertices: np.ndarray, triangles: np.ndarray = MESH.triangles) -> Path:
    path.write_bytes(_bytes(trimesh.Trimesh(vertices, triangles, process=False), path.suffix[1:]))
    return path


def _bytes(mesh: trimesh.Trimesh, kind: str) -> bytes:
    data = mesh.export(file_type=kind)
    assert isinstance(data, str | bytes)
    return data.encode() if isinstance(data, str) else data


@pytest.mark.parametrize("kind", ["obj", "ply"])
def test_frames_come_in_natural_order_and_in_time(tmp_path, kind):
    for k in (0, 2, 10, 9, 1):  # as text frame_10 would come before frame_2
        write(tmp_path / f"frame_{k}.{kind}", shifted(0, 0, k))
    mesh, motion = load_mesh_sequence(tmp_path / f"frame_*.{kind}", fps=10.0, start=1.0)
    assert isinstance(mesh, TriangleMesh) and (mesh.triangles == MESH.triangles).all()
    np.testing.assert_allclose(motion.times, [1.0, 1.1, 1.2, 1.3, 1.4])
    for time, z in ((0.0, 0.0), (1.05, 0.5), (1.25, 5.5), (1.4, 10.0), (7.0, 10.0)):
        np.testing.assert_allclose(motion.positions(mesh.vertices, time), shifted(0, 0, z), atol=1e-6)


def test_a_list_keeps_its_order_and_scale_and_up_axis_apply(tmp_path):
    files = [write(tmp_path / f"{k}.obj", shifted(0, k, 0)) for k in (3, 1)]
    mesh, motion = load_mesh_sequence(files, fps=1.0, scale=0.1, up="y")
    x, y, z = 0.1 * MESH.vertices.T
    np.testing.assert_allclose(mesh.vertices, np.column_stack([x, -z, y + 0.3]), atol=1e-8)
    np.testing.assert_allclose(motion.frames[1], np.column_stack([x, -z, y + 0.1]), atol=1e-8)


def test_numbers_in_names_count_as_numbers():
    names = ["a10", "a2", "a02b", "b1", "a", "2", "10"]
    assert sorted(names, key=natural_key) == ["2", "10", "a", "a02b", "a2", "a10", "b1"]


def test_files_that_do_not_fit_are_named(tmp_path):
    other = shapes.sphere(0.5, subdivisions=2)
    first = write(tmp_path / "0.obj", MESH.vertices)
    smaller = write(tmp_path / "1.obj", other.vertices, other.triangles)
    swapped = write(tmp_path / "2.obj", MESH.vertices, MESH.triangles[::-1])
    fewer = write(tmp_path / "3.obj", MESH.vertices, MESH.triangles[:-1])
    with pytest.raises(InputError, match=r"1\.obj' has 42 vertices, but .*0\.obj' has 92"):
        load_mesh_sequence([first, smaller], fps=10)
    with pytest.raises(InputError, match=r"2\.obj' has other triangles than"):
        load_mesh_sequence([first, swapped], fps=10)
    with pytest.raises(InputError, match=r"3\.obj' has 179 triangles, but .*0\.obj' has 180"):
        load_mesh_sequence([first, fewer], fps=10)


@pytest.mark.parametrize("kind", ["obj", "ply"])
@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.7, 0.95])
def test_truncated_files_give_one_sentence_with_the_file(tmp_path, kind, part):
    first = write(tmp_path / f"0.{kind}", MESH.vertices)
    cut = tmp_path / f"1.{kind}"
    data = first.read_bytes()
    cut.write_bytes(data[: int(part * len(data))])
    with pytest.raises(InputError, match=rf"1\.{kind}'") as caught:
        load_mesh_sequence([first, cut], fps=10)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda p: load_mesh_sequence(p / "none_*.obj", fps=10), "no file matches .*none_"),
        (lambda p: load_mesh_sequence([p / "a.obj", p / "b.obj"], fps=10), r"a\.obj' does not exist"),
        (lambda p: load_mesh_sequence([p / "a.obj"], fps=10), "at least two files, got 1"),
        (lambda p: load_mesh_sequence(3, fps=10), "a pattern or a list"),
        (lambda p: load_mesh_sequence(p / "*.obj", fps=0), "fps"),
        (lambda p: load_mesh_sequence(p / "*.obj", fps=10, start=float("inf")), "start"),
        (lambda p: load_mesh_sequence(p / "*.obj", fps=10, up="w"), "'w'"),
    ],
)
def test_wrong_arguments_are_named(tmp_path, build, words):
    with pytest.raises(InputError, match=words):
        build(tmp_path)
