"""The data set of a sweep: the trajectories of all runs in one Zarr group that xarray, Dask and zarr read lazily.

Layout of `dataset.zarr` (zarr format 3, consolidated metadata, named dimensions):

    positions, velocities, contact_forces   (run, frame, vertex, axis) float32 [m], [m/s], [N]
    time                                    (run, frame) float64 [s]
    faces, edges, body                      (face, corner), (edge, end), (vertex,): once for all runs
    run, complete, sha256, the parameters   (run, ...)

A chunk holds frames of one run. Each run is written by one process, chunk by chunk, all at once or not at all, and a run that
is done again after a kill writes the same bytes. A missing chunk reads as NaN. Every chunk ends with a CRC-32C, and `sha256`
is the digest of all values of a run.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.simulation.frame_clock import FrameClock
from signorini.simulation.simulation import Simulation
from signorini.studies.sweep.plan import Plan

FORMAT = "signorini-dataset-1"
FIELDS = {
    "positions": ("m", "positions"),
    "velocities": ("m/s", "velocities"),
    "contact_forces": ("N", "contact_forces"),
}
"""Unit, and the attribute of a body, for each field that is stored."""
CHUNK_BYTES = 1_000_000
"""Largest chunk before compression [bytes]: a frame at random costs little, and a run of a small scene is one file."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Layout of a data set: what is the same in all its runs."""

    bodies: tuple[tuple[str, str, int], ...]
    """Name, kind and number of vertices of each body, in the order of the vertices."""
    faces: NDArray[np.int32]
    """(f, 3) numbers of vertices, counted through all bodies."""
    edges: NDArray[np.int32]
    """(k, 2) edges that belong to no triangle."""
    frames: int
    """Frames of the longest run."""

    @property
    def vertices(self) -> int:
        return sum(count for _, _, count in self.bodies)


def layout_of(sim: Simulation, frames: int) -> Layout:
    """The layout of a data set of runs like this one."""
    bodies, faces, edges, first = [], [np.zeros((0, 3), np.int32)], [np.zeros((0, 2), np.int32)], 0
    for name, body in sim.bodies.items():
        count = len(body.positions)
        bodies.append((name, body.kind, count))
        faces.append(np.asarray(body.triangles, np.int32) + np.int32(first))
        edges.append(np.asarray(body.edges, np.int32) + np.int32(first))
        first += count
    return Layout(tuple(bodies), np.concatenate(faces), np.concatenate(edges), frames)


def check_layout(layout: Layout, sim: Simulation) -> None:
    """Refuse a run whose meshes are not those of the data set."""
    own = layout_of(sim, layout.frames)
    for (name, _, count), (wanted, _, expected) in zip(own.bodies, layout.bodies, strict=False):
        if (name, count) != (wanted, expected):
            raise InputError(
                f"{name!r} has {count} vertices, and the data set expects {wanted!r} with {expected}: a data set needs the same "
                "meshes in every run"
            )
    same = np.array_equal(own.faces, layout.faces) and np.array_equal(own.edges, layout.edges)
    if len(own.bodies) != len(layout.bodies) or not same:
        raise InputError(
            "the bodies or triangles are not those of the data set, which needs the same meshes in every run"
        )


def frame_count(dt: float, fps: float, seconds: float) -> int:
    """Frames of a run, the start included."""
    clock = FrameClock(dt, fps, seconds)
    count, step, following = 1, 0, 1
    while step < clock.last_step:
        step = min(max(step + 1, clock.step_of(following)), clock.last_step)
        following = clock.frame_after(step, following)
        count += 1
    return count


