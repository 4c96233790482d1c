"""The examples of docs/loads.md run, and so does the table of a scene file with places, loads and rules of contact."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import signorini as sg

PAGE = Path(__file__).parents[2] / "docs" / "loads.md"
SCENE = """
[[cloth]]
name = "flag"
mesh = { shape = "grid", width = 0.3, depth = 0.3, cells = 5 }
pins = [{ vertices = { kind = "half_space", normal = [-1, 0, 0], height = 0.149 } }]
gravity = [0, 0, -1]
self_contact = false
[[rigid]]
name = "box"
mesh = { shape = "box", width = 0.1, depth = 0.1, height = 0.1 }
mass = 1.0
position = [0, 0, -1]
restitution = 0.5
[[force]]
body = "flag"
force = [0, 0, 0.1]
vertices = { kind = "sphere", center = [0.15, 0, 0], radius = 0.05 }
[[pressure]]
body = "flag"
pressure = 3
[[wind]]
body = "flag"
velocity = [[0, 0, 0], [3, 0, 0]]
times = [0, 1]
[[torque]]
body = "box"
torque = [0, 0, 1]
[[contact]]
bodies = ["flag", "box"]
ignore = true
"""


def test_the_examples_run() -> None:
    space: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S):
        exec(code, space)


def test_scene_file(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    scene = sg.load_scene(tmp_path / "scene.toml").scene
    again = sg.load_scene(sg.save_scene(tmp_path / "again" / "scene.toml", scene)).scene
    assert [load.kind for load in scene.loads] == ["force", "torque", "pressure", "wind"]
    first, second = sg.Simulation(scene), sg.Simulation(again)
    for _ in range(5):
        first.step()
        second.step()
    np.testing.assert_array_equal(first.state.q, second.state.q)
    assert first.ignored_contacts == second.ignored_contacts == [("flag", "flag"), ("flag", "box")]
