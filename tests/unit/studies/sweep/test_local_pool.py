"""Worker processes: they die, hang, take too much memory, and give the same bytes as any other process."""

from __future__ import annotations

import hashlib
import os

import pytest

import signorini as sg
from signorini.studies.sweep import sweep_runs
from support.sweeps import InlineEngine, block_on_slope, troubled_block, unmeasured

USUAL = {"seconds": 0.05, "dt": 5e-3, "fps": 100.0}


def troubled(tmp_path, frictions, **options):
    table = sg.sweep(
        troubled_block,
        {"friction": frictions, "marks": [str(tmp_path)]},
        out=tmp_path / "sweep",
        keep_runs=False,
        **USUAL,
        **options,
    )
    attempts = {f: len((tmp_path / f"{f}").read_text()) for f in frictions if (tmp_path / f"{f}").exists()}
    return table, attempts


@pytest.fixture
def no_trial(monkeypatch):
    """Scenes that kill their process are not made in this one."""
    monkeypatch.setattr("signorini.studies.sweep.plan._try_scenes", lambda plan: None)


@pytest.mark.usefixtures("no_trial")
def test_a_worker_that_dies_costs_only_its_run(tmp_path, monkeypatch):
    """And workers have one thread, in an environment of their own."""
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("SIGNORINI_THREADS", "3")
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    options = {"jobs": 1, "retries": 1, "run": threads_of_the_process}
    table, attempts = troubled(tmp_path, [0.3, 0.2], **options)
    assert table["status"].tolist() == ["crashed", "completed"]
    assert table["attempts"].tolist() == [2, 2] and attempts == {0.3: 2, 0.2: 2}
    assert table.rows[0]["reason"] == "the process of the run was ended by signal 9 (SIGKILL)"
    assert table.rows[0].get("threads") is None and table.rows[1]["threads"] == "1 1 1"
    assert os.environ["OMP_NUM_THREADS"] == "7" and "NUMBA_NUM_THREADS" not in os.environ
    again, attempts = troubled(tmp_path, [0.3, 0.2], **options)
    assert again.rows == table.rows and attempts[0.3] == 2, "a run that has ended, even badly, is not done again"


def threads_of_the_process(sim):
    counts = [os.environ["OMP_NUM_THREADS"], os.environ["NUMBA_NUM_THREADS"], sim.threads]
    return {"threads": " ".join(map(str, counts)), "bodies": len(sim.bodies)}


@pytest.mark.usefixtures("no_trial")
@pytest.mark.parametrize(
    ("friction", "limit", "status", "reason"),
    [
        (0.4, {"time_limit": 0.5}, "timeout", "the run took longer than its limit of 0.5 s"),
        (0.5, {"memory_limit": 700e6}, "memory", "the run took more memory than its limit of 700 MB"),
    ],
)
def test_limits_of_a_run(tmp_path, friction, limit, status, reason):
    table, attempts = troubled(tmp_path, [friction], jobs=1, **limit)
    assert (table.rows[0]["status"], table.rows[0]["reason"]) == (status, reason)
    assert attempts == {friction: 1}


def test_the_same_run_gives_the_same_bytes_in_any_process(tmp_path, monkeypatch):
    """Two workers, and this process: tables, scenes, trajectories, pictures and data set are equal bit by bit."""
    parameters = {"friction": [0.2, 0.8], "dt": [5e-3, 4e-3]}  # frames at other times, and fewer in some
    options = {"metrics": ["final_height"], "dataset": True, "seconds": 0.06, "fps": 50.0}
    first = sg.sweep(block_on_slope, parameters, out=tmp_path / "pool", jobs=2, **options)
    monkeypatch.setattr(sweep_runs, "_engine", InlineEngine)
    second = sg.sweep(block_on_slope, parameters, out=tmp_path / "here", **options)
    assert set(first["worker"]) != set(second["worker"])
    assert unmeasured(first) == unmeasured(second)
    assert first["status"].tolist() == ["completed"] * 4
    one, other = digests(tmp_path / "pool"), digests(tmp_path / "here")
    assert one == other and len(one) > 80


def digests(out):
    """Contents of all files that do not tell times."""
    timed = (
        "row.json",
        "summary.json",
        "steps.csv",
        "journal.jsonl",
        "runs.csv",
        "runs.parquet",
        "index.html",
        "state.npz",
    )
    return {
        str(file.relative_to(out)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(out.rglob("*"))
        if file.is_file() and file.name not in timed
    }
