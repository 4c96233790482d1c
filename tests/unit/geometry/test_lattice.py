"""The cage around a surface against brute force; the inside test and the overlap test against naive twins."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from signorini.errors import InputError, MissingExtraError
from signorini.files.meshes.surface_meshes import load_mesh
from signorini.geometry import inside_kernels, shapes
from signorini.geometry.embedding import embed
from signorini.geometry.inside import InsideTest
from signorini.geometry.lattice import from_tetwild, lattice
from signorini.geometry.mass_properties import welded
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh

EXTERNAL = os.environ.get("SIGNORINI_EXTERNAL_DATA")
external = pytest.mark.skipif(EXTERNAL is None, reason="SIGNORINI_EXTERNAL_DATA is not set: no meshes from outside")

Array = NDArray[np.float64]

SURFACES = {
    "box": shapes.box(1.0, 1.0, 1.0),
    "plank": shapes.box(1.0, 0.1, 0.05),
    "sphere": shapes.sphere(0.5, subdivisions=6),
    "torus": shapes.torus(0.5, 0.1, edge=0.08),
    "cylinder": shapes.cylinder(0.3, 1.0, edge=0.1),
}


def solid_angle_winding(mesh: TriangleMesh, points: Array) -> Array:
    """The winding number as the sum of solid angles (van Oosterom and Strackee), the naive twin."""
    total = np.zeros(len(points))
    for triangle in mesh.vertices[mesh.triangles]:
        a, b, c = (corner - points for corner in triangle)
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        numerator = (a * np.cross(b, c)).sum(axis=1)
        dots = [(u * v).sum(axis=1) for u, v in ((a, b), (b, c), (c, a))]
        total += 2.0 * np.arctan2(numerator, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)
    return total / (4.0 * np.pi)


def clipped_area(triangle: Array, tet: Array) -> float:
    """The area of a triangle inside a tetrahedron, by clipping it at the four planes."""
    polygon = list(triangle)
    for k in range(4):
        i, j, m = (n for n in range(4) if n != k)
        normal = np.cross(tet[j] - tet[i], tet[m] - tet[i])
        normal = normal * np.sign(normal @ (tet[k] - tet[i]))
        heights = [normal @ (p - tet[i]) for p in polygon]
        kept = []
        for n, (p, h) in enumerate(zip(polygon, heights, strict=True)):
            q, g = polygon[n - 1], heights[n - 1]
            if h * g < 0.0:
                kept.append(p + (q - p) * h / (h - g))
            if h >= 0.0:
                kept.append(p)
        polygon = kept
    if len(polygon) < 3:
        return 0.0
    fan = [np.cross(p - polygon[0], q - polygon[0]) for p, q in pairwise(polygon[1:])]
    return 0.5 * float(np.linalg.norm(np.sum(fan, axis=0)))


@pytest.mark.parametrize("name", SURFACES)
def test_inside_agrees_with_the_solid_angle(name: str) -> None:
    mesh = SURFACES[name]
    points = np.random.default_rng(0).uniform(-0.7, 0.7, (2000, 3)) * np.ptp(mesh.vertices, axis=0)
    inside = InsideTest(mesh).contains(points)
    np.testing.assert_array_equal(inside, solid_angle_winding(mesh, points) > 0.5)
    assert 0.02 < inside.mean() < 0.9


@pytest.mark.parametrize("name", SURFACES)
def test_rays_through_vertices_and_edges_are_counted_once(name: str) -> None:
    """Points exactly above and below vertices and edge midpoints, where a careless ray counts two or no triangles."""
    mesh = SURFACES[name]
    t = mesh.triangles
    places = np.concatenate([mesh.vertices, 0.5 * (mesh.vertices[t[:, 0]] + mesh.vertices[t[:, 1]])])
    heights = np.array([-0.53, -0.37, -0.11, 0.02, 0.29, 0.55]) * np.ptp(mesh.vertices[:, 2])
    points = np.column_stack([np.repeat(places[:, :2], 6, axis=0), np.tile(heights, len(places))])
    nearby = [
        solid_angle_winding(mesh, points + d) > 0.5 for d in 1e-7 * np.array([[1, 2, 3], [-2, -3, 1], [3, -1, -2]])
    ]
    clear = (nearby[0] == nearby[1]) & (nearby[0] == nearby[2])  # not on the surface itself
    assert clear.mean() > 0.3
    np.testing.assert_array_equal(InsideTest(mesh).contains(points)[clear], nearby[0][clear])


def test_inside_holds_for_a_surface_full_of_vertical_walls_turned_by_rounding() -> None:
    box = shapes.box(1.0, 1.0, 1.0, cells=5)
    angle = 1e-16
    mesh = box.moved(np.array([[1.0, -angle, angle], [angle, 1.0, -angle], [-angle, angle, 1.0]]), np.zeros(3))
    points = np.random.default_rng(3).choice([-0.6, -0.5 + 1e-9, -0.3, -0.1, 0.1, 0.5 - 1e-9, 0.6], (3000, 3))
    np.testing.assert_array_equal(InsideTest(mesh).contains(points), (np.abs(points) < 0.5).all(axis=1))


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([0.1, 0.5, 2.0]))
def test_overlap_agrees_with_clipping(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    tet = rng.normal(size=(4, 3))
    triangle = rng.normal(size=(1, 3)) * 0.7 + size * rng.normal(size=(3, 3))
    assert inside_kernels.triangle_meets_tet(triangle, tet, 1e-12) == (clipped_area(triangle, tet) > 0.0)


def test_touching_is_not_overlapping() -> None:
    tet = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    floor = np.array([[0.1, 0.1, 0.0], [0.5, 0.1, 0.0], [0.1, 0.5, 0.0]])
    for dx, meets in (([0, 0, 0], False), ([0, 0, 1e-6], True), ([0, 0, -1e-6], False)):
        assert inside_kernels.triangle_meets_tet(floor + np.array(dx), tet, 1e-10) == meets
    wall = np.array([[1.0, -1, -1], [1, 1, -1], [1, 0, 2]])  # through the corner (1, 0, 0)
    for dx, meets in (([0, 0, 0], False), ([-1e-6, 0, 0], True), ([1e-6, 0, 0], False)):
        assert inside_kernels.triangle_meets_tet(wall + np.array(dx), tet, 1e-10) == meets


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("wanted", [60, 1000, 5000])
def test_the_number_of_tetrahedra_is_nearly_what_was_asked(name: str, wanted: int) -> None:
    cage = lattice(SURFACES[name], tetrahedra=wanted)
    assert len(cage.tetrahedra) == pytest.approx(wanted, rel=0.2)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("cell", [0.5, 0.13])
def test_the_cage_holds_the_whole_surface_and_hangs_together(name: str, cell: float) -> None:
    mesh = SURFACES[name]
    cage = lattice(mesh, cell=cell)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(9), np.arange(9)))
    weights = np.column_stack([i, j, 8 - i - j])[i + j <= 8] / 8.0
    points = np.einsum("wc,tci->twi", weights, mesh.vertices[mesh.triangles]).reshape(-1, 3)
    embed(cage, points, name)  # an error if one lies outside
    volume = np.random.default_rng(1).uniform(-0.5, 0.5, (3000, 3)) * np.ptp(mesh.vertices, axis=0)
    embed(cage, volume[InsideTest(mesh).contains(volume)], name)
    assert face_components(cage) == 1


def face_components(cage: TetMesh) -> int:
    """Parts of a cage that hang together by whole faces."""
    faces = np.sort(cage.tetrahedra[:, [1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2]].reshape(-1, 3), axis=1)
    _, number = np.unique(faces, axis=0, return_inverse=True)
    owner = np.repeat(np.arange(len(cage.tetrahedra)), 4)
    links = coo_array((np.ones(len(owner)), (owner, len(cage.tetrahedra) + number.ravel())))
    size = len(cage.tetrahedra) + number.max() + 1
    return connected_components(coo_array((links.data, links.coords), shape=(size, size)), directed=False)[0]


@pytest.mark.parametrize("name", ["box", "torus"])
def test_the_cage_is_exactly_the_tetrahedra_that_touch(name: str) -> None:
    """Brute force: every tetrahedron of a larger lattice touches, by clipping or by its centre, or is not in the cage."""
    mesh, cell = SURFACES[name], 0.3
    cage = lattice(mesh, cell=cell)
    around = lattice(shapes.box(1.9, 1.9, 1.9), cell=cell)
    around = around.moved(np.eye(3), (cage.vertices[0] - around.vertices[0]) % cell)
    corners = around.vertices[around.tetrahedra]
    centre_inside = solid_angle_winding(mesh, corners.mean(axis=1)) > 0.5
    triangles = mesh.vertices[mesh.triangles]
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    kept = set()
    for n, tet in enumerate(corners):
        near = np.flatnonzero(((low <= tet.max(axis=0)) & (high >= tet.min(axis=0))).all(axis=1))
        if centre_inside[n] or any(clipped_area(triangles[t], tet) > 1e-9 for t in near):
            kept.add(tuple(np.round(tet.mean(axis=0) / cell, 6)))
    found = {tuple(np.round(c / cell, 6)) for c in cage.vertices[cage.tetrahedra].mean(axis=1)}
    assert found == kept


def test_all_tetrahedra_are_congruent_and_well_shaped() -> None:
    cage = lattice(SURFACES["sphere"], cell=0.2)
    x = cage.vertices[cage.tetrahedra]
    np.testing.assert_allclose(cage.volumes(), 0.2**3 / 12.0, rtol=1e-9)
    lengths = np.sort([np.linalg.norm(x[:, i] - x[:, j], axis=1) for i in range(4) for j in range(i)], axis=0).T
    np.testing.assert_allclose(lengths / 0.2, np.tile([np.sqrt(0.75)] * 4 + [1.0] * 2, (len(x), 1)), rtol=1e-9)


def test_parts_that_are_near_but_not_connected_are_not_glued() -> None:
    ball = shapes.sphere(0.5, subdivisions=6)
    other = ball.moved(np.eye(3), np.array([1.01, 0.0, 0.0]))
    both = TriangleMesh(
        np.concatenate([ball.vertices, other.vertices]),
        np.concatenate([ball.triangles, other.triangles + len(ball.vertices)]),
    )
    cage = lattice(both, cell=0.3)
    assert face_components(cage) == 2
    embedding = embed(cage, both.vertices, "balls", triangles=both.triangles)
    count = len(ball.vertices)
    assert not set(embedding.nodes[:count].ravel()) & set(embedding.nodes[count:].ravel())
    moved = cage.vertices.copy()
    moved[np.unique(embedding.nodes[count:])] += [5.0, 0.0, 0.0]
    np.testing.assert_allclose(embedding.positions(moved)[:count], ball.vertices, atol=1e-12)


def test_the_cage_is_the_same_every_time() -> None:
    one, two = (lattice(SURFACES["torus"], tetrahedra=800) for _ in range(2))
    np.testing.assert_array_equal(one.vertices, two.vertices)
    np.testing.assert_array_equal(one.tetrahedra, two.tetrahedra)


@external
@pytest.mark.parametrize("file", ["meshes/bunny.ply", "spine/FMA13074.stl", "spine/FMA13075.stl", "spine/FMA16035.stl"])
def test_scanned_meshes(file: str) -> None:
    mesh = welded(load_mesh(Path(str(EXTERNAL)) / file))
    cage = lattice(mesh, tetrahedra=5000)
    assert len(cage.tetrahedra) == pytest.approx(5000, rel=0.05)
    embed(cage, mesh.vertices, file)
    embed(cage, mesh.vertices[mesh.triangles].mean(axis=1), file)
    assert face_components(cage) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ["either tetrahedra"]),
        ({"tetrahedra": 10, "cell": 0.1}, ["either tetrahedra"]),
        ({"tetrahedra": 0}, ["tetrahedra of a lattice", "0"]),
        ({"tetrahedra": 10.5}, ["tetrahedra of a lattice", "10.5"]),
        ({"cell": -1.0}, ["cell of a lattice", "-1 m"]),
        ({"cell": 1e-6}, ["cell of a lattice", "too small", "1e-06 m"]),
        ({"tetrahedra": 10**12}, ["too small"]),
    ],
)
def test_bad_options_are_named(options: dict[str, object], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        lattice(SURFACES["box"], **options)  # type: ignore[arg-type]
    for word in words:
        assert word in str(caught.value)


def test_an_open_surface_is_named() -> None:
    with pytest.raises(InputError, match="surface of a lattice must be closed"):
        lattice(shapes.grid(1, 1), tetrahedra=100)


def test_tetwild_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytetwild", None)
    with pytest.raises(MissingExtraError, match=r'pip install "signorini\[tetrahedra\]"'):
        from_tetwild(SURFACES["box"], edge_length=0.1)


def test_what_tetwild_gives_is_oriented_and_stripped(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def tetrahedralize(vertices: Array, faces: NDArray[np.int32], edge_length_fac: float) -> tuple[Array, Array]:
        asked.update(points=len(vertices), faces=len(faces), factor=edge_length_fac)
        corners = np.array([[9.0, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        return corners, np.array([[1, 3, 2, 4]])  # one vertex too many, inverted

    monkeypatch.setitem(sys.modules, "pytetwild", SimpleNamespace(tetrahedralize=tetrahedralize))
    mesh = from_tetwild(SURFACES["box"], edge_length=np.sqrt(3.0) / 10.0)
    assert asked == {"points": 8, "faces": 12, "factor": pytest.approx(0.1)}
    assert len(mesh.vertices) == 4
    assert mesh.volume() == pytest.approx(1.0 / 6.0)
