"""Sifakis2008 Fig. 4: volume-preserving impulses (ICR) against Gauss-Seidel impulses, frame by frame from the same states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from signorini.gallery.five_curtains import FPS, FRAMES, build
from signorini.settings import CollisionLoopSettings, Settings
from signorini.simulation.frame_clock import FrameClock
from signorini.simulation.simulation import Simulation
from signorini.studies.comparison import advance_frame, handed_over, load_kernels
from signorini.studies.comparison_records import MethodRun
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target

STIFFNESS = 0.06
"""Of the cloth over that of cotton: 16 loops at CFL 4 then cover a frame, as in the paper."""


def variants() -> dict[str, CollisionLoopSettings]:
    """The methods of the figure, GSx.y with x loops per collision step and CFL y; none may use impact zones.

    `GS16.4i` takes normals at the time of impact instead of at the start of the step.
    """
    base = CollisionLoopSettings(impact_zones=False)
    gauss_seidel = {f"GS{x}.{y}": replace(base, max_loops=x, cfl=float(y)) for x in (16, 64) for y in (1, 4)}
    return {"ICR": base, **gauss_seidel, "GS16.4i": replace(base, normals="impact")}


def compare(resolution: int, frames: int, every: int, progress: Progress) -> dict[str, MethodRun]:
    """ICR runs through; the others do every n-th frame from the state in which it began."""
    interval = 1.0 / FPS
    for method in ("volume", "impulses"):
        load_kernels(method)
    sims = {
        name: Simulation(
            build(resolution=resolution, stiffness=STIFFNESS),
            dt=interval,
            settings=Settings(method="volume" if name == "ICR" else "impulses", collision_loop=loop),
            threads=1,
        )
        for name, loop in variants().items()
    }
    runs = {name: MethodRun(name, interval, energy_at_start=0.0) for name in sims}
    clock = FrameClock(interval, FPS, frames * interval)
    for frame in range(frames):
        start = sims["ICR"].checkpoint(memory=False)
        for name, sim in sims.items():
            if name != "ICR":
                if frame % every:
                    continue
                sim.restore(handed_over(start, sim))
            record, _, reason = advance_frame(sim, frame, clock)
            runs[name].records.append(record)
            runs[name].reason = runs[name].reason or reason
        progress((frame + 1) / frames, f"frame {frame + 1} of {frames}")
        if runs["ICR"].records[-1].failed:
            break
    return runs


def _run(quick: bool, progress: Progress) -> Outcome:
    resolution, frames, every = (13, 80, 8) if quick else (31, FRAMES, 4)
    runs = compare(resolution, frames, every, progress)
    rows = {name: run.row() for name, run in runs.items()}
    icr = rows["ICR"]
    share = {name: row["frames_at_full_interval"] / max(len(runs[name].records), 1) for name, row in rows.items()}
    failed = {name: row["failed_frames"] for name, row in rows.items() if name.startswith("GS")}
    size = f"the first {frames} frames of curtains of {resolution}² vertices; " if quick else ""
    numbers = [
        Number(
            "frames that ICR resolves",
            "all 280",
            f"{len(runs['ICR'].records) - icr['failed_frames']} of {frames}, {icr['intersecting_frames']} "
            "with intersections",
            f"{size}none may use impact zones",
            icr["failed_frames"] == 0 and icr["intersecting_frames"] == 0,
        ),
        Number(
            "ICR treats collisions once per frame",
            "the majority of frames",
            f"{share['ICR']:.0%} of the frames, mean interval {1e3 * icr['mean_collision_interval']:.1f} ms",
            f"{size}16 loops at CFL 4 cover a frame",
            share["ICR"] > 0.5,
        ),
        Number(
            "Gauss-Seidel fails in many frames",
            "did not succeed in many frames",
            "failed frames: " + ", ".join(f"{name} {n}" for name, n in failed.items()),
            "here every pass of Gauss-Seidel searches its pairs again, by a test that misses none; Bridson2002 "
            "and the paper do not say "
            "so of theirs",
            any(failed.values()),
        ),
        Number(
            "CPU time of a frame",
            "in the figure only",
            ", ".join(
                f"{n} {row['cpu_seconds_per_frame']:.2f} s"
                for n, row in rows.items()
                if row["cpu_seconds_per_frame"] is not None
            ),
            "medians; the figure is not known as numbers",
            None,
        ),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots(2, 1, sharex=True)
        for k, (name, run) in enumerate(runs.items()):
            good = [r for r in run.records if not r.failed]
            bad = [r.frame for r in run.records if r.failed]
            style = {"color": f"C{k}", "ms": 3, "lw": 0.9}
            axes[0].plot([r.frame for r in good], [1e3 * r.collision_interval for r in good], ".-", label=name, **style)
            axes[1].semilogy([r.frame for r in good], [r.cpu_seconds for r in good], ".-", **style)
            for axis in axes:
                axis.plot(bad, np.full(len(bad), axis.get_ylim()[0]), "x", color=f"C{k}", ms=4)
        axes[0].set(ylabel="collision interval [ms]", ylim=(0, 19), title="crosses: failed frames")
        axes[0].axhline(1e3 / FPS, color="gray", lw=0.6, ls="--")
        axes[1].set(ylabel="CPU time of a frame [s]", xlabel="frame")
        axes[0].legend(ncol=6, fontsize=7, loc="lower center")

    data = {
        name: {
            "frame": [r.frame for r in run.records],
            "interval": [r.collision_interval for r in run.records],
            "cpu_seconds": [r.cpu_seconds for r in run.records],
            "failed": [r.failed for r in run.records],
        }
        for name, run in runs.items()
    }
    setup = (
        f"`five-curtains`, {resolution}² vertices each, cotton × {STIFFNESS}, {frames} frames, Gauss-Seidel "
        f"on every {every}th"
    )
    return Outcome(numbers, draw, (9.0, 5.5), data, setup)


TARGETS = (
    Target(
        "sifakis2008-fig-4",
        "Sifakis2008",
        "Fig. 4",
        "ICR resolves all frames, mostly once per frame; Gauss-Seidel impulses need shorter intervals and often fail.",
        _run,
        (0.1, 6.0),
    ),
)
