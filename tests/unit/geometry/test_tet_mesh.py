"""Tetrahedral meshes: what is accepted, what is said about the rest, and their surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.tet_shapes import box_tets

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
ONE = [[0, 1, 2, 3]]
TWO = [[0, 1, 2, 3], [1, 2, 3, 4]]


def test_volume_and_immutability() -> None:
    mesh = TetMesh(CORNERS, np.array(TWO))
    np.testing.assert_allclose(mesh.volumes(), [1.0 / 6.0, 1.0 / 3.0])
    assert mesh.volume() == pytest.approx(0.5)
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        mesh.tetrahedra[0] = 1
    moved = mesh.moved(np.diag([-1.0, -1.0, 1.0]), np.array([0.0, 0.0, 5.0]))
    assert moved.volume() == pytest.approx(0.5)
    np.testing.assert_array_equal(moved.vertices[4], [-1.0, -1.0, 6.0])


@pytest.mark.parametrize(
    ("vertices", "tetrahedra", "words"),
    [
        (CORNERS[:, :2], ONE, ["vertices", "(n, 3)"]),
        (np.where(CORNERS == 1, np.inf, CORNERS), ONE, ["finite", "number 1"]),
        (1e60 * CORNERS, ONE, ["within 1e+06", "number 1"]),
        (CORNERS[:4], [[0, 1, 2]], ["tetrahedra", "(t, 4)", "(1, 3)"]),
        (CORNERS[:4], [[0, 1, 2, 3], [1, 2]], ["tetrahedra", "(t, 4)"]),
        (CORNERS[:4], np.zeros((0, 4), int), ["t > 0"]),
        (CORNERS[:4], [[0.0, 1.0, 2.0, 3.0]], ["integers", "float64"]),
        (CORNERS[:4], [[0, 1, 2, 7]], ["tetrahedron 0", "(0, 1, 2, 7)", "0 to 3"]),
        (CORNERS[:4], [[0, 1, 2, -1]], ["tetrahedron 0", "-1"]),
        (CORNERS[:4], [[0, 2, 1, 3]], ["all 1", "inverted", "TetMesh.flipped"]),
        (CORNERS, [[0, 1, 2, 3], [1, 3, 2, 4]], ["1 of 2", "inverted", "first are 1", "TetMesh.flipped"]),
        (CORNERS, [[0, 1, 2, 3], [1, 2, 2, 4]], ["1 of 2", "flat", "first are 1"]),
        (CORNERS * [1, 1, 1e-9], ONE, ["1 of 1", "flat"]),
        (CORNERS, ONE, ["1 of 5 vertices", "first are 4", "TetMesh.without_unused"]),
    ],
)
def test_bad_meshes_are_named(vertices: np.ndarray, tetrahedra: list, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        TetMesh(vertices, tetrahedra)
    for word in words:
        assert word in str(caught.value)


def test_many_bad_ones_are_counted_and_only_the_first_listed() -> None:
    good = box_tets(1, 1, 1, cells=2)
    wrong = good.tetrahedra.copy()
    wrong[3:20] = wrong[3:20][:, [1, 0, 2, 3]]
    with pytest.raises(InputError, match=r"17 of 48 .* 3, 4, 5, 6, 7, \.\.\."):
        TetMesh(good.vertices, wrong)
    np.testing.assert_allclose(TetMesh.flipped(good.vertices, wrong).volumes(), good.volumes())


def test_flipped_keeps_good_ones_and_flat_ones_stay_an_error() -> None:
    mesh = TetMesh.flipped(CORNERS, [[0, 1, 2, 3], [1, 3, 2, 4]])
    np.testing.assert_array_equal(mesh.tetrahedra[0], [0, 1, 2, 3])
    assert (mesh.volumes() > 0.0).all()
    with pytest.raises(InputError, match="flat"):
        TetMesh.flipped(CORNERS, [[0, 1, 2, 3], [1, 2, 2, 4]])


def test_without_unused_keeps_the_order() -> None:
    mesh = TetMesh.without_unused(CORNERS, [[1, 2, 3, 4]])
    np.testing.assert_array_equal(mesh.vertices, CORNERS[1:])
    np.testing.assert_array_equal(mesh.tetrahedra, [[0, 1, 2, 3]])


def naive_surface(mesh: TetMesh) -> set[tuple[int, ...]]:
    """Faces of one tetrahedron only, each turned so that its fourth corner is behind it, smallest node first."""
    owners: dict[frozenset[int], list[int]] = {}
    for tet in mesh.tetrahedra.tolist():
        for k in range(4):
            owners.setdefault(frozenset(tet[:k] + tet[k + 1 :]), []).append(tet[k])
    found = set()
    for face, behind in owners.items():
        if len(behind) == 1:
            a, b, c = sorted(face)
            x = mesh.vertices
            if np.dot(np.cross(x[b] - x[a], x[c] - x[a]), x[behind[0]] - x[a]) > 0.0:
                b, c = c, b
            found.add((a, b, c))
    return found


@pytest.mark.parametrize("cells", [1, (2, 3, 4)])
def test_surface_is_the_outward_boundary(cells: int | tuple[int, int, int]) -> None:
    mesh = box_tets(1.0, 2.0, 3.0, cells=cells)
    surface, nodes = mesh.surface()
    assert nodes.dtype == np.int32
    np.testing.assert_array_equal(surface.vertices, mesh.vertices[nodes])
    rows = nodes[surface.triangles].tolist()
    turned = {tuple(row[(row.index(min(row)) + k) % 3] for k in range(3)) for row in rows}
    assert len(turned) == len(rows)
    assert turned == naive_surface(mesh)
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    assert np.einsum("ti,ti->", np.cross(a, b), c) / 6.0 == pytest.approx(6.0)  # the volume within the surface


def test_faces_of_too_many_tetrahedra_are_named() -> None:
    points = np.vstack([CORNERS, [[0.3, 0.3, 2.0]]])
    with pytest.raises(InputError, match=r"face \(1, 2, 3\) belongs to 3 tetrahedra"):
        TetMesh.flipped(points, [[0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 5]]).surface()
    with pytest.raises(InputError, match=r"tetrahedra 0 and 1 are on the same side of their common face \(1, 2, 3\)"):
        TetMesh.flipped(points[[0, 1, 2, 3, 4, 5]], [[1, 2, 3, 4], [1, 2, 3, 5], [0, 1, 2, 4]]).surface()
