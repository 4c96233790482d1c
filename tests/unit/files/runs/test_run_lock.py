"""The lock of a run directory: one process writes, others are told which, and a dead one holds nobody up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from signorini.errors import InputError
from signorini.files.exports.export import export
from signorini.files.runs.run_lock import LOCK_FILE, RunLock, check_unlocked
from signorini.files.runs.runner import resume_directory
from signorini.files.runs.step_table import read_steps
from signorini.files.runs.trajectory import Trajectory
from support.fake_simulation import FakeSimulation
from support.runs import assert_same_run, fake, run

ENDLESS = """
import sys, time
from support.runs import fake, run
sim = fake()
sim.on_step = lambda s: time.sleep(0.002)
run(sys.argv[1], sim, seconds=1e4)
"""


@pytest.fixture
def running(tmp_path):
    """A run in another process, and its directory."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    out = tmp_path / "out"
    process = subprocess.Popen([sys.executable, "-c", ENDLESS, str(out)], env=environment)
    deadline = time.monotonic() + 60
    while not (out / "summary.json").exists() or len(read_steps(out / "steps.csv")) < 5:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    yield process, out
    process.kill()
    process.wait()


def test_a_running_run_is_read_but_not_written_by_others(running, tmp_path):
    process, out = running
    for write in (
        lambda: resume_directory(out, simulation=FakeSimulation),
        lambda: run(out, force=True),
        lambda: run(out),
    ):
        with pytest.raises(InputError, match=rf"is being written by process {process.pid} on .* since .*stop it first"):
            write()
    assert process.poll() is None
    assert len(export(out, tmp_path / "frames.obj")) >= 2
    assert Trajectory.open(out).frame_count >= 2
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert (out / LOCK_FILE).exists()  # of a dead process
    end = len(read_steps(out / "steps.csv")) * 0.01 + 0.1
    resume_directory(out, seconds=end, simulation=FakeSimulation)
    rows = read_steps(out / "steps.csv")
    assert [row["index"] for row in rows] == list(range(1, len(rows) + 1))
    assert not (out / LOCK_FILE).exists()


def test_two_resumes_in_one_process(tmp_path):
    """The second is refused while the first goes on, which ends as if it had been alone."""
    run(tmp_path / "whole", seconds=0.4)
    run(tmp_path / "out", seconds=0.2)
    refused = []

    class Rival(FakeSimulation):
        def step(self):
            if self.step_index == 30:
                with pytest.raises(InputError, match=f"process {os.getpid()}") as caught:
                    resume_directory(tmp_path / "out", seconds=0.4, simulation=FakeSimulation)
                refused.append(caught)
            return super().step()

    resume_directory(tmp_path / "out", seconds=0.4, simulation=Rival)
    assert len(refused) == 1
    assert_same_run(tmp_path / "whole", tmp_path / "out")


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemError])
def test_the_lock_ends_with_the_run(tmp_path, ending):
    def stop(sim):
        if sim.step_index == 5:
            raise ending

    sim = fake()
    sim.on_step = stop
    with pytest.raises(ending):
        run(tmp_path / "out", sim)
    assert not (tmp_path / "out" / LOCK_FILE).exists()
    resume_directory(tmp_path / "out", simulation=FakeSimulation)


def test_a_refused_resume_gives_the_lock_back(tmp_path):
    run(tmp_path / "out")
    with pytest.raises(InputError, match="has reached"):
        resume_directory(tmp_path / "out", simulation=FakeSimulation)
    RunLock.acquire(tmp_path / "out").release()


@pytest.mark.parametrize("text", [b"", b"\xff", b"[1]", b'{"process": "x"}', b"[" * 900])
def test_an_unreadable_owner_is_another_process(tmp_path, text):
    lock = RunLock.acquire(tmp_path)
    (tmp_path / LOCK_FILE).write_bytes(text)
    with pytest.raises(InputError, match="another process"):
        check_unlocked(tmp_path)
    lock.release()
    check_unlocked(tmp_path)


def test_the_lock_of_somebody_who_only_asks_is_waited_for(tmp_path):
    import fcntl
    import threading

    with (tmp_path / LOCK_FILE).open("wb") as asker:
        fcntl.flock(asker, fcntl.LOCK_EX)
        threading.Timer(0.05, lambda: fcntl.flock(asker, fcntl.LOCK_UN)).start()
        lock = RunLock.acquire(Path(tmp_path))
        with pytest.raises(InputError, match="is being written"):
            check_unlocked(tmp_path)
        lock.release()
