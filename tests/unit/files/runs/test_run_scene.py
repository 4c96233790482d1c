"""`signorini.run` and `signorini.resume`: a scene, a scene file or a simulation into an output directory."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.files.runs.step_table import read_steps


def tiny() -> sg.Scene:
    scene = sg.Scene(name="tiny")
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=3), position=(0.0, 0.0, 0.05), name="sheet")
    scene.add_ground()
    return scene


def last(out: Path) -> np.ndarray:
    return sg.Trajectory.open(out).positions("sheet", -1)


def test_scene_file_and_simulation_give_the_same_run(tmp_path: Path) -> None:
    summary = sg.run(tiny(), tmp_path / "a", dt=0.01, seconds=0.1, fps=20)
    assert summary == json.loads((tmp_path / "a/summary.json").read_text())
    assert (summary["steps"], summary["dt"], summary["frames"]) == (10, 0.01, 3)
    file = sg.load_scene(sg.save_scene(tmp_path / "tiny.toml", tiny(), dt=0.01, seconds=0.1, fps=20))
    sg.run(file, tmp_path / "b")
    sg.run(sg.Simulation(tiny(), dt=0.01), tmp_path / "c", seconds=0.1, fps=20)
    for other in ("b", "c"):
        np.testing.assert_array_equal(last(tmp_path / "a"), last(tmp_path / other))
        assert sg.Trajectory.open(tmp_path / other).frame_count == 3


def test_arguments_come_before_what_the_file_says(tmp_path: Path) -> None:
    settings = sg.Settings(max_refinements=3)
    file = sg.SceneFile(scene=tiny(), dt=0.01, seconds=0.1, fps=20, settings=settings)
    sg.run(file, tmp_path / "a", seconds=0.05)
    stored = sg.load_scene(tmp_path / "a/scene.toml")
    assert (stored.dt, stored.seconds, stored.fps, stored.settings) == (0.01, 0.05, 20.0, settings)
    sg.run(file, tmp_path / "b", dt=0.005, seconds=0.02, fps=100, settings=sg.Settings())
    stored = sg.load_scene(tmp_path / "b/scene.toml")
    assert (stored.dt, stored.seconds, stored.fps, stored.settings) == (0.005, 0.02, 100.0, sg.Settings())


def test_resume_continues_bit_by_bit(tmp_path: Path) -> None:
    sg.run(tiny(), tmp_path / "whole", dt=0.01, seconds=0.2)
    sg.run(tiny(), tmp_path / "out", dt=0.01, seconds=0.13)
    summary = sg.resume(tmp_path / "out", seconds=0.2)
    assert summary["steps"] == 20
    np.testing.assert_array_equal(last(tmp_path / "whole"), last(tmp_path / "out"))


def test_ctrl_c_keeps_everything(tmp_path: Path, monkeypatch) -> None:
    import signal

    step = sg.Simulation.step

    def interrupted(self):
        if self.step_index == 4:
            signal.raise_signal(signal.SIGINT)
        return step(self)

    monkeypatch.setattr(sg.Simulation, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sg.run(tiny(), tmp_path / "out", dt=0.01, seconds=0.1)
    assert len(read_steps(tmp_path / "out/steps.csv")) == 5
    assert json.loads((tmp_path / "out/summary.json").read_text())["status"] == "interrupted"
    monkeypatch.undo()
    assert sg.resume(tmp_path / "out")["steps"] == 10


def test_an_earlier_run_is_replaced_only_with_force(tmp_path: Path) -> None:
    sg.run(tiny(), tmp_path / "out", dt=0.01, seconds=0.05)
    with pytest.raises(sg.InputError, match="exists already"):
        sg.run(tiny(), tmp_path / "out", dt=0.01, seconds=0.02)
    assert sg.run(tiny(), tmp_path / "out", dt=0.01, seconds=0.02, force=True)["steps"] == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dt": 0.01}, ["dt", "Simulation"]),
        ({"settings": sg.Settings()}, ["settings", "Simulation"]),
        ({"seconds": -1.0}, ["seconds", "-1 s"]),
    ],
)
def test_bad_options_of_a_simulation(tmp_path: Path, options: dict, words: list[str]) -> None:
    with pytest.raises(sg.InputError) as caught:
        sg.run(sg.Simulation(tiny(), dt=0.01), tmp_path / "out", **options)
    for word in words:
        assert word in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_what_is_no_scene_is_named(tmp_path: Path) -> None:
    with pytest.raises(sg.InputError, match=r"load_scene.*got a str"):
        sg.run("tiny.toml", tmp_path / "out")  # type: ignore[arg-type]
