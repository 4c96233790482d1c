"""`signorini scenes NAME --write FILE`: the file runs to the identical result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.cli.scene_options import load_scene_argument
from signorini.gallery import SCENES

QUICK = {
    "drape": ["--resolution", "12"],
    "pendulum": [],
    "arch": ["--friction", "0.7"],
    "falling-cloth": ["--resolution", "10", "--stiffness", "2"],
    "chain": [],
    "rolling": [],
    "ball-and-board": [],
}
"""Scenes with scripts, joints and initial velocities, and with options that the file must keep."""


def write(name: str, file: Path, *options: str) -> sg.SceneFile:
    result = CliRunner().invoke(app, ["scenes", name, "--write", str(file), *options])
    assert result.exit_code == 0, result.output
    assert result.stdout.strip() == str(file)
    return sg.load_scene(file)


def assert_same_steps(given: sg.SceneFile, written: sg.SceneFile, *, steps: int, touching: int) -> None:
    """After so many steps, and so many of them with contacts, all that is needed to go on is the same."""
    assert (given.dt, given.seconds, given.fps, given.settings) == (
        written.dt,
        written.seconds,
        written.fps,
        written.settings,
    )
    left, right = (sg.Simulation(file.scene, dt=file.dt, settings=file.settings) for file in (given, written))
    seen = done = 0
    while done < steps or seen < touching:
        seen += left.step().contact_count > 0
        right.step()
        done += 1
        assert done < 400, "there are no contacts"
    mine, theirs = left.checkpoint(), right.checkpoint()
    assert set(mine) == set(theirs)
    for name, values in mine.items():
        np.testing.assert_array_equal(values, theirs[name], err_msg=name)


@pytest.mark.parametrize(("name", "options"), QUICK.items(), ids=list(QUICK))
def test_the_file_runs_to_the_identical_result(tmp_path: Path, name: str, options: list[str]) -> None:
    changes = {key.removeprefix("--"): float(value) for key, value in zip(options[::2], options[1::2], strict=True)}
    if "resolution" in changes:
        changes["resolution"] = int(changes["resolution"])
    given = load_scene_argument(name, **changes)
    assert_same_steps(given, write(name, tmp_path / "new/scene.toml", *options), steps=2, touching=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_every_scene_is_written_out(tmp_path: Path, name: str) -> None:
    assert_same_steps(load_scene_argument(name), write(name, tmp_path / "scene.toml"), steps=40, touching=20)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--write", "a.toml"], "needs the name of a scene"),
        (["drap", "--write", "a.toml"], "did you mean 'drape'"),
        (["drape", "--write", "a.json"], "must end in .toml"),
        (["drape", "--write", "taken.toml"], "exists already"),
        (["drap"], "did you mean 'drape'"),
    ],
)
def test_wrong_calls_are_one_sentence(tmp_path: Path, monkeypatch, arguments: list[str], words: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.toml").touch()
    result = CliRunner().invoke(app, ["scenes", *arguments])
    assert result.exit_code == 2 and words in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken.toml"]


def test_one_scene_can_be_listed() -> None:
    result = CliRunner().invoke(app, ["scenes", "drape"])
    assert "drape" in result.stdout and "curtain" not in result.stdout
