"""Sweeps: throughput of two workers against one, and what a run costs beyond the simulation itself.

The scene is a small cloth on a ball, run so long that the bare simulation takes about two seconds. Accuracy beside time: every
run, however it was done, must end in the same bits. Numbers are published in docs/sweeps.md.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from signorini.studies.sweep.worker import ENVIRONMENT

os.environ.update(ENVIRONMENT)  # this process simulates as a worker does

import signorini as sg
from signorini.studies.sweep.design import parameter_sets
from signorini.studies.sweep.plan import make_plan
from signorini.studies.sweep.scene_source import GallerySource
from signorini.studies.sweep.sweep_runs import SweepOptions, run_sweep
from signorini.studies.sweep.values import Choices

TARGET = 2.0
"""Wall time of a bare run [s]."""
FIXED = {"resolution": 12, "dt": 4e-3, "fps": 30.0}


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


def swept(out: Path, count: int, seconds: float, **options) -> tuple[list[float], list[dict]]:
    """Wall times between the ends of consecutive runs after each worker's first, and the rows."""
    import contextlib

    plan = make_plan(
        GallerySource("drape"),
        parameter_sets({"friction": Choices(tuple(frictions(count)))}),
        fixed={**FIXED, "seconds": seconds},
        metrics=["final_height", "extent"],
    )
    ends: list[float] = []
    jobs = options["jobs"]
    table = run_sweep(
        plan,
        out,
        SweepOptions(**options),
        display=lambda progress: contextlib.nullcontext(lambda outcome: ends.append(time.perf_counter())),
    )
    return [b - a for a, b in zip(ends[jobs - 1 :], ends[jobs:], strict=False)], table.rows


def main() -> None:
    bare_run(0.5, 0.1)
    _, probe, _ = bare_run(0.5, 0.4)
    seconds = round(0.4 * TARGET / probe, 1)
    count = 5
    bare = [bare_run(friction, seconds) for friction in frictions(count + 1)][1:]
    usual, cpu = (statistics.median(run[k] for run in bare) for k in (0, 1))
    print(f"bare run of {seconds} s: {usual:.3f} s, {cpu:.3f} s of CPU (medians of {count})")
    folder, rates = Path(tempfile.mkdtemp(prefix="sweep-bench-")), {}
    print(
        "| | runs/s | s per run and worker | beyond the bare run | end states equal to the bare ones |\n|---|---|---|---|---|"
    )
    for name, jobs, keep in (("1 worker", 1, True), ("1 worker, --no-runs", 1, False), ("2 workers", 2, True)):
        out = folder / f"{jobs}-{keep}"
        gaps, rows = swept(out, jobs * (count + 1), seconds, jobs=jobs, keep_runs=keep)
        rates[name] = len(gaps) / sum(gaps)
        own = jobs / rates[name]
        digests = {row["friction"]: row["state_hash"] for row in rows}
        same = sum(digests[f] == digest for f, (_, _, digest) in zip(frictions(count + 1)[1:], bare, strict=True))
        beyond = f"{own - usual:.3f} s, {100 * (own - usual) / usual:.1f} %"
        print(f"| {name} | {rates[name]:.3f} | {own:.3f} | {beyond} | {same} of {count} |")
    print(f"throughput of 2 workers over 1: {rates['2 workers'] / rates['1 worker']:.2f}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
