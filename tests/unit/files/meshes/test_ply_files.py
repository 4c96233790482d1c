"""PLY files of all kinds, against trimesh and against each other."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import load_mesh, read_surface
from signorini.geometry import shapes

TEXT = """ply
format ascii 1.0
comment two quads with texture
element vertex 6
property float x
property float y
property float z
property float s
property float t
element face 2
property uchar flags
property list uchar int vertex_indices
end_header
0 0 0 0 0
1 0 0 1 0
1 1 0 1 1
0 1 0 0 1
2 0 0 2 0
2 1 0 2 1
7 4 0 1 2 3
7 3 1 4 5
"""


@pytest.mark.parametrize("encoding", ["ascii", "binary"])
def test_the_same_as_trimesh(tmp_path, encoding):
    ball = shapes.sphere(0.5, subdivisions=3)
    file = tmp_path / "ball.ply"
    trimesh.Trimesh(ball.vertices, ball.triangles, process=False).export(file, encoding=encoding)
    mesh, theirs = load_mesh(file), trimesh.load(file, process=False)
    np.testing.assert_allclose(mesh.vertices, theirs.vertices, atol=0.0 if encoding == "binary" else 1e-8, rtol=0.0)
    np.testing.assert_array_equal(mesh.triangles, theirs.faces)
    assert mesh.faces is None


@pytest.mark.parametrize("order", ["<", ">"])
def test_text_and_binary_say_the_same(tmp_path, order):
    (tmp_path / "text.ply").write_text(TEXT)
    text = load_mesh(tmp_path / "text.ply")
    head, _, body = TEXT.partition("end_header\n")
    rows = [[float(word) for word in line.split()] for line in body.splitlines()]
    data = b"".join(np.array(row, f"{order}f4").tobytes() for row in rows[:6])
    for flags, size, *corners in rows[6:]:
        data += bytes([int(flags), int(size)]) + np.array(corners, f"{order}i4").tobytes()
    kind = "binary_little_endian" if order == "<" else "binary_big_endian"
    (tmp_path / "binary.ply").write_bytes(head.replace("ascii", kind).encode() + b"end_header\n" + data)
    binary = load_mesh(tmp_path / "binary.ply")
    for mesh in (text, binary):
        assert mesh.faces is not None
        assert mesh.faces.counts.tolist() == [4, 3] and mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [1, 4, 5]]
        np.testing.assert_array_equal(mesh.faces.uv, mesh.vertices[:, :2])
        np.testing.assert_array_equal(mesh.faces.uv_corners, mesh.faces.corners)


def test_damage_is_one_sentence(tmp_path):
    """Cut off anywhere, a file is read or refused; nothing else is raised."""
    ball = shapes.sphere(0.5, subdivisions=2)
    file = tmp_path / "bad.ply"
    refused = 0
    for encoding in ("ascii", "binary"):
        whole = trimesh.Trimesh(ball.vertices, ball.triangles, process=False).export(file_type="ply", encoding=encoding)
        for k in range(0, len(whole) - 30, 37):
            file.write_bytes(whole[:k])
            with pytest.raises(InputError, match=r"bad\.ply"):
                read_surface(file)
            refused += 1
    assert refused > 20
