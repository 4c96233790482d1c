"""TriangleMesh: what is rejected, and with which words."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.geometry.triangle_mesh import TriangleMesh, as_vector

TRIANGLE = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_arrays_are_copied_contiguous_and_read_only():
    vertices = np.array(TRIANGLE, order="F")
    mesh = TriangleMesh(vertices, np.array([[0, 1, 2]], dtype=np.int64))
    vertices[0, 0] = 5.0
    assert mesh.vertices[0, 0] == 0.0
    assert mesh.vertices.flags.c_contiguous
    assert mesh.triangles.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 1.0


def test_moved_rotates_then_translates():
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    moved = TriangleMesh(np.array(TRIANGLE), np.array([[0, 1, 2]])).moved(quarter, np.array([0.0, 0, 2]))
    np.testing.assert_allclose(moved.vertices, [[0, 0, 2], [0, 1, 2], [-1, 0, 2]])


@pytest.mark.parametrize(
    ("vertices", "triangles", "words"),
    [
        ([[0, 0, 0], [1, np.nan, 0], [0, 1, 0]], [[0, 1, 2]], ["finite", "1 of 3", "number 1", "nan"]),
        ([[0, 0, 0], [1, np.inf, 0], [0, 1, 0]], [[0, 1, 2]], ["finite", "inf"]),
        (TRIANGLE, [[0, 1, 3]], ["triangle 0", "(0, 1, 3)", "0 to 2"]),
        (TRIANGLE, [[0, 1, -1]], ["triangle 0", "-1"]),
        (TRIANGLE, [[0, 1, 1]], ["triangle 0", "degenerate", "1 of 1"]),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], ["degenerate"]),
        (TRIANGLE, [[0, 1]], ["(t, 3)", "(1, 2)"]),
        (TRIANGLE, np.zeros((0, 3), dtype=int), ["t > 0"]),
        (TRIANGLE, [[0.0, 1.0, 2.0]], ["integers", "float64"]),
        (np.zeros((0, 3)), [[0, 1, 2]], ["n > 0"]),
        ([[0, 0], [1, 0]], [[0, 1, 2]], ["(n, 3)", "(2, 2)"]),
        ("cube", [[0, 1, 2]], ["numbers"]),
    ],
)
def test_bad_meshes_are_named(vertices, triangles, words):
    with pytest.raises(InputError) as caught:
        TriangleMesh(vertices, np.asarray(triangles))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("value", [(1, 2), "abc", (1, 2, float("nan")), None, 3])
def test_bad_vectors_are_named(value):
    with pytest.raises(InputError, match="wind must be three"):
        as_vector("wind", value)
