"""The runner: what is on disk after a run that ends, stops, is interrupted, is killed, or fills the disk."""

from __future__ import annotations

import csv
import errno
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from signorini.errors import DiskFullError, InputError, SimulationStoppedError
from signorini.files.runs.runner import resume_directory, run_to_directory
from signorini.files.runs.step_table import read_steps
from signorini.files.runs.trajectory import Trajectory
from signorini.files.runs.trajectory_writer import TrajectoryWriter
from signorini.files.scenes.scene_file import load_scene
from support.fake_simulation import FakeSimulation
from support.runs import fake, run

CONTRACT = """version scene solver dt threads simulated_seconds wall_seconds cpu_seconds steps step_halvings
failsafe_steps refinement_histogram max_contacts mean_contacts min_distance contact_distance max_penetration_residual
max_complementarity_residual max_momentum_residual phase_seconds peak_memory_mb intersection_free"""


def test_files_of_a_complete_run(tmp_path):
    out = tmp_path / "runs/first"
    summary = run(out)
    assert {p.name for p in out.iterdir()} == {
        "scene.toml", "meshes", "trajectory.zarr", "checkpoint", "steps.csv", "summary.json",
    }  # fmt: skip
    assert summary == json.loads((out / "summary.json").read_text())
    assert set(CONTRACT.split()) <= set(summary)
    assert summary["status"] == "completed"
    assert summary["steps"] == 40
    assert summary["simulated_seconds"] == pytest.approx(0.4)
    assert summary["failsafe_steps"] == 1
    assert summary["step_halvings"] == 2
    assert summary["refinement_histogram"] == {"1": 13, "2": 14, "3": 13}
    assert summary["max_contacts"] == 400
    assert summary["mean_contacts"] == pytest.approx(205)
    assert summary["min_distance"] == pytest.approx(1 / 40)
    assert (summary["solves"], summary["solves_converged"]) == (80, 79)
    assert summary["max_momentum_residual"] == pytest.approx(4e-3)
    assert summary["phase_seconds"]["contact"] == pytest.approx(20.0)
    assert summary["phase_seconds"]["other"] == pytest.approx(5.0)
    assert summary["intersection_free"] is True
    assert summary["peak_memory_mb"] > 10


def test_frames_are_the_steps_nearest_to_their_times(tmp_path):
    run(tmp_path / "out")
    times = Trajectory.open(tmp_path / "out").times
    assert len(times) == 13
    np.testing.assert_allclose(times, np.round(np.arange(13) / 30, 2), atol=1e-12)


def test_last_step_is_a_frame_and_frames_are_not_repeated(tmp_path):
    run(tmp_path / "a", seconds=0.05)
    np.testing.assert_allclose(Trajectory.open(tmp_path / "a").times, [0, 0.03, 0.05])
    run_to_directory(fake(), seconds=0.03, fps=1000, out=tmp_path / "b")
    np.testing.assert_allclose(Trajectory.open(tmp_path / "b").times, [0, 0.01, 0.02, 0.03])


