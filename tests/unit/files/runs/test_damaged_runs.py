"""Damaged output directories: every reader works or says in one sentence what is wrong, and none hangs."""

from __future__ import annotations

import re
import shutil
import signal
from functools import cache

import numpy as np
import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.errors import InputError
from signorini.files.exports.export import export
from signorini.files.runs.runner import resume_directory
from signorini.files.runs.trajectory import Trajectory
from support.damage import damages
from support.fake_simulation import FakeSimulation
from support.runs import run

CHUNK = "trajectory.zarr/bodies/sheet/positions/c.2.0.0"
CODECS = "trajectory.zarr/bodies/sheet/positions/zarr.json: codecs.1.configuration"
FRAME_2 = r"frame 2 of 'sheet' in '.*trajectory\.zarr' cannot be read"
PLANE = "trajectory.zarr/zarr.json: attributes.half_spaces.0"
LOST = r"is damaged: it has lost frame 0 and all later ones of 5"
RESUMED = {
    "checkpoint/state.npz: state/step_index -1": "state/step_index is -1",
    "checkpoint/state.npz: state/step_index -1000000000000000": "state/step_index is -1",
    "checkpoint/state.npz: progress/next_frame -1000000000000000": "progress/next_frame is -1",
    "checkpoint/state.npz: progress/next_frame 1000000000000000": "does not hold what the run wrote",
    "checkpoint/state.npz: progress/seconds nan": "progress/seconds is nan",
    "checkpoint/state.npz: progress/frame_count 2.5": "progress/frame_count is not an integer",
    "checkpoint/state.npz: progress/step_count missing": "it has no progress/step_count",
    "checkpoint/state.npz: state/time longer": "state/time is not a number",
    "checkpoint/state.npz: state/q%sheet text": "which is no number",
    "checkpoint/state.npz: state/q%sheet 1e+300": "does not hold what the run wrote",
    "checkpoint/state.npz: half": "is not a readable npz file",
    "checkpoint/state.npz: missing": "it has no checkpoint",
    "scene.toml: missing": r"scene\.toml' does not exist",
    "scene.toml: noise": "not a valid TOML file",
    "scene.toml: fps = 1e300": r"simulation\.fps = 1e\+300: must be positive and finite, at most",
    "scene.toml: fps = 999999999": "frames a step",
    "meshes/sheet.npz: half": "is not a readable npz file",
    "steps.csv: missing": r"steps\.csv' cannot be read.*No such file",
    "steps.csv: empty": "steps.csv has 0 steps of 12",
    "steps.csv: noise": r"steps\.csv' cannot be read",
    "steps.csv: other header": "its columns are not those",
    "steps.csv: a row less": "is followed by step",
    "steps.csv: a row twice": "is followed by step",
    "steps.csv: a short row": "line 4 has not",
    "steps.csv: column 0 = '-1'": "no count",
    "steps.csv: column 1 = 'x'": "no number",
    f"{CHUNK.replace('c.2', 'c.4')}: missing": "frame 4 of 'sheet'.*it is missing",
    "trajectory.zarr/times/zarr.json: shape.0 = 1000000000000": "the times claim",
    "trajectory.zarr/bodies/sheet/positions/zarr.json: shape.0 = 1000000000000": "the positions of 'sheet' claim",
    "trajectory.zarr/zarr.json: missing": "cannot be continued",
    f"{CODECS}.clevel = 1000000000000": r"positions.zarr\.json' is damaged: clevel is 1000000000000, which must be from 0 to 9",
    f"{CODECS}.clevel = -1": "clevel is -1",
    f"{CODECS}.typesize = 1000000000000": "typesize is 1000000000000",
    f"{CODECS}.blocksize = 1000000000000": "blocksize is 1000000000000",
}
EXPORTED = {
    f"{CHUNK}: missing": FRAME_2 + " .it is missing",
    f"{CHUNK}: empty": FRAME_2,
    f"{CHUNK}: half": FRAME_2,
    f"{CHUNK}: one byte": FRAME_2,
    f"{CHUNK}: noise": FRAME_2,
    f"{CHUNK}: directory": FRAME_2,
    "trajectory.zarr/bodies/sheet/positions/zarr.json: shape.0 = -1": "cannot be read",
    "trajectory.zarr/bodies/sheet/positions/zarr.json: shape.1 = 1000000000000": "the positions of 'sheet' have shape",
    "trajectory.zarr/bodies/sheet/triangles/zarr.json: shape.0 = 1000000000000": "claims .* which its files cannot hold",
    "trajectory.zarr/bodies/sheet/triangles/c/0/0: missing": "triangles in .* are missing",
    "trajectory.zarr/bodies/sheet/triangles/c/0/0: one byte": "cannot be read",
    "trajectory.zarr/times/c/0: missing": LOST,
    "trajectory.zarr/times/c/0: noise": "cannot be read",
    "trajectory.zarr/times/zarr.json: shape.0 = 1000000000000": "the times claim",
    "trajectory.zarr/zarr.json: attributes.bodies = [1]": "cannot be read",
    "trajectory.zarr/zarr.json: nested": "cannot be read",
    f"{PLANE}.normal.2 = 1000000000000": r"the normal of half-space 'floor' has length 1e\+12 instead of 1",
    f"{PLANE}.normal.2 = -1": None,
    f"{PLANE}.height = 1000000000000": r"half-space 'floor' has height 1e\+12 m, more than",
    f"{PLANE} = [1]": "half-space .* has no name, height and normal",
    "trajectory.zarr/zarr.json: attributes.half_spaces = 'x'": "half-spaces are 'x' instead of a list",
    "summary.json: nested": None,
    "summary.json: frames = 'x'": None,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("damaged") / "whole"
    run(out, seconds=0.12)
    return out


@cache
def _damages(out):
    return dict(damages(out))


@pytest.fixture
def damaged(whole, tmp_path):
    def make(label: str):
        shutil.copytree(whole, tmp_path / "out")
        _damages(whole)[label.replace("%", "/")](tmp_path / "out")
        return tmp_path / "out"

    return make


@pytest.mark.parametrize("label", RESUMED)
def test_resume(damaged, label):
    out = damaged(label)
    before = sorted(p for p in out.rglob("*"))
    if RESUMED[label] is None:
        resume_directory(out, seconds=0.15, simulation=FakeSimulation)
        return
    with pytest.raises(InputError, match=RESUMED[label]):
        resume_directory(out, seconds=0.15, simulation=FakeSimulation)
    assert sorted(p for p in out.rglob("*")) == before


@pytest.mark.parametrize("label", EXPORTED)
def test_export(damaged, tmp_path, label):
    out = damaged(label)
    if EXPORTED[label] is None:
        export(out, tmp_path / "all.npz")
        return
    with pytest.raises(InputError, match=EXPORTED[label]):
        export(out, tmp_path / "all.npz")


def test_other_frames_than_the_missing_one_are_read(damaged):
    trajectory = Trajectory.open(damaged(f"{CHUNK}: missing"))
    for frame in (0, 1, 3, 4):
        assert np.isfinite(trajectory.positions("sheet", frame)).all()
    with pytest.raises(InputError, match="frame 2"):
        trajectory.positions("sheet", 2)


SCENE = """
[scene]
name = "tiny"
[simulation]
dt = 0.01
seconds = 0.1
fps = 20
[[cloth]]
name = "sheet"
mesh = { shape = "grid", width = 0.3, depth = 0.3, cells = 3 }
position = [0, 0, 0.01]
[[rigid]]
name = "die"
mesh = { shape = "box", width = 0.1, depth = 0.1, height = 0.1 }
density = 500
position = [0, 0.5, 0.06]
[[ground]]
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["resume", "export", "render"])
def test_every_kind_of_damage_ends_in_a_sentence(tmp_path, command):
    """A real run; every fifteenth damage of some thousand."""
    (tmp_path / "s.toml").write_text(SCENE)
    made = CliRunner().invoke(app, ["run", str(tmp_path / "s.toml"), "-o", str(tmp_path / "run"), "--quiet"])
    assert made.exit_code == 0, made.stderr  # without a limit: the first run compiles
    commands = {
        "resume": ["--seconds", "0.13", "--quiet"],
        "export": [tmp_path / "all.npz"],
        "render": ["-o", tmp_path / "p.png", "--width", "64", "--height", "48"],
    }
    for number, (label, damage) in enumerate(damages(tmp_path / "run")):
        if number % 15 or (command == "render" and "zarr" not in label):
            continue
        shutil.copytree(tmp_path / "run", tmp_path / "copy")
        damage(tmp_path / "copy")
        result = _call(command, tmp_path / "copy", *commands[command])
        shutil.rmtree(tmp_path / "copy")
        assert result.exception is None or isinstance(result.exception, SystemExit), (label, result.exception)
        assert result.exit_code in (0, 1, 2), label
        if result.exit_code:
            assert re.fullmatch(r"signorini: .{10,700}\n", result.stderr), (label, result.stderr)


def _call(*arguments):
    """A command, which is ended if it takes longer than half a minute."""

    def late(*_):
        raise AssertionError(f"{arguments} hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(30)
    try:
        return CliRunner().invoke(app, [str(a) for a in arguments])
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
