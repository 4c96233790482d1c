"""Reading of mesh files that mix text and binary data; every error names the file and the line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError

LARGEST_COUNT = 10**9
"""A larger number of nodes or elements can only come from a damaged file."""
_WORD = re.compile(rb"(?<!\S)[A-Za-z$#]\S*")
_TOKEN = re.compile(rb"\S+")


@dataclass(slots=True)
class RawTets:
    """Contents of a mesh file: nodes with the numbers that the file gives them, and tetrahedra of such numbers."""

    names: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """(n,)"""
    points: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 3)))
    """(n, 3)"""
    tetrahedra: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    """(t, 4)"""
    others: set[str] = field(default_factory=set)
    """What else the file has in place of tetrahedra, for the message where it has no tetrahedra."""
    triangles: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    """(s, 3) triangles beside the tetrahedra; only of files that may be read as surfaces too."""
    groups: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    """Numbers of the nodes of each named group."""

    def numbered(self, elements: NDArray[np.int64], one: str) -> NDArray[np.intp]:
        """Elements (k, c) with the places of their nodes in `points` in place of the file's numbers; each is called `one`."""
        names, order = self._sorted_names()
        place = np.minimum(np.searchsorted(names, elements), max(0, len(names) - 1))
        wrong = np.ones(place.shape, bool) if len(names) == 0 else names[place] != elements
        if wrong.any():
            which = int(np.argmax(wrong.any(axis=1)))
            node = elements[which][wrong[which]][0]
            raise InputError(f"{one} {which} has the node {node}, which the file does not define")
        return order[place]

    def groups_of(self, used: NDArray[np.integer]) -> dict[str, NDArray[np.int32]]:
        """The groups in numbers of the vertices of a mesh, which are the nodes at the places `used` (v,) in this order."""
        vertex = {int(name): k for k, name in enumerate(self.names[used])}
        found = {
            group: np.array([vertex[n] for n in nodes.tolist() if n in vertex], np.int32)
            for group, nodes in self.groups.items()
        }
        return {group: vertices for group, vertices in found.items() if len(vertices)}

    def _sorted_names(self) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        order = np.argsort(self.names, kind="stable")
        names = self.names[order]
        double = np.flatnonzero(names[1:] == names[:-1])
        if len(double):
            raise InputError(f"node {names[double[0]]} is defined twice ({len(double)} such nodes)")
        return names, order


class MeshScanner:
    """The content of a file and the place that reading has come to."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self.data = file.read_bytes()
        except OSError as error:
            raise InputError(f"mesh file {str(file)!r} cannot be read ({error.strerror})") from None
        self.at = 0

    def fail(self, message: str, *, at: int | None = None) -> NoReturn:
        """Raise an `InputError` with the file and the line of `at`, or of the place that reading has come to."""
        line = self.data.count(b"\n", 0, self.at if at is None else at) + 1
        raise InputError(f"mesh file {str(self.file)!r}, line {line}: {message}")

    def fail_before(self, message: str) -> NoReturn:
        """As `fail`, about the line that was read last."""
        self.fail(message, at=max(0, self.at - 1))

    def line(self, what: str) -> str:
        """The next line that is not empty, without its end."""
        text = b""
        while not text:
            if self.at >= len(self.data):
                self.fail(f"the file ends where {what} should come")
            end = self.data.find(b"\n", self.at)
            end = len(self.data) if end < 0 else end
            text = self.data[self.at : end].strip()
            self.at = min(end + 1, len(self.data))
        return text.decode("latin-1")

    def word(self) -> str | None:
        """The next word that starts with a letter or $, skipping numbers and comments; None at the end."""
        while found := _WORD.search(self.data, self.at):
            self.at = found.end()
            if not found[0].startswith(b"#"):
                return found[0].decode("latin-1")
            end = self.data.find(b"\n", self.at)
            self.at = len(self.data) if end < 0 else end
        self.at = len(self.data)
        return None

    def skip_past(self, mark: str) -> None:
        """Go on behind the next occurrence of `mark`."""
        place = self.data.find(mark.encode(), self.at)
        if place < 0:
            self.fail(f"{mark} is missing")
        self.at = place + len(mark)

    def numbers(self, count: int, kind: type[np.generic], what: str) -> NDArray[Any]:
        """The next `count` numbers in text, as an array of `kind` (np.float64 or np.int64)."""
        begin, size = self.at, 64 + 24 * count
        while True:
            chunk = self.data[begin : begin + size]
            parts = chunk.split(None, count)
            if len(parts) > count or begin + size >= len(self.data):
                break
            size *= 2
        if len(parts) < count:
            self.at = len(self.data)
            self.fail(f"the file ends after {len(parts)} of the {count} numbers of {what}")
        self.at = begin + len(chunk) - (len(parts[count]) if len(parts) > count else 0)
        while self.at > begin and self.data[self.at - 1 : self.at].isspace():
            self.at -= 1
        try:
            return np.array(parts[:count], dtype=np.bytes_).astype(kind) if count else np.zeros(0, kind)
        except (ValueError, OverflowError):
            self._name_bad_number(begin, kind, what)

    def _name_bad_number(self, begin: int, kind: type[np.generic], what: str) -> NoReturn:
        for found in _TOKEN.finditer(self.data, begin):
            try:
                np.array([found[0]]).astype(kind)
            except (ValueError, OverflowError):
                text = found[0].decode("latin-1")[:40]
                expected = "an integer" if np.issubdtype(kind, np.integer) else "a number"
                self.fail(f"{expected} is expected for {what}, found {text!r}", at=found.start())
        raise AssertionError("all numbers are good")

    def integers_of(self, values: NDArray[np.float64], what: str) -> NDArray[np.int64]:
        """Numbers that were read together with others as floats, as the integers that they must be."""
        good = (np.abs(values) <= LARGEST_COUNT) & (values == np.floor(values))
        if not good.all():
            self.fail(f"{what} must be integers up to {LARGEST_COUNT}, found {values[~good][0]:g}")
        return values.astype(np.int64)

    def count(self, what: str) -> int:
        """One integer in text that counts something."""
        return self.checked_count(int(self.numbers(1, np.int64, what)[0]), what)

    def checked_count(self, value: int, what: str) -> int:
        """`value`, or a failure if that cannot be a count."""
        if not 0 <= value <= LARGEST_COUNT:
            self.fail(f"{what} cannot be {value}")
        return value

    def binary(self, count: int, kind: np.dtype[Any], what: str) -> NDArray[Any]:
        """The next `count` items of binary data."""
        size = count * kind.itemsize
        if self.at + size > len(self.data):
            found = (len(self.data) - self.at) // kind.itemsize
            self.fail(f"the file ends after {found} of the {count} binary items of {what}")
        items = np.frombuffer(self.data, kind, count, self.at)
        self.at += size
        return items
