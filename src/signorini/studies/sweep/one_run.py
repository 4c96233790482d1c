"""One run of a sweep, in whatever process: from a parameter set to a row of the table."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from signorini import __version__
from signorini.errors import DiskFullError, InputError, SimulationStoppedError
from signorini.files.runs.output_directory import PARTIAL, NoRoomError, disk_errors, remove_entry
from signorini.files.runs.run_directory import RunDirectory
from signorini.files.runs.step_table import step_row
from signorini.files.runs.summary import RunStatistics, finite, peak_memory_mb
from signorini.files.scenes.loaded_scene import SceneFile
from signorini.files.scenes.scene_writer import scene_digest
from signorini.linalg.blas_threads import one_blas_thread
from signorini.methods.report import StepReport
from signorini.simulation.frame_clock import FrameClock
from signorini.simulation.simulation import Simulation
from signorini.studies.sweep.dataset import Layout, RunFrames
from signorini.studies.sweep.limits import LimitError, Limits
from signorini.studies.sweep.metrics import RunRecord, cells, find_metrics, measured, problem
from signorini.studies.sweep.plan import Plan, PlannedRun

ROW_FILE = "row.json"
"""The row of a run in its directory: a run whose process was killed before the row got into the journal is not done again."""
HELD_FRAMES = 50_000_000
"""Memory of frames that a run holds before it writes them, all at once [bytes]; a run that is killed is done again anyway."""
SUMMARY = (
    "steps", "step_halvings", "failsafe_steps", "max_contacts", "mean_contacts", "solves", "solves_converged",
    "outer_iterations", "unsolved_steps", "over_budget_steps", "friction_loss", "other_loss", "energy_surplus",
    "energy_removed", "min_distance", "max_penetration_residual", "intersection_free",
)  # fmt: skip
"""Entries of the summary of a run that are columns of the table: all that do not depend on the machine."""


@dataclass(frozen=True, slots=True)
class Job:
    """Description of the runs of a sweep, the same for all."""

    plan: Plan
    out: Path
    """Absolute path of the sweep's directory."""
    folder: Path
    """Where modules of metrics may lie."""
    keep_runs: bool
    """Whether each run writes a run directory."""
    layout: Layout | None = None
    """Layout of the data set, if there is one."""
    limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class Outcome:
    """Outcome of a run: its row without the columns that the plan knows."""

    id: str
    status: str
    """completed, stopped, failed, timeout, memory or crashed."""
    reason: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    """Cells that are the same wherever and whenever the run is done."""
    measured: dict[str, Any] = field(default_factory=dict)
    """Cells that depend on the machine: times, memory, attempts."""
    transient: bool = False
    """Whether it may come out differently the next time: worth another attempt."""


def perform(job: Job, planned: PlannedRun) -> Outcome:
    """Do a run. Whatever goes wrong in it is an outcome; only a full disk raises."""
    kept = job.out / "runs" / planned.id
    known = _finished(kept)
    if known is not None:
        return known
    partial = kept.with_name(f".{planned.id}.{os.getpid()}{PARTIAL}")
    wall, cpu = time.monotonic(), time.process_time()
    outcome = Outcome(planned.id, "completed", values={"version": __version__})
    try:
        with disk_errors(job.out), one_blas_thread(), job.limits.watched():
            _simulate(job, planned, partial, outcome)
    except (DiskFullError, NoRoomError) as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise DiskFullError(str(error)) from error
    except SimulationStoppedError as error:
        outcome.status, outcome.reason = "stopped", str(error)
    except LimitError as error:
        outcome.status, outcome.reason = error.status, str(error)
    except InputError as error:
        outcome.status, outcome.reason = "failed", str(error)
    except (MemoryError, OSError) as error:
        outcome.status, outcome.reason, outcome.transient = "failed", problem("the run", error), True
    except Exception as error:
        outcome.status, outcome.reason = "failed", problem("the run", error)
    outcome.measured = {
        "wall_seconds": time.monotonic() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "peak_memory_mb": finite(peak_memory_mb()),
    }
    with disk_errors(job.out):
        _keep(partial, kept, outcome)
    return outcome


