"""Edges, areas, closedness and distances of triangles, against loops over all of them."""

from __future__ import annotations

import numpy as np
import pytest

from reference import detection as naive
from signorini.geometry import shapes
from signorini.geometry.mass_properties import encloses_volume
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangles import area_vectors, distance_to_triangles, find_edges

MESHES = {
    "sphere": shapes.sphere(1.0, subdivisions=1),
    "grid": shapes.grid(1.0, 0.5, cells=(3, 2)),
    "box": shapes.box(1.0, 2.0, 3.0),
}


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES.keys())
def test_edges_are_those_of_a_loop_over_the_triangles(mesh: TriangleMesh) -> None:
    seen: dict[tuple[int, int], list[bool]] = {}
    for corners in mesh.triangles.tolist():
        for k in range(3):
            a, b = corners[k], corners[(k + 1) % 3]
            seen.setdefault((min(a, b), max(a, b)), []).append(a < b)
    edges = mesh.edges
    assert edges.ends.tolist() == [list(ends) for ends in sorted(seen)]
    assert edges.valence.tolist() == [len(seen[ends]) for ends in sorted(seen)]
    assert edges.forward.tolist() == [sum(seen[ends]) for ends in sorted(seen)]
    for t, corners in enumerate(mesh.triangles.tolist()):
        for k in range(3):
            assert set(edges.ends[edges.of_triangle[t, k]].tolist()) == {corners[k], corners[(k + 1) % 3]}


def test_mesh_of_triangles_of_known_size() -> None:
    mesh = TriangleMesh([[0, 0, 0], [3, 0, 0], [0, 4, 0], [0, 0, 1], [9, 9, 9]], [[0, 1, 2], [0, 1, 3]])
    np.testing.assert_allclose(mesh.areas, [6.0, 1.5])
    np.testing.assert_allclose(mesh.vertex_areas, [2.5, 2.5, 2.0, 0.5, 0.0])
    np.testing.assert_allclose(mesh.side_lengths, [[3, 5, 4], [3, np.sqrt(10.0), 1]])
    assert mesh.least_height == pytest.approx(3.0 / np.sqrt(10.0))
    np.testing.assert_allclose(area_vectors(mesh.vertices, mesh.triangles), [[0, 0, 12], [0, -3, 0]])
    assert mesh.edges is mesh.edges


def test_closed_is_not_yet_outward() -> None:
    box = MESHES["box"]
    inward = TriangleMesh(box.vertices, box.triangles[:, ::-1])
    mixed = TriangleMesh(box.vertices, np.concatenate([box.triangles[:1, ::-1], box.triangles[1:]]))
    holed = TriangleMesh(box.vertices, box.triangles[1:])
    assert [m.is_closed for m in (box, inward, mixed, holed)] == [True, True, False, False]
    assert [encloses_volume(m) for m in (box, inward, mixed, holed)] == [True, False, False, False]


def test_no_triangles_have_no_edges() -> None:
    edges = find_edges(np.zeros((0, 3), dtype=np.int32))
    assert edges.ends.shape == (0, 2)
    assert edges.of_triangle.shape == (0, 3)
    assert edges.closed


def test_distance_is_that_to_the_nearest_triangle_of_a_loop() -> None:
    rng = np.random.default_rng(1)
    mesh = MESHES["sphere"]
    corners = mesh.vertices[mesh.triangles]
    for point in rng.normal(size=(50, 3)):
        closest = [naive.point_triangle(point, t) @ t for t in corners]
        expected = min(float(np.linalg.norm(point - c)) for c in closest)
        assert distance_to_triangles(point, corners) == pytest.approx(expected, abs=1e-12)
