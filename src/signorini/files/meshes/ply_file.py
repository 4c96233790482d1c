"""PLY, text and binary: vertices, polygons of any size, and texture coordinates of the vertices."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.files.meshes.raw_surface import RawSurface, surface_of_faces
from signorini.geometry.faces import Faces

_KINDS = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4", "double": "f8",
    "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8",
}  # fmt: skip
_UV = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"))
"""Names that programs give to texture coordinates."""
Lists = tuple[NDArray[np.int64], NDArray[Any]]
"""Lengths of lists, and the members of all of them one after the other."""


@dataclass(slots=True)
class _Element:
    """A kind of things in a file: how many, and the properties of each: name, type of number, type of the length of a list."""

    name: str
    count: int
    properties: list[tuple[str, str, str | None]] = field(default_factory=list)


def read_ply(file: Path) -> RawSurface:
    """The polygons of a file; an `InputError` names what is wrong."""
    try:
        return _read(file.read_bytes())
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None
    except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"mesh file {str(file)!r} cannot be read as ply ({reason})") from None


def _read(data: bytes) -> RawSurface:
    end = data.find(b"end_header")
    start = data.find(b"\n", end) + 1
    if not data.startswith(b"ply") or end < 0 or not start:
        raise InputError("a PLY file must start with 'ply' and have 'end_header'")
    form, elements = _header(data[:end].decode("latin-1").splitlines())
    values = _TextBody(data[start:]) if form == "ascii" else _BinaryBody(data[start:], "<" if "little" in form else ">")
    found: dict[str, dict[str, Any]] = {}
    for element in elements:
        found[element.name] = values.read(element)
    vertex, face = found.get("vertex", {}), found.get("face", {})
    if any(axis not in vertex for axis in "xyz"):
        raise InputError("it has no vertices with x, y and z")
    points = np.column_stack([vertex[axis] for axis in "xyz"]).astype(np.float64)
    lists = next((face[name] for name in ("vertex_indices", "vertex_index") if name in face), None)
    if lists is None:
        return RawSurface(points, np.zeros((0, 3), np.int32))
    counts, corners = lists
    kept = np.repeat(counts >= 3, counts)
    counts, corners = counts[counts >= 3].astype(np.int32), corners[kept].astype(np.int64)
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
        raise InputError(f"a face names vertex {corners.max()}, but there are {len(points)}: is the file cut off?")
    corners = corners.astype(np.int32)
    names = next((pair for pair in _UV if all(name in vertex for name in pair)), None)
    if names is None:
        return surface_of_faces(points, Faces(counts, corners))
    uv = np.column_stack([vertex[name] for name in names]).astype(np.float64)
    return surface_of_faces(points, Faces(counts, corners, uv, corners))


def _header(lines: list[str]) -> tuple[str, list[_Element]]:
    form, elements = "", []
    for line in lines[1:]:
        match line.split():
            case ["format", kind, *_]:
                form = kind
            case ["element", name, count, *_]:
                elements.append(_Element(name, int(count)))
            case ["property", "list", length, kind, name]:
                elements[-1].properties.append((name, _KINDS[kind], _KINDS[length]))
            case ["property", kind, name]:
                elements[-1].properties.append((name, _KINDS[kind], None))
    if form not in ("ascii", "binary_little_endian", "binary_big_endian"):
        raise InputError(f"the format {form!r} is unknown: ascii or binary is expected")
    return form, elements


class _BinaryBody:
    """The binary data behind the header, and how far they were read."""

    def __init__(self, data: bytes, order: str) -> None:
        self._data, self._order, self._at = data, order, 0

    def read(self, element: _Element) -> dict[str, Any]:
        """The properties of an element by name: arrays, or lists."""
        if all(length is None for _, _, length in element.properties):
            return self._rows(element, [(name, kind, 1) for name, kind, _ in element.properties])
        first = self._lengths(element)
        same = self._rows_of_lists(element, first) if element.count else None
        return same if same is not None else self._one_by_one(element)

    def _lengths(self, element: _Element) -> dict[str, int]:
        """The lengths of the lists of the first row; most files have the same in all rows."""
        at, lengths = self._at, {}
        for name, kind, length in element.properties if element.count else []:
            size = 1
            if length is not None:
                size = int(self._number(length, at))
                lengths[name], at = size, at + np.dtype(length).itemsize
            at += size * np.dtype(kind).itemsize
        return lengths

    def _rows_of_lists(self, element: _Element, lengths: dict[str, int]) -> dict[str, Any] | None:
        """All rows at once if their lists have these lengths, or None."""
        fields = []
        for name, kind, length in element.properties:
            if length is not None:
                fields.append((f"{name} length", length, 1))
            fields.append((name, kind, lengths.get(name, 1)))
        before = self._at
        try:
            rows = self._rows(element, fields)
        except InputError:
            rows = {}
        if not rows or any((rows[f"{name} length"] != size).any() for name, size in lengths.items()):
            self._at = before
            return None
        count = element.count
        return {
            name: (np.full(count, lengths[name], np.int64), rows[name].reshape(-1)) if name in lengths else rows[name]
            for name, _, _ in element.properties
        }

    def _rows(self, element: _Element, fields: list[tuple[str, str, int]]) -> dict[str, Any]:
        kind = np.dtype([(name, self._order + kind, (size,) if size != 1 else ()) for name, kind, size in fields])
        if self._at + element.count * kind.itemsize > len(self._data):
            raise InputError(f"the file ends before its {element.count} {element.name} elements")
        rows = np.frombuffer(self._data, kind, element.count, self._at)
        self._at += element.count * kind.itemsize
        return {name: rows[name] for name, _, _ in fields}

    def _one_by_one(self, element: _Element) -> dict[str, Any]:
        found: dict[str, list[Any]] = {name: [] for name, _, _ in element.properties}
        for _ in range(element.count):
            for name, kind, length in element.properties:
                size = 1
                if length is not None:
                    size = int(self._number(length, self._at))
                    self._at += np.dtype(length).itemsize
                if size < 0 or self._at + size * np.dtype(kind).itemsize > len(self._data):
                    raise InputError(f"the file ends before its {element.count} {element.name} elements")
                found[name].append(np.frombuffer(self._data, self._order + kind, size, self._at))
                self._at += size * np.dtype(kind).itemsize
        return _gathered(element, found)

    def _number(self, kind: str, at: int) -> Any:
        if at + np.dtype(kind).itemsize > len(self._data):
            raise InputError("the file is cut off")
        return np.frombuffer(self._data, self._order + kind, 1, at)[0]


class _TextBody:
    """The numbers behind the header, and how many were read."""

    def __init__(self, data: bytes) -> None:
        self._words, self._at = data.split(), 0

    def read(self, element: _Element) -> dict[str, Any]:
        """The properties of an element by name: arrays, or lists."""
        found: dict[str, list[Any]] = {name: [] for name, _, _ in element.properties}
        for _ in range(element.count):
            for name, _, length in element.properties:
                size = 1
                if length is not None:
                    size, self._at = int(self._words[self._at]), self._at + 1
                if size < 0 or self._at + size > len(self._words):
                    raise InputError(f"the file ends before its {element.count} {element.name} elements")
                found[name].append(np.array(self._words[self._at : self._at + size]).astype(np.float64))
                self._at += size
        return _gathered(element, found)


def _gathered(element: _Element, found: dict[str, list[Any]]) -> dict[str, Any]:
    """Arrays of single numbers, and lists with their lengths."""
    gathered: dict[str, Any] = {}
    for name, kind, length in element.properties:
        members = np.concatenate([np.zeros(0, kind), *found[name]])
        lengths = np.array([len(part) for part in found[name]], dtype=np.int64)
        gathered[name] = members if length is None else (lengths, members)
    return gathered
