"""Edges through triangles against a naive solve of each pair and against ipctk."""

from __future__ import annotations

import os
from pathlib import Path

import ipctk
import numpy as np
import pytest

from reference import detection as naive
from reference.soups import random_soup, single_bodies
from signorini.collision.broad_phase import BoxTree
from signorini.collision.intersections import Intersections, find_intersections
from signorini.collision.surface import Surface
from signorini.geometry import shapes
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation

EXTERNAL = os.environ.get("SIGNORINI_EXTERNAL_DATA")
FACE = np.array([[0, 1, 2]])
FLAT = np.array([[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]])
NEEDLE = np.array([[0.0, 0.0, -1.0], [0.05, 0.0, 1.0], [0.0, 0.05, 1.0]])
UP, ASIDE = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])


def found(surface: Surface, x: naive.Array) -> Intersections:
    return find_intersections(BoxTree(surface, x), x)


def ipctk_intersects(surface: Surface, x: naive.Array) -> bool:
    x = np.asfortranarray(x)
    mesh = ipctk.CollisionMesh(x, np.asfortranarray(surface.edges), np.asfortranarray(surface.triangles))
    return ipctk.has_intersections(mesh, x)


def pairs(result: Intersections) -> set[tuple[int, int]]:
    listed = [tuple(p) for p in result.edge_triangle.tolist()]
    assert len(set(listed)) == len(listed)
    return set(listed)


@pytest.mark.parametrize("kinematic", [0, 2])
@pytest.mark.parametrize("seed", range(10))
def test_crossings_are_those_of_all_pairs(seed: int, kinematic: int) -> None:
    surface, x = random_soup(seed, triangles=5, kinematic=kinematic, spread=0.3, size=0.5)
    expected = naive.all_crossings(surface, x)
    assert expected
    assert pairs(found(surface, x)) == expected


def test_yes_or_no_is_that_of_ipctk() -> None:
    answers = []
    for seed in range(200):
        surface, x = random_soup(seed, bodies=3, triangles=2, spread=2.5, size=0.4)
        answers.append(len(found(surface, x)) > 0)
        assert answers[-1] == ipctk_intersects(surface, x)
    assert 20 < sum(answers) < 180


def test_crowd_outgrows_the_buffer_without_loss() -> None:
    surface, x = random_soup(3, bodies=2, triangles=50, spread=0.05, size=0.5)
    result = found(surface, x)
    assert len(result) > 1024
    assert pairs(result) == naive.all_crossings(surface, x)


@pytest.mark.parametrize(
    ("needle", "crosses"),
    [
        (NEEDLE, True),
        (NEEDLE + (1.0 + 1e-9) * UP, False),
        (NEEDLE + (1.0 - 1e-9) * UP, True),
        (NEEDLE + 3.0 * ASIDE, False),
        (NEEDLE - 0.9 * UP, True),
        (NEEDLE - 1.1 * UP, False),
        (NEEDLE[[1, 0, 2]], True),
        (NEEDLE * 1e-4, True),
        (FLAT + 1e-9 * UP, False),
        (FLAT * 0.5, False),  # coplanar sheets touch, none passes through the other
    ],
)
def test_constructed_pairs(needle: naive.Array, crosses: bool) -> None:
    surface, x = single_bodies([(needle, FACE), (FLAT, FACE)])
    assert (len(found(surface, x)) > 0) == crosses


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_answer_does_not_depend_on_scale_or_place(scale: float, offset: float) -> None:
    surface, x = single_bodies([(NEEDLE, FACE), (FLAT, FACE)])
    place = scale * (x + offset)
    assert pairs(found(surface, place)) == naive.all_crossings(surface, x)


def test_sheet_folded_through_itself_is_found() -> None:
    mesh = shapes.grid(1.0, 1.0, cells=8)
    q = mesh.vertices.copy()
    s = 1.5 * np.pi * (q[:, 0] / q[:, 0].max())  # a loop that closes through itself
    folded = np.column_stack([np.sin(s) + 0.1 * s, q[:, 1], 1.0 - np.cos(s)])
    surface, x = single_bodies([(folded, mesh.triangles)])
    assert len(found(surface, x)) > 0
    assert ipctk_intersects(surface, x)
    surface, x = single_bodies([(mesh.vertices, mesh.triangles)])
    assert len(found(surface, x)) == 0


def test_kinematic_bodies_may_overlap_each_other_but_nothing_else() -> None:
    parts = [(NEEDLE, FACE), (FLAT, FACE), (NEEDLE[:, [2, 0, 1]] + [0.1, 0.3, 0.0], FACE)]
    surface, x = single_bodies(parts[1:], kinematic=2)
    assert len(found(surface, x)) == 0
    surface, x = single_bodies(parts, kinematic=2)
    triangles = {t for _, t in pairs(found(surface, x))}
    assert triangles == {1}


def test_vertices_on_or_below_a_plane_are_named() -> None:
    heights = np.array([[0.0, 0.0, 1e-12], [1.0, 0.0, 0.0], [0.0, 1.0, -0.5]])
    surface, x = single_bodies(
        [(heights, FACE), (FLAT - [0.0, 0.0, 5.0], FACE)], kinematic=1, planes=(((0, 0, 1.0), 0.0),)
    )
    result = found(surface, x)
    assert result.vertex_plane.tolist() == [[1, 0], [2, 0]]
    assert len(result) == 2


@pytest.mark.skipif(EXTERNAL is None, reason="SIGNORINI_EXTERNAL_DATA is not set: the two-cubes meshes are not here")
@pytest.mark.parametrize(("name", "crosses"), [("far", False), ("close", False), ("intersecting", True)])
def test_two_cubes(name: str, crosses: bool) -> None:
    import trimesh

    mesh = trimesh.load(Path(str(EXTERNAL)) / "meshes" / f"two-cubes-{name}.ply", process=False)
    surface, x = single_bodies([(np.asarray(mesh.vertices), np.asarray(mesh.faces))])
    assert (len(found(surface, x)) > 0) == crosses
    assert ipctk_intersects(surface, x) == crosses


@pytest.mark.parametrize("angle", [0.3, np.pi / 2, 2.0])
def test_a_flat_sheet_in_a_tilted_plane_does_not_intersect_itself(angle):
    # The rounding of a rotation puts vertices 1e-17 m off their plane, on either side.
    scene = Scene()
    scene.add_cloth(shapes.grid(1.0, 1.0, cells=49), rotation=(angle, 0.1, 0.0), position=(0.0, 0.0, 2.0))
    assert Simulation(scene).intersections() == 0


@pytest.mark.parametrize("noise", [1e-17, 1e-15, 1e-13, 1e-11, 1e-8])
def test_noise_of_any_size_on_a_flat_sheet_is_no_intersection(noise):
    scene = Scene()
    sheet = scene.add_cloth(shapes.grid(1.0, 1.0, cells=30), rotation=(1.0, 0.1, 0.0), position=(0.0, 0.0, 2.0))
    sheet.positions += noise * np.random.default_rng(1).normal(size=sheet.positions.shape)
    assert Simulation(scene).intersections() == 0