def test_steps_csv_has_every_field(tmp_path):
    run(tmp_path / "out")
    with (tmp_path / "out/steps.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 40
    assert rows[6]["status"] == "failsafe"
    assert float(rows[6]["min_distance"]) == 1 / 7
    assert float(rows[6]["seconds_contact"]) == 0.5
    assert float(rows[6]["seconds_other"]) == 0.125
    assert float(rows[6]["time"]) == pytest.approx(0.07)


def test_scene_is_saved_with_how_it_was_run(tmp_path):
    run(tmp_path / "out")
    file = load_scene(tmp_path / "out/scene.toml")
    assert (file.dt, file.seconds, file.fps) == (0.01, 0.4, 30.0)
    assert list(file.scene.bodies) == ["block", "sheet", "floor"]


@pytest.mark.parametrize("when", [0, 12, 30])
def test_an_intersection_in_one_frame_is_in_the_summary(tmp_path, when):
    sim = fake()
    sim.intersecting_at = when  # steps 0, 3, 7, 10, ... are frames
    summary = run(tmp_path / "out", sim)
    assert summary["intersection_free"] is (when == 12)


def test_zero_distance_is_not_intersection_free(tmp_path):
    sim = fake()
    step = sim.step

    def touching():
        return replace(step(), min_distance=0.0)

    sim.step = touching
    assert run(tmp_path / "out", sim)["intersection_free"] is False


def test_nothing_near_is_null_in_json(tmp_path):
    sim = fake()
    step = sim.step

    def far():
        return replace(step(), min_distance=float("inf"))

    sim.step = far
    run(tmp_path / "out", sim)
    assert json.loads((tmp_path / "out/summary.json").read_text())["min_distance"] is None


def test_stopped_simulation_keeps_everything_and_says_why(tmp_path):
    with pytest.raises(SimulationStoppedError, match="cannot go on"):
        run(tmp_path / "out", fake(stop_at=20))
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert (summary["status"], summary["steps"]) == ("stopped", 20)
    assert "cannot go on" in summary["end_reason"]
    assert len(read_steps(tmp_path / "out/steps.csv")) == 20
    assert Trajectory.open(tmp_path / "out").frame_count == 7


def test_existing_directory_is_kept_unless_forced(tmp_path):
    out = tmp_path / "out"
    run(out)
    before = (out / "summary.json").read_text()
    with pytest.raises(InputError) as caught:
        run(out)
    for word in ("exists already", "-o", "--force", f"signorini resume {out}"):
        assert word in str(caught.value)
    assert (out / "summary.json").read_text() == before
    (out / "picture.png").touch()
    run(out, seconds=0.1, force=True)
    assert Trajectory.open(out).frame_count == 4
    assert not (out / "picture.png").exists()


def test_force_does_not_delete_what_is_not_a_run(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        run(tmp_path, force=True)
    assert (tmp_path / "thesis.tex").exists()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file"):
        run(tmp_path / "file", force=True)


def test_empty_directory_is_used(tmp_path):
    (tmp_path / "out").mkdir()
    assert run(tmp_path / "out")["steps"] == 40


@pytest.mark.parametrize(("seconds", "fps", "word"), [(0, 30, "seconds"), (1, 0, "fps"), (float("nan"), 30, "seconds")])
def test_bad_times_leave_no_directory(tmp_path, seconds, fps, word):
    with pytest.raises(InputError, match=word):
        run_to_directory(fake(), seconds=seconds, fps=fps, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_full_disk_before_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9, 9, 9))
    with pytest.raises(InputError, match=r"is full.*MB are free"):
        run(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("fails", [1, 5])
def test_full_disk_during_the_run(tmp_path, monkeypatch, fails):
    append = TrajectoryWriter.append

    def full(self, time, positions):
        if self.frame_count == fails:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, time, positions)

    monkeypatch.setattr(TrajectoryWriter, "append", full)
    with pytest.raises(DiskFullError, match=r"the disk is full.*stays readable.*signorini resume"):
        run(tmp_path / "out")
    assert Trajectory.open(tmp_path / "out").frame_count == fails
    monkeypatch.undo()
    resume_directory(tmp_path / "out", simulation=FakeSimulation)
    run(tmp_path / "whole")
    x, y = Trajectory.open(tmp_path / "whole"), Trajectory.open(tmp_path / "out")
    np.testing.assert_array_equal(x.positions("sheet", -1), y.positions("sheet", -1))


SCRIPT = """
import sys, time
from support.fake_simulation import FakeSimulation, small_scene
from support.runs import assert_same_run, fake, run
from signorini.files.runs.runner import run_to_directory
from signorini.files.runs import run_directory
run_directory.CHECKPOINT_SECONDS = 0.0
sim = FakeSimulation(small_scene(), dt=0.01)
if sys.argv[2] == "limit":
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    def limit(s):
        if s.step_index == 20:
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
    sim.on_step = limit
else:
    sim.on_step = lambda s: time.sleep(0.002)
print("ready", flush=True)
run_to_directory(sim, seconds=(0.4 if sys.argv[2] == "limit" else 1e4), fps=30, out=sys.argv[1])
"""


def start(out, mode):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(out), mode], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment,
    )  # fmt: skip


def test_files_that_may_not_grow_end_the_run_in_one_sentence(tmp_path):
    process = start(tmp_path / "out", "limit")
    _, errors = process.communicate(timeout=60)
    assert errors.strip().splitlines()[-1].startswith("signorini.errors.DiskFullError: the disk is full")
    assert Trajectory.open(tmp_path / "out").frame_count >= 6
    rows = read_steps(tmp_path / "out/steps.csv")
    assert [row["index"] for row in rows] == list(range(1, len(rows) + 1))


def test_killed_run_is_readable_and_resumable(tmp_path):
    out = tmp_path / "out"
    process = start(out, "endless")
    deadline = time.monotonic() + 60
    while not (out / "summary.json").exists() or len(read_steps(out / "steps.csv")) < 30:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.communicate()
    assert json.loads((out / "summary.json").read_text())["status"] == "running"
    before = Trajectory.open(out)
    last = before.positions("sheet", -1)
    end = float(before.times[-1]) + 0.1
    resume_directory(out, seconds=end, simulation=FakeSimulation)
    after = Trajectory.open(out)
    np.testing.assert_array_equal(after.positions("sheet", before.frame_count - 1), last)
    rows = read_steps(out / "steps.csv")
    assert [row["index"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1]["time"] == pytest.approx(end)