def _simulate(job: Job, planned: PlannedRun, partial: Path, outcome: Outcome) -> None:
    """Make the scene and run it; `outcome` takes what is known, also if an exception ends the run."""
    parameters = job.plan.settings_of(planned)
    made = job.plan.source.make(parameters)
    if isinstance(made, Simulation):
        usual = {
            key: parameters.get(key) or getattr(job.plan.source, "usual", {}).get(key) for key in ("seconds", "fps")
        }
        times = {key: value for key, value in usual.items() if value is not None}
        sim, file = made, SceneFile(scene=made.scene, dt=made.dt, settings=made.settings, **times)
    else:
        sim, file = Simulation(made.scene, dt=made.dt, settings=made.settings), made
    times = {"dt": sim.dt, "seconds": file.seconds, "fps": file.fps}
    outcome.values["scene_hash"] = scene_digest(file.scene, **times, settings=file.settings)
    if job.plan.run is not None:
        outcome.values |= cells("result", job.plan.run(sim))
        outcome.values["state_hash"] = _state_digest(sim)
        return
    frames = None if job.layout is None else RunFrames(job.layout, sim)
    record = _Record(sim, file, frames)
    try:
        if job.keep_runs:
            remove_entry(partial)
            options = {"seconds": file.seconds, "fps": file.fps, "hold": HELD_FRAMES, "saves_states": False}
            with contextlib.closing(RunDirectory.create(partial, sim, **options)) as run:
                record.run(job.limits.check, run)
        else:
            record.run(job.limits.check, None)
    finally:
        outcome.values |= record.summary()
    functions = find_metrics(job.plan.metrics, job.folder)
    values, problems = measured(functions, RunRecord(sim, parameters, record.reports, record.times))
    outcome.values |= finite(values)
    outcome.reason = "; ".join(problems)
    if frames is not None:
        outcome.values["dataset_sha256"] = frames.write(job.out / "dataset.zarr", planned.number)


class _Record:
    """The steps and frames of a run, as they are done."""

    def __init__(self, sim: Simulation, file: SceneFile, frames: RunFrames | None):
        self.sim, self.file, self.frames = sim, file, frames
        self.reports: list[StepReport] = []
        self.times: list[float] = []
        self.statistics = RunStatistics()

    def run(self, check: Callable[[], None], run: RunDirectory | None) -> None:
        """Step to the end, as `signorini run` does; `check` raises if a limit is exceeded."""
        clock, following = FrameClock(self.sim.dt, self.file.fps, self.file.seconds), 1
        if run is not None:
            self.statistics = run.statistics
        try:
            self._frame(run)
            while self.sim.step_index < clock.last_step:
                report = self.sim.step()
                self.reports.append(report)
                if run is None:
                    self.statistics.add(step_row(report))
                else:
                    run.add_step(report)
                if clock.is_frame(self.sim.step_index, following):
                    following = clock.frame_after(self.sim.step_index, following)
                    if run is not None:
                        run.progress.next_frame = following
                    self._frame(run)
                check()
        except (SimulationStoppedError, LimitError) as error:
            if run is not None and not isinstance(error, DiskFullError):
                run.write_checkpoint(status="stopped", reason=str(error))
            raise
        if run is not None:
            run.write_checkpoint(status="completed", reason="reached the requested time")

    def _frame(self, run: RunDirectory | None) -> None:
        self.times.append(self.sim.time)
        if self.frames is not None:
            self.frames.add(self.sim)
        if run is None:
            self.statistics.intersecting_frames += self.sim.intersections() > 0
            self.statistics.nested_frames += len(self.sim.nested()) > 0
            return
        run.add_frame()

    def summary(self) -> dict[str, Any]:
        """The columns of the table that every run has."""
        whole = self.statistics.as_dict()
        head = {"simulated_seconds": float(self.sim.time), "frames": len(self.times)}
        return finite(head | {name: whole[name] for name in SUMMARY} | {"state_hash": _state_digest(self.sim)})


def _state_digest(sim: Simulation) -> str:
    """The first 16 digits of the SHA-256 of positions, velocities and orientations: equal only for equal bits."""
    total = hashlib.sha256()
    for array in (sim.state.q, sim.state.v, sim.state.rotations):
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:16]


def _finished(kept: Path) -> Outcome | None:
    """The outcome of a run that is complete on disk but that the journal does not know."""
    try:
        stored: Mapping[str, Any] = json.loads((kept / ROW_FILE).read_bytes())
        outcome = Outcome(**stored)
    except (OSError, ValueError, TypeError):
        return None
    return outcome if outcome.status == "completed" and not outcome.reason else None


def _keep(partial: Path, kept: Path, outcome: Outcome) -> None:
    """Give the run directory its name, all at once; one without frames is of no use."""
    if not partial.is_dir():
        return
    if not (partial / "trajectory.zarr").is_dir():
        shutil.rmtree(partial, ignore_errors=True)
        return
    stored = {name: getattr(outcome, name) for name in Outcome.__slots__}
    (partial / ROW_FILE).write_text(json.dumps(stored), encoding="utf-8")
    remove_entry(kept)
    partial.rename(kept)
