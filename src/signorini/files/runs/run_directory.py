"""The output directory of a run: scene, trajectory, steps, checkpoint and summary, each safe against a kill.

    OUT/scene.toml, OUT/meshes/   everything that is needed to run it again
    OUT/trajectory.zarr/          frames
    OUT/steps.csv                 one row per step
    OUT/checkpoint/state.npz      the exact state to resume from
    OUT/summary.json              the run in numbers

Files that are replaced are written beside and then renamed: a reader finds the old or the new one, never a part of it.
A checkpoint is written after the frames and rows that belong to it and says how many they are: resuming drops the rest.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import DiskFullError, InputError
from signorini.files.meshes.surface_meshes import read_arrays
from signorini.files.runs.step_table import StepTable, read_steps, step_row
from signorini.files.runs.summary import RunStatistics, finite, peak_memory_mb
from signorini.files.runs.trajectory import TrajectoryBody, TrajectoryPlane, TrajectoryWriter
from signorini.files.scenes.scene_writer import save_scene
from signorini.methods.report import StepReport
from signorini.scene.half_space import HalfSpace
from signorini.settings import solver_name

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation

CHECKPOINT_SECONDS = 5.0
"""Wall time between checkpoints [s]: at most so much work is lost when the process is killed."""
_WRITTEN_BY_RUNS = {"scene.toml", "meshes", "trajectory.zarr", "checkpoint", "steps.csv", "summary.json"}
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Numbers of the errors of the operating system that mean that there is no room for a file."""


@dataclass(slots=True)
class Progress:
    """Progress of a run, stored with each checkpoint."""

    frame_count: int = 0
    """Frames on disk."""
    step_count: int = 0
    """Steps done, each a row of steps.csv."""
    next_frame: int = 1
    """Number k of the next frame; its time is k / fps."""
    seconds: float = 0.0
    """Simulated time that was asked for [s]."""
    wall_seconds: float = 0.0
    """Wall time spent, summed over resumes [s]."""
    cpu_seconds: float = 0.0
    """CPU time spent, summed over resumes [s]."""
    intersecting_frames: int = 0
    """Frames in which an edge passes through a triangle."""


@dataclass(slots=True)
class RunDirectory:
    """Writes the files of one run. Make it with `create` or `reopen`."""

    path: Path
    sim: Simulation
    seconds: float
    fps: float
    trajectory: TrajectoryWriter
    steps: StepTable
    progress: Progress = field(default_factory=Progress)
    statistics: RunStatistics = field(default_factory=RunStatistics)
    _started: tuple[float, float] = (0.0, 0.0)
    _last_checkpoint: float = -math.inf

    @classmethod
    def create(
        cls, path: str | Path, sim: Simulation, *, seconds: float, fps: float, force: bool = False
    ) -> RunDirectory:
        """Make the directory of a new run; `force` replaces an earlier run, and nothing else."""
        out = Path(path)
        claim_directory(out, force=force)
        with disk_errors(out):
            check_space(out, sim, frames=int(seconds * fps) + 1)
            options = {"dt": sim.dt, "seconds": seconds, "fps": fps, "settings": sim.settings}
            save_scene(out / "scene.toml", sim.scene, **options)
            bodies = {
                name: TrajectoryBody(name, body.kind, np.asarray(body.triangles), len(body.positions), body.edges)
                for name, body in sim.bodies.items()
            }
            planes = [_plane(body) for body in sim.scene.bodies.values() if isinstance(body, HalfSpace)]
            trajectory = TrajectoryWriter.create(out / "trajectory.zarr", bodies, half_spaces=planes)
            return cls(out, sim, seconds, fps, trajectory, StepTable(out / "steps.csv"), _started=_clocks())

    @classmethod
    def reopen(
        cls, path: Path, sim: Simulation, state: dict[str, Any], progress: Progress, *, seconds: float, fps: float
    ) -> RunDirectory:
        """Continue the run in `path` from a checkpoint; the simulation gets its state."""
        with disk_errors(path):
            trajectory = TrajectoryWriter.reopen(path / "trajectory.zarr", frame_count=progress.frame_count)
            steps = StepTable(path / "steps.csv", keep_rows=progress.step_count)
        rows = read_steps(path / "steps.csv")
        if len(rows) < progress.step_count:
            raise InputError(f"cannot resume {str(path)!r}: steps.csv has {len(rows)} steps of {progress.step_count}")
        sim.restore(state)
        run = cls(path, sim, seconds, fps, trajectory, steps, progress, _started=_clocks())
        for row in rows:
            run.statistics.add(row)
        run.statistics.intersecting_frames = progress.intersecting_frames
        return run

    def add_step(self, report: StepReport) -> None:
        """Record a step; it is on disk after the next frame or checkpoint."""
        self.steps.append(report)
        self.statistics.add(step_row(report))
        self.progress.step_count += 1

    def add_frame(self) -> None:
        """Write the present state as a frame, and a checkpoint if the last one is old."""
        self.statistics.intersecting_frames += self.sim.intersections() > 0
        with disk_errors(self.path):
            positions = {name: body.positions for name, body in self.sim.bodies.items()}
            self.trajectory.append(self.sim.time, positions)
            self.progress.frame_count = self.trajectory.frame_count
            self.steps.flush()
        if time.monotonic() - self._last_checkpoint >= CHECKPOINT_SECONDS:
            self.write_checkpoint()

    def write_checkpoint(self, *, status: str = "running", reason: str = "") -> dict[str, Any]:
        """Write the exact state and the summary so far; returns the summary."""
        wall, cpu = (now - then for now, then in zip(_clocks(), self._started, strict=True))
        self._started = _clocks()
        self.progress.wall_seconds += wall
        self.progress.cpu_seconds += cpu
        self.progress.seconds = self.seconds
        self.progress.intersecting_frames = self.statistics.intersecting_frames
        summary = self.summary(status=status, reason=reason)
        with disk_errors(self.path):
            self.steps.flush()
            arrays: dict[str, Any] = {f"state/{name}": array for name, array in self.sim.checkpoint().items()}
            arrays |= {f"progress/{name}": np.array(value) for name, value in asdict(self.progress).items()}
            (self.path / "checkpoint").mkdir(exist_ok=True)
            replace_file(self.path / "checkpoint" / "state.npz", lambda f: np.savez(f, **arrays))
            text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
            replace_file(self.path / "summary.json", lambda f: f.write(text.encode()))
        self._last_checkpoint = time.monotonic()
        return summary

    def summary(self, *, status: str, reason: str = "") -> dict[str, Any]:
        """The contents of summary.json. An infinite `min_distance` (nothing was ever near) is null."""
        from importlib.metadata import version

        sim = self.sim
        head = {
            "version": version("signorini"),
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
            "contact_tolerance": float(sim.contact_tolerance),
            "peak_memory_mb": peak_memory_mb(),
        }
        return finite(head | self.statistics.as_dict())


