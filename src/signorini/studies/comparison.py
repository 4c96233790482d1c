"""Several methods on one scene: frame by frame what each needed and what came out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from signorini.checks import check_positive
from signorini.errors import InputError, SimulationStoppedError
from signorini.files.runs.run_directory import RunDirectory
from signorini.geometry import shapes
from signorini.methods.report import StepReport
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.frame_clock import FrameClock
from signorini.simulation.penetration import deepest_penetration
from signorini.simulation.simulation import Simulation
from signorini.studies.comparison_methods import method_dt, method_settings
from signorini.studies.comparison_records import FrameRecord, MethodRun

WARM_UP = 1.0 / 60.0
"""Frames of the warm-up [s]."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A scene and how long it is run with each method."""

    scene: Callable[[], Scene]
    """Makes a new one for each method."""
    dt: float
    seconds: float
    fps: float
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        for name, unit in (("dt", "s"), ("seconds", "s"), ("fps", "1/s")):
            check_positive(name, getattr(self, name), unit=unit)
        if self.frame_count == 0:
            raise InputError(f"seconds ({self.seconds:g} s) must be at least one frame of 1/{self.fps:g} s")

    @property
    def interval(self) -> float:
        """Between frames [s]."""
        return 1.0 / self.fps

    @property
    def frame_count(self) -> int:
        return round(self.seconds * self.fps)

    def clock(self, sim: Simulation) -> FrameClock:
        """The frames of a simulation by some method, whose steps fit into them."""
        return FrameClock(sim.dt, self.fps, self.seconds)

    def simulation(self, method: str) -> Simulation:
        """A new simulation by a method."""
        dt = method_dt(method, self.dt, self.interval)
        return Simulation(self.scene(), dt=dt, settings=method_settings(method, self.settings))


def load_kernels(method: str) -> None:
    """Step a small scene, so that the times of a comparison are not those of loading compiled code."""
    settings, dt = method_settings(method, Settings()), method_dt(method, 4e-3, WARM_UP)
    try:
        sim = Simulation(_warm_up_scene(cloth=True), dt=dt, settings=settings)
    except InputError:  # not every method can simulate a cloth
        sim = Simulation(_warm_up_scene(cloth=False), dt=dt, settings=settings)
    while sim.time < 3.0 * WARM_UP:
        sim.step()


def _warm_up_scene(*, cloth: bool) -> Scene:
    scene = Scene(name="warm-up")
    if cloth:
        scene.add_cloth(shapes.grid(0.2, 0.2, cells=2), position=(0.0, 0.0, 0.01), name="sheet")
    block = shapes.box_tets(0.1, 0.1, 0.1, cells=(1, 1, 1))
    scene.add_soft_solid(block, young=1e4, poisson=0.3, density=1e3, position=(0.5, 0.0, 0.055), name="block")
    scene.add_ground()
    return scene


def run_in_turn(comparison: Comparison, method: str, out: Path | None = None) -> Iterator[MethodRun]:
    """Run one method from the start; yields its run after every frame. Frames are stored in the directory `out`.

    A method that cannot go on ends there: its remaining frames count as failed.
    """
    done = MethodRun(method, comparison.interval, frame_count=comparison.frame_count)
    load_kernels(method)
    try:
        sim = comparison.simulation(method)
        store = out and RunDirectory.create(out, sim, seconds=comparison.seconds, fps=comparison.fps)
    except InputError as error:
        done.reason = str(error)
        yield done
        return
    done.directory, done.dt, clock = out, sim.dt, comparison.clock(sim)
    done.energy_at_start = _energy(sim)
    if store:
        store.add_frame()
    for frame in range(comparison.frame_count):
        record, reports, reason = advance_frame(sim, frame, clock)
        done.records.append(record)
        if record.failed:
            done.reason = reason
            rest = range(frame + 1, comparison.frame_count)
            done.records += [FrameRecord(k, (k + 1) * comparison.interval, 0.0, failed=True) for k in rest]
            break
        if store:
            for report in reports:
                store.add_step(report)
            store.add_frame()
        yield done
    if store:
        store.write_checkpoint(status="stopped" if done.reason else "completed", reason=done.reason)
    yield done


