"""The output directory of a run: scene, trajectory, steps, checkpoint and summary, each safe against a kill.

    OUT/scene.toml, OUT/meshes/   everything that is needed to run it again
    OUT/trajectory.zarr/          frames
    OUT/contacts/                 contacts of every frame, on request
    OUT/steps.csv                 one row per step
    OUT/checkpoint/state.npz      the exact state to resume from
    OUT/summary.json              the run in numbers
    OUT/run.lock                  only while a process writes: which one

Files that are replaced are written beside and then renamed: a reader finds the old or the new one, never a part of it.
A checkpoint is written after the frames and rows that belong to it and says how many they are: resuming drops the rest.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from signorini import __version__
from signorini.errors import InputError
from signorini.files.runs.checkpoint_file import Progress, write_checkpoint_file
from signorini.files.runs.frame_contacts import ContactsWriter, has_contacts
from signorini.files.runs.output_directory import claim_directory, disk_errors, remove_partial_files, replace_file
from signorini.files.runs.run_lock import RunLock
from signorini.files.runs.step_table import StepTable, read_steps, step_row
from signorini.files.runs.summary import RunStatistics, finite, peak_memory_mb, read_notes
from signorini.files.runs.trajectory import TrajectoryBody, TrajectoryPlane
from signorini.files.runs.trajectory_fields import FieldsWriter
from signorini.files.runs.trajectory_writer import TrajectoryWriter
from signorini.files.scenes.scene_writer import save_scene
from signorini.methods.report import StepReport
from signorini.scene.half_space import HalfSpace
from signorini.scene.scene import Scene
from signorini.scene.sizes import body_sizes
from signorini.settings import settings_table, solver_name
from signorini.simulation.frame_readout import frame_readout, material_states

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation

CHECKPOINT_SECONDS = 5.0
"""Wall time between checkpoints [s]: at most so much work is lost when the process is killed."""


@dataclass(slots=True)
class RunDirectory:
    """Writes the files of one run. Make it with `create` or `reopen`."""

    path: Path
    sim: Simulation
    seconds: float
    fps: float
    lock: RunLock
    trajectory: TrajectoryWriter
    steps: StepTable
    contacts: ContactsWriter | None = None
    """Writes contacts, if the run was asked for them."""
    fields: FieldsWriter | None = None
    """Writes fields, if the run was asked for them."""
    progress: Progress = field(default_factory=Progress)
    statistics: RunStatistics = field(default_factory=RunStatistics)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    """Sizes and masses of the bodies at the start, once the first summary was made."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What the summary says that cannot be computed: `options` of the scene, and whether it is `recorded`."""
    saves_states: bool = True
    """Whether a checkpoint is written every `CHECKPOINT_SECONDS`, and not only at the end."""
    _started: tuple[float, float] = (0.0, 0.0)
    _last_checkpoint: float = -math.inf

    @classmethod
    def create(
        cls,
        path: str | Path,
        sim: Simulation,
        *,
        seconds: float,
        fps: float,
        force: bool = False,
        contacts: bool = False,
        fields: bool = False,
        options: Mapping[str, Any] | None = None,
        recorded: bool = False,
        hold: int = 0,
        saves_states: bool = True,
    ) -> RunDirectory:
        """Make the directory of a new run; `force` replaces an earlier run, and nothing else.

        `contacts` and `fields` of every frame are stored if they are asked for. `options` are what the scene was made with,
        and `recorded` says that it is stepped by hand, both for the summary. Frames of up to `hold` bytes are kept in memory
        between two checkpoints; without `saves_states` there is only the last.
        """
        out, frames = Path(path), math.ceil(min(seconds * fps, seconds / sim.dt)) + 1
        needed = frames * sum(body.positions.size * 8 for body in sim.bodies.values()) + 1_000_000
        with disk_errors(out):
            lock = claim_directory(out, force=force, needed=needed, needed_for=f"{frames} frames")
            how = {"dt": sim.dt, "seconds": seconds, "fps": fps, "settings": sim.settings}
            save_scene(out / "scene.toml", sim.scene, **how)
            bodies, planes = trajectory_bodies(sim), half_spaces(sim.scene)
            trajectory = TrajectoryWriter.create(out / "trajectory.zarr", bodies, half_spaces=planes, hold=hold)
            steps, stored = StepTable(out / "steps.csv"), ContactsWriter(out) if contacts else None
            carried = trajectory.fields_writer() if fields else None
            run = cls(
                out,
                sim,
                seconds,
                fps,
                lock,
                trajectory,
                steps,
                stored,
                carried,
                saves_states=saves_states,
                _started=_clocks(),
            )
            run.notes = {"recorded": recorded, "options": dict(options or {})}
            run.write_summary(run.summary(status="running"))  # its notes are kept by whoever resumes
            return run

    @classmethod
    def reopen(
        cls, path: Path, lock: RunLock, sim: Simulation, progress: Progress, *, seconds: float, fps: float
    ) -> RunDirectory:
        """Continue the run in `path` after its checkpoint, which the simulation has returned to.

        Everything is read and compared before anything is dropped.
        """
        rows = read_steps(path / "steps.csv")[: progress.step_count]
        last = rows[-1]["index"] if rows else sim.step_index
        if len(rows) < progress.step_count:
            raise InputError(f"cannot resume {str(path)!r}: steps.csv has {len(rows)} steps of {progress.step_count}")
        if last != sim.step_index:
            raise InputError(
                f"cannot resume {str(path)!r}: the checkpoint is of step {sim.step_index}, and row {len(rows)} of steps.csv is "
                f"of step {last}"
            )
        statistics = RunStatistics(
            intersecting_frames=progress.intersecting_frames, nested_frames=progress.nested_frames
        )
        for row in rows:
            statistics.add(row)
        with disk_errors(path):
            counts = {name: len(body.positions) for name, body in sim.bodies.items()}
            trajectory = TrajectoryWriter.reopen(
                path / "trajectory.zarr", frame_count=progress.frame_count, vertex_counts=counts
            )
            steps = StepTable(path / "steps.csv", keep_rows=progress.step_count)
            remove_partial_files(path)
            stored = ContactsWriter(path, keep_frames=progress.frame_count) if has_contacts(path) else None
            carried = trajectory.fields_writer() if trajectory.has_fields else None
        writers = (trajectory, steps, stored, carried)
        run = cls(path, sim, seconds, fps, lock, *writers, progress, statistics, _started=_clocks())
        run.notes = read_notes(path / "summary.json")
        return run

    def close(self) -> None:
        """Let other processes write to the directory."""
        self.lock.release()

    def add_step(self, report: StepReport) -> None:
        """Record a step; it is on disk after the next frame or checkpoint."""
        row = step_row(report)
        self.steps.append(row)
        self.statistics.add(row)
        self.progress.step_count += 1

    def add_frame(self) -> None:
        """Write the present state as a frame, and a checkpoint if the last one is old."""
        self.statistics.intersecting_frames += self.sim.intersections() > 0
        self.statistics.nested_frames += len(self.sim.nested()) > 0
        with disk_errors(self.path):
            positions = {name: body.positions for name, body in self.sim.bodies.items()}
            self._add_readout(self.trajectory.frame_count)  # before the frame, which exists from then on
            self.trajectory.append(self.sim.time, positions)
            self.progress.frame_count = self.trajectory.frame_count
            if not self.trajectory.holds_frames:
                self.steps.flush()
        if self.saves_states and time.monotonic() - self._last_checkpoint >= CHECKPOINT_SECONDS:
            self.write_checkpoint()

    def _add_readout(self, frame: int) -> None:
        """Write contacts and fields, as far as the run was asked for them."""
        if self.contacts is None and self.fields is None:
            return
        states = material_states(self.sim)
        if self.contacts is not None:
            self.contacts.write(frame, frame_readout(self.sim, states))
        if self.fields is not None:
            self.fields.write(frame, self.sim, states)

    def write_checkpoint(self, *, status: str = "running", reason: str = "") -> dict[str, Any]:
        """Write the exact state and the summary so far; returns the summary."""
        wall, cpu = (now - then for now, then in zip(_clocks(), self._started, strict=True))
        self._started = _clocks()
        self.progress.wall_seconds += wall
        self.progress.cpu_seconds += cpu
        self.progress.seconds = self.seconds
        self.progress.intersecting_frames = self.statistics.intersecting_frames
        self.progress.nested_frames = self.statistics.nested_frames
        summary = self.summary(status=status, reason=reason)
        with disk_errors(self.path):
            self.trajectory.flush()
            self.steps.flush()
            write_checkpoint_file(self.path, self.sim.checkpoint(), self.progress)
            self.write_summary(summary)
        self._last_checkpoint = time.monotonic()
        return summary

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        """Replace summary.json."""
        text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        replace_file(self.path / "summary.json", lambda f: f.write(text.encode()))

    def summary(self, *, status: str, reason: str = "") -> dict[str, Any]:
        """The contents of summary.json. An infinite `min_distance` (nothing was ever near) is null."""

        sim = self.sim
        if not self.bodies:
            self.bodies = [size.to_table() for size in body_sizes(sim.scene.bodies)]
        head = {
            "version": __version__,
            "scene": sim.scene.name,
            "status": status,
            "end_reason": reason,
            "method": sim.settings.method,
            "solver": solver_name(sim.settings.solver),
            "dt": sim.dt,
            "threads": int(getattr(sim, "threads", 1)),
            "requested_seconds": self.seconds,
            "simulated_seconds": float(sim.time),
            "wall_seconds": self.progress.wall_seconds,
            "cpu_seconds": self.progress.cpu_seconds,
            "frames": self.progress.frame_count,
            "contact_distance": float(sim.contact_distance),
            "contact_distance_reason": getattr(sim, "contact_distance_reason", ""),
            "contact_distance_note": getattr(sim, "contact_distance_note", ""),
            "ignored_contacts": [list(pair) for pair in sim.ignored_contacts],
            "contact_tolerance": float(sim.contact_tolerance),
            **self.notes,
            "settings": settings_table(sim.settings),
            "peak_memory_mb": peak_memory_mb(),
            "bodies": self.bodies,
        }
        return finite(head | self.statistics.as_dict())


def trajectory_bodies(sim: Simulation) -> dict[str, TrajectoryBody]:
    """The bodies of a simulation, as trajectories have them."""
    found = {}
    for name, body in sim.bodies.items():
        own, triangles = sim.scene.bodies[name], np.asarray(body.triangles)
        found[name] = TrajectoryBody(
            name, body.kind, triangles, len(body.positions), body.edges, own.color or "", own.finish or "", own.faces
        )
    return found


def half_spaces(scene: Scene) -> list[TrajectoryPlane]:
    """The half-spaces of a scene, as trajectories have them."""
    return [_plane(body) for body in scene.bodies.values() if isinstance(body, HalfSpace)]


def _plane(body: HalfSpace) -> TrajectoryPlane:
    x, y, z = (float(c) for c in body.normal)
    return TrajectoryPlane(body.name, (x, y, z), body.height)


def _clocks() -> tuple[float, float]:
    return time.monotonic(), time.process_time()
