"""The scene file that docs/scene-files.md shows is one that runs."""

from __future__ import annotations

import re
from pathlib import Path

import signorini as sg
from signorini.scene.kinds import KINDS

PAGE = (Path(__file__).parents[2] / "docs/scene-files.md").read_text(encoding="utf-8")


def test_the_scene_of_the_page_runs_and_has_every_kind_of_body(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "scene.toml").write_text(text, encoding="utf-8")
    file = sg.load_scene(tmp_path / "scene.toml")
    assert {type(body) for body in file.scene.bodies.values()} == set(KINDS)
    sim = sg.Simulation(file.scene, dt=file.dt, settings=file.settings)
    assert sim.step().status is sg.StepStatus.ACCEPTED
