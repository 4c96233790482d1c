"""The frames and bodies of a trajectory that an export writes, in the units and axes that it writes them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_count, check_positive, named_list
from signorini.errors import InputError
from signorini.files.meshes.up_axis import UpAxis, z_up_rotation
from signorini.files.runs.trajectory import Trajectory, TrajectoryBody
from signorini.geometry.faces import Faces

Floats = NDArray[np.float64]
RATE_TOLERANCE = 0.1
"""Part by which the frame rate of a scene file may differ from that of the stored times: frames are at ends of steps."""


@dataclass(frozen=True, slots=True)
class FrameSelection:
    """Some frames and bodies of a trajectory. A format's writer reads everything from here."""

    trajectory: Trajectory
    bodies: dict[str, TrajectoryBody]
    """The selected bodies by name: kind, triangles (t, 3), number of vertices, polygons and texture coordinates of its file."""
    frames: tuple[int, ...]
    """The numbers of the selected frames in the trajectory."""
    up: UpAxis | None = None
    """The axis that points up in what is written; None: that of the format, z where it has none."""
    scale: float = 1.0
    """Factor of all coordinates in what is written: 100 writes centimetres."""

    def __repr__(self) -> str:
        return f"FrameSelection of {len(self.frames)} frames and {len(self.bodies)} bodies {named_list(self.bodies)}"

    @property
    def times(self) -> Floats:
        """The simulated times (k,) of the selected frames [s]."""
        return self.trajectory.times[list(self.frames)]

    @property
    def fps(self) -> float:
        """Selected frames per simulated second: that which the run was asked for, or the mean of the stored times."""
        if len(self.frames) < 2:
            return 30.0
        mean = (len(self.frames) - 1) / float(self.times[-1] - self.times[0])
        asked = _asked_fps(self.trajectory.path.parent / "scene.toml") / (self.frames[1] - self.frames[0])
        return asked if abs(asked - mean) <= RATE_TOLERANCE * mean else mean

    def positions(self, body: str, frame: int) -> Floats:
        """The positions (n, 3) of a body at a frame, in the units and axes of what is written."""
        return self.converted(self.trajectory.positions(body, frame))

    def converted(self, vectors: Floats) -> Floats:
        """Positions or displacements (n, 3) in metres with z up, in the units and axes of what is written."""
        vectors = self.turned(vectors)
        return vectors if self.scale == 1.0 else vectors * self.scale

    def turned(self, vectors: Floats) -> Floats:
        """Vectors (n, 3) with z up, such as forces, in the axes of what is written and in their own unit."""
        return vectors if self.up in (None, "z") else vectors @ z_up_rotation("an export", self.up)

    def faces(self, body: str) -> Faces:
        """The polygons of a body: those of its file, or its triangles."""
        stored = self.bodies[body]
        return Faces.of_triangles(stored.triangles) if stored.faces is None else stored.faces

    def usually_up(self, axis: UpAxis) -> FrameSelection:
        """The same with `axis` up unless the user has chosen another."""
        return self if self.up is not None else replace(self, up=axis)

    def is_at_rest(self, body: str) -> bool:
        """Whether a body is at the same place in all selected frames."""
        first = self.trajectory.positions(body, self.frames[0])
        return all(np.array_equal(first, self.trajectory.positions(body, k)) for k in self.frames[1:])

    def numbered(self, file: Path) -> list[Path]:
        """One file name for each frame: `frames.obj` gives `frames_0000.obj`, `frames_0001.obj` and so on."""
        digits = max(4, len(str(len(self.frames) - 1)))
        return [file.with_name(f"{file.stem}_{k:0{digits}d}{file.suffix}") for k in range(len(self.frames))]

    def per_body(self, file: Path) -> dict[str, Path]:
        """One file name for each body: the name itself for a single body, `cache_NAME.pc2` for several."""
        if len(self.bodies) == 1:
            return dict.fromkeys(self.bodies, file)
        return {name: file.with_name(f"{file.stem}_{quote(name, safe=' ')}{file.suffix}") for name in self.bodies}


def select_frames(
    trajectory: Trajectory,
    *,
    bodies: Sequence[str] | None = None,
    every: int = 1,
    up: UpAxis | None = None,
    scale: float = 1.0,
) -> FrameSelection:
    """Every `every`-th frame from the first, with all bodies or those named in `bodies`."""
    check_count("every", every, least=1)
    factor = check_positive("scale of an export", scale)
    if up is not None:
        z_up_rotation("an export", up)  # refuses what is no axis
    if isinstance(bodies, str):
        raise InputError(f"bodies must be a list of names, as in [{bodies!r}], got {bodies!r}")
    names = list(dict.fromkeys(trajectory.bodies if bodies is None else bodies))
    if not names:
        raise InputError("there is nothing to export: the selection has no body")
    trajectory.frame_index(0)  # an InputError if no frame is complete
    chosen = {name: trajectory.body(name) for name in names}
    return FrameSelection(trajectory, chosen, tuple(range(0, trajectory.frame_count, every)), up, factor)


def _asked_fps(scene: Path) -> float:
    """The frame rate of a scene file; 0 if it cannot be read."""
    try:
        return float(tomllib.loads(scene.read_text(encoding="utf-8"))["simulation"]["fps"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return 0.0
