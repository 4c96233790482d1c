"""Writer of trajectories: frames appended to the zarr directory that `trajectory` describes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.files.runs.trajectory import FORMAT, Trajectory, TrajectoryPlane, body_names, open_group
from signorini.files.runs.trajectory_arrays import (
    FLAT_KEYS,
    TIMES_CHUNK,
    TrajectoryBody,
    check_compression,
    frames_together,
    readable,
)
from signorini.files.runs.trajectory_fields import FieldsWriter, field_names

if TYPE_CHECKING:
    import zarr


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
            name: group[f"bodies/{quote(name, safe='')}/positions"] for name in body_names(group)
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
            group = open_group(store, mode="r+")
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
