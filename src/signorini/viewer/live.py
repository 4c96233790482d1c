"""A simulation that is looked at while it runs: its frames are kept in memory."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_positive
from signorini.files.runs.run_directory import half_spaces, trajectory_bodies
from signorini.files.runs.step_table import step_row
from signorini.simulation.frame_readout import FrameReadout, frame_readout
from signorini.viewer.recording import Recording
from signorini.viewer.server import LOOPBACK, ViewerServer

if TYPE_CHECKING:
    from signorini.methods.report import StepReport
    from signorini.simulation.simulation import Simulation

MOST_BYTES = 1_000_000_000
"""Memory for frames; when they take more, every second one is dropped."""


class LiveRecording(Recording):
    """The states of a simulation since it is looked at: one for every 1/fps s of simulated time."""

    def __init__(self, sim: Simulation, *, fps: float = 30.0):
        self._sim = sim
        self._interval = 1.0 / check_positive("fps", fps, unit="1/s")
        self.title, self.planes = sim.scene.name, half_spaces(sim.scene)
        self.bodies = trajectory_bodies(sim)
        self._frames: list[tuple[float, dict[str, NDArray[np.float32]], FrameReadout]] = []
        self._rows: list[dict[str, Any]] = []
        self.running = True
        self._add_frame()

    def add_step(self, report: StepReport) -> None:
        """Record of a step, and of the state after it if a frame is due."""
        self._rows.append(step_row(report))
        if report.time >= self._frames[-1][0] + self._interval * (1.0 - 1e-6):
            self._add_frame()

    def _add_frame(self) -> None:
        positions = {name: body.positions.astype(np.float32) for name, body in self._sim.bodies.items()}
        frames = [*self._frames, (self._sim.time, positions, frame_readout(self._sim))]
        size = sum(array.nbytes for array in positions.values())
        if len(frames) > 4 and 4 * size * len(frames) > MOST_BYTES:  # with fields and contacts about four times that
            frames = frames[::2]
            self._interval *= 2.0
        self._frames = frames  # replaced at once: another thread may be reading

    def refresh(self) -> bool:
        """Whether the simulation is still looked at."""
        return self.running

    @property
    def times(self) -> NDArray[np.float64]:
        """Of the frames that were kept."""
        return np.array([time for time, _, _ in self._frames])

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """The steps since the simulation is looked at."""
        return list(self._rows)

    def positions(self, body: str, frame: int) -> NDArray[np.float64]:
        """The stored positions."""
        return self._frames[frame][1][body].astype(np.float64)

    def readout(self, frame: int) -> FrameReadout:
        """As it was kept."""
        return self._frames[frame][2]

    def facts(self) -> dict[str, Any]:
        """Scene and contact distance."""
        return {"scene": self.title, "contact_distance": self._sim.contact_distance, "dt": self._sim.dt}


class LiveViewer:
    """A page in the browser that follows a simulation; `url` is its address, `close` ends it."""

    def __init__(self, sim: Simulation, *, fps: float, host: str, port: int):
        self._sim = sim
        self._recording = LiveRecording(sim, fps=fps)
        self._server = ViewerServer(self._recording, host=host, port=port)
        self.url = self._server.url
        sim.watchers.append(self._recording.add_step)

    def close(self) -> None:
        """End the server and stop looking at the simulation."""
        if self._recording.running:
            self._recording.running = False
            self._sim.watchers.remove(self._recording.add_step)
            self._server.close()

    def __enter__(self) -> LiveViewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def view_simulation(
    sim: Simulation, *, fps: float = 30.0, host: str = LOOPBACK, port: int = 0, browser: bool = True
) -> LiveViewer:
    """Show a simulation in the browser while it steps."""
    viewer = LiveViewer(sim, fps=fps, host=host, port=port)
    if browser:
        webbrowser.open(viewer.url)
    return viewer
