"""Shapes: closed, outward, of the right size, and with the vertex order that the documentation promises."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.geometry import shapes
from signorini.geometry.triangle_mesh import TriangleMesh

CLOSED = {
    "box": (shapes.box(0.5, 1.0, 2.0, cells=(2, 3, 4)), 1.0, 1e-12),
    "box-1": (shapes.box(1, 2, 3), 6.0, 1e-12),
    "sphere": (shapes.sphere(0.3, subdivisions=16), 4 / 3 * np.pi * 0.3**3, 0.01),
    "sphere-edge": (shapes.sphere(0.3, edge=0.02), 4 / 3 * np.pi * 0.3**3, 0.01),
    "cylinder": (shapes.cylinder(0.2, 0.7, edge=0.02), np.pi * 0.2**2 * 0.7, 0.01),
    "capsule": (shapes.capsule(0.2, 0.7, edge=0.02), np.pi * 0.2**2 * (0.7 + 4 / 3 * 0.2), 0.01),
    "torus": (shapes.torus(0.5, 0.1, edge=0.02), 2 * np.pi**2 * 0.5 * 0.1**2, 0.02),
    "cylinder-coarse": (shapes.cylinder(0.2, 0.1, edge=0.3), np.pi * 0.2**2 * 0.1, 0.3),
    "capsule-coarse": (shapes.capsule(0.2, 0.1, edge=0.3), np.pi * 0.2**2 * (0.1 + 4 / 3 * 0.2), 0.5),
}


def signed_volume(mesh: TriangleMesh) -> float:
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    return float((a * np.cross(b, c)).sum() / 6.0)


def directed_edges(mesh: TriangleMesh) -> list[tuple[int, int]]:
    t = mesh.triangles
    return [tuple(e) for e in np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]).tolist()]


def edge_lengths(mesh: TriangleMesh) -> np.ndarray:
    e = np.array(directed_edges(mesh))
    return np.linalg.norm(mesh.vertices[e[:, 0]] - mesh.vertices[e[:, 1]], axis=1)


@pytest.mark.parametrize("name", CLOSED)
def test_closed_surface_is_watertight_outward_and_of_the_right_volume(name):
    mesh, volume, tolerance = CLOSED[name]
    edges = directed_edges(mesh)
    assert len(set(edges)) == len(edges), "an edge is used twice in one direction"
    assert {(b, a) for a, b in edges} == set(edges), "an edge has a triangle on one side only"
    assert signed_volume(mesh) == pytest.approx(volume, rel=tolerance)
    assert set(mesh.triangles.ravel().tolist()) == set(range(len(mesh.vertices))), "a vertex without triangle"
    euler = len(mesh.vertices) - len(edges) // 2 + len(mesh.triangles)
    assert euler == (0 if name == "torus" else 2)


@pytest.mark.parametrize("name", ["sphere-edge", "cylinder", "capsule", "torus"])
def test_edges_have_the_length_that_was_asked_for(name):
    lengths = edge_lengths(CLOSED[name][0])
    assert np.median(lengths) == pytest.approx(0.02, rel=0.15)
    assert lengths.max() < 0.04
    assert lengths.min() > 0.008


def test_sphere_vertices_are_on_the_sphere():
    mesh = shapes.sphere(0.7, subdivisions=5)
    assert len(mesh.vertices) == 10 * 25 + 2
    assert len(mesh.triangles) == 20 * 25
    np.testing.assert_allclose(np.linalg.norm(mesh.vertices, axis=1), 0.7, rtol=1e-13)


@pytest.mark.parametrize("diagonals", ["alternate", "uniform"])
def test_grid_corners_area_and_normals(diagonals):
    mesh = shapes.grid(2.0, 1.0, cells=(4, 3), diagonals=diagonals)
    v = mesh.vertices
    assert v[[0, 4, 3 * 5, 4 * 5 - 1]].tolist() == [[-1, -0.5, 0], [1, -0.5, 0], [-1, 0.5, 0], [1, 0.5, 0]]
    a, b, c = v[mesh.triangles].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    assert (normals[:, 2] > 0).all()
    assert normals[:, 2].sum() / 2 == pytest.approx(2.0)


def test_alternate_diagonals_have_no_preferred_direction():
    def diagonal_balance(mesh):
        e = np.array(directed_edges(mesh))
        d = mesh.vertices[e[:, 1]] - mesh.vertices[e[:, 0]]
        return np.sign(np.round(d[:, 0] * d[:, 1], 12)).sum()

    assert diagonal_balance(shapes.grid(1, 1, cells=4)) == 0
    assert diagonal_balance(shapes.grid(1, 1, cells=4, diagonals="uniform")) == 2 * 16


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: shapes.grid(0, 1), ["width of a grid", "0 m"]),
        (lambda: shapes.grid(1, float("nan")), ["depth of a grid", "nan"]),
        (lambda: shapes.grid(1, 1, cells=0), ["cells of a grid", "0"]),
        (lambda: shapes.grid(1, 1, cells=2.5), ["cells of a grid", "2.5"]),
        (lambda: shapes.grid(1, 1, cells=(2, 3, 4)), ["cells of a grid", "(2, 3, 4)"]),
        (lambda: shapes.grid(1, 1, cells=10**6), ["cells of a grid", "fewer"]),
        (lambda: shapes.grid(1, 1, diagonals="both"), ["diagonals", "'both'"]),
        (lambda: shapes.box(1, 1, -1), ["height of a box", "-1 m"]),
        (lambda: shapes.sphere(-0.1), ["radius of a sphere"]),
        (lambda: shapes.sphere(1, subdivisions=2, edge=0.1), ["not both"]),
        (lambda: shapes.sphere(1, edge=1e-9), ["edge of a sphere", "too short"]),
        (lambda: shapes.cylinder("a", 1), ["radius of a cylinder", "'a'"]),
        (lambda: shapes.capsule(1, 1, edge=0), ["edge of a capsule"]),
        (lambda: shapes.torus(0.1, 0.2), ["minor_radius", "0.2 m"]),
    ],
)
def test_bad_parameters_are_named(build, words):
    with pytest.raises(InputError) as caught:
        build()
    for word in words:
        assert word in str(caught.value)
