"""Bodies inside others are named at the start with their depth, and noticed at the end of every frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from signorini.geometry import tet_shapes
from signorini.simulation.penetration import deepest_penetration

CASE = sg.shapes.box(1.0, 1.0, 1.0, cells=2)
INWARD = sg.TriangleMesh(CASE.vertices, CASE.triangles[:, ::-1])
SMALL = sg.shapes.box(0.2, 0.2, 0.2)


def walled(size: float, wall: float) -> sg.TriangleMesh:
    """A box with walls: its cavity faces inward."""
    outer, inner = sg.shapes.box(size, size, size), sg.shapes.box(size - wall, size - wall, size - wall)
    triangles = np.concatenate([outer.triangles, inner.triangles[:, ::-1] + len(outer.vertices)])
    return sg.TriangleMesh(np.concatenate([outer.vertices, inner.vertices]), triangles)


INNER: dict[str, Callable[[sg.Scene], object]] = {
    "rigid": lambda scene: scene.add_rigid(SMALL, density=100.0, name="inner"),
    "cloth": lambda scene: scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), name="inner"),
    "soft": lambda scene: scene.add_soft_solid(tet_shapes.box_tets(0.2, 0.2, 0.2), name="inner"),
    "rod": lambda scene: scene.add_rod([(-0.1, 0.0, 0.0), (0.0, 0.0, 0.0), (0.1, 0.0, 0.0)], name="inner"),
    "far and near": lambda scene: scene.add_cloth(two_sheets(), name="inner"),
}


def two_sheets() -> sg.TriangleMesh:
    """One cloth of two sheets, the first far away, with a vertex of its own for each."""
    one, two = sg.shapes.grid(0.2, 0.2, cells=2), sg.shapes.grid(0.2, 0.2, cells=2)
    vertices = np.concatenate([one.vertices + np.array([5.0, 0.0, 0.0]), two.vertices])
    return sg.TriangleMesh(vertices, np.concatenate([one.triangles, two.triangles + len(one.vertices)]))


@pytest.mark.parametrize("inner", INNER)
def test_a_body_in_a_closed_scripted_one_is_refused_with_its_depth(inner: str) -> None:
    scene = sg.Scene()
    scene.add_kinematic(CASE, name="case")
    INNER[inner](scene)
    depth = r"0\.[45]\d* m deep"
    with pytest.raises(sg.InputError, match=rf"'inner' starts inside 'case', up to {depth}.*hollow=True"):
        sg.Simulation(scene)


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize(("mesh", "hollow"), [(CASE, True), (INWARD, False), (walled(1.0, 0.1), False)])
def test_a_body_in_a_hollow_one_is_fine(inner: str, mesh: sg.TriangleMesh, hollow: bool) -> None:
    scene = sg.Scene()
    scene.add_kinematic(mesh, name="case", hollow=hollow)
    INNER[inner](scene)
    sim = sg.Simulation(scene, dt=4e-3)
    frames = list(sim.run(seconds=8e-3, fps=125.0))
    assert sim.nested() == []
    assert [frame.nested for frame in frames] == [0, 0]
    assert deepest_penetration(sim) == 0.0


def test_a_body_in_the_wall_of_a_hollow_one_is_refused() -> None:
    scene = sg.Scene()
    scene.add_kinematic(walled(1.0, 0.5), name="case")
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1.0, position=(0.375, 0.0, 0.0), name="inner")
    with pytest.raises(sg.InputError, match=r"'inner' starts inside 'case', up to 0\.075 m deep"):
        sg.Simulation(scene)


def test_a_part_of_a_soft_body_inside_another_part_is_refused() -> None:
    big, small = tet_shapes.box_tets(1.0, 1.0, 1.0), tet_shapes.box_tets(0.2, 0.2, 0.2)
    tets = sg.TetMesh(
        np.concatenate([big.vertices, small.vertices]),
        np.concatenate([big.tetrahedra, small.tetrahedra + len(big.vertices)]),
    )
    scene = sg.Scene()
    scene.add_soft_solid(tets, name="pair")
    with pytest.raises(sg.InputError, match="a part of 'pair' starts inside another part of it"):
        sg.Simulation(scene)


@pytest.mark.parametrize("hollow", [True, False])
def test_a_body_that_has_passed_a_surface_is_noticed_at_the_end_of_a_frame(hollow: bool) -> None:
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_kinematic(CASE, name="case", hollow=hollow)
    scene.add_rigid(SMALL, density=100.0, position=(0.0, 0.0, 0.0 if hollow else 2.0), name="inner")
    sim = sg.Simulation(scene, dt=4e-3)
    assert sim.nested() == []
    x = sim._moment.surface_positions.copy()
    x[:8] += (0.0, 0.0, 2.0 if hollow else -2.0)  # what no step does
    sim._moment = replace(sim._moment, surface_positions=x)
    assert sim.nested() == [("inner", "case")]


def test_a_body_that_is_set_into_another_is_refused() -> None:
    scene = sg.Scene()
    scene.add_kinematic(CASE, name="case")
    scene.add_rigid(SMALL, density=100.0, position=(0.0, 0.0, 2.0), name="inner")
    sim = sg.Simulation(scene, dt=4e-3)
    with pytest.raises(sg.InputError, match="'inner' starts inside 'case'"):
        sim.bodies["inner"].center = (0.0, 0.0, 0.0)
