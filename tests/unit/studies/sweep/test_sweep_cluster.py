"""Sweeps on a Dask cluster: the same runs and rows as on this machine, also when workers die."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.errors import InputError
from signorini.studies.sweep import dask_engine, sweep_runs
from signorini.studies.sweep.journal import read_journal
from support.sweeps import InlineEngine, block_on_slope, slope_file, unmeasured

distributed = pytest.importorskip("distributed")
NOTE = """
import os, pathlib, uuid

def noted(run):
    pathlib.Path("marks", f"{run.parameters['friction']}-{uuid.uuid4().hex}").touch()
    return os.getpid() > 0
"""
"""A metric that leaves a file for each time that a run was done."""
RUNS = 200


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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A directory with the scene, the metric that counts, and room for its marks."""
    slope_file(tmp_path)
    (tmp_path / "counted.py").write_text(NOTE)
    (tmp_path / "marks").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sweep_command(*further, runs=RUNS):
    arguments = ["slope.toml", "--vary", f"friction=0:1:{runs}", "--seconds", "0.05", "--metric", "counted:noted"]
    return [sys.executable, "-m", "signorini", "sweep", *arguments, *further]


def table_in(out, runs=RUNS, **options):
    """The table of a sweep that is complete: the same call in Python does no run."""
    return sg.sweep(
        "slope.toml", {"friction": f"0:1:{runs}"}, out=out, seconds=0.05, metrics=["counted:noted"], **options
    )


def finished(out):
    return len((out / "journal.jsonl").read_bytes().splitlines()) if (out / "journal.jsonl").exists() else 0


@contextlib.contextmanager
def scheduler_process(workers):
    """A scheduler and workers, each a process of its own; yields the address and the workers."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"],
            stderr=subprocess.PIPE,
            text=True,
        )
    ]
    try:
        assert started[0].stderr is not None
        address = next(m[0] for line in started[0].stderr if (m := re.search(r"tcp://[\d.]+:\d+", line)))
        options = [address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        for _ in range(workers):
            command = [sys.executable, "-m", "distributed.cli.dask_worker", *options]
            started.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        with distributed.Client(address) as client:
            client.wait_for_workers(workers)
        yield address, started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_200_runs_with_a_worker_killed_in_the_middle(folder):
    """The table is complete, and no run that was finished is done twice; a scheduler in another process gives the same."""
    out = folder / "local-cluster"
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        sweep = subprocess.Popen(sweep_command("-o", str(out), "--scheduler", cluster.scheduler_address, "-q"))
        while finished(out) < RUNS // 2:
            time.sleep(0.02)
            assert sweep.poll() is None
        known = set(read_journal(out / "journal.jsonl"))
        before = {mark.name for mark in (folder / "marks").iterdir()}
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        assert sweep.wait() == 0
    table = table_in(out)
    assert len(table) == RUNS and set(table["status"]) == {"completed"}
    done = [float(mark.name.rpartition("-")[0]) for mark in (folder / "marks").iterdir()]
    twice = {f for f in done if done.count(f) > 1}
    frictions = {row["id"]: row["friction"] for row in table.rows}
    assert not twice & {frictions[name] for name in known}
    sys.stdout.write(f"{len(known)} runs in the journal and {len(before)} done at the kill, {len(done)} done in all\n")
    assert len(done) <= RUNS + 2 * dask_engine.AHEAD
    with scheduler_process(2) as (address, _):
        subprocess.run(sweep_command("-o", str(folder / "other"), "--scheduler", address, "-q"), check=True)
    other = table_in(folder / "other")
    assert unmeasured(other) == unmeasured(table)


@pytest.mark.slow
def test_a_sweep_that_is_killed_ten_times(folder):
    """Kill -9 at random moments; the same command each time; the table and the data set are those of one that was left alone."""
    import random

    out, whole, runs = folder / "killed", folder / "whole", 60
    options = ["--dataset", "-j", "2", "-q"]
    moments = random.Random(18)
    counts = []
    for kill in range(10):
        sweep = subprocess.Popen(sweep_command("-o", str(out), *options, runs=runs))
        if kill % 3 == 2:  # in the start-up; otherwise when some more runs are finished
            time.sleep(moments.uniform(0.0, 4.0))
        else:
            goal = finished(out) + moments.randint(1, 4)
            while finished(out) < goal and sweep.poll() is None:
                time.sleep(0.005)
            time.sleep(moments.uniform(0.0, 0.1))
        assert sweep.poll() is None, "it ended before it could be killed"
        sweep.kill()
        sweep.wait()
        counts.append(finished(out))
    assert counts[-1] < runs
    subprocess.run(sweep_command("-o", str(out), *options, "--check", runs=runs), check=True)
    done = len(list((folder / "marks").iterdir()))
    subprocess.run(sweep_command("-o", str(whole), *options, runs=runs), check=True)
    first, second = (table_in(path, runs, dataset=True) for path in (out, whole))
    assert unmeasured(first) == unmeasured(second) and len(first) == runs
    for file in sorted((whole / "dataset.zarr").rglob("*")):
        if file.is_file():
            assert file.read_bytes() == (out / file.relative_to(whole)).read_bytes(), file
    assert not list(out.rglob("*.partial"))
    sys.stdout.write(f"finished at the kills: {counts}; {done} runs done for {runs} rows\n")
    assert done <= runs + 2 * 10


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_workers_and_writes_the_table(folder, number):
    """As in a terminal, where the signal goes to all processes at once; a batch system signals only the first."""
    out = folder / "sweep"
    sweep = subprocess.Popen(
        sweep_command("-o", str(out), "-j", "2"), start_new_session=True, stderr=subprocess.PIPE, text=True
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
