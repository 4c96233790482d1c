"""Arrays of a stored trajectory, checked as they are read: what is missing or damaged is an error that names it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, short, shortened
from signorini.geometry.faces import Faces

if TYPE_CHECKING:
    import zarr

FLAT_KEYS = {"name": "default", "separator": "."}
"""Names of the files of an array with one file a frame: all in one folder. A folder for each took three quarters of the time."""
HELD_CHUNK = (64, 1_000_000)
"""Frames and bytes that are one file at most where frames are written many at a time: a file costs half a millisecond."""
TIMES_CHUNK = 512
"""Frames whose times are one file."""
MOST_UNSEEN = 100_000
"""Frames that an array may claim beyond those which are complete; a kill leaves some, and continuing looks for each."""
_BEST_COMPRESSION = 20_000
"""Bytes that one byte of a file can stand for at most: an array that claims more is not read, lest it take all memory."""
_BLOSC_RANGES = {"clevel": (0, 9), "typesize": (1, 255), "blocksize": (0, 2**31 - 1)}
"""Parameters of the compression by Blosc and their ranges: reading does not need them, and writing fails outside."""


@dataclass(frozen=True, slots=True, eq=False)
class TrajectoryBody:
    """The constant data of a body: name, kind (such as cloth or rigid), triangles (t, 3) and the number of vertices."""

    name: str
    kind: str
    triangles: NDArray[np.int32]
    vertex_count: int
    edges: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    """(k, 2) edges that belong to no triangle, as those of a rod."""
    color: str = ""
    """Colour in pictures, as #rrggbb; nothing for that of its kind."""
    finish: str = ""
    """Finish in pictures, such as "woven"; nothing for that of its kind."""
    faces: Faces | None = None
    """The polygons and texture coordinates of the file that the surface was read from; None: only triangles."""

    def __repr__(self) -> str:
        counts = f"{self.vertex_count} vertices, {len(self.triangles)} triangles"
        return f"TrajectoryBody {self.name!r}: {self.kind.replace('_', ' ')}, {counts}"


