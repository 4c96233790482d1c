"""The example of docs/control.md runs and prints what it says; every call and attribute of its list exists."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import signorini as sg
from signorini.simulation.commanded_view import DrivenRigidView, KinematicView
from signorini.simulation.joint_view import JointView

PAGE = (Path(__file__).parents[2] / "docs" / "control.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
TABLES = re.findall(r"```toml\n(.*?)```", PAGE, re.S)


def test_the_example_runs_and_holds_the_ball_with_five_newtons() -> None:
    space: dict = {}
    exec(BLOCKS[1], space)
    sim = space["sim"]
    assert sim.joints["push"].drive_force == pytest.approx(5.0, rel=1e-6)
    assert sim.contact_force("finger")[0] == pytest.approx(5.0, rel=0.01)


def test_the_list_of_calls_is_that_of_the_code() -> None:
    for call in ("add_joint", "lock", "add_drive"):
        said = re.search(rf"scene\.{call}\((.*?)\)\n", BLOCKS[0], re.S)
        assert said, call
        names = [part.split("=")[0].strip() for part in re.split(r",\s*(?![^()]*\))", said[1])]
        assert names == [name for name in inspect.signature(getattr(sg.Scene, call)).parameters if name != "self"]
    for word in re.findall(r"finger\.(\w+)", BLOCKS[0]):
        assert hasattr(JointView, word), word
    for word in re.findall(r"hand\.(\w+)", BLOCKS[0]):
        assert hasattr(KinematicView, word), word
    assert hasattr(DrivenRigidView, "drive_to")


def test_the_scene_file_runs(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text(TABLES[0], encoding="utf-8")
    scene = sg.load_scene(tmp_path / "scene.toml").scene
    assert list(scene.joints) == ["hinge", "push"]
    assert list(scene.locks) == ["plane"]
    assert list(scene.drives) == ["pull"]
    sim = sg.Simulation(scene, dt=5e-3)
    for _ in range(3):
        sim.step()
    assert max(joint.error for joint in sim.joints.values()) < 1e-12
