"""Mass properties against closed forms and trimesh; open, crowded, twisted, inside-out and flat meshes are named."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import load_mesh
from signorini.geometry import shapes
from signorini.geometry.mass_properties import check_closed, mass_properties, surface_parts, welded
from signorini.geometry.triangle_mesh import TriangleMesh

EXTERNAL = os.environ.get("SIGNORINI_EXTERNAL_DATA")
external = pytest.mark.skipif(EXTERNAL is None, reason="SIGNORINI_EXTERNAL_DATA is not set: no meshes from outside")
SHIFT = np.array([3.0, -7.0, 11.0])


def turn(seed: int) -> NDArray[np.float64]:
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def joined(*meshes: TriangleMesh) -> TriangleMesh:
    first = np.cumsum([0] + [len(m.vertices) for m in meshes])
    return TriangleMesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.triangles + f for m, f in zip(meshes, first, strict=False)]),
    )


def box_inertia(mass: float, w: float, d: float, h: float) -> NDArray[np.float64]:
    return mass / 12.0 * np.diag([d * d + h * h, w * w + h * h, w * w + d * d])


@pytest.mark.parametrize("cells", [1, (2, 3, 4)])
def test_box_off_centre_and_rotated(cells: int | tuple[int, int, int]) -> None:
    R = turn(1)
    found = mass_properties(shapes.box(0.5, 1.0, 2.0, cells=cells).moved(R, SHIFT), 700.0)
    assert found.volume == pytest.approx(1.0, rel=1e-12)
    assert found.mass == pytest.approx(700.0, rel=1e-12)
    np.testing.assert_allclose(found.centre, SHIFT, atol=1e-12)
    np.testing.assert_allclose(found.inertia, R @ box_inertia(700.0, 0.5, 1.0, 2.0) @ R.T, atol=1e-10)
    np.testing.assert_array_equal(found.inertia, found.inertia.T)


def test_a_small_box_far_away_keeps_its_digits() -> None:
    found = mass_properties(shapes.box(1e-3, 1e-3, 1e-3).moved(np.eye(3), np.array([1e3, 0.0, 0.0])), 1e9)
    assert found.mass == pytest.approx(1.0, rel=1e-8)  # the vertices themselves have 1e-13 m of rounding in 1e-3 m
    np.testing.assert_allclose(found.inertia, np.eye(3) / 6e6, rtol=1e-8, atol=1e-17)


def test_corner_tetrahedron() -> None:
    """x, y, z ≥ 0, x + y + z ≤ 1: V = 1/6, centre 1/4, ∫x² = 1/60, ∫xy = 1/120."""
    mesh = TriangleMesh(
        np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    )
    found = mass_properties(mesh, 6.0)
    assert found.mass == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(found.centre, 0.25, rtol=1e-14)
    second = 6.0 * (np.full((3, 3), 1 / 120) + np.eye(3) / 120) - 1 / 16
    np.testing.assert_allclose(found.inertia, np.trace(second) * np.eye(3) - second, atol=1e-15)


def test_sphere_converges_with_the_square_of_the_edge() -> None:
    r, rho = 0.3, 1000.0
    exact = 4 / 3 * np.pi * r**3 * rho
    errors = []
    for s in (8, 16, 32):
        found = mass_properties(shapes.sphere(r, subdivisions=s), rho)
        np.testing.assert_allclose(found.centre, 0.0, atol=1e-15)
        errors.append((exact - found.mass, 0.4 * exact * r * r - found.inertia[2, 2]))
    rates = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(rates, 2.0, atol=0.03)


def test_two_boxes_are_one_body_by_the_parallel_axis_theorem() -> None:
    a, b = np.array([1.0, 0.0, 0.0]), np.array([-2.0, 1.0, 0.5])
    both = joined(shapes.box(0.5, 0.6, 0.7).moved(np.eye(3), a), shapes.box(1.0, 0.2, 0.3, cells=2).moved(np.eye(3), b))
    m1, m2 = 0.21 * 2.0, 0.06 * 2.0
    found = mass_properties(both, 2.0)
    centre = (m1 * a + m2 * b) / (m1 + m2)
    expected = box_inertia(m1, 0.5, 0.6, 0.7) + box_inertia(m2, 1.0, 0.2, 0.3)
    for m, d in ((m1, a - centre), (m2, b - centre)):
        expected = expected + m * (d @ d * np.eye(3) - np.outer(d, d))
    np.testing.assert_allclose(found.centre, centre, rtol=1e-13)
    np.testing.assert_allclose(found.inertia, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_trimesh_agrees_on_a_ring(seed: int) -> None:
    mesh = shapes.torus(0.5, 0.2, edge=0.1).moved(turn(seed), SHIFT)
    oracle = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    oracle.density = 3.0
    found = mass_properties(mesh, 3.0)
    assert found.mass == pytest.approx(oracle.mass, rel=1e-11)
    np.testing.assert_allclose(found.centre, oracle.center_mass, rtol=1e-10)
    np.testing.assert_allclose(found.inertia, oracle.moment_inertia, atol=1e-10)


@external
@pytest.mark.parametrize("file", ["meshes/bunny.ply", "spine/FMA13074.stl", "spine/FMA13075.stl", "spine/FMA16035.stl"])
def test_trimesh_agrees_on_scanned_meshes(file: str) -> None:
    path = Path(str(EXTERNAL)) / file
    mesh = welded(load_mesh(path))
    oracle = trimesh.load_mesh(path)
    found = mass_properties(mesh, 1.0, file)
    assert found.volume == pytest.approx(oracle.volume, rel=1e-7)  # far from the origin trimesh loses digits
    np.testing.assert_allclose(found.centre, oracle.center_mass, rtol=1e-6)
    moments = np.linalg.eigvalsh(found.inertia)
    np.testing.assert_allclose(moments, np.linalg.eigvalsh(oracle.moment_inertia), rtol=1e-3)


def test_a_surface_with_repeated_vertices_is_told_so() -> None:
    box = shapes.box(1.0, 1.0, 1.0)
    soup = TriangleMesh(box.vertices[box.triangles.ravel()], np.arange(36).reshape(-1, 3))
    with pytest.raises(InputError, match=r"disc must be closed.* repeat another, merge them"):
        check_closed(soup, "disc")


def test_parts_are_numbered_by_their_first_triangle() -> None:
    part = surface_parts(joined(shapes.box(1, 1, 1), shapes.sphere(1.0, subdivisions=2)))
    np.testing.assert_array_equal(part, [0] * 12 + [1] * 80)


def test_welding_keeps_the_order_of_first_appearance() -> None:
    box = shapes.box(1.0, 2.0, 3.0)
    soup = TriangleMesh(box.vertices[box.triangles.ravel()], np.arange(36).reshape(-1, 3))
    mesh = welded(soup)
    assert len(mesh.vertices) == 8
    np.testing.assert_array_equal(mesh.vertices[0], soup.vertices[0])
    np.testing.assert_array_equal(mesh.vertices[mesh.triangles], soup.vertices[soup.triangles])
    check_closed(mesh)


BOX = shapes.box(1.0, 1.0, 1.0)


def flipped_one() -> TriangleMesh:
    triangles = BOX.triangles.copy()
    triangles[3] = triangles[3, ::-1]
    return TriangleMesh(BOX.vertices, triangles)


def flat() -> TriangleMesh:
    ball = shapes.sphere(1.0, subdivisions=1)
    return TriangleMesh(ball.vertices * np.array([1.0, 1.0, 0.0]), ball.triangles)


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (TriangleMesh(BOX.vertices, BOX.triangles[1:]), ["crate", "3 of its 18 edges are open", "the edge ", "near ("]),
        (shapes.grid(1, 1, cells=3), ["12 of its 33 edges are open"]),
        (joined(BOX, TriangleMesh(BOX.vertices + 3.0, BOX.triangles[1:])), ["3 of its 36 edges are open"]),
        (flipped_one(), ["crate", "wound consistently", "3 of its 18 edges"]),
        (TriangleMesh(BOX.vertices, BOX.triangles[:, ::-1]), ["crate", "inside-out", "-1 m³", "triangles[:, ::-1]"]),
        (
            joined(BOX, TriangleMesh(0.5 * BOX.vertices, BOX.triangles[:, ::-1])),
            ["part 1 of crate", "triangle 12", "inside-out", "cavities"],
        ),
        (TriangleMesh(BOX.vertices, np.concatenate([BOX.triangles, BOX.triangles])), ["has 4", "18 such edges"]),
        (flat(), ["crate", "enclose a volume", "flat"]),
    ],
)
def test_what_is_not_closed_is_named(mesh: TriangleMesh, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        mass_properties(mesh, 1.0, "crate")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("density", [0.0, -1.0, float("nan"), "heavy"])
def test_density_is_checked(density: object) -> None:
    with pytest.raises(InputError, match="density of crate"):
        mass_properties(BOX, density, "crate")  # type: ignore[arg-type]
