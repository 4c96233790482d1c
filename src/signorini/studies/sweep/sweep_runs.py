"""Run a sweep: plan, engine, journal, table, data set and page together. It can be killed at any moment and gone on with."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from signorini.errors import DiskFullError, InputError
from signorini.files.runs.output_directory import disk_errors, remove_entry
from signorini.simulation.simulation import Simulation
from signorini.studies.sweep.dask_engine import DaskEngine
from signorini.studies.sweep.dataset import Layout, create_dataset, finish_dataset, frame_count, layout_of
from signorini.studies.sweep.directory import claim_sweep_directory, remove_leftovers
from signorini.studies.sweep.journal import JOURNAL, Journal
from signorini.studies.sweep.limits import Limits
from signorini.studies.sweep.local_pool import LocalPool
from signorini.studies.sweep.metrics import find_metrics
from signorini.studies.sweep.one_run import Job, Outcome
from signorini.studies.sweep.page import write_page
from signorini.studies.sweep.plan import Plan, PlannedRun
from signorini.studies.sweep.scene_source import RUN_KEYS
from signorini.studies.sweep.table import SweepTable, table_of, write_table

TABLE_SECONDS = 5.0
"""Wall time between two versions of the table while the sweep goes on [s]; the journal has every run at once."""

Show = Callable[[Outcome], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """Options of the run of a sweep; none of them changes its results."""

    jobs: int | None = None
    """Worker processes; None: as many as there are cores."""
    scheduler: str | None = None
    """Address of a Dask scheduler, whose workers are used instead."""
    retries: int = 1
    """Further attempts after the process of a run has died, or after an error of the operating system."""
    time_limit: float | None = None
    """Of one run [s]."""
    memory_limit: float | None = None
    """Of the process of a run [bytes]."""
    retry_failed: bool = False
    """Whether runs that failed in an earlier call are done again."""
    keep_runs: bool = True
    """Whether each run leaves a run directory."""
    force: bool = False
    """Whether an earlier sweep in the directory is removed."""


@dataclass(slots=True)
class Progress:
    """Progress of a sweep at its start: runs in all, and those that were finished before."""

    total: int
    done: int


def run_sweep(
    plan: Plan,
    out: Path,
    options: SweepOptions,
    *,
    display: Callable[[Progress], contextlib.AbstractContextManager[Show]] | None = None,
) -> SweepTable:
    """Do all runs of the plan that the journal in `out` does not have, and write table, data set and page.

    Ctrl-C ends the runs that are under way, writes everything and raises `KeyboardInterrupt`.
    """
    folder = Path.cwd()
    find_metrics(plan.metrics, folder)  # a wrong name is an error before anything is written
    if options.jobs is not None and options.jobs < 1:
        raise InputError(f"jobs must be at least 1, got {options.jobs}")
    out = Path(os.path.realpath(out))
    with _disk_full(out):
        lock = claim_sweep_directory(out, plan, force=options.force)
        journal = None
        try:
            layout = _prepared_dataset(plan, out)
            journal = Journal(out / JOURNAL)
            limits = Limits(options.time_limit, options.memory_limit)
            slim = replace(plan, runs=plan.runs[:1])  # workers get their runs one by one
            job = Job(slim, out, folder, options.keep_runs and plan.run is None, layout, limits)
            try:
                _do_missing(plan, job, journal, options, display)
                remove_leftovers(out)
            finally:
                table = _finish(plan, journal, out)
            write_page(plan, table)
        finally:
            if journal is not None:
                journal.close()
            lock.release()
    return table


def _do_missing(
    plan: Plan,
    job: Job,
    journal: Journal,
    options: SweepOptions,
    display: Callable[[Progress], contextlib.AbstractContextManager[Show]] | None,
) -> None:
    missing = [run for run in plan.runs if not _is_final(journal.outcomes.get(run.id), options)]
    if not missing:
        return
    if options.retry_failed:
        for run in missing:
            remove_entry(job.out / "runs" / run.id)
    shown = display or (lambda progress: contextlib.nullcontext(lambda outcome: None))
    written = time.monotonic()
    with (
        _engine(job, options, missing) as engine,
        shown(Progress(len(plan.runs), len(plan.runs) - len(missing))) as show,
    ):
        for outcome in engine.outcomes(missing):
            journal.add(outcome)
            show(outcome)
            if time.monotonic() - written > TABLE_SECONDS:
                write_table(table_of(plan, journal.outcomes, job.out))
                written = time.monotonic()


def _is_final(outcome: Outcome | None, options: SweepOptions) -> bool:
    """Whether a run need not be done (again)."""
    if outcome is None:
        return False
    return not options.retry_failed or (outcome.status == "completed" and not outcome.reason)


def _engine(job: Job, options: SweepOptions, missing: list[PlannedRun]) -> LocalPool | DaskEngine:
    if options.scheduler is not None:
        return DaskEngine(job, options.scheduler, options.retries)
    return LocalPool(job, min(options.jobs or _cores(), len(missing)), options.retries)


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _prepared_dataset(plan: Plan, out: Path) -> Layout | None:
    if not plan.dataset:
        return None
    made = plan.source.make(plan.settings_of(plan.runs[0]))
    if isinstance(made, Simulation):
        usual = getattr(plan.source, "usual", {})
        sim, times = made, {"dt": made.dt, "seconds": usual.get("seconds") or 4.0, "fps": usual.get("fps") or 30.0}
    else:
        sim = Simulation(made.scene, dt=made.dt, settings=made.settings)
        times = {"dt": made.dt, "seconds": made.seconds, "fps": made.fps}
    clocks = {tuple(run.parameters.get(key, times[key]) for key in ("dt", "fps", "seconds")) for run in plan.runs}
    frames = max(frame_count(*clock) for clock in clocks) if set(RUN_KEYS) & set(plan.names) else 0
    layout = layout_of(sim, frames or frame_count(times["dt"], times["fps"], times["seconds"]))
    create_dataset(out / "dataset.zarr", layout, plan)
    return layout


def _finish(plan: Plan, journal: Journal, out: Path) -> SweepTable:
    """Write the table, and take down in the data set which runs are complete."""
    table = table_of(plan, journal.reread(), out)
    write_table(table)
    if plan.dataset:
        finish_dataset(
            out / "dataset.zarr",
            {row["run"]: row["dataset_sha256"] for row in table.rows if row.get("dataset_sha256")},
        )
    return table


@contextlib.contextmanager
def _disk_full(out: Path) -> Iterator[None]:
    """One sentence for a full disk, wherever it was met."""
    try:
        with disk_errors(out):
            yield
    except DiskFullError as error:
        raise DiskFullError(
            f"the disk is full: the runs that are finished stay in {str(out)!r}; make room and give the same command again"
        ) from error


def summary_of(table: SweepTable, plan: Plan) -> dict[str, Any]:
    """The sweep in numbers: runs, how they ended, and the reasons of those that failed."""
    counts: dict[str, int] = {}
    for row in table.rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    reasons = [(row["run"], row["status"], row["reason"]) for row in table.rows if row["reason"]]
    return {"runs": len(plan.runs), "finished": len(table), "status": counts, "reasons": reasons}
