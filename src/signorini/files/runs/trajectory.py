"""Trajectories: the positions of all bodies at every frame, in a zarr directory that stays readable after any kill.

Layout of `trajectory.zarr` (zarr format 3): attributes `format`, `bodies` (names in order) and `half_spaces`; the array
`times` (frames,) [s]; and for each body a group `bodies/NAME` with the attribute `kind`, the array `triangles` (t, 3),
the array `edges` (k, 2) if the body has edges that belong to no triangle, `face_counts` (f,), `face_corners` (c,), `uv` (u, 2)
and `uv_corners` (c,) if its file has polygons or texture coordinates, and the array `positions` (frames, n, 3) [m], one chunk per
frame.

Positions are stored in float64: the distances between layers are checked on what is stored, not on a rounding of it
(2,500 vertices are 60 kB per frame before compression).

A frame exists once its time does: the positions of all bodies are written first, and the time last. A process that dies
in between leaves longer `positions`, or a NaN at the end of `times`; both are invisible here and overwritten on resume.
A frame that exists and whose positions are missing, cut short or changed is an error, never zeros.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_path, named_list
from signorini.errors import InputError, short, suggestion
from signorini.files.runs.frame_contacts import has_contacts, read_contacts
from signorini.files.runs.trajectory_arrays import (
    MOST_UNSEEN,
    TrajectoryBody,
    read_body,
    read_frame,
    readable,
    visible_times,
)
from signorini.files.runs.trajectory_fields import StoredFields
from signorini.files.runs.trajectory_pictures import Drawable
from signorini.geometry.ranges import LARGEST

if TYPE_CHECKING:
    import zarr

    from signorini.simulation.frame_readout import FrameReadout

FORMAT = "signorini-trajectory-1"
_UNIT = 1e-6
"""Largest difference of the length of a normal from 1: those that a run writes differ by rounding."""
_REMEDY = "put its zarr.json back from a copy, or run the scene again"


@dataclass(frozen=True, slots=True)
class TrajectoryPlane:
    """A half-space of the scene: solid where normal·x < height [m]."""

    name: str
    normal: tuple[float, float, float]
    height: float


class Trajectory(StoredFields, Drawable):
    """A trajectory for reading. Open it with `Trajectory.open(OUT)`, also while the run is still writing."""

    def __init__(self, path: Path, group: zarr.Group):
        self.path = path
        self._group = group
        # First, because a run that is still writing makes positions before it makes their time.
        self.times: NDArray[np.float64] = visible_times(path, group)
        self.bodies: dict[str, TrajectoryBody] = {}
        self._positions: dict[str, zarr.Array] = {}
        for name in body_names(group):
            self.bodies[name], self._positions[name] = read_body(path, group, name)
        planes: Any = group.attrs.get("half_spaces", [])
        if not isinstance(planes, list):
            raise ValueError(f"its half-spaces are {short(planes)} instead of a list; {_REMEDY}")
        self.half_spaces = [_plane(plane) for plane in planes]
        for name, array in self._positions.items():
            if array.shape[0] > len(self.times) + MOST_UNSEEN:
                raise ValueError(f"the positions of {name!r} claim {array.shape[0]:.3g} frames")

    @classmethod
    def open(cls, path: str | Path) -> Trajectory:
        """Open the trajectory of a run directory OUT (or the `trajectory.zarr` in it) for reading."""
        given = check_path("output directory", path)
        if not given.exists():
            raise InputError(f"there is no run in {str(given)!r}: the directory does not exist")
        store = given if given.name.endswith(".zarr") else given / "trajectory.zarr"
        if not (store / "zarr.json").exists():
            raise InputError(f"{str(given)!r} is not the output directory of a run: it has no trajectory.zarr")
        with readable(f"the trajectory in {str(given)!r} cannot be read"):
            trajectory = cls(store, open_group(store, mode="r"))
        known = _stored_frames(store.parent / "summary.json")
        if trajectory.frame_count < known:
            raise InputError(
                f"the trajectory in {str(given)!r} is damaged: it has lost frame {trajectory.frame_count} and all later ones "
                f"of {known}"
            )
        return trajectory

    @property
    def frame_count(self) -> int:
        """The number of complete frames when the trajectory was opened."""
        return len(self.times)

    def positions(self, body: str, frame: int) -> NDArray[np.float64]:
        """The positions (n, 3) [m] of a body at a frame; -1 is the last one."""
        name, number = self.body(body).name, self.frame_index(frame)
        with readable(f"frame {number} of {name!r} in {str(self.path)!r} cannot be read"):
            return read_frame(self.path, self._positions[name], name, number)

    @property
    def has_contacts(self) -> bool:
        """Whether the run stored contacts."""
        return has_contacts(self.path.parent)

    def contacts(self, frame: int) -> FrameReadout:
        """Contacts, pressure, strain and stress at a frame, if the run stored them; -1 is the last one."""
        return read_contacts(self.path.parent, self.frame_index(frame))

    def body(self, name: str) -> TrajectoryBody:
        """The body of that name, or an `InputError` that suggests the nearest name."""
        if name not in self.bodies:
            have = f"There are {named_list(self.bodies)}" if self.bodies else "it has none"
            raise InputError(f"the trajectory has no body {short(name)}: {suggestion(name, self.bodies)}{have}")
        return self.bodies[name]

    def frame_index(self, frame: int) -> int:
        """`frame` as a number from 0, counted from the end when negative, or an `InputError` when there is none."""
        count = self.frame_count
        if isinstance(frame, bool) or not isinstance(frame, (int, np.integer)) or not -count <= frame < count:
            have = f"frames 0 to {count - 1}" if count else "no complete frame"
            raise InputError(f"frame {frame} does not exist: the trajectory has {have}")
        return int(frame) % count


def _stored_frames(summary: Path) -> int:
    """How many frames a run has written for certain, by its summary; 0 if that cannot be read."""
    try:
        frames = json.loads(summary.read_bytes())["frames"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return 0
    return frames if isinstance(frames, int) else 0


def _plane(plane: Any) -> TrajectoryPlane:
    """A half-space of the attributes in `zarr.json`; a `ValueError` says what is damaged."""
    try:
        name, height = str(plane["name"]), float(plane["height"])
        x, y, z = (float(c) for c in plane["normal"])
    except (TypeError, ValueError, KeyError, OverflowError):
        raise ValueError(f"half-space {short(plane)} has no name, height and normal; {_REMEDY}") from None
    length = math.hypot(x, y, z)
    if not abs(length - 1.0) < _UNIT:
        raise ValueError(f"the normal of half-space {short(name)} has length {length:g} instead of 1; {_REMEDY}")
    if not abs(height) <= LARGEST:
        raise ValueError(f"half-space {short(name)} has height {height:g} m, more than {LARGEST:g} m; {_REMEDY}")
    return TrajectoryPlane(name, (x, y, z), height)


def open_group(store: Path, *, mode: Any) -> zarr.Group:
    """The group of a trajectory on disk; a `ValueError` if its format is another."""
    import zarr

    group = zarr.open_group(store, mode=mode)
    if group.attrs.get("format") != FORMAT:
        raise ValueError(f"format {group.attrs.get('format')!r} instead of {FORMAT!r}")
    return group


def body_names(group: zarr.Group) -> list[str]:
    """The names of the bodies of a trajectory in order; a `ValueError` if they are damaged."""
    names = group.attrs["bodies"]
    if not isinstance(names, list) or len(set(map(str, names))) != len(names):
        raise ValueError("its list of bodies is damaged")
    return [str(name) for name in names]
