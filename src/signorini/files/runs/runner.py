"""Run a simulation into an output directory, with a progress bar; interrupt it and resume it."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from signorini.checks import check_path, check_positive
from signorini.errors import InputError, MissingExtraError, SimulationStoppedError, shortened
from signorini.files.runs.checkpoint_file import Progress, checkpoint_file, read_checkpoint
from signorini.files.runs.output_directory import disk_errors
from signorini.files.runs.run_directory import RunDirectory
from signorini.files.runs.run_lock import RunLock
from signorini.files.scenes.scene_file import load_scene
from signorini.simulation.auto_step import check_frames
from signorini.simulation.frame_clock import FrameClock

if TYPE_CHECKING:
    from signorini.methods.report import StepReport
    from signorini.simulation.simulation import Simulation


def run_to_directory(
    sim: Simulation,
    *,
    seconds: float,
    out: str | Path,
    fps: float = 30.0,
    force: bool = False,
    progress: bool = False,
    contacts: bool = False,
    fields: bool = False,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Run for `seconds` of simulated time, write everything to the directory `out`, and return its summary.

    A simulation that cannot go on raises `SimulationStoppedError`, and Ctrl-C raises `KeyboardInterrupt` at the end of
    the step; in both cases everything up to there is on disk and `resume_directory` continues it. `contacts` and `fields`
    store those of every frame; `options` are what the scene was made with, for the summary.
    """
    clock = FrameClock(sim.dt, fps, seconds)
    check_frames(sim.dt, sim.settings, fps)
    stored: dict[str, Any] = {"contacts": contacts, "fields": fields, "options": options}
    run = RunDirectory.create(out, sim, seconds=seconds, fps=fps, force=force, **stored)
    return _drive(run, clock, progress=progress)


def resume_directory(
    out: str | Path,
    *,
    seconds: float | None = None,
    progress: bool = False,
    simulation: Callable[..., Simulation] | None = None,
) -> dict[str, Any]:
    """Continue the run in `out` from its checkpoint, up to `seconds` of simulated time (default: as first asked).

    The result is the same, bit by bit, as that of a run that was never interrupted.
    """
    path = check_path("output directory", out)
    checkpoint_file(path)  # nothing is written to what is no run
    with disk_errors(path):
        lock = RunLock.acquire(path)
    try:
        with _damage(path):
            state, stored = read_checkpoint(path)
            file = load_scene(path / "scene.toml")
            end = stored.seconds if seconds is None else check_positive("seconds", seconds, unit="s")
            sim = (simulation or _simulation())(file.scene, dt=file.dt, settings=file.settings)
            sim.restore(state)
            clock = _clock(path, sim, stored, fps=file.fps, end=end)
            run = RunDirectory.reopen(path, lock, sim, stored, seconds=end, fps=file.fps)
    except BaseException:
        lock.release()
        raise
    return _drive(run, clock, progress=progress)


def _clock(path: Path, sim: Simulation, stored: Progress, *, fps: float, end: float) -> FrameClock:
    """The frames that are left; an `InputError` if there are none, or if the files contradict one another."""
    if abs(sim.time - sim.step_index * sim.dt) > 0.5 * sim.dt:
        raise InputError(
            f"cannot resume {str(path)!r}: the checkpoint is at {sim.time:g} s, and its step {sim.step_index} is at "
            f"{sim.step_index * sim.dt:g} s"
        )
    clock = FrameClock(sim.dt, fps, end)
    if sim.step_index >= clock.last_step:
        raise InputError(
            f"the run in {str(path)!r} has reached {sim.time:g} s already: give a longer time with --seconds to continue it"
        )
    if clock.step_of(stored.next_frame - 1) > sim.step_index:
        raise InputError(
            f"cannot resume {str(path)!r}: the checkpoint at {sim.time:g} s waits for frame {stored.next_frame}, which is not "
            "the next"
        )
    return clock


@contextlib.contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Turn what damaged files make the readers raise into an `InputError`; the cause stays attached for developers."""
    try:
        yield
    except (InputError, MissingExtraError):
        raise
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, MemoryError, RecursionError) as error:
        reason = shortened(" ".join(str(error).split()) or type(error).__name__, 200)
        raise InputError(f"cannot resume {str(path)!r}: its files are damaged ({reason})") from error


def _simulation() -> Callable[..., Simulation]:
    from signorini.simulation.simulation import Simulation

    return Simulation


def _drive(run: RunDirectory, clock: FrameClock, *, progress: bool) -> dict[str, Any]:
    """Step to the end; whatever ends the loop, the files are finished first."""
    with contextlib.closing(run):
        if run.trajectory.frame_count == 0:
            run.add_frame()
        return _step_to_the_end(run, clock, progress=progress)


def _step_to_the_end(run: RunDirectory, clock: FrameClock, *, progress: bool) -> dict[str, Any]:
    sim = run.sim
    try:
        with Interrupt() as interrupt, _display(run, progress) as show:
            while sim.step_index < clock.last_step and not interrupt.requested:
                report = sim.step()
                run.add_step(report)
                if clock.is_frame(sim.step_index, run.progress.next_frame):
                    run.progress.next_frame = clock.frame_after(sim.step_index, run.progress.next_frame)
                    run.add_frame()
                show(report)
        if interrupt.requested:
            run.write_checkpoint(status="interrupted", reason="interrupted by the user")
            raise KeyboardInterrupt
    except SimulationStoppedError as error:
        with contextlib.suppress(SimulationStoppedError):  # a full disk cannot take the last checkpoint either
            run.write_checkpoint(status="stopped", reason=str(error))
        raise
    return run.write_checkpoint(status="completed", reason="reached the requested time")


class Interrupt:
    """Notes Ctrl-C and SIGTERM, so that the step in progress is completed; a second Ctrl-C interrupts at once."""

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True


@contextlib.contextmanager
def _display(run: RunDirectory, enabled: bool) -> Iterator[Callable[[StepReport], None]]:
    """A progress bar on stderr: simulated time, contacts, time per step, time left."""
    if not enabled:
        yield lambda report: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:.2f} of {task.total:g} s"),
        TextColumn("{task.fields[contacts]} contacts"),
        TextColumn("{task.fields[step_ms]:.0f} ms/step"),
        TimeRemainingColumn(),
    )
    first, started, steps = run.sim.time, time.monotonic(), 0
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(run.sim.scene.name, total=run.seconds, contacts=0, step_ms=0.0)
        bar.update(task, completed=first)

        def show(report: StepReport) -> None:
            nonlocal steps
            steps += 1
            step_ms = 1e3 * (time.monotonic() - started) / steps
            bar.update(task, completed=report.time, contacts=report.contact_count, step_ms=step_ms)

        yield show