def create_dataset(path: Path, layout: Layout, plan: Plan) -> None:
    """Make the empty data set of a plan, or check that the one at `path` is its."""
    import zarr
    from zarr.codecs import BloscCodec, Crc32cCodec

    ids = [run.id for run in plan.runs]
    if _is_made(path):
        if zarr.open_group(path, mode="r").attrs.get("runs") != ids:
            raise InputError(
                f"the data set {str(path)!r} is of other runs: a data set cannot grow, choose another directory with -o"
            )
        return
    group = zarr.open_group(path, mode="w", zarr_format=3)
    codecs: Any = [BloscCodec(cname="zstd", clevel=5, shuffle="bitshuffle"), Crc32cCodec()]
    shape = (len(ids), layout.frames, layout.vertices, 3)
    frames = max(1, min(layout.frames, CHUNK_BYTES // (12 * max(layout.vertices, 1))))
    for name, (unit, _) in FIELDS.items():
        group.create_array(
            name, shape=shape, chunks=(1, frames, max(layout.vertices, 1), 3), dtype="float32", fill_value=float("nan"),
            compressors=codecs, dimension_names=("run", "frame", "vertex", "axis"), attributes={"units": unit},
        )  # fmt: skip
    group.create_array(
        "time", shape=shape[:2], chunks=(1, layout.frames), dtype="float64", fill_value=float("nan"), compressors=codecs,
        dimension_names=("run", "frame"), attributes={"units": "s"},
    )  # fmt: skip
    owner = np.repeat(np.arange(len(layout.bodies)), [count for _, _, count in layout.bodies])
    _put(group, "faces", layout.faces, ("face", "corner"))
    _put(group, "edges", layout.edges, ("edge", "end"))
    _put(group, "body", owner.astype(np.int32), ("vertex",), {"names": [name for name, _, _ in layout.bodies]})
    _put(group, "run", np.arange(len(ids)), ("run",))
    coordinates = ["time", "complete"]
    for name in plan.names:
        values = [run.parameters[name] for run in plan.runs]
        label = f"parameter_{name}" if name in (*FIELDS, *group.array_keys(), "complete", "sha256") else name
        _put(group, label, *_column(values), attributes=_meanings(values))
        coordinates.append(label)
    _write_states(group, {})
    group.attrs.update(
        {
            "format": FORMAT, "scene": plan.source.name, "runs": ids, "coordinates": " ".join(coordinates),
            "bodies": [{"name": name, "kind": kind, "vertices": count} for name, kind, count in layout.bodies],
        }
    )  # fmt: skip
    _consolidate(path)


class RunFrames:
    """The frames of one run, collected and then written all at once."""

    def __init__(self, layout: Layout, sim: Simulation):
        check_layout(layout, sim)
        self._layout = layout
        self._frames: dict[str, list[NDArray[np.float32]]] = {name: [] for name in FIELDS}
        self._times: list[float] = []

    def add(self, sim: Simulation) -> None:
        """Take down the present state."""
        if len(self._times) == self._layout.frames:
            raise InputError(f"the run has more than the {self._layout.frames} frames that the data set was made for")
        for name, (_, attribute) in FIELDS.items():
            parts = [getattr(body, attribute) for body in sim.bodies.values()]
            self._frames[name].append(np.concatenate([np.zeros((0, 3)), *parts]).astype(np.float32))
        self._times.append(sim.time)

    def write(self, path: Path, number: int) -> str:
        """Write the frames as run `number` and return the SHA-256 of its values."""
        arrays = _open_arrays(path)
        total = hashlib.sha256()
        for name, values in [*self._frames.items(), ("time", self._times)]:
            array = arrays[name]
            block = np.full(array.shape[1:], np.nan, array.dtype)
            block[: len(values)] = values
            array[number] = block
            total.update(block.tobytes())
        return total.hexdigest()


def finish_dataset(path: Path, digests: Mapping[int, str]) -> None:
    """Take down which runs are complete, by number with the SHA-256 of their values, and remove what kills have left."""
    import zarr

    for left in path.rglob("*.partial"):
        left.unlink(missing_ok=True)
    _write_states(zarr.open_group(path, mode="r+", use_consolidated=False), digests)
    _consolidate(path)


def damaged_runs(path: Path) -> list[int]:
    """Numbers of the complete runs whose values are not those that were written."""
    import zarr

    group: Any = zarr.open_group(path, mode="r")
    wrong = []
    for number in np.flatnonzero(group["complete"][:]):
        total = hashlib.sha256()
        try:
            for name in (*FIELDS, "time"):
                total.update(np.ascontiguousarray(group[name][int(number)]).tobytes())
        except (ValueError, RuntimeError, OSError):  # a chunk whose CRC-32C is wrong
            wrong.append(int(number))
            continue
        if total.digest() != group["sha256"][int(number)].tobytes():
            wrong.append(int(number))
    return wrong


def _is_made(path: Path) -> bool:
    """Whether a data set was made completely; its attributes are written last."""
    import zarr

    return (path / "zarr.json").exists() and zarr.open_group(path, mode="r").attrs.get("format") == FORMAT


@cache
def _open_arrays(path: Path) -> dict[str, Any]:
    """The arrays of a data set, opened once in a process."""
    import zarr

    group = zarr.open_group(path, mode="r+")
    return {name: group[name] for name in (*FIELDS, "time")}


def _write_states(group: Any, digests: Mapping[int, str]) -> None:
    count = group["run"].shape[0]
    complete, sha256 = np.zeros(count, bool), np.zeros((count, 32), np.uint8)
    for number, digest in digests.items():
        complete[number] = True
        sha256[number] = np.frombuffer(bytes.fromhex(digest), np.uint8)
    _put(group, "complete", complete, ("run",))
    _put(group, "sha256", sha256, ("run", "digest_byte"))


def _put(
    group: Any, name: str, data: NDArray[Any], dimensions: tuple[str, ...], attributes: dict[str, Any] | None = None
) -> None:
    """Write a small array, or new values to it."""
    if name in group:
        group[name][:] = data
        return
    chunks = tuple(max(size, 1) for size in data.shape)
    array = group.create_array(
        name, shape=data.shape, dtype=data.dtype, chunks=chunks, dimension_names=dimensions, attributes=attributes or {}
    )
    if data.size:
        array[:] = data


def _column(values: Sequence[Any]) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Numbers as they are; anything else as numbers of the values in the attribute `values`."""
    if all(isinstance(value, int | float) for value in values):
        return np.array(values, np.float64), ("run",)
    known = _meanings(values)["values"]
    return np.array([known.index(value) for value in values], np.int32), ("run",)


def _meanings(values: Sequence[Any]) -> dict[str, Any]:
    if all(isinstance(value, int | float) for value in values):
        return {}
    return {"values": [value for k, value in enumerate(values) if value not in values[:k]]}


def _consolidate(path: Path) -> None:
    """Gather the metadata of all arrays in one file, which zarr 3 reads and the specification does not yet have."""
    import zarr

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Consolidated metadata")
        zarr.consolidate_metadata(path)
