"""Sweeps: what a run costs beyond the simulation itself, and the throughput of two workers against one.

    python benchmarks/sweeps/overhead.py            # both; the second part needs a machine that does nothing else
    python benchmarks/sweeps/overhead.py --cpu      # the first part only, in CPU time: also on a busy machine

The scene is a small cloth on a ball, run so long that the bare simulation takes about two seconds. Accuracy beside time: every
run, however it was done, must end in the same bits. Numbers are published in docs/sweeps.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from signorini.studies.sweep.worker import ENVIRONMENT

os.environ.update(ENVIRONMENT)  # this process simulates as a worker does

import signorini as sg
from signorini.methods.report import StepReport
from signorini.studies.sweep.design import parameter_sets
from signorini.studies.sweep.plan import make_plan
from signorini.studies.sweep.scene_source import FunctionSource, GallerySource
from signorini.studies.sweep.sweep_runs import SweepOptions, run_sweep
from signorini.studies.sweep.values import Choices

TARGET = 2.0
"""Wall time of a bare run on an idle machine [s]."""
FIXED = {"resolution": 12, "dt": 4e-3, "fps": 30.0}
COUNT = 5
"""Runs of which the median is taken, and for each worker of a throughput."""
TICK = 1.0 / os.sysconf("SC_CLK_TCK")
"""Resolution of the CPU time of another process [s]."""


def bare_run(friction: float, seconds: float) -> tuple[float, float, str]:
    """Wall and CPU time of a run without files, table or metrics, and the digest of its end."""
    start, cpu = time.perf_counter(), time.process_time()
    made = GallerySource("drape").make({**FIXED, "friction": friction, "seconds": seconds})
    sim = sg.Simulation(made.scene, dt=made.dt, settings=made.settings)
    for _ in sim.run(seconds=made.seconds, fps=made.fps):
        pass
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    total = hashlib.sha256()
    for array in (sim.state.q, sim.state.v, sim.state.rotations):
        total.update(array.tobytes())
    return wall, cpu, total.hexdigest()[:16]


def frictions(count: int) -> list[float]:
    """Values so near to each other that all runs cost the same."""
    return [0.5 + 1e-6 * k for k in range(count)]


def swept(out: Path, count: int, seconds: float, ended: Callable[[Any], None], **options: Any) -> dict[float, str]:
    """Do a sweep, call `ended` after each run, and return the digest of each end by its friction."""
    plan = make_plan(
        GallerySource("drape"),
        parameter_sets({"friction": Choices(tuple(frictions(count)))}),
        fixed={**FIXED, "seconds": seconds},
        metrics=["final_height", "extent"],
    )
    table = run_sweep(plan, out, SweepOptions(**options), display=lambda _: contextlib.nullcontext(ended))
    return {row["friction"]: row["state_hash"] for row in table.rows}


def cpu_of(process: str) -> float:
    """CPU time of a process so far [s]."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return TICK * (int(fields[11]) + int(fields[12]))


class TimedSimulation(sg.Simulation):
    """A simulation that knows how much CPU time it has taken itself [s]."""

    inside = 0.0

    def step(self) -> StepReport:
        start = time.process_time()
        report = super().step()
        self.inside += time.process_time() - start
        return report


def timed(*, friction: float) -> TimedSimulation:
    """The scene as a simulation; making it is part of its time."""
    start = time.process_time()
    made = GallerySource("drape").make({**FIXED, "friction": friction})
    sim = TimedSimulation(made.scene, dt=made.dt, settings=made.settings)
    sim.inside = time.process_time() - start
    return sim


def inside(run: sg.RunRecord) -> float:
    """CPU time of the simulation itself [s]."""
    return run.simulation.inside  # pyright: ignore[reportAttributeAccessIssue]


def overhead(folder: Path, seconds: float) -> None:
    """CPU time of a run in a sweep, without that of its simulation: both of the same run, so that neighbours do not matter."""
    print("| CPU time of a run [s] | simulation | beyond it, in the worker | in the sweep's process | together |")
    print("|---|---|---|---|---|")
    once = []
    for name, options in (
        ("run directories", {}),
        ("`--no-runs`", {"keep_runs": False}),
        ("`--no-runs --dataset`", {"keep_runs": False, "dataset": True}),
    ):
        workers, own = [], []

        def ended(outcome: Any, workers: list[float] = workers, own: list[float] = own) -> None:
            workers.append(cpu_of(outcome.measured["worker"]))
            own.append(time.process_time())

        plan = make_plan(
            FunctionSource.of(timed, {"seconds": seconds, "fps": FIXED["fps"]}),
            [{"friction": friction} for friction in frictions(COUNT + 1)],
            metrics=[inside, "final_height", "extent"],
            dataset=options.pop("dataset", False),
        )
        show = lambda _, ended=ended: contextlib.nullcontext(ended)  # noqa: E731
        table = run_sweep(plan, folder / name.strip("`"), SweepOptions(jobs=1, **options), display=show)
        once.append(time.process_time() - own[-1])
        simulation = statistics.median(table["inside"][1:])
        worker = statistics.median([b - a for a, b in pairwise(workers)] - table["inside"][1:])
        each = statistics.median(b - a for a, b in pairwise(own))
        beyond = worker + each
        parts = f"{simulation:.3f} | {worker:.3f} | {each:.3f} | {beyond:.3f} s, {100 * beyond / simulation:.1f} %"
        print(f"| {name} | {parts} |", flush=True)
    print(f"once for a sweep of {COUNT + 1} runs, for table and page: {min(once):.2f} s")


def throughput(folder: Path, seconds: float) -> None:
    """Wall times, which mean something only on a machine that does nothing else."""
    bare = [bare_run(friction, seconds) for friction in frictions(COUNT + 1)][1:]
    usual = statistics.median(wall for wall, _, _ in bare)
    print(f"\nbare run: {usual:.3f} s of wall time, {statistics.median(cpu for _, cpu, _ in bare):.3f} s of CPU time")
    print(
        "| wall time | runs/s | s per run and worker | beyond the bare run | end states equal |\n|---|---|---|---|---|"
    )
    rates = {}
    for name, jobs, keep in (("1 worker", 1, True), ("1 worker, --no-runs", 1, False), ("2 workers", 2, True)):
        times: list[float] = []
        count = jobs * (COUNT + 1)
        ends = swept(
            folder / f"{jobs}-{keep}",
            count,
            seconds,
            lambda _, t=times: t.append(time.perf_counter()),
            jobs=jobs,
            keep_runs=keep,
        )
        gaps = [b - a for a, b in zip(times[jobs - 1 :], times[jobs:], strict=False)]  # after each worker's first
        rates[name] = len(gaps) / sum(gaps)
        own = jobs / rates[name]
        same = sum(ends[f] == end for f, (_, _, end) in zip(frictions(COUNT + 1)[1:], bare, strict=True))
        beyond = f"{own - usual:.3f} s, {100 * (own - usual) / usual:.1f} %"
        print(f"| {name} | {rates[name]:.3f} | {own:.3f} | {beyond} | {same} of {COUNT} |", flush=True)
    print(f"throughput of 2 workers over 1: {rates['2 workers'] / rates['1 worker']:.2f}")


def main() -> None:
    bare_run(0.5, 0.1)
    _, probe, _ = bare_run(0.5, 0.4)
    seconds = round(0.4 * TARGET / probe, 1)
    folder = Path(tempfile.mkdtemp(prefix="sweep-bench-"))
    print(f"runs of {seconds} s of the scene")
    overhead(folder, seconds)
    if "--cpu" not in sys.argv:
        throughput(folder, seconds)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