def run_frame_by_frame(
    comparison: Comparison, methods: list[str], out: Path | None = None
) -> Iterator[list[MethodRun]]:
    """The first method runs through; the others do each of its frames from the state in which it began (Sifakis2008 §6).

    Yields all runs after every frame; the frames of the first are stored in the directory `out`.
    """
    runs = [MethodRun(name, comparison.interval, frame_count=comparison.frame_count) for name in methods]
    sims = _those_that_can(comparison, runs)
    if not sims or runs[0].reason:
        yield runs
        return
    for _, run in sims:
        load_kernels(run.method)
    leader, runs[0].directory = sims[0][0], out
    store = out and RunDirectory.create(out, leader, seconds=comparison.seconds, fps=comparison.fps)
    if store:
        store.add_frame()
    for frame in range(comparison.frame_count):
        start = leader.checkpoint(memory=False)
        for sim, run in sims:
            if sim is not leader:
                try:
                    sim.restore(handed_over(start, sim))
                except InputError as error:
                    run.records.append(FrameRecord(frame, (frame + 1) * comparison.interval, 0.0, failed=True))
                    run.reason = run.reason or str(error)
                    continue
            record, reports, reason = advance_frame(sim, frame, comparison.clock(sim))
            run.records.append(record)
            run.reason = run.reason or reason
            if sim is leader and store and not record.failed:
                for report in reports:
                    store.add_step(report)
                store.add_frame()
        yield runs
        if runs[0].records[-1].failed:
            break
    if store:
        store.write_checkpoint(status="stopped" if runs[0].reason else "completed", reason=runs[0].reason)


def _those_that_can(comparison: Comparison, runs: list[MethodRun]) -> list[tuple[Simulation, MethodRun]]:
    """Simulations of the methods that take the scene; the others get the reason why not."""
    sims = []
    for run in runs:
        try:
            sims.append((comparison.simulation(run.method), run))
            run.energy_at_start, run.dt = _energy(sims[-1][0]), sims[-1][0].dt
        except InputError as error:
            run.reason = str(error)
    return sims


def _energy(sim: Simulation) -> float:
    """Of the present state [J]."""
    return next(sim.run(seconds=sim.dt)).report.total_energy


def handed_over(state: dict[str, Any], sim: Simulation) -> dict[str, Any]:
    """The state of one method, without its memory, as another one with its own steps can take it up."""
    step = round(float(state["time"]) / sim.dt)
    return state | {"dt": np.array(sim.dt), "step_index": np.array(step)}


def advance_frame(sim: Simulation, frame: int, clock: FrameClock) -> tuple[FrameRecord, list[StepReport], str]:
    """One frame: its record, the reports of its steps, and why it failed if it did."""
    reports, reason = [], ""
    started = time.process_time()
    try:
        while sim.step_index < clock.step_of(frame + 1):
            reports.append(sim.step())
    except SimulationStoppedError as error:
        reason = str(error)
    cpu = time.process_time() - started
    record = FrameRecord(
        frame=frame,
        time=sim.time,
        cpu_seconds=cpu,
        failed=bool(reason),
        steps=len(reports),
        failsafe_steps=sum(r.failsafe_substeps for r in reports),
        halvings=sum(r.halvings for r in reports),
        collision_interval=max((r.collision_interval for r in reports), default=0.0),
        contacts=max((r.contact_count for r in reports), default=0),
        intersections=0 if reason else sim.intersections(),
        penetration=0.0 if reason else deepest_penetration(sim),
        min_distance=min((r.min_distance for r in reports), default=math.inf),
        total_energy=reports[-1].total_energy if reports else 0.0,
        residual=max((max(r.complementarity_residual, r.momentum_residual) for r in reports), default=0.0),
        solves=sum(r.solves for r in reports),
        solves_converged=sum(r.solves_converged for r in reports),
    )
    return record, reports, reason
