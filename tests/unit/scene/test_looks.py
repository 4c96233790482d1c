"""Colours and finishes of bodies: in Python, in scene files and in trajectories."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.files.runs.run_directory import trajectory_bodies
from signorini.files.runs.trajectory import Trajectory
from signorini.files.runs.trajectory_writer import TrajectoryWriter


def colourful() -> sg.Scene:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), position=(0, 0, 1), name="a", color="teal", finish="checks")
    scene.add_rod([[0, 0, 2], [0.1, 0, 2]], name="b", color="#FF8000")
    tets = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=1)
    scene.add_soft_solid(tets, position=(1, 0, 1), name="c", finish="matt")
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, position=(2, 0, 1), name="d", color="rgb(1, 2, 3)")
    scene.add_kinematic(sg.shapes.box(0.1, 0.1, 0.1), position=(3, 0, 1), name="e", color="#fff", finish="glossy")
    return scene


LOOKS = {
    "a": ("#008080", "checks"),
    "b": ("#ff8000", None),
    "c": (None, "matt"),
    "d": ("#010203", None),
    "e": ("#ffffff", "glossy"),
}


def test_looks_survive_a_scene_file(tmp_path) -> None:
    scene = colourful()
    assert {name: (body.color, body.finish) for name, body in scene.bodies.items()} == LOOKS
    sg.save_scene(tmp_path / "scene.toml", scene)
    again = sg.load_scene(tmp_path / "scene.toml").scene
    assert {name: (body.color, body.finish) for name, body in again.bodies.items()} == LOOKS


def test_looks_are_stored_with_the_trajectory(tmp_path) -> None:
    sim = sg.Simulation(colourful())
    bodies = trajectory_bodies(sim)
    TrajectoryWriter.create(tmp_path / "trajectory.zarr", bodies)
    found = Trajectory.open(tmp_path).bodies
    assert {n: (b.color, b.finish) for n, b in found.items()} == {
        n: (color or "", finish or "") for n, (color, finish) in LOOKS.items()
    }
    np.testing.assert_array_equal(found["a"].triangles, bodies["a"].triangles)


@pytest.mark.parametrize(
    ("look", "message"),
    [
        ({"color": "tealish"}, "color of 'sheet' must be a name such as 'teal', or '#rrggbb', got 'tealish'"),
        ({"color": 3}, "color of 'sheet'"),
        (
            {"finish": "shiny"},
            "finish of 'sheet' must be one of matt, glossy, jelly, woven, checks, stripes, got 'shiny'",
        ),
    ],
)
def test_wrong_looks_are_named(look, message) -> None:
    with pytest.raises(sg.InputError, match=message):
        sg.Scene().add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), name="sheet", **look)