@contextlib.contextmanager
def readable(what: str) -> Iterator[None]:
    """Turn whatever a damaged trajectory makes zarr raise, which is not documented, into an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except KeyError as error:
        raise InputError(f"{what} ({shortened(str(error), 200)} is missing)") from error
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{what} ({shortened(reason, 200)})") from error


def read_body(store: Path, group: zarr.Group, name: str) -> tuple[TrajectoryBody, zarr.Array]:
    """The constant data of a body and the array of its positions; a `ValueError` says what is damaged."""
    folder = f"bodies/{quote(name, safe='')}"
    body: Any = group[folder]
    positions = body["positions"]
    if positions.ndim != 3 or positions.shape[2] != 3 or positions.chunks[1:] != positions.shape[1:]:
        raise ValueError(f"the positions of {name!r} have shape {positions.shape}")
    if positions.dtype != np.float64:
        raise ValueError(f"the positions of {name!r} are {positions.dtype}")
    vertices = positions.shape[1]
    triangles = _corners(store / folder / "triangles", body["triangles"], 3, vertices)
    edges = np.zeros((0, 2), np.int32)
    if "edges" in body:
        edges = _corners(store / folder / "edges", body["edges"], 2, vertices)
    elif not len(triangles):
        raise ValueError(f"{name!r} has neither triangles nor edges")
    faces = _read_faces(store / folder, body, vertices)
    if faces is not None and int((faces.counts - 2).sum()) != len(triangles):
        raise ValueError(f"the polygons of {name!r} are not those that its {len(triangles)} triangles were made from")
    color, finish = str(body.attrs.get("color", "")), str(body.attrs.get("finish", ""))
    if color and not re.fullmatch(r"#[0-9a-f]{6}", color):
        raise ValueError(f"the colour of {name!r} is {short(color)}")
    return TrajectoryBody(name, str(body.attrs["kind"]), triangles, vertices, edges, color, finish, faces), positions


def read_frame(store: Path, array: zarr.Array, name: str, frame: int) -> NDArray[np.float64]:
    """The positions (n, 3) [m] of a body at a frame; a `ValueError` says what is missing."""
    folder = store / "bodies" / quote(name, safe="") / "positions"
    chunk = frame_file(folder, array, frame)
    if frame >= array.shape[0] or not chunk.is_file():
        raise ValueError("it is missing")
    _check_size(chunk, prod(array.chunks) * 8)
    points = np.asarray(array[frame], dtype=np.float64)
    if points.shape != array.shape[1:] or not np.isfinite(points).all():
        raise ValueError("a position is not finite")
    return points


def frames_together(vertices: int) -> int:
    """How many frames of so many vertices are one file where frames are written many at a time."""
    most, size = HELD_CHUNK
    return max(1, min(most, size // (24 * vertices)))


def frame_file(folder: Path, array: zarr.Array, frame: int) -> Path:
    """The file of a frame of an array in `folder`, with those around it if several share one; earlier versions made a folder
    for each."""
    metadata: Any = array.metadata
    return folder / metadata.encode_chunk_key((frame // array.chunks[0], *(0 for _ in array.shape[1:])))


def check_compression(store: Path, array: zarr.Array) -> None:
    """Raise an `InputError` that names the file if frames cannot be written because of how its array is to be compressed."""
    for codec in array.compressors:
        for name, (least, most) in _BLOSC_RANGES.items():
            value = getattr(codec, name, least)
            if not least <= value <= most:
                file = store / array.path / "zarr.json"
                raise InputError(
                    f"{str(file)!r} is damaged: {name} is {short(value)}, which must be from {least} to {most}; put the file "
                    "back from a copy, or run the scene again in another directory"
                )


def visible_times(store: Path, group: zarr.Group) -> NDArray[np.float64]:
    """The times of the frames that are complete: those before the first NaN."""
    array: Any = group["times"]
    if array.ndim != 1 or array.dtype != np.float64 or array.chunks != (TIMES_CHUNK,):
        raise ValueError(f"the times have shape {array.shape} and are {array.dtype}")
    whole = 0
    while whole * TIMES_CHUNK < array.shape[0] and (store / "times" / "c" / str(whole)).is_file():
        whole += 1
    if array.shape[0] > whole * TIMES_CHUNK + MOST_UNSEEN:
        raise ValueError(f"the times claim {array.shape[0]:.3g} frames")
    times = np.asarray(array[: whole * TIMES_CHUNK], dtype=np.float64)
    missing = np.flatnonzero(np.isnan(times))
    times = times[: missing[0]] if len(missing) else times
    if not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
        raise ValueError("the times of the frames do not increase")
    return times


def _read_faces(folder: Path, body: Any, vertices: int) -> Faces | None:
    """The polygons of the source file, if they are stored."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in ("face_counts", "face_corners", "uv", "uv_corners"):
        if name in body:
            _check_size(folder / name, prod(body[name].shape) * body[name].dtype.itemsize)
            arrays[name] = np.asarray(body[name][...])
    try:
        return Faces.from_arrays(arrays, vertices)
    except InputError as error:
        raise ValueError(f"the polygons in {str(folder)!r} are damaged ({error})") from None


def _corners(folder: Path, array: Any, corners: int, vertices: int) -> NDArray[np.int32]:
    """Triangles or edges, whose vertices all exist."""
    if array.ndim != 2 or array.shape[1] != corners or array.dtype.kind not in "iu":
        raise ValueError(f"the {folder.name} have shape {array.shape} and are {array.dtype}")
    _check_size(folder, prod(array.shape) * array.dtype.itemsize)
    expected = prod(-(-size // chunk) for size, chunk in zip(array.shape, array.chunks, strict=True))
    have = sum(1 for file in (folder / "c").rglob("*") if file.is_file()) if (folder / "c").is_dir() else 0
    if have < expected:
        raise ValueError(f"the {folder.name} in {str(folder)!r} are missing")
    values = np.asarray(array[:])
    if values.size and (values.min() < 0 or values.max() >= vertices):
        raise ValueError(f"the {folder.name} in {str(folder)!r} name vertices that do not exist")
    return values.astype(np.int32, copy=False)


def _check_size(path: Path, declared: int) -> None:
    """Refuse an array [bytes] that is larger than what its files can hold."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    if declared > 1_000_000 + _BEST_COMPRESSION * sum(file.stat().st_size for file in files):
        raise ValueError(f"{path.name!r} claims {declared / 1e6:.3g} MB, which its files cannot hold")
