"""Resuming: a run that was interrupted continues bit by bit, whatever was on disk."""

from __future__ import annotations

import errno
import json
import os
import signal

import pytest

from signorini.errors import InputError, SimulationStoppedError
from signorini.files.runs import run_directory
from signorini.files.runs.checkpoint_file import read_checkpoint
from signorini.files.runs.runner import resume_directory
from signorini.files.runs.step_table import StepTable, read_steps, step_row
from signorini.files.runs.trajectory import Trajectory
from support.fake_simulation import FakeSimulation, small_scene
from support.runs import assert_same_run, fake, run


@pytest.mark.parametrize("when", [1, 10, 11, 25])
def test_interrupted_and_resumed_equals_uninterrupted(tmp_path, when):
    run(tmp_path / "whole")
    sim = fake()
    sim.on_step = lambda s: os.kill(os.getpid(), signal.SIGINT) if s.step_index == when else None
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out", sim)
    assert sim.step_index == when
    assert json.loads((tmp_path / "out/summary.json").read_text())["status"] == "interrupted"
    assert len(read_steps(tmp_path / "out/steps.csv")) == when
    resume_directory(tmp_path / "out", simulation=FakeSimulation)
    assert_same_run(tmp_path / "whole", tmp_path / "out")


def test_second_interrupt_does_not_wait(tmp_path):
    def twice(sim):
        if sim.step_index == 10:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    sim = fake()
    sim.on_step = twice
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out", sim)
    resume_directory(tmp_path / "out", simulation=FakeSimulation)
    run(tmp_path / "whole")
    assert_same_run(tmp_path / "whole", tmp_path / "out")


@pytest.mark.parametrize("last_checkpoint", [0, 7])
def test_resume_after_frames_later_than_the_checkpoint(tmp_path, monkeypatch, last_checkpoint):
    """A kill leaves frames and rows that the checkpoint does not know: they are dropped and made again."""
    run(tmp_path / "whole")
    monkeypatch.setattr(run_directory, "CHECKPOINT_SECONDS", 0.0)

    def die(sim):
        if sim.step_index == last_checkpoint + 1:
            monkeypatch.setattr(run_directory, "CHECKPOINT_SECONDS", 1e9)
        if sim.step_index == 20:
            raise SystemError

    sim = fake()
    sim.on_step = die
    with pytest.raises(SystemError):
        run(tmp_path / "out", sim)
    assert Trajectory.open(tmp_path / "out").frame_count == 6
    _, stored = read_checkpoint(tmp_path / "out")
    assert stored.step_count == last_checkpoint
    with (tmp_path / "out/steps.csv").open("a") as file:
        file.write("21,0.2")
    resume_directory(tmp_path / "out", simulation=FakeSimulation)
    assert_same_run(tmp_path / "whole", tmp_path / "out")


def test_an_intersection_before_an_interrupt_is_not_forgotten(tmp_path):
    sim = fake()
    sim.intersecting_at = 10
    sim.on_step = lambda s: os.kill(os.getpid(), signal.SIGINT) if s.step_index == 20 else None
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out", sim)
    summary = resume_directory(tmp_path / "out", simulation=FakeSimulation)
    assert (summary["status"], summary["intersection_free"]) == ("completed", False)


def test_rows_are_written_all_or_none(tmp_path, monkeypatch):
    table, sim = StepTable(tmp_path / "steps.csv"), fake()
    table.append(step_row(sim.step()))
    table.flush()
    before = (tmp_path / "steps.csv").read_text()

    class HalfFull:
        def __init__(self, path):
            self.path = path

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def write(self, text):
            with open(self.path, "a") as file:  # noqa: PTH123 (Path.open is what is replaced)
                file.write(text[: len(text) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

    table.append(step_row(sim.step()))
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.open", lambda self, *a, **k: HalfFull(self))
        with pytest.raises(OSError, match="No space"):
            table.flush()
    assert (tmp_path / "steps.csv").read_text() == before
    table.flush()
    assert len(read_steps(tmp_path / "steps.csv")) == 2


def test_resume_can_extend_a_run(tmp_path):
    run(tmp_path / "out", seconds=0.2)
    with pytest.raises(InputError, match=r"has reached 0\.2 s already.*--seconds"):
        resume_directory(tmp_path / "out", simulation=FakeSimulation)
    summary = resume_directory(tmp_path / "out", seconds=0.4, simulation=FakeSimulation)
    assert (summary["steps"], summary["requested_seconds"]) == (40, 0.4)
    run(tmp_path / "whole")
    assert_same_run(tmp_path / "whole", tmp_path / "out")


def test_resume_of_what_is_not_a_run(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        resume_directory(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no checkpoint"):
        resume_directory(tmp_path)


def test_resume_with_a_python_motion_says_why_not(tmp_path):
    scene = small_scene()
    scene.bodies["block"].motion = lambda rest, time: rest
    with pytest.raises(SimulationStoppedError):
        run(tmp_path / "out", FakeSimulation(scene, dt=0.01, stop_at=3))
    with pytest.raises(InputError, match="Python function"):
        resume_directory(tmp_path / "out", simulation=FakeSimulation)
