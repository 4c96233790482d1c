"""A run that is killed again and again, at any moment, ends as one that never was."""

from __future__ import annotations

import multiprocessing
import random
import time

import pytest

from signorini.errors import InputError
from signorini.files.runs import run_directory
from signorini.files.runs.runner import resume_directory
from signorini.files.runs.step_table import StepTable, read_steps
from signorini.files.runs.trajectory import Trajectory
from signorini.methods.report import StepReport
from support.fake_simulation import FakeSimulation
from support.runs import assert_same_run, fake, run

SECONDS = 0.6


class SlowSimulation(FakeSimulation):
    """A fake whose run takes longer than the time after which it is killed, on a machine of any speed."""

    def step(self) -> StepReport:
        time.sleep(0.004)
        return super().step()


def _resume(out) -> None:
    run_directory.CHECKPOINT_SECONDS = 0.0
    resume_directory(out, seconds=SECONDS, simulation=SlowSimulation)


def _killed(out, delay: float) -> bool:
    """Resume in a process of its own and kill it after a delay [s]; whether it was not complete by then."""
    process = multiprocessing.get_context("fork").Process(target=_resume, args=(out,))
    process.start()
    process.join(delay)
    process.kill()
    process.join()
    return process.exitcode != 0


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_kills_at_random_moments_lose_nothing(tmp_path, seed, monkeypatch):
    chance, out = random.Random(seed), tmp_path / "out"
    run(tmp_path / "whole", seconds=SECONDS)
    run(out, seconds=0.01)
    kills, complete = 0, False
    deadline = time.monotonic() + 30
    while kills < (4 if seed == 0 else 40):
        complete = not _killed(out, chance.uniform(0.0, 0.12))
        if complete:
            break
        kills += 1
        assert time.monotonic() < deadline or seed
        rows = read_steps(out / "steps.csv")
        assert [row["index"] for row in rows] == list(range(1, len(rows) + 1))
        trajectory = Trajectory.open(out)
        for name in trajectory.bodies:
            trajectory.positions(name, -1)
    if not complete:
        try:
            _resume(out)
        except InputError as error:  # the last kill came between the last checkpoint and the end of the process
            assert "has reached" in str(error)
    assert kills >= 2
    assert_same_frames_without_the_one_of_the_first_end(tmp_path / "whole", out)


def assert_same_frames_without_the_one_of_the_first_end(whole, out) -> None:
    """The run began as one of a single step, whose end is a frame more."""
    assert (whole / "steps.csv").read_text() == (out / "steps.csv").read_text()
    a, b = Trajectory.open(whole), Trajectory.open(out)
    assert list(a.times) == [b.times[0], *b.times[2:]]
    for name in a.bodies:
        assert (a.positions(name, -1) == b.positions(name, -1)).all()


def test_a_kill_while_the_table_is_cut_keeps_it(tmp_path, monkeypatch):
    """Rows later than the checkpoint are dropped by a file that takes the place of the old one."""
    run(tmp_path / "whole")
    monkeypatch.setattr(run_directory, "CHECKPOINT_SECONDS", 1e9)
    sim = fake(stop_at=None)

    def die(s):
        if s.step_index == 20:
            raise SystemError

    sim.on_step = die
    with pytest.raises(SystemError):
        run(tmp_path / "out", sim)
    table = tmp_path / "out/steps.csv"
    before = table.read_text()

    def killed(*_):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace", killed)
        with pytest.raises(SystemExit):
            StepTable(table, keep_rows=3)
    assert table.read_text() == before
    resume_directory(tmp_path / "out", simulation=FakeSimulation)
    assert_same_run(tmp_path / "whole", tmp_path / "out")


def test_nothing_is_dropped_before_everything_fits(tmp_path):
    """A checkpoint that does not fit is refused, and trajectory and table stay as they are."""
    run(tmp_path / "out")
    table = (tmp_path / "out/steps.csv").read_text()

    class Other(FakeSimulation):
        def restore(self, arrays):
            raise InputError("another scene")

    with pytest.raises(InputError, match="another scene"):
        resume_directory(tmp_path / "out", seconds=1.0, simulation=Other)
    assert (tmp_path / "out/steps.csv").read_text() == table
    assert Trajectory.open(tmp_path / "out").frame_count == 13
