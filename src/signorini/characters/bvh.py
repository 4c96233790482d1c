"""Motion capture files in the BVH format: a hierarchy of joints and their channels, frame by frame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.characters.articulation import Articulation
from signorini.checks import check_choice, check_number, check_path, check_positive
from signorini.errors import InputError
from signorini.files.meshes.up_axis import UpAxis, z_up_rotation

Floats = NDArray[np.float64]
CHANNELS = tuple(f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ")


@dataclass(frozen=True, slots=True, eq=False)
class Bvh:
    """A BVH file as it is: its own unit of length, its own axes, degrees."""

    names: tuple[str, ...]
    parents: NDArray[np.int64]
    """(j,) -1 for a root."""
    offsets: Floats
    """(j, 3) from the parent."""
    channels: tuple[tuple[str, ...], ...]
    """Of each joint, in the order of the file: Xposition ... Zrotation."""
    end_sites: tuple[tuple[int, tuple[float, float, float]], ...]
    """Joint and offset of each End Site."""
    frame_time: float
    """[s]"""
    values: Floats
    """(frames, channels of all joints)"""

    @property
    def frame_count(self) -> int:
        return len(self.values)

    def articulation(
        self,
        *,
        scale: float = 0.01,
        up: UpAxis = "y",
        frames: tuple[int, int] | None = None,
        start: float = 0.0,
        speed: float = 1.0,
        position_channels: Literal["add", "replace"] = "add",
    ) -> Articulation:
        """The motion in metres with z up; `scale` is the length of the file's unit [m], 0.01 for centimetres.

        `frames=(first, stop)` takes a part (many files begin with a T-pose: `frames=(1, bvh.frame_count)`). The first of them is
        at `start` [s], and time runs `speed` times as fast. Position channels are added to a joint's offset; some
        programs write the sum already, which `position_channels="replace"` reads.
        """
        unit = check_positive("scale of a BVH motion", scale, unit="m")
        rate = check_positive("speed of a BVH motion", speed)
        if not np.isfinite(check_number("start of a BVH motion", start)):
            raise InputError(f"start of a BVH motion must be finite, got {start} s")
        check_choice("position_channels of a BVH motion", position_channels, ("add", "replace"))
        turn = Rotation.from_matrix(z_up_rotation("a BVH motion", up))
        values = self._part(frames)
        translations, rotations = self._local(values, add=position_channels == "add")
        translations *= unit
        for j in np.flatnonzero(self.parents < 0):
            translations[:, j] = turn.apply(translations[:, j])
            rotations[:, j] = (turn * Rotation.from_quat(rotations[:, j])).as_quat()
        times = np.array([start + k * self.frame_time / rate for k in range(len(values))])
        return Articulation(self.names, self.parents, times, translations, rotations)

    def _part(self, frames: tuple[int, int] | None) -> Floats:
        """The values of the frames (first, stop); a single frame twice, so that there is an interval."""
        count = self.frame_count
        first, stop = (0, count) if frames is None else frames
        if not (isinstance(first, int) and isinstance(stop, int) and 0 <= first < stop <= count):
            raise InputError(f"frames of a BVH motion must be (first, stop) within 0 to {count}, got {frames!r}")
        part = self.values[first:stop]
        return part if len(part) > 1 else np.repeat(part, 2, axis=0)

    def _local(self, values: Floats, *, add: bool) -> tuple[Floats, Floats]:
        """Translations (f, j, 3) and rotations (f, j, 4) against the parents; rotations apply in the order of the file."""
        count = len(values)
        translations = np.repeat(self.offsets[None], count, axis=0)
        rotations = np.empty((count, len(self.names), 4))
        column = 0
        for j, channels in enumerate(self.channels):
            turn = Rotation.from_quat(np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)))
            for channel in channels:
                data = values[:, column]
                column += 1
                a = "XYZ".index(channel[0])
                if channel.endswith("position"):
                    translations[:, j, a] = data + (self.offsets[j, a] if add else 0.0)
                else:
                    turn = turn * Rotation.from_rotvec(np.radians(data)[:, None] * np.eye(3)[a])
            rotations[:, j] = turn.as_quat()
        return translations, rotations


def load_bvh(path: str | Path) -> Bvh:
    """Read a BVH file. An error names the file, the line and what was expected there."""
    file = check_path("BVH file", path)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"BVH file {str(file)!r} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"BVH file {str(file)!r} cannot be read as text ({type(error).__name__})") from None
    return _Parser(file, lines).parse()


class _Parser:
    """Reads the lines of a file from the first to the last; `self.line` is the number of the one read, for errors."""

    def __init__(self, file: Path, lines: list[str]) -> None:
        self.file, self.lines, self.line = file, lines, 0
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[tuple[float, ...]] = []
        self.channels: list[tuple[str, ...]] = []
        self.end_sites: list[tuple[int, tuple[float, float, float]]] = []

    def parse(self) -> Bvh:
        self._expect("HIERARCHY")
        words = self._next("ROOT")
        while words[0].upper() == "ROOT":
            self._joint(words, -1)
            words = self._next("MOTION")
        if [w.upper() for w in words] != ["MOTION"]:
            raise self._error(f"expected MOTION, got {' '.join(words)!r}")
        frame_count, frame_time = self._frame_header()
        columns = sum(map(len, self.channels))
        values = np.array([self._frame(k, frame_count, columns) for k in range(frame_count)])
        for number, text in enumerate(self.lines[self.line :], start=self.line + 1):
            if text.strip():
                self.line = number
                raise self._error(f"the file announces {frame_count} frames, but goes on after the last")
        return Bvh(
            tuple(self.names), np.array(self.parents), np.array(self.offsets), tuple(self.channels),
            tuple(self.end_sites), frame_time, values,
        )  # fmt: skip

    def _joint(self, words: list[str], parent: int) -> None:
        """One ROOT or JOINT and all below it."""
        me = len(self.names)
        if len(words) < 2:
            raise self._error(f"expected a name after {words[0]}")
        self.names.append(" ".join(words[1:]))
        self.parents.append(parent)
        self._expect("{")
        self.offsets.append(self._offset())
        self.channels.append(self._channels())
        while True:
            words = self._next("JOINT, End Site or }")
            match words[0].upper():
                case "JOINT":
                    self._joint(words, me)
                case "END":
                    self._expect("{")
                    x, y, z = self._offset()
                    self.end_sites.append((me, (x, y, z)))
                    self._expect("}")
                case "}":
                    return
                case _:
                    raise self._error(f"expected JOINT, End Site or }}, got {' '.join(words)!r}")

    def _offset(self) -> tuple[float, ...]:
        words = self._next("OFFSET")
        if words[0].upper() != "OFFSET" or len(words) != 4:
            raise self._error(f"expected OFFSET and three numbers, got {' '.join(words)!r}")
        return tuple(self._numbers(words[1:]).tolist())

    def _channels(self) -> tuple[str, ...]:
        words = self._next("CHANNELS")
        if words[0].upper() != "CHANNELS" or len(words) < 2 or not words[1].isdigit():
            raise self._error(f"expected CHANNELS and their number, got {' '.join(words)!r}")
        if len(words) - 2 != int(words[1]):
            raise self._error(f"CHANNELS announces {words[1]} channels, but names {len(words) - 2}")
        known = {name.lower(): name for name in CHANNELS}
        names = [known.get(word.lower()) for word in words[2:]]
        if None in names:
            wrong = words[2 + names.index(None)]
            raise self._error(f"unknown channel {wrong!r}: a channel is one of {', '.join(CHANNELS)}")
        if len(set(names)) != len(names):
            raise self._error(f"a channel is named twice: {' '.join(words[2:])}")
        return tuple(str(name) for name in names)

    def _frame_header(self) -> tuple[int, float]:
        text = " ".join(self._next("Frames:"))
        found = re.fullmatch(r"frames\s*:\s*(\d+)", text, re.IGNORECASE)
        if not found or int(found[1]) == 0:
            raise self._error(f"expected 'Frames:' and how many, at least 1, got {text!r}")
        count = int(found[1])
        text = " ".join(self._next("Frame Time:"))
        found = re.fullmatch(r"frame\s+time\s*:\s*(\S+)", text, re.IGNORECASE)
        if not found:
            raise self._error(f"expected 'Frame Time:' and the seconds between frames, got {text!r}")
        seconds = float(self._numbers([found[1]])[0])
        if not seconds > 0.0:
            raise self._error(f"the frame time must be positive, got {seconds:g} s")
        return count, seconds

    def _frame(self, k: int, count: int, columns: int) -> Floats:
        words = self._next(f"frame {k + 1} of {count}")
        if len(words) != columns:
            raise self._error(f"frame {k + 1} has {len(words)} numbers, but the joints have {columns} channels")
        return self._numbers(words)

    def _numbers(self, words: list[str]) -> Floats:
        try:
            numbers = np.array(words, dtype=np.float64)
        except ValueError:
            numbers = np.array([np.nan])
        if not np.isfinite(numbers).all():
            bad = next(w for w in words if not _is_finite(w))
            raise self._error(f"expected a number, got {bad!r}")
        return numbers

    def _expect(self, word: str) -> None:
        words = self._next(word)
        if [w.upper() for w in words] != [word]:
            raise self._error(f"expected {word}, got {' '.join(words)!r}")

    def _next(self, expected: str) -> list[str]:
        """The words of the next line that is not empty. A brace at the end of a line becomes a line of its own."""
        while self.line < len(self.lines):
            words = self.lines[self.line].split()
            self.line += 1
            if len(words) > 1 and words[-1] == "{":
                self.line -= 1
                self.lines[self.line] = "{"
                return words[:-1]
            if words:
                return words
        raise self._error(f"the file ends where {expected} is expected: it is cut off")

    def _error(self, what: Any) -> InputError:
        return InputError(f"BVH file {str(self.file)!r}, line {self.line}: {what}")


def _is_finite(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False
