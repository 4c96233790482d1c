"""The command line: exit codes, one-sentence errors, help with examples, start-up, and real runs of a tiny scene."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.files.runs.step_table import read_steps
from signorini.files.runs.trajectory import Trajectory

TINY = """
[scene]
name = "tiny"
[simulation]
dt = 0.01
seconds = 0.2
fps = 20
[[cloth]]
name = "sheet"
mesh = { shape = "grid", width = 0.3, depth = 0.3, cells = 3 }
position = [0, 0, 0.05]
[[ground]]
"""


def call(*arguments: object):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def refused(*arguments: object) -> str:
    """The single sentence on stderr of a call that must end with code 2."""
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    message = result.stderr.strip()
    assert message.startswith("signorini: ")
    assert "\n" not in message
    assert "Traceback" not in result.output
    return message


@pytest.fixture
def tiny(tmp_path):
    file = tmp_path / "tiny.toml"
    file.write_text(TINY)
    return file


def test_python_dash_m_is_the_same_command():
    command = [sys.executable, "-m", "signorini", "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == call("--version").stdout
    usage = subprocess.run([*command[:-1], "--help"], capture_output=True, text=True, check=True).stdout
    assert "Usage: signorini [OPTIONS]" in usage


@pytest.mark.parametrize("command", ["run", "resume", "scenes", "render", "export", "compare", "schema", "warmup"])
def test_every_command_has_help_with_an_example(command):
    result = call(command, "--help")
    assert result.exit_code == 0
    assert f"signorini {command}" in re.sub(r"\s+", " ", result.output)
    assert "Example" in result.output


def test_version_and_scenes():
    assert re.fullmatch(r"signorini \d+\.\d+\.\d+\n", call("--version").output)
    assert "falling-cloth" in call("scenes").output
    names = {entry["name"] for entry in json.loads(call("scenes", "--json").output)}
    assert {"falling-cloth", "drape", "layers", "curtain"} <= names


def test_unknown_scene_suggests_the_nearest():
    assert "falling-cloth" in refused("run", "faling-cloth")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("dt = 0.01/dt = 0", ["simulation.dt"]),
        ("cells = 3/cells = 0", ["cells of a grid"]),
        ("[[ground]]/[[grond]]", ["'grond'", "did you mean 'ground'"]),
        ("name = \"sheet\"/area_density = -1", ["area_density", "-1"]),
        ("name = \"sheet\"/pins = [{ vertices = [16] }]", ["vertex 16", "0 to 15"]),
        ('mesh = { shape = "grid", width = 0.3, depth = 0.3, cells = 3 }/mesh = { file = "no.obj" }', ["no.obj"]),
    ],
)  # fmt: skip
def test_bad_scene_files(tiny, tmp_path, change, words):
    old, new = change.split("/", 1)
    tiny.write_text(TINY.replace(old, new))
    message = refused("run", tiny, "-o", tmp_path / "out")
    assert str(tiny) in message
    for word in words:
        assert word in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n", ["finite", "number 2"]),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2\n", ["degenerate"]),
        ("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", ["degenerate"]),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", []),
    ],
)
def test_bad_meshes(tmp_path, text, words):
    (tmp_path / "bad.obj").write_text(text)
    (tmp_path / "s.toml").write_text('[[cloth]]\nmesh = { file = "bad.obj" }\n')
    message = refused("run", tmp_path / "s.toml", "-o", tmp_path / "out")
    assert "bad.obj" in message
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dt", "0"], ["dt", "0 s"]),
        (["--dt", "-0.1"], ["dt", "-0.1 s"]),
        (["--seconds", "-1"], ["seconds", "-1"]),
        (["--fps", "0"], ["fps"]),
        (["--friction", "-0.5"], ["friction", "-0.5"]),
        (["--stiffness", "0"], ["factor"]),
        (["--solver", "icaa"], ["solver.name = 'icaa'", "'ica'"]),
        (["--set", "max_refinement=3"], ["did you mean 'max_refinements'"]),
        (["--set", "max_refinements"], ["KEY=VALUE"]),
        (["--resolution", "9"], ["gallery"]),
    ],
)
def test_bad_options(tiny, tmp_path, options, words):
    message = refused("run", tiny, "-o", tmp_path / "out", *options)
    for word in words:
        assert word in message
    assert not (tmp_path / "out").exists()


def test_bad_options_do_not_delete_an_earlier_run(tiny, tmp_path):
    assert call("run", tiny, "-o", tmp_path / "out").exit_code == 0
    refused("run", tiny, "-o", tmp_path / "out", "--force", "--dt", "-1")
    refused("run", tiny, "-o", tmp_path / "out", "--force", "--seconds", "-1")
    assert Trajectory.open(tmp_path / "out").frame_count == 5


def test_run_prints_a_table_and_writes_files(tiny, tmp_path):
    result = call("run", tiny, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    for word in ("simulated", "contacts", "refinements", "fail-safe", "smallest distance", "time per step", "files"):
        assert word in result.stdout
    assert Trajectory.open(tmp_path / "out").frame_count == 5
    message = refused("run", tiny, "-o", tmp_path / "out")
    for word in ("exists already", "--force", "signorini resume"):
        assert word in message
    assert call("run", tiny, "-o", tmp_path / "out", "--force", "-q").stdout == ""


def test_json_is_the_summary_and_nothing_else(tiny, tmp_path):
    options = ["--seconds", "0.1", "--dt", "0.005", "--friction", "0.7", "--set", "max_halvings=1"]
    result = call("run", tiny, "-o", tmp_path / "out", "--json", *options)
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary == json.loads((tmp_path / "out/summary.json").read_text())
    assert (summary["steps"], summary["dt"], summary["intersection_free"]) == (20, 0.005, True)
    text = (tmp_path / "out/scene.toml").read_text()
    assert "max_halvings = 1" in text
    assert text.count("friction = 0.7") == 3


def test_saved_scene_runs_again_bit_by_bit(tiny, tmp_path):
    assert call("run", tiny, "-o", tmp_path / "a").exit_code == 0
    assert call("run", tmp_path / "a/scene.toml", "-o", tmp_path / "b").exit_code == 0
    a, b = Trajectory.open(tmp_path / "a"), Trajectory.open(tmp_path / "b")
    for k in range(a.frame_count):
        np.testing.assert_array_equal(a.positions("sheet", k), b.positions("sheet", k))


def test_resume_continues_bit_by_bit(tiny, tmp_path):
    assert call("run", tiny, "-o", tmp_path / "whole").exit_code == 0
    assert call("run", tiny, "-o", tmp_path / "out", "--seconds", "0.13").exit_code == 0
    assert "has reached" in refused("resume", tmp_path / "out")
    assert call("resume", tmp_path / "out", "--seconds", "0.2").exit_code == 0
    a, b = Trajectory.open(tmp_path / "whole"), Trajectory.open(tmp_path / "out")
    np.testing.assert_array_equal(a.positions("sheet", -1), b.positions("sheet", -1))
    assert len(read_steps(tmp_path / "out/steps.csv")) == 20


def test_resume_and_render_of_nothing(tmp_path):
    assert "does not exist" in refused("resume", tmp_path / "nowhere")
    assert "does not exist" in refused("render", tmp_path / "nowhere")
    assert "trajectory.zarr" in refused("render", tmp_path)


def test_export_writes_one_file_a_frame(tiny, tmp_path):
    assert call("run", tiny, "-o", tmp_path / "out").exit_code == 0
    result = call("export", tmp_path / "out", tmp_path / "obj/tiny.obj", "--body", "sheet", "--every", "2")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{tmp_path}/obj/tiny_0000.obj to tiny_0002.obj\n"
    assert sorted(p.name for p in (tmp_path / "obj").iterdir()) == [f"tiny_000{k}.obj" for k in range(3)]
    assert call("export", tmp_path / "out", tmp_path / "all.npz").stdout == f"{tmp_path}/all.npz\n"
    assert "npz, obj, pc2, ply" in refused("export", tmp_path / "out", tmp_path / "all.abc")
    assert "did you mean 'sheet'" in refused("export", tmp_path / "out", tmp_path / "all.npz", "--body", "shet")
    assert "does not exist" in refused("export", tmp_path / "nowhere", tmp_path / "all.npz")


def test_full_disk_before_the_start_is_bad_input(tiny, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    assert "is full" in refused("run", tiny, "-o", tmp_path / "out")


def test_full_disk_during_the_run_stops_it(tiny, tmp_path, monkeypatch):
    import errno

    from signorini.files.runs.trajectory_writer import TrajectoryWriter

    append = TrajectoryWriter.append

    def full(self, time, positions):
        if self.frame_count == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, time, positions)

    monkeypatch.setattr(TrajectoryWriter, "append", full)
    result = call("run", tiny, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "the disk is full" in result.stderr
    assert Trajectory.open(tmp_path / "out").frame_count == 2


def test_stopped_simulation_is_code_1(tiny, tmp_path, monkeypatch):
    from signorini.errors import SimulationStoppedError
    from signorini.simulation.simulation import Simulation

    step = Simulation.step

    def stopping(self):
        if self.step_index == 7:
            raise SimulationStoppedError("at t = 0.07 s: no way on")
        return step(self)

    monkeypatch.setattr(Simulation, "step", stopping)
    result = call("run", tiny, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert result.stderr == "signorini: at t = 0.07 s: no way on\n"
    assert len(read_steps(tmp_path / "out/steps.csv")) == 7


def test_ctrl_c_keeps_everything_and_says_how_to_resume(tiny, tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-c", "from signorini.cli.main import main; main()", "run", str(tiny), "-o", str(out)]
    process = subprocess.Popen(
        [*command, "--seconds", "1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not (out / "steps.csv").exists() or len(read_steps(out / "steps.csv")) < 5:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"signorini resume {out}" in errors
    assert "Traceback" not in errors
    steps = json.loads((out / "summary.json").read_text())["steps"]
    assert len(read_steps(out / "steps.csv")) == steps >= 5
    assert Trajectory.open(out).frame_count == 1 + steps // 5


def test_help_does_not_import_heavy_modules():
    heavy = ("numpy", "scipy", "numba", "pydantic", "pyvista", "vtk", "zarr", "trimesh", "imageio")
    code = f"import sys, signorini.cli.main; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
