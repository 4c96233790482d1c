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

import difflib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_path
from signorini.errors import InputError, short
from signorini.files.runs.frame_contacts import has_contacts, read_contacts
from signorini.files.runs.trajectory_arrays import (
    FLAT_KEYS,
    MOST_UNSEEN,
    TIMES_CHUNK,
    TrajectoryBody,
    check_compression,
    frames_together,
    read_body,
    read_frame,
    readable,
    visible_times,
)
from signorini.files.runs.trajectory_fields import FieldsWriter, StoredFields, field_names
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
        for name in _strings(group.attrs["bodies"]):
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
            trajectory = cls(store, _open_group(store, mode="r"))
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
            nearest = difflib.get_close_matches(str(name), self.bodies, n=1, cutoff=0.0)
            hint = f": did you mean {nearest[0]!r}?" if nearest else ": it has none"
            raise InputError(f"the trajectory has no body {name!r}{hint}")
        return self.bodies[name]

    def frame_index(self, frame: int) -> int:
        """`frame` as a number from 0, counted from the end when negative, or an `InputError` when there is none."""
        count = self.frame_count
        if isinstance(frame, bool) or not isinstance(frame, (int, np.integer)) or not -count <= frame < count:
            have = f"frames 0 to {count - 1}" if count else "no complete frame"
            raise InputError(f"frame {frame} does not exist: the trajectory has {have}")
        return int(frame) % count


class TrajectoryWriter:
    """Appends frames to a trajectory; each is durable against a kill of the process once `append` returns.

    A writer that may hold some memory [bytes] writes frames many at a time, at the latest in `flush`: this takes a tenth of the
    time, for runs that are done again as a whole after a kill.
    """

    def __init__(self, group: zarr.Group, frame_count: int, *, hold: int = 0):
        self._group = group
        self._hold = hold
        self._held: list[tuple[float, dict[str, NDArray[np.float64]]]] = []
        self._times: Any = group["times"]
        self._positions: dict[str, Any] = {
            name: group[f"bodies/{quote(name, safe='')}/positions"] for name in _strings(group.attrs["bodies"])
        }
        self.frame_count = frame_count

    def fields_writer(self) -> FieldsWriter:
        """Writes fields beside the positions, after the frames that are kept."""
        return FieldsWriter(self._group, keep_frames=self.frame_count)

    @property
    def has_fields(self) -> bool:
        """Whether there are fields beside the positions."""
        return any(field_names(self._group, name) for name in self._positions)

    @property
    def holds_frames(self) -> bool:
        """Whether frames wait to be written."""
        return bool(self._held)

    @classmethod
    def create(
        cls,
        store: Path,
        bodies: Mapping[str, TrajectoryBody],
        *,
        half_spaces: list[TrajectoryPlane] | None = None,
        hold: int = 0,
    ) -> TrajectoryWriter:
        """Make a new, empty trajectory at `store` (a path that ends in `.zarr` and does not exist)."""
        import zarr
        from zarr.codecs import BloscCodec, Crc32cCodec

        planes = [{"name": p.name, "normal": list(p.normal), "height": p.height} for p in half_spaces or []]
        group = zarr.open_group(store, mode="w-", zarr_format=3)
        # The checksum finds what changed on the disk; an empty chunk is NaN, so that none reads as positions.
        codecs: Any = [BloscCodec(cname="zstd", clevel=3, shuffle="shuffle"), Crc32cCodec()]
        nan = float("nan")
        for name, body in bodies.items():
            look = {key: value for key, value in (("color", body.color), ("finish", body.finish)) if value}
            sub = group.create_group(f"bodies/{quote(name, safe='')}", attributes={"kind": body.kind, **look})
            sub.create_array("triangles", data=np.asarray(body.triangles, dtype=np.int32), compressors=codecs)
            if len(body.edges):
                sub.create_array("edges", data=np.asarray(body.edges, dtype=np.int32), compressors=codecs)
            for key, values in ({} if body.faces is None else body.faces.to_arrays()).items():
                sub.create_array(key, data=values, compressors=codecs)
            n = body.vertex_count
            options: Any = {"dtype": "float64", "fill_value": nan, "compressors": codecs}
            options["chunk_key_encoding"] = FLAT_KEYS
            sub.create_array("positions", shape=(0, n, 3), chunks=(frames_together(n) if hold else 1, n, 3), **options)
        group.create_array("times", shape=(0,), chunks=(TIMES_CHUNK,), dtype="float64", fill_value=nan)
        # Last, because a reader looks for these first.
        group.attrs.update({"format": FORMAT, "bodies": list(bodies), "half_spaces": planes})
        return cls(group, 0, hold=hold)

    @classmethod
    def reopen(
        cls, store: Path, *, frame_count: int, vertex_counts: Mapping[str, int] | None = None
    ) -> TrajectoryWriter:
        """Continue the trajectory at `store` after its first `frame_count` frames; later ones are dropped.

        The bodies must be those of `vertex_counts`, if given, and the last frame that is kept must be readable.
        """
        with readable(f"the trajectory {str(store)!r} cannot be continued"):
            group = _open_group(store, mode="r+")
            known = Trajectory(store, group)
            if frame_count > known.frame_count:
                raise ValueError(f"after {frame_count} frames: it has only {known.frame_count}")
            for name in known.bodies if frame_count else ():
                known.positions(name, frame_count - 1)
            have = {name: body.vertex_count for name, body in known.bodies.items()}
            if vertex_counts is not None and have != dict(vertex_counts):
                raise ValueError("its bodies are not those of the scene")
            writer = cls(group, frame_count)
            for array in (writer._times, *writer._positions.values()):
                check_compression(store, array)
        writer._times.resize((frame_count,))
        for array in writer._positions.values():
            array.resize((frame_count, *array.shape[1:]))
        return writer

    def append(self, time: float, positions: Mapping[str, NDArray[np.float64]]) -> None:
        """Write one frame: `positions` has an array (n, 3) [m] for each body."""
        frame = {}
        for name, array in self._positions.items():
            frame[name] = np.array(positions[name], dtype=np.float64)
            if frame[name].shape != array.shape[1:]:
                raise InputError(f"positions of {name!r} must have shape {array.shape[1:]}, got {frame[name].shape}")
        self._held.append((float(time), frame))
        self.frame_count += 1
        if len(self._held) * sum(points.nbytes for points in frame.values()) >= self._hold:
            self.flush()

    def flush(self) -> None:
        """Write the frames that are held."""
        if not self._held:
            return
        first, end = self.frame_count - len(self._held), self.frame_count
        for name, array in self._positions.items():
            if array.shape[0] < end:
                array.resize((end, *array.shape[1:]))
            array[first:end] = np.stack([frame[name] for _, frame in self._held])
        if self._times.shape[0] < end:  # last: a frame exists for readers when it has a time
            self._times.resize((end,))
        self._times[first:end] = [time for time, _ in self._held]
        self._held.clear()


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


def _open_group(store: Path, *, mode: Any) -> zarr.Group:
    import zarr

    group = zarr.open_group(store, mode=mode)
    if group.attrs.get("format") != FORMAT:
        raise ValueError(f"format {group.attrs.get('format')!r} instead of {FORMAT!r}")
    return group


def _strings(value: Any) -> list[str]:
    if not isinstance(value, list) or len(set(map(str, value))) != len(value):
        raise ValueError("its list of bodies is damaged")
    return [str(item) for item in value]
