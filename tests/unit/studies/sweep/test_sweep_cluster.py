"""Sweeps on a Dask cluster: the same runs and rows as on this machine, also when workers die."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.errors import InputError, SimulationStoppedError
from signorini.studies.sweep import dask_engine, sweep_runs
from signorini.studies.sweep.journal import Journal, read_journal
from signorini.studies.sweep.one_run import Outcome
from signorini.studies.sweep.plan import PlannedRun
from support.sweeps import InlineEngine, block_on_slope, slope_file, unmeasured

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and a worker in this process."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, protocol="tcp"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.filterwarnings("ignore")
def test_the_rows_are_those_of_a_local_sweep(tmp_path, cluster, monkeypatch):
    options = {"seconds": 0.03, "dt": 5e-3, "dataset": True, "metrics": ["final_height"]}
    parameters = {"friction": [0.1, 0.4, 0.7, -1.0]}
    there = sg.sweep(block_on_slope, parameters, out=tmp_path / "there", scheduler=cluster, **options)
    assert there["status"].tolist() == ["completed"] * 3 + ["failed"]
    monkeypatch.setattr(sweep_runs, "_engine", InlineEngine)
    here = sg.sweep(block_on_slope, parameters, out=tmp_path / "here", **options)
    assert unmeasured(there) == unmeasured(here)
    assert all(str(row["worker"]).startswith("tcp://") for row in there.rows)


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_engine, "CONNECT_SECONDS", 0.3)
    arguments = ["sweep", str(slope_file(tmp_path)), "--vary", "friction=0.1,0.2", "-o", str(tmp_path / "sweep")]
    result = CliRunner().invoke(app, [*arguments, "--scheduler", "tcp://127.0.0.1:9"])
    assert result.exit_code == 2 and result.output.count("\n") == 1
    assert "there is no Dask scheduler at 'tcp://127.0.0.1:9'" in result.output


@pytest.mark.filterwarnings("ignore")
def test_workers_that_do_not_see_the_directory(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr(dask_engine, "_exists", lambda path: False)
    with pytest.raises(InputError, match=r"does not see .* choose a directory on a file system that all share"):
        sg.sweep(block_on_slope, {"friction": [0.1]}, out=tmp_path / "sweep", scheduler=cluster, seconds=0.01)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda cluster: cluster.close(), "is gone: the runs that are finished stay in"),
        (lambda cluster: cluster.scale(0), "has had no workers for 0 s: the runs that are finished stay in"),
    ],
)
def test_a_cluster_that_is_lost_in_the_middle(tmp_path, monkeypatch, loss, message):
    """One sentence; what was finished stays, and the same call goes on elsewhere."""
    monkeypatch.setattr(dask_engine, "CONNECT_SECONDS", 0.5)
    monkeypatch.setattr(dask_engine, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(dask_engine, "WORKERLESS_SECONDS", 0.2)
    options = {"out": tmp_path / "sweep", "seconds": 0.02, "dt": 5e-3, "keep_runs": False}
    parameters = {"friction": [round(0.01 * k, 2) for k in range(30)]}
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp"
    ) as cluster:
        add = Journal.add

        def add_and_lose(self, outcome):
            add(self, outcome)
            if len(self.outcomes) == 3:
                loss(cluster)

        monkeypatch.setattr(Journal, "add", add_and_lose)
        with pytest.raises(SimulationStoppedError, match=message):
            sg.sweep(block_on_slope, parameters, scheduler=cluster.scheduler_address, **options)
    monkeypatch.setattr(Journal, "add", add)
    known = read_journal(tmp_path / "sweep/journal.jsonl")
    assert 3 <= len(known) < 30
    monkeypatch.setattr(sweep_runs, "_engine", InlineEngine)
    table = sg.sweep(block_on_slope, parameters, **options)
    assert table["status"].tolist() == ["completed"] * 30
    assert sum(row["worker"] != "inline" for row in table.rows) == len(known)


class Sent:
    """Stands for the future of a run."""

    def __init__(self, planned):
        self.id, self.status = planned.id, "pending"

    def exception(self):
        return distributed.KilledWorker(self.id, None, 3)


class DyingCluster:
    """A client of a cluster with one worker: the run "bad" kills it, and Dask blames every run that was sent to it."""

    loop, status = None, "running"

    def __init__(self):
        self.sent, self.under_way = [], []

    def nthreads(self):
        return {"worker": 1}

    def submit(self, _, packed, planned, **options):
        self.sent.append(planned.id)
        return Sent(planned)

    def add(self, future):
        self.under_way.append(future)

    def has_ready(self):
        return True

    def __next__(self):
        if any(future.id == "bad" for future in self.under_way):
            for future in self.under_way:
                future.status = "error"
        future = self.under_way.pop(0)
        return future, None if future.status == "error" else Outcome(future.id, "completed")


@pytest.mark.parametrize(("retries", "good"), [(1, "completed"), (0, "crashed")])
def test_a_run_that_kills_its_workers_does_not_take_others_with_it(tmp_path, monkeypatch, retries, good):
    """A run that only waited for the same worker is done again alone, and completes."""
    cluster = DyingCluster()
    monkeypatch.setattr(distributed, "as_completed", lambda **_: cluster)
    engine = dask_engine.DaskEngine(SimpleNamespace(out=tmp_path), "tcp://head:8786", retries)  # pyright: ignore
    engine._client = cluster
    runs = [PlannedRun(k, name, {}, 0) for k, name in enumerate(("a", "bad", "b", "c", "d"))]
    ends = {outcome.id: outcome for outcome in engine.outcomes(runs)}
    assert ends.pop("bad").reason == "4 workers that did the run have died"
    assert {name: end.status for name, end in ends.items()} == {
        "a": good,
        "b": good,
        "c": "completed",
        "d": "completed",
    }
    assert sorted(cluster.sent) == sorted(["a", "bad", "b", "c", "d"] + retries * ["a", "bad", "b"])


def finished(out):
    return len((out / "journal.jsonl").read_bytes().splitlines()) if (out / "journal.jsonl").exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_workers_and_writes_the_table(tmp_path, number):
    """As in a terminal, where the signal goes to all processes at once; a batch system signals only the first."""
    out = tmp_path / "sweep"
    arguments = [
        str(slope_file(tmp_path)),
        "--vary",
        "friction=0:1:200",
        "--seconds",
        "0.05",
        "-o",
        str(out),
        "-j",
        "2",
    ]
    sweep = subprocess.Popen(
        [sys.executable, "-m", "signorini", "sweep", *arguments],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    while finished(out) < 5:
        time.sleep(0.01)
    if number == signal.SIGINT:
        os.killpg(sweep.pid, number)
    else:
        sweep.send_signal(number)
    _, errors = sweep.communicate(timeout=30)
    assert sweep.returncode == 130
    assert errors.count("\n") == 1 and "the same command goes on with the others" in errors
    rows = (out / "runs.csv").read_text().splitlines()
    assert len(rows) == finished(out) + 1 >= 6
    end = time.monotonic() + 5.0
    while (left := alive_in_group(sweep.pid)) and time.monotonic() < end:
        time.sleep(0.05)  # the resource tracker of multiprocessing ends a moment after the process that it works for
    assert left == []


def alive_in_group(group):
    """Commands of the processes of a process group that run; those that have ended but were not yet waited for do not count."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, own = (process / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(own) == group and state != "Z":
                found.append((process / "cmdline").read_text())
    return found
