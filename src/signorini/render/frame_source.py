"""Source of frames for pictures: a trajectory, the present state of a simulation, or the states that it keeps of its past."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from signorini.files.runs.run_directory import half_spaces, trajectory_bodies
from signorini.files.runs.trajectory import TrajectoryBody, TrajectoryPlane
from signorini.simulation.frame_readout import FrameReadout, frame_readout

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation

START, NOW = 0, 1
"""Frames of the present state: where the bodies were put in the scene, and where they are."""


class FrameSource(Protocol):
    """Source of the frames of pictures; `Trajectory` is one."""

    @property
    def bodies(self) -> Mapping[str, TrajectoryBody]:
        """By name."""
        ...

    @property
    def half_spaces(self) -> Sequence[TrajectoryPlane]:
        """The grounds."""
        ...

    def positions(self, body: str, frame: int) -> NDArray[np.float64]:
        """(n, 3) [m]; patterns and creases are those of frame 0."""
        ...

    def contacts(self, frame: int) -> FrameReadout:
        """Contacts of a frame."""
        ...


class PresentState:
    """A simulation as a source of two frames: `START` and `NOW`."""

    def __init__(self, sim: Simulation):
        self._sim = sim
        self.bodies: Mapping[str, TrajectoryBody] = trajectory_bodies(sim)
        self.half_spaces: Sequence[TrajectoryPlane] = half_spaces(sim.scene)

    def positions(self, body: str, frame: int) -> NDArray[np.float64]:
        """Positions of a body at the start, or now."""
        now = self._sim.bodies[body].positions
        start = getattr(self._sim.scene.bodies[body], "positions", now)
        return start if frame == START and np.shape(start) == now.shape else now

    def contacts(self, frame: int) -> FrameReadout:
        """Contacts of the last step."""
        return frame_readout(self._sim)


class PastStates:
    """A simulation as a source of the states that it keeps of its past (`simulation/past`), with the present one as the last."""

    def __init__(self, sim: Simulation):
        self._sim = sim
        self.bodies: Mapping[str, TrajectoryBody] = trajectory_bodies(sim)
        self.half_spaces: Sequence[TrajectoryPlane] = half_spaces(sim.scene)
        past = sim._past
        self._before = [k for k, time in enumerate(past.times) if time < sim.time]
        self.times = [*(past.times[k] for k in self._before), sim.time]
        """[s]"""

    def positions(self, body: str, frame: int) -> NDArray[np.float64]:
        """Positions of a body at one of the times."""
        view = self._sim.bodies[body]
        if frame == len(self._before):
            return view.positions
        return self._sim._past.positions[self._before[frame]][view._slot.vertices].astype(np.float64)

    def contacts(self, frame: int) -> FrameReadout:
        """Contacts of the last step; earlier ones are not kept."""
        return frame_readout(self._sim)
