"""contacts/: contacts, forces, pressure, strain and stress of every frame, one file each, if the run was asked for them.

    OUT/contacts/000012.npz   those of frame 12 (`FrameReadout`)

The file of a frame is complete before the frame exists in the trajectory, and a resumed run writes those after its checkpoint
anew: whoever sees a frame finds its contacts.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.files.runs.output_directory import replace_file
from signorini.simulation.frame_readout import FIELDS, FrameReadout

FOLDER = "contacts"
_SHAPES = {"bodies": (2, "iu"), "points": (3, "f"), "normals": (3, "f"), "forces": (3, "f")}
"""Columns and kind of the arrays of contacts."""


class ContactsWriter:
    """Writes the read-out of frames to the folder `contacts` of a run."""

    def __init__(self, out: Path, *, keep_frames: int = 0):
        """Make the folder, or continue it after its first `keep_frames` frames."""
        self._folder = out / FOLDER
        self._folder.mkdir(exist_ok=True)
        for file in self._folder.glob("*.npz"):
            if file.stem.isdigit() and int(file.stem) >= keep_frames:
                file.unlink()

    def write(self, frame: int, readout: FrameReadout) -> None:
        """Write the read-out of a frame, all at once."""
        arrays: dict[str, Any] = {
            "names": np.array(readout.names),
            "bodies": readout.bodies,
            "points": readout.points,
            "normals": readout.normals,
            "forces": readout.forces,
            "sticks": readout.sticks,
        }
        arrays |= {f"{field}/{name}": a for field, by_body in readout.fields.items() for name, a in by_body.items()}
        replace_file(_file(self._folder, frame), lambda file: np.savez_compressed(file, **arrays))


def has_contacts(out: Path) -> bool:
    """Whether the run in a directory stores contacts."""
    return (out / FOLDER).is_dir()


def read_contacts(out: Path, frame: int) -> FrameReadout:
    """The read-out of a frame of a run; an `InputError` if there is none, or if its file is damaged."""
    file = _file(out / FOLDER, frame)
    if not has_contacts(out):
        raise InputError(f"the run in {str(out)!r} has no contacts: run the scene again with --contacts")
    if not file.is_file():
        raise InputError(f"the contacts of frame {frame} are missing: there is no file {str(file)!r}")
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return _readout(arrays)
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, MemoryError) as error:
        raise InputError(f"the contacts of frame {frame} cannot be read: {str(file)!r} is damaged ({error})") from None


def _readout(arrays: dict[str, NDArray[Any]]) -> FrameReadout:
    names, sticks = tuple(str(name) for name in arrays["names"]), arrays["sticks"]
    for name, (columns, kinds) in _SHAPES.items():
        if arrays[name].shape != (len(sticks), columns) or arrays[name].dtype.kind not in kinds:
            raise ValueError(f"{name} have shape {arrays[name].shape} and are {arrays[name].dtype}")
    bodies = arrays["bodies"].astype(np.int32)
    if bodies.size and (bodies.min() < 0 or bodies.max() >= len(names)):
        raise ValueError("its contacts name bodies that do not exist")
    fields: dict[str, dict[str, NDArray[np.float32]]] = {field: {} for field in FIELDS}
    for key, array in arrays.items():
        field, slash, body = key.partition("/")
        if slash and field in fields:
            fields[field][body] = array.astype(np.float32)
    points, normals, forces = (arrays[name] for name in ("points", "normals", "forces"))
    return FrameReadout(names, bodies, points, normals, forces, sticks.astype(np.bool_), fields)


def _file(folder: Path, frame: int) -> Path:
    return folder / f"{frame:06d}.npz"
