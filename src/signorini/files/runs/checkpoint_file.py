"""checkpoint/state.npz: the exact state to resume from, and how much was on disk when it was written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import read_arrays
from signorini.files.runs.output_directory import replace_file

DIGEST = "digest"
"""Array of the file that holds the digest of all others: a state that was changed is not resumed, whatever it may do."""


@dataclass(slots=True)
class Progress:
    """Progress of a run, stored with each checkpoint."""

    frame_count: int = 0
    """Frames on disk."""
    step_count: int = 0
    """Steps done, each a row of steps.csv."""
    next_frame: int = 1
    """Number k of the next frame; its time is k / fps."""
    seconds: float = 0.0
    """Simulated time that was asked for [s]."""
    wall_seconds: float = 0.0
    """Wall time spent, summed over resumes [s]."""
    cpu_seconds: float = 0.0
    """CPU time spent, summed over resumes [s]."""
    intersecting_frames: int = 0
    """Frames in which an edge passes through a triangle."""
    nested_frames: int = 0
    """Frames in which a body is inside another that it was not in at the start, or has left a hollow one."""


def checkpoint_file(out: Path) -> Path:
    """Path of the checkpoint of a run, or an `InputError` if it cannot be resumed."""
    file = out / "checkpoint" / "state.npz"
    if not out.is_dir():
        raise InputError(f"cannot resume {str(out)!r}: the directory does not exist")
    if not file.is_file():
        raise InputError(f"cannot resume {str(out)!r}: it has no checkpoint (is it the output directory of a run?)")
    return file


def write_checkpoint_file(out: Path, state: Mapping[str, NDArray[Any]], progress: Progress) -> None:
    """Replace the checkpoint of a run, all at once."""
    arrays: dict[str, Any] = {f"state/{name}": array for name, array in state.items()}
    arrays |= {f"progress/{name}": np.array(value) for name, value in asdict(progress).items()}
    arrays[DIGEST] = np.array(_digest(arrays))
    (out / "checkpoint").mkdir(exist_ok=True)
    replace_file(out / "checkpoint" / "state.npz", lambda file: np.savez(file, **arrays))


def read_checkpoint(out: Path) -> tuple[dict[str, NDArray[Any]], Progress]:
    """The state and progress that a run can be resumed from; an `InputError` names what is damaged."""
    file = checkpoint_file(out)
    arrays = read_arrays(file)
    written = arrays.pop(DIGEST, None)
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise _damaged(file, f"{name} is {array.dtype}, which is no number")
    state = {name.removeprefix("state/"): array for name, array in arrays.items() if name.startswith("state/")}
    numbers = {f"progress/{f.name}": type(f.default) for f in fields(Progress)}
    values = {name: _number(file, arrays, name, whole=kind is int) for name, kind in numbers.items()}
    progress = Progress(**{name.removeprefix("progress/"): value for name, value in values.items()})
    time = _number(file, arrays, "state/time", whole=False)
    step = _number(file, arrays, "state/step_index", whole=True)
    for wrong, what in (
        (progress.next_frame < 1, "progress/next_frame is 0"),
        (progress.seconds <= 0.0, "progress/seconds is 0"),
        (progress.step_count > step, f"progress/step_count is {progress.step_count} at step {step}"),
        (progress.intersecting_frames > progress.frame_count, "there are more intersecting frames than frames"),
        ((step == 0) != (time == 0.0), f"state/time is {time:g} s at step {step}"),
    ):
        if wrong:
            raise _damaged(file, what)
    if written is None or written.shape != () or str(written) != _digest(arrays):
        raise _damaged(file, "it does not hold what the run wrote")
    return state, progress


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 of names, types, shapes and contents."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        total.update(f"{name}|{array.dtype.str}|{array.shape}|".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def _number(file: Path, arrays: Mapping[str, NDArray[Any]], name: str, *, whole: bool) -> Any:
    """A number of a checkpoint, which is never negative."""
    array = arrays.get(name)
    if array is None:
        raise _damaged(file, f"it has no {name}")
    if array.shape != () or array.dtype.kind not in ("iu" if whole else "iuf"):
        raise _damaged(file, f"{name} is not {'an integer' if whole else 'a number'}")
    value = array.item()
    if not 0 <= value < (2**53 if whole else float("inf")):
        raise _damaged(file, f"{name} is {value}")
    return value


def _damaged(file: Path, what: str) -> InputError:
    return InputError(f"checkpoint {str(file)!r} is damaged: {what}; run the scene again with --force")
