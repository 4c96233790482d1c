"""Recording of a simulation that is stepped by hand, into the same output directory as a run: the call `signorini.record`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from signorini.checks import check_path
from signorini.errors import InputError, SimulationStoppedError, shortened
from signorini.files.runs.output_directory import check_directory
from signorini.files.runs.run_directory import RunDirectory
from signorini.files.runs.runner import Interrupt
from signorini.files.scenes.scene_writer import save_scene
from signorini.simulation.frame_clock import FrameClock
from signorini.simulation.simulation import Simulation

if TYPE_CHECKING:
    from signorini.methods.report import StepReport


def record(
    sim: Simulation,
    out: str | Path,
    *,
    fps: float = 30.0,
    force: bool = False,
    contacts: bool = False,
    fields: bool = False,
) -> Recording:
    """Record a simulation while you step it: `with signorini.record(sim, "runs/mine"): ...` writes what `run` would.

    The state at the start, `fps` states a simulated second and the last one become frames of the directory `out`; every step is a
    row of its steps.csv. `force` replaces an earlier run in it; `contacts` and `fields` store those of every frame, as in `run`.

    Whatever ends the block, everything up to there is on disk. The first Ctrl-C raises `KeyboardInterrupt` at the end of the
    step, a second one at once. `resume` goes on from the last state, without the hand that steered it. A simulation that is set
    back in time (`restore`) needs a new recording.
    """
    return Recording(sim, out, fps=fps, force=force, contacts=contacts, fields=fields)


class Recording:
    """A simulation that is being recorded, as a context. `out` is its directory, `summary` is known after the block."""

    def __init__(self, sim: Simulation, out: str | Path, *, fps: float, force: bool, contacts: bool, fields: bool):
        if not isinstance(sim, Simulation):
            raise InputError(
                f"sim must be a signorini.Simulation, got {type(sim).__name__}: to run a Scene, call run(...)"
            )
        self.out = check_path("output directory", out)
        self.summary: dict[str, Any] = {}
        """The contents of summary.json, once the recording has ended."""
        self._sim = sim
        self._clock = FrameClock.endless(sim.dt, fps)
        self._options: dict[str, Any] = {"force": force, "contacts": contacts, "fields": fields}
        self._run: RunDirectory | None = None
        self._interrupt = Interrupt()
        self._last_step = self._last_frame = sim.step_index
        check_directory(self.out, force=force)

    def __repr__(self) -> str:
        frames = self.summary.get("frames", 0) if self._run is None else self._run.progress.frame_count
        state = "running" if self._run is not None else "ended" if self.summary else "not yet begun"
        return f"Recording of {self._sim.scene.name!r} in {str(self.out)!r}, {state}: {frames} frames"

    def __enter__(self) -> Recording:
        sim, clock = self._sim, self._clock
        if self._run is not None or self.summary:
            raise InputError(f"the recording in {str(self.out)!r} was begun already: make another with record(...)")
        run = RunDirectory.create(self.out, sim, seconds=self._reached(), fps=clock.fps, recorded=True, **self._options)
        try:
            run.progress.next_frame = clock.frame_after(sim.step_index, 1)
            run.add_frame()
        except BaseException:
            run.close()
            raise
        self._run, self._last_step, self._last_frame = run, sim.step_index, sim.step_index
        sim.watchers.append(self._add_step)
        self._interrupt.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._run is not None
        run, self._run = self._run, None
        self._interrupt.__exit__()
        self._sim.watchers.remove(self._add_step)
        with contextlib.closing(run):
            if self._sim.step_index != self._last_step:
                return  # a second Ctrl-C came in the middle of a step: what is on disk is complete up to its checkpoint
            if error is None:
                self._finish(run, "completed", "the recording was ended")
            else:
                reason = " ".join(str(error).split()) or kind.__name__ if kind else ""
                stopped = not isinstance(error, KeyboardInterrupt)
                with contextlib.suppress(SimulationStoppedError):  # a full disk cannot take the last checkpoint either
                    status = "stopped" if stopped else "interrupted"
                    self._finish(run, status, shortened(reason, 500) if stopped else "interrupted by the user")

    def _finish(self, run: RunDirectory, status: str, reason: str) -> None:
        """Write the last state as a frame, the time that was reached, checkpoint and summary."""
        if self._last_frame != self._last_step:
            run.add_frame()
        run.seconds = self._reached()
        how = {"dt": self._sim.dt, "seconds": run.seconds, "fps": run.fps, "settings": self._sim.settings}
        save_scene(self.out / "scene.toml", self._sim.scene, **how)
        self.summary = run.write_checkpoint(status=status, reason=reason)

    def _reached(self) -> float:
        """The time that was reached [s], at least a step: no run is shorter."""
        return max(self._sim.step_index, 1) * self._sim.dt

    def _add_step(self, report: StepReport) -> None:
        """Note a step, and the state after it if it is time for a frame."""
        run, clock = self._run, self._clock
        if run is None:
            return
        if report.index != self._last_step + 1:
            raise InputError(
                f"step {report.index} follows step {self._last_step} in the recording {str(self.out)!r}: a simulation that was "
                "set back in time needs a new recording"
            )
        run.add_step(report)
        self._last_step = report.index
        if clock.is_frame(report.index, run.progress.next_frame):
            run.progress.next_frame = clock.frame_after(report.index, run.progress.next_frame)
            run.add_frame()
            self._last_frame = report.index
        run.seconds = self._reached()
        if self._interrupt.requested:
            raise KeyboardInterrupt