def read_checkpoint(path: Path) -> tuple[dict[str, NDArray[Any]], Progress]:
    """The state and progress that a run can be resumed from."""
    file = path / "checkpoint" / "state.npz"
    if not path.is_dir():
        raise InputError(f"cannot resume {str(path)!r}: the directory does not exist")
    if not file.exists():
        raise InputError(f"cannot resume {str(path)!r}: it has no checkpoint (is it the output directory of a run?)")
    arrays = read_arrays(file)
    state = {name.removeprefix("state/"): array for name, array in arrays.items() if name.startswith("state/")}
    progress = {n.removeprefix("progress/"): a.item() for n, a in arrays.items() if n.startswith("progress/")}
    return state, Progress(**progress)


def check_directory(out: Path, *, force: bool) -> None:
    """Refuse a directory that exists, unless it is empty, or `force` is given and it is a run. Changes nothing."""
    if out.exists() and not out.is_dir():
        raise InputError(f"output directory {str(out)!r} is a file: choose another with -o")
    if out.is_dir() and any(out.iterdir()):
        if not force:
            raise InputError(
                f"output directory {str(out)!r} exists already: choose another with -o, overwrite it with --force, "
                f"or continue it with `signorini resume {out}`"
            )
        foreign = sorted(
            entry.name for entry in out.iterdir() if entry.name not in _WRITTEN_BY_RUNS and not _is_product(entry)
        )
        if foreign:
            raise InputError(
                f"output directory {str(out)!r} is not overwritten, because it contains {foreign[0]!r}, which no run "
                "writes: choose another with -o, or empty it yourself"
            )


def claim_directory(out: Path, *, force: bool) -> None:
    """Make the directory, after removing the earlier run that `force` allows to replace."""
    check_directory(out, force=force)
    with disk_errors(out):
        if out.is_dir():
            shutil.rmtree(out)
        try:
            out.mkdir(parents=True, exist_ok=True)
        except (PermissionError, FileExistsError, NotADirectoryError) as error:
            raise InputError(f"output directory {str(out)!r} cannot be made: {error.strerror}") from None


def check_space(out: Path, sim: Simulation, *, frames: int) -> None:
    """Refuse a run whose trajectory has no room on the disk (counted without compression)."""
    needed = frames * sum(body.positions.size * 8 for body in sim.bodies.values()) + 1_000_000
    free = shutil.disk_usage(out).free
    if free < needed:
        _remove_empty(out)
        raise InputError(
            f"the disk of output directory {str(out)!r} is full: {frames} frames need up to {needed / 1e6:.0f} MB and "
            f"{free / 1e6:.0f} MB are free; choose another disk with -o, or fewer frames with --fps or --seconds"
        )


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn a full disk into a `DiskFullError` with one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise DiskFullError(
                f"the disk is full ({error.strerror}): what was written to {str(path)!r} stays readable; make room and "
                f"continue with `signorini resume {path}`"
            ) from error
        raise


def replace_file(file: Path, write: Callable[[Any], Any]) -> None:
    """Write a file beside `file` and rename it, so that `file` is always complete."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.partial")
    try:
        with temporary.open("wb") as stream:
            write(stream)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_product(entry: Path) -> bool:
    return entry.suffix in (".png", ".mp4") or entry.name.endswith(".partial")


def _remove_empty(out: Path) -> None:
    with contextlib.suppress(OSError):
        out.rmdir()


def _plane(body: HalfSpace) -> TrajectoryPlane:
    x, y, z = (float(c) for c in body.normal)
    return TrajectoryPlane(body.name, (x, y, z), body.height)


def _clocks() -> tuple[float, float]:
    return time.monotonic(), time.process_time()
