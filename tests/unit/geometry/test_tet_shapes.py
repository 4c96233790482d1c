"""Ready-made tetrahedral meshes: size, volume, quality, and bad values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.tet_shapes import box_tets, cylinder_tets, sphere_tets


def dihedral_angles(mesh: TetMesh) -> np.ndarray:
    """(6, t) in degrees."""
    x = mesh.vertices[mesh.tetrahedra]
    angles = []
    for i, j, k, m in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 0, 2), (2, 3, 0, 1)):
        along = x[:, j] - x[:, i]
        n1, n2 = np.cross(along, x[:, k] - x[:, i]), np.cross(along, x[:, m] - x[:, i])
        cosine = (n1 * n2).sum(axis=1) / (np.linalg.norm(n1, axis=1) * np.linalg.norm(n2, axis=1))
        angles.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return np.array(angles)


def edge_lengths(mesh: TetMesh) -> np.ndarray:
    pairs = np.concatenate([mesh.tetrahedra[:, [a, b]] for a in range(4) for b in range(a)])
    edges = np.unique(np.sort(pairs, axis=1), axis=0)
    return np.linalg.norm(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]], axis=1)


def is_closed(mesh: TetMesh) -> bool:
    """Every edge of the surface is run through once in each direction."""
    surface, _ = mesh.surface()
    directed = {tuple(e) for t in surface.triangles.tolist() for e in zip(t, t[1:] + t[:1], strict=True)}
    return len(directed) == 3 * len(surface.triangles) and all((b, a) in directed for a, b in directed)


def test_box() -> None:
    mesh = box_tets(1.0, 2.0, 3.0, cells=(2, 4, 6))
    assert len(mesh.tetrahedra) == 6 * 48
    assert len(mesh.vertices) == 3 * 5 * 7
    assert mesh.volume() == pytest.approx(6.0)
    np.testing.assert_array_equal(mesh.vertices.min(axis=0), [-0.5, -1.0, -1.5])
    np.testing.assert_array_equal(mesh.vertices.max(axis=0), [0.5, 1.0, 1.5])
    i, j, k = 1, 3, 2
    np.testing.assert_allclose(mesh.vertices[(i * 5 + j) * 7 + k], [0.0, 0.5, -0.5])
    angles = dihedral_angles(mesh)
    assert angles.min() == pytest.approx(45.0)
    assert angles.max() == pytest.approx(90.0)
    assert is_closed(mesh)


def test_diagonals_match_between_cells() -> None:
    surface, nodes = box_tets(1.0, 1.0, 1.0, cells=3).surface()
    assert len(surface.triangles) == 2 * 6 * 9  # a face that does not match would be part of the surface
    assert len(nodes) == 4**3 - 2**3


@pytest.mark.parametrize("edge", [3.0, 1.0, 0.5, 0.2])
def test_sphere(edge: float) -> None:
    mesh = sphere_tets(2.0, edge=edge)
    surface, _ = mesh.surface()
    np.testing.assert_allclose(np.linalg.norm(surface.vertices, axis=1), 2.0)
    inner = np.setdiff1d(np.arange(len(mesh.vertices)), mesh.surface()[1])
    assert (np.linalg.norm(mesh.vertices[inner], axis=1) < 1.9).all()
    angles = dihedral_angles(mesh)
    assert angles.min() > 38.0
    assert angles.max() < 119.0
    assert is_closed(mesh)
    if edge < 2.0:
        assert np.median(edge_lengths(mesh)) == pytest.approx(edge, rel=0.25)
    if edge == 0.2:
        assert mesh.volume() == pytest.approx(4.0 / 3.0 * math.pi * 8.0, rel=0.01)


@pytest.mark.parametrize(("height", "edge"), [(1.0, 3.0), (1.0, 0.5), (5.0, 0.5), (0.3, 0.25), (2.0, 0.1)])
def test_cylinder(height: float, edge: float) -> None:
    mesh = cylinder_tets(1.0, height, edge=edge)
    assert np.abs(mesh.vertices[:, 2]).max() == pytest.approx(0.5 * height)
    assert np.linalg.norm(mesh.vertices[:, :2], axis=1).max() == pytest.approx(1.0)
    sides = 6 * max(1, round(1.0 / edge))
    assert mesh.volume() == pytest.approx(height * 0.5 * sides * math.sin(2.0 * math.pi / sides))
    assert is_closed(mesh)
    if edge < 1.0:
        angles = dihedral_angles(mesh)
        assert angles.min() > 30.0
        assert angles.max() < 125.0
        assert np.median(edge_lengths(mesh)) == pytest.approx(edge, rel=0.3)


def test_default_edge_is_a_quarter_of_the_radius() -> None:
    assert len(sphere_tets(3.0).vertices) == len(sphere_tets(1.0, edge=0.25).vertices)
    assert len(cylinder_tets(3.0, 6.0).vertices) == len(cylinder_tets(1.0, 2.0, edge=0.25).vertices)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: box_tets(0.0, 1, 1), ["width of a box", "0 m"]),
        (lambda: box_tets(1, 1, 1, cells=0), ["cells of a box", "got 0"]),
        (lambda: box_tets(1, 1, 1, cells=(2, 2)), ["cells of a box", "(2, 2)"]),
        (lambda: box_tets(1, 1, 1, cells=2.5), ["cells of a box", "2.5"]),
        (lambda: box_tets(1, 1, 1, cells=10_000), ["cells of a box", "fewer cells"]),
        (lambda: sphere_tets(-1.0), ["radius of a ball", "-1 m"]),
        (lambda: sphere_tets(1.0, edge=1e-5), ["edge of a ball", "too short"]),
        (lambda: sphere_tets(1.0, edge=1e-3), ["edge of a ball", "tetrahedra"]),
        (lambda: cylinder_tets(1.0, float("inf")), ["height of a cylinder"]),
        (lambda: cylinder_tets(1.0, 1.0, edge="fine"), ["edge of a cylinder", "'fine'"]),
    ],
)
def test_bad_values_are_named(call, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
