"""Sweeps that are killed: a worker of a cluster in the middle of 200 runs, and the sweep itself ten times at random moments.

The scene is the block on a slope of examples/sweep. Every run leaves a mark when its metrics are taken, so that what was done
twice is counted and not guessed. Whatever happened, the table must be that of a sweep that was left alone, but for the columns
that depend on the machine. A difference raises. Numbers are published in docs/sweeps.md.
"""

from __future__ import annotations

import contextlib
import csv
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from distributed import Client, LocalCluster

from signorini.studies.sweep.journal import read_journal
from signorini.studies.sweep.table import MEASURED

RUNS, KILLS = 200, 10
EXAMPLE = Path(__file__).parents[2] / "examples/sweep"
NOTE = """
import pathlib, uuid

def noted(run):
    pathlib.Path("marks", f"{run.parameters['friction']}-{uuid.uuid4().hex}").touch()
    return True
"""
"""A metric that leaves a file each time that a run is done."""


def command(out: str, *further: str) -> list[str]:
    """The command of the sweep, the same each time."""
    varied = ["--vary", f"friction=0:1:{RUNS}", "--metric", "final_height", "--metric", "counted:noted"]
    return [sys.executable, "-m", "signorini", "sweep", "slope.toml", *varied, "-o", out, "-q", *further]


def finished(out: str) -> int:
    """Runs in the journal."""
    journal = Path(out, "journal.jsonl")
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def rows(out: str) -> list[dict[str, str]]:
    """The table without the columns that depend on the machine."""
    with Path(out, "runs.csv").open(newline="") as file:
        return [{key: value for key, value in row.items() if key not in MEASURED} for row in csv.DictReader(file)]


def done() -> Counter[str]:
    """How often the run of each friction was done."""
    return Counter(mark.name.rpartition("-")[0] for mark in Path("marks").iterdir())


@contextlib.contextmanager
def marks() -> Iterator[None]:
    """Marks of one sweep only."""
    shutil.rmtree("marks", ignore_errors=True)
    Path("marks").mkdir()
    yield


@contextlib.contextmanager
def scheduler_in_another_process() -> Iterator[tuple[str, int]]:
    """A scheduler and two workers, each a process of its own; the address, and the process of a worker."""
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
        for _ in range(2):
            worker = [address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
            worker = [sys.executable, "-m", "distributed.cli.dask_worker", *worker]
            started.append(subprocess.Popen(worker, stderr=subprocess.DEVNULL))
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2)
        yield address, started[1].pid
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


@contextlib.contextmanager
def local_cluster() -> Iterator[tuple[str, int]]:
    """A `LocalCluster` of two workers, whose nannies replace the dead; the address, and the process of a worker."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address, cluster.workers[0].pid


def worker_killed(out: str, address: str, worker: int) -> set[str]:
    """Do the sweep on a cluster and kill a worker when half is done; the runs in the journal then."""
    sweep = subprocess.Popen(command(out, "--scheduler", address))
    while finished(out) < RUNS // 2:
        time.sleep(0.01)
        assert sweep.poll() is None, "it ended before a worker could be killed"
    known = set(read_journal(Path(out, "journal.jsonl")))
    os.kill(worker, signal.SIGKILL)
    assert sweep.wait() == 0
    return known


def killed_ten_times(out: str) -> tuple[set[str], list[int]]:
    """Kill the sweep (SIGKILL) at random moments, each time go on, then finish it; what was in the journal at the kills."""
    moments, counts, known = random.Random(18), [], set()
    for kill in range(KILLS):
        sweep = subprocess.Popen(command(out, "--dataset", "--jobs", "2"))
        if kill % 3 == 2:  # while it starts; otherwise when some more runs are finished
            time.sleep(moments.uniform(0.0, 4.0))
        else:
            goal = finished(out) + moments.randint(1, RUNS // KILLS)
            while finished(out) < goal and sweep.poll() is None:
                time.sleep(0.005)
            time.sleep(moments.uniform(0.0, 0.2))
        assert sweep.poll() is None, "it ended before it could be killed"
        sweep.kill()
        sweep.wait()
        counts.append(finished(out))
        known = set(read_journal(Path(out, "journal.jsonl")))
    subprocess.run(command(out, "--dataset", "--jobs", "2", "--check"), check=True)
    return known, counts


def judge(name: str, out: str, whole: list[dict[str, str]], known: set[str]) -> None:
    """Print a row; raise if the table is not that of the sweep that was left alone, or a finished run was done twice."""
    found, often = rows(out), done()
    assert len(found) == RUNS and {row["status"] for row in found} == {"completed"}
    assert found == whole, "the tables differ"
    assert len(read_journal(Path(out, "journal.jsonl"))) == finished(out) == RUNS
    again = sum(often[str(float(row["friction"]))] > 1 for row in found if row["id"] in known)
    assert again == 0 and not list(Path(out).rglob("*.partial"))
    print(f"| {name} | {len(found)} | yes | {often.total()} | {again} of {len(known)} |", flush=True)


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="sweep-kills-"))
    shutil.copy(EXAMPLE / "slope.toml", folder)
    (folder / "counted.py").write_text(NOTE, encoding="utf-8")
    os.chdir(folder)
    print("| 200 runs | rows | table as if left alone | runs done | finished at a kill and done again |")
    print("|---|---|---|---|---|")
    with marks():
        subprocess.run(command("alone", "--jobs", "2"), check=True)
        judge("left alone, 2 local workers", "alone", rows("alone"), set())
    for name, cluster in (
        ("LocalCluster, a worker killed after 100 runs", local_cluster),
        ("scheduler and workers in other processes, a worker killed after 100 runs", scheduler_in_another_process),
    ):
        with marks(), cluster() as (address, worker):
            known = worker_killed(cluster.__name__, address, worker)
            judge(name, cluster.__name__, rows("alone"), known)
    with marks():
        subprocess.run(command("alone-dataset", "--dataset", "--jobs", "2"), check=True)
    with marks():
        known, counts = killed_ten_times("killed")
        judge(f"the sweep killed {KILLS} times, with a data set", "killed", rows("alone-dataset"), known)
    files = [file for file in sorted(Path("alone-dataset/dataset.zarr").rglob("*")) if file.is_file()]
    for file in files:
        other = Path("killed", *file.parts[1:])
        assert file.read_bytes() == other.read_bytes(), file
    print(
        f"runs in the journal at the kills of the sweep: {counts}; all {len(files)} files of its data set are equal too"
    )
    os.chdir("/")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
