"""A cloth's masses, springs and hinges: what the material promises, on regular and irregular meshes."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial import Delaunay

from reference import elements as naive
from signorini.errors import InputError
from signorini.geometry import shapes
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import PRESETS, ClothMaterial, cloth_material
from signorini.scene.scene import Scene
from signorini.scene.sheets.mass_spring_cloth import build_mass_spring, lumped_mass
from signorini.simulation.simulation import Simulation

MATERIAL = ClothMaterial(
    membrane_stiffness=800.0,
    shear_stiffness=90.0,
    bending_rigidity=3e-5,
    compression_ratio=1.0,
    damping_time=1e-3,
    bending_damping_time=1e-2,
)
EH, GH, B = MATERIAL.membrane_stiffness, MATERIAL.shear_stiffness, MATERIAL.bending_rigidity


def scattered(count: int, seed: int) -> TriangleMesh:
    """A flat unit square of scattered vertices, triangulated by Delaunay."""
    rng = np.random.default_rng(seed)
    border = np.linspace(0.0, 1.0, 8)[:-1]
    zero, one = np.zeros(7), np.ones(7)
    rim = np.concatenate(
        [np.column_stack(side) for side in ((border, zero), (one, border), (1.0 - border, one), (zero, 1.0 - border))]
    )
    points = np.concatenate([rim, rng.uniform(0.08, 0.92, (count, 2))])
    triangles = Delaunay(points).simplices
    flat = np.column_stack([points, np.zeros(len(points))])
    corners = flat[triangles]
    up = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
    keep = np.abs(up) > 1e-9  # Delaunay may add flat triangles along a straight rim
    triangles = np.where((up < 0.0)[:, None], triangles[:, ::-1], triangles)[keep]
    return TriangleMesh(flat, triangles.astype(np.int32))


def build(mesh: TriangleMesh, material: ClothMaterial = MATERIAL, density: float = 0.2):
    mass, elements = lumped_mass(mesh, density, "sheet"), build_mass_spring(mesh, material, "sheet")
    return SimpleNamespace(mass=mass, springs=elements[0], hinges=elements[1], friction=elements[2:])


def membrane_energy(mesh: TriangleMesh, material: ClothMaterial, deformation: list[list[float]]) -> float:
    """Energy per area of a sheet of area 1 after a linear map."""
    return naive.spring_energy(build(mesh, material).springs, mesh.vertices @ np.array(deformation).T)


def stretch(e: float) -> list[list[float]]:
    return [[1.0 + e, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def shear(g: float) -> list[list[float]]:
    return [[1.0, 0.5 * g, 0.0], [0.5 * g, 1.0, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    "mesh",
    [shapes.grid(2.0, 0.5, cells=(7, 3)), shapes.sphere(0.4, subdivisions=2), scattered(40, 1)],
    ids=["grid", "sphere", "scattered"],
)
def test_mass_is_density_times_area(mesh: TriangleMesh) -> None:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    mass = build(mesh, density=0.3).mass
    assert mass.sum() == pytest.approx(0.3 * area)
    assert (mass > 0.0).all()


def test_centre_of_mass_is_that_of_the_sheet() -> None:
    mesh = scattered(60, 2)
    mass = build(mesh).mass
    np.testing.assert_allclose(mass @ mesh.vertices / mass.sum(), [0.5, 0.5, 0.0], atol=1e-12)


@pytest.mark.parametrize("diagonals", ["alternate", "uniform"])
@pytest.mark.parametrize("cells", [1, 4, 15])
def test_stretching_a_square_grid_costs_the_lines_and_the_diagonals(cells: int, diagonals) -> None:
    # Lines along x: E h. Each diagonal has half of the strain: together they add G h.
    mesh = shapes.grid(1.0, 1.0, cells=cells, diagonals=diagonals)
    e = 1e-4
    assert membrane_energy(mesh, MATERIAL, stretch(e)) == pytest.approx(0.5 * (EH + GH) * e**2, rel=1e-3)
    without_shear = dataclasses.replace(MATERIAL, shear_stiffness=0.0)
    assert membrane_energy(mesh, without_shear, stretch(e)) == pytest.approx(0.5 * EH * e**2, rel=1e-6)


@pytest.mark.parametrize("diagonals", ["alternate", "uniform"])
@pytest.mark.parametrize("cells", [1, 4, 15])
def test_shearing_a_square_grid_costs_the_shear_stiffness(cells: int, diagonals) -> None:
    mesh = shapes.grid(1.0, 1.0, cells=cells, diagonals=diagonals)
    g = 1e-4
    assert membrane_energy(mesh, MATERIAL, shear(g)) == pytest.approx(0.5 * GH * g**2, rel=1e-3)
    # One diagonal of each square is compressed: with a softer compression it carries that much less.
    soft = dataclasses.replace(MATERIAL, compression_ratio=0.1)
    assert membrane_energy(mesh, soft, shear(g)) == pytest.approx(0.55 * 0.5 * GH * g**2, rel=1e-3)


def test_compression_is_softer_by_the_ratio() -> None:
    mesh = shapes.grid(1.0, 1.0, cells=5)
    soft = dataclasses.replace(MATERIAL, compression_ratio=0.1)
    pull, push = (membrane_energy(mesh, soft, stretch(e)) for e in (1e-5, -1e-5))
    assert push == pytest.approx(0.1 * pull, rel=1e-4)


@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("count", [100, 400])
def test_membrane_stiffness_of_an_irregular_mesh_is_near_that_of_the_material(count: int, direction: int) -> None:
    # A net of springs in all directions has the modulus 3/8 Σ k L² per area for stretch without contraction; with every
    # edge structural that is 9/8 E h, and the diagonals of quads take their share of it away.
    without_shear = dataclasses.replace(MATERIAL, shear_stiffness=0.0)
    mesh, e = scattered(count, 3), 1e-5
    springs = build(mesh, without_shear).springs
    q = mesh.vertices.copy()
    q[:, direction] *= 1.0 + e
    modulus = 2.0 * naive.spring_energy(springs, q) / e**2
    assert modulus == pytest.approx(3.0 / 8.0 * (springs.stiffness_in_tension * springs.rest_length**2).sum(), rel=0.1)
    assert modulus == pytest.approx(EH, rel=0.15)


@pytest.mark.parametrize("cells", [(4, 8), (3, 12)])
def test_shear_stiffness_falls_with_the_aspect_of_the_cells(cells: tuple[int, int]) -> None:
    # 2 G h A / L² on both diagonals of an a x b cell is G h (2 a b / L²)² in shear: G h itself for squares only.
    a, b = 1.0 / cells[0], 1.0 / cells[1]
    g = 1e-4
    expected = 0.5 * GH * (2.0 * a * b / (a * a + b * b)) ** 2 * g**2
    assert membrane_energy(shapes.grid(1.0, 1.0, cells=cells), MATERIAL, shear(g)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("mesh", [scattered(50, 4), shapes.sphere(0.3, subdivisions=2)], ids=["scattered", "sphere"])
def test_rest_shape_is_free_of_force_on_any_mesh(mesh: TriangleMesh) -> None:
    elements = build(mesh)
    assert naive.spring_energy(elements.springs, mesh.vertices) == pytest.approx(0.0, abs=1e-20)
    assert naive.hinge_energy(elements.hinges, mesh.vertices) == pytest.approx(0.0, abs=1e-20)


def test_square_grid_has_lines_both_diagonals_and_a_hinge_per_inner_edge() -> None:
    n = 4
    elements = build(shapes.grid(1.0, 1.0, cells=n))
    lines, squares = 2 * n * (n + 1), n * n
    assert len(elements.springs) == lines + 2 * squares
    assert len(elements.hinges) == 2 * n * (n - 1) + squares
    lengths = np.sort(elements.springs.rest_length)
    np.testing.assert_allclose(lengths[:lines], 1.0 / n)
    np.testing.assert_allclose(lengths[lines:], np.sqrt(2.0) / n)
    assert len(np.unique(np.sort(elements.springs.nodes, axis=1), axis=0)) == len(elements.springs)


def test_equilateral_mesh_has_no_diagonals() -> None:
    height = 0.5 * np.sqrt(3.0)
    x = np.array([[i + 0.5 * (j % 2), j * height, 0.0] for j in range(4) for i in range(4)])
    triangles = []
    for j in range(3):
        for i in range(3):
            a, b, c, d = 4 * j + i, 4 * j + i + 1, 4 * j + i + 4, 4 * j + i + 5
            triangles += [[a, b, d], [a, d, c]] if j % 2 else [[a, b, c], [b, d, c]]
    mesh = TriangleMesh(x, np.array(triangles))
    elements = build(mesh)
    edges = {tuple(sorted((t[k], t[(k + 1) % 3]))) for t in triangles for k in range(3)}
    assert {tuple(sorted(pair)) for pair in elements.springs.nodes.tolist()} == edges


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("cells", [10, 20, 40])
def test_rolled_grid_has_the_bending_energy_of_a_cylinder(cells: int, axis: int) -> None:
    mesh = shapes.grid(1.0, 1.0, cells=cells)
    radius = 0.4
    q = mesh.vertices.copy()
    angle = mesh.vertices[:, axis] / radius
    q[:, axis], q[:, 2] = radius * np.sin(angle), radius * (1.0 - np.cos(angle))
    # The outermost half squares have no hinge to bend: a sheet of n squares bends over the length of n - 1.
    bent_area = 1.0 - 1.0 / cells
    energy = naive.hinge_energy(build(mesh).hinges, q)
    assert energy == pytest.approx(0.5 * B / radius**2 * bent_area, rel=1e-6)
    assert energy == pytest.approx(0.5 * B / radius**2, rel=1.001 / cells)


def test_damping_is_stiffness_times_time() -> None:
    elements = build(shapes.grid(1.0, 1.0, cells=3))
    np.testing.assert_allclose(elements.springs.damping_constant, 1e-3 * elements.springs.stiffness_in_tension)
    np.testing.assert_allclose(elements.hinges.angular_damping, 1e-2 * elements.hinges.angular_stiffness)


def test_hinges_of_a_sphere_rest_bent_all_to_the_same_side() -> None:
    angles = build(shapes.sphere(1.0, subdivisions=2)).hinges.rest_angle
    assert (angles > 0.01).all()  # outward normals: opposite vertices are below them


def test_vertex_without_triangle_is_named() -> None:
    mesh = TriangleMesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5.0]]), np.array([[0, 1, 2]]))
    with pytest.raises(InputError, match=r"'sheet': vertex 3 belongs to no triangle"):
        build(mesh)


def test_edge_with_three_triangles_is_named() -> None:
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1.0]])
    with pytest.raises(InputError, match=r"edge 0-1 belongs to 3 triangles"):
        build(TriangleMesh(x, np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]])))


def test_single_triangle_has_springs_and_no_hinge() -> None:
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
    elements = build(TriangleMesh(x, np.array([[0, 1, 2]])))
    assert len(elements.springs) == 3
    assert len(elements.hinges) == 0


def test_unknown_preset_is_answered_with_the_nearest() -> None:
    assert cloth_material("cotton") is PRESETS["cotton"]
    with pytest.raises(InputError, match="did you mean 'cotton'"):
        cloth_material("coton")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"membrane_stiffness": 0.0}, "membrane_stiffness must be positive"),
        ({"shear_stiffness": -1.0}, "shear_stiffness must be zero or positive"),
        ({"bending_rigidity": float("nan")}, "bending_rigidity must be zero or positive"),
        ({"compression_ratio": 0.0}, "compression_ratio must be above 0"),
        ({"compression_ratio": 1.5}, "compression_ratio must be above 0"),
        ({"damping_time": float("inf")}, "damping_time must be zero or positive"),
    ],
)
def test_impossible_materials_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dataclasses.replace(MATERIAL, **change)


def test_scaled_material_scales_stiffness_and_damping_coefficients_alike() -> None:
    mesh = shapes.grid(1.0, 1.0, cells=2)
    one, two = build(mesh), build(mesh, MATERIAL.scaled(2.0))
    np.testing.assert_allclose(two.springs.stiffness_in_tension, 2.0 * one.springs.stiffness_in_tension)
    np.testing.assert_allclose(two.hinges.angular_damping, 2.0 * one.hinges.angular_damping)


def moebius_strip(count: int = 24) -> TriangleMesh:
    """A strip with half a twist: no choice of directions makes its triangles agree."""
    a = 2.0 * np.pi * np.arange(count) / count
    rows = [
        np.column_stack(
            [(0.3 + w * np.cos(a / 2)) * np.cos(a), (0.3 + w * np.cos(a / 2)) * np.sin(a), w * np.sin(a / 2)]
        )
        for w in (-0.05, 0.05)
    ]
    triangles = []
    for k in range(count):
        here, there = (k, count + k), ((k + 1) % count, count + (k + 1) % count)
        there = there[::-1] if k == count - 1 else there
        triangles += [(here[0], there[0], there[1]), (here[0], there[1], here[1])]
    return TriangleMesh(np.concatenate(rows), np.array(triangles))


def test_a_moebius_strip_is_a_cloth_like_any_other() -> None:
    scene = Scene(friction=0.5)
    scene.add_cloth(moebius_strip(), name="strip", position=(0.0, 0.0, 0.1))
    scene.add_ground()
    sim = Simulation(scene, dt=4e-3)
    start = sim.step().elastic_energy
    assert start < 1e-4  # it starts at rest
    for _ in range(60):
        report = sim.step()
    assert (sim.intersections(), report.solves_converged) == (0, report.solves)
    assert report.total_energy < 0.2 * 0.2 * 9.81 * 0.1  # it has fallen, and nothing has pushed it


def test_a_sheet_does_not_depend_on_the_direction_of_its_triangles() -> None:
    grid = shapes.grid(0.3, 0.3, cells=3)
    mixed = grid.triangles.copy()
    mixed[::3] = mixed[::3, ::-1]
    ends = []
    for triangles in (grid.triangles, mixed):
        scene = Scene()
        scene.add_cloth(TriangleMesh(grid.vertices, triangles), name="sheet").pin([0])
        sim = Simulation(scene, dt=4e-3)
        for _ in range(20):
            sim.step()
        ends.append(sim.bodies["sheet"].positions)
    assert np.allclose(ends[0], ends[1], atol=1e-12)
