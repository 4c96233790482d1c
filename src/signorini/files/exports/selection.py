"""The frames and bodies of a trajectory that an export writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_count
from signorini.errors import InputError
from signorini.files.runs.trajectory import Trajectory, TrajectoryBody


@dataclass(frozen=True, slots=True)
class FrameSelection:
    """Some frames and bodies of a trajectory. A format's writer reads everything from here."""

    trajectory: Trajectory
    bodies: dict[str, TrajectoryBody]
    """The selected bodies by name: kind, triangles (t, 3) and number of vertices."""
    frames: tuple[int, ...]
    """The numbers of the selected frames in the trajectory."""

    @property
    def times(self) -> NDArray[np.float64]:
        """The simulated times (k,) of the selected frames [s]."""
        return self.trajectory.times[list(self.frames)]

    def positions(self, body: str, frame: int) -> NDArray[np.float64]:
        """The positions (n, 3) [m] of a body at a frame."""
        return self.trajectory.positions(body, frame)

    def numbered(self, file: Path) -> list[Path]:
        """One file name for each frame: `frames.obj` gives `frames_0000.obj`, `frames_0001.obj` and so on."""
        digits = max(4, len(str(len(self.frames) - 1)))
        return [file.with_name(f"{file.stem}_{k:0{digits}d}{file.suffix}") for k in range(len(self.frames))]


def select_frames(trajectory: Trajectory, *, bodies: Sequence[str] | None = None, every: int = 1) -> FrameSelection:
    """Every `every`-th frame from the first, with all bodies or those named in `bodies`."""
    check_count("every", every, least=1)
    if isinstance(bodies, str):
        raise InputError(f"bodies must be a list of names, as in [{bodies!r}], got {bodies!r}")
    names = list(dict.fromkeys(trajectory.bodies if bodies is None else bodies))
    if not names:
        raise InputError("there is nothing to export: the selection has no body")
    trajectory.frame_index(0)  # an InputError if no frame is complete
    chosen = {name: trajectory.body(name) for name in names}
    return FrameSelection(trajectory, chosen, tuple(range(0, trajectory.frame_count, every)))
