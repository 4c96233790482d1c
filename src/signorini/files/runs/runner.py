"""Run a simulation into an output directory, with a progress bar; interrupt it and resume it."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from signorini.errors import InputError, SimulationStoppedError
from signorini.files.runs.run_directory import RunDirectory, read_checkpoint
from signorini.files.scenes.scene_file import load_scene
from signorini.settings import check_positive
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
) -> dict[str, Any]:
    """Run for `seconds` of simulated time, write everything to the directory `out`, and return its summary.

    A simulation that cannot go on raises `SimulationStoppedError`, and Ctrl-C raises `KeyboardInterrupt` at the end of
    the step; in both cases everything up to there is on disk and `resume_directory` continues it.
    """
    clock = FrameClock(sim.dt, fps, seconds)
    run = RunDirectory.create(out, sim, seconds=seconds, fps=fps, force=force)
    run.add_frame()
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
    path = Path(out)
    state, stored = read_checkpoint(path)
    file = load_scene(path / "scene.toml")
    end = stored.seconds if seconds is None else check_positive("seconds", seconds, unit="s")
    sim = (simulation or _simulation())(file.scene, dt=file.dt, settings=file.settings)
    run = RunDirectory.reopen(path, sim, state, stored, seconds=end, fps=file.fps)
    if sim.step_index >= round(end / sim.dt):
        raise InputError(
            f"the run in {str(path)!r} is complete at {sim.time:g} s: give a longer time with --seconds to continue it"
        )
    return _drive(run, FrameClock(sim.dt, file.fps, end), progress=progress)


def _simulation() -> Callable[..., Simulation]:
    from signorini.simulation.simulation import Simulation

    return Simulation


def _drive(run: RunDirectory, clock: FrameClock, *, progress: bool) -> dict[str, Any]:
    """Step to the end; whatever ends the loop, the files are finished first."""
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
        TextColumn("{task.description}"),
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
