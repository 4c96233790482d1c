"""Tetrahedra from legacy VTK files (unstructured grids), text and binary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.files.meshes.mesh_scanner import MeshScanner, RawTets

TETRA, QUADRATIC_TETRA = 10, 24
KINDS = {
    "float": "f4",
    "double": "f8",
    "int": "i4",
    "unsigned_int": "u4",
    "long": "i8",
    "vtktypeint64": "i8",
    "vtktypeint32": "i4",
    "vtkidtype": "i8",
    "short": "i2",
    "unsigned_short": "u2",
    "char": "i1",
    "unsigned_char": "u1",
    "unsigned_long": "u8",
}
"""VTK's names of number types; binary data are big-endian."""


def read_vtk(scanner: MeshScanner) -> RawTets:
    """The points and the linear tetrahedra of an unstructured grid; other cells are left out."""
    if not scanner.line("the header").startswith("# vtk DataFile Version"):
        scanner.fail("a legacy VTK file must start with '# vtk DataFile Version'", at=0)
    scanner.skip_past("\n")  # the title, which may be empty
    mode = scanner.line("ASCII or BINARY").upper()
    if mode not in ("ASCII", "BINARY"):
        scanner.fail_before(f"ASCII or BINARY is expected, found {mode[:40]!r}")
    reader = _Reader(scanner, is_binary=mode == "BINARY")
    dataset = scanner.line("DATASET UNSTRUCTURED_GRID").upper().split()
    if dataset != ["DATASET", "UNSTRUCTURED_GRID"]:
        scanner.fail_before(f"only DATASET UNSTRUCTURED_GRID is supported, found {' '.join(dataset)[:40]!r}")
    points = cells = types = None
    while points is None or cells is None or types is None:
        words = scanner.line("POINTS, CELLS or CELL_TYPES").split()
        keyword = words[0].upper()
        if keyword == "POINTS":
            points = reader.items(3 * reader.count(words, 1), reader.kind(words, 2), "the points").reshape(-1, 3)
        elif keyword == "CELLS":
            cells = reader.cells(words)
        elif keyword == "CELL_TYPES":
            types = reader.items(reader.count(words, 1), "i4", "the cell types")
        elif keyword == "FIELD":
            reader.skip_field(words)
    starts, nodes = cells
    if len(types) != len(starts) - 1:
        scanner.fail(f"there are {len(starts) - 1} cells but {len(types)} cell types")
    return _picked(scanner, points, starts, nodes, types)


def _picked(
    scanner: MeshScanner, points: NDArray[Any], starts: NDArray[Any], nodes: NDArray[Any], types: NDArray[Any]
) -> RawTets:
    """The tetrahedra among the cells; cell c has the nodes from starts[c] to starts[c + 1]."""
    chosen = np.flatnonzero(types == TETRA)
    if (np.diff(starts)[chosen] != 4).any():
        scanner.fail("a tetrahedron must have 4 nodes")
    others = {
        "second-order tetrahedra" if kind == QUADRATIC_TETRA else f"cells of VTK type {kind}"
        for kind in np.unique(types[types != TETRA])
    }
    tetrahedra = nodes[starts[chosen][:, None] + np.arange(4)].astype(np.int64)
    return RawTets(np.arange(len(points)), points.astype(np.float64), tetrahedra, others)


class _Reader:
    """The parts of one file."""

    def __init__(self, scanner: MeshScanner, *, is_binary: bool) -> None:
        self.scanner = scanner
        self.is_binary = is_binary

    def count(self, words: list[str], place: int) -> int:
        """The count at a place of the line that was read last."""
        if len(words) <= place or not (words[place].isascii() and words[place].isdigit()):
            self.scanner.fail_before(f"a count is expected behind {words[0][:40]}, found {' '.join(words)[:60]!r}")
        return self.scanner.checked_count(int(words[place]), f"the count of {words[0]}")

    def kind(self, words: list[str], place: int) -> str:
        name = words[place].lower() if len(words) > place else ""
        if name not in KINDS:
            self.scanner.fail_before(f"a type of numbers such as float is expected, found {' '.join(words)[:60]!r}")
        return KINDS[name]

    def items(self, count: int, kind: str, what: str) -> NDArray[Any]:
        """`count` numbers of the NumPy type `kind`."""
        if self.is_binary:
            return self.scanner.binary(count, np.dtype(">" + kind), what).astype(kind)
        return self.scanner.numbers(count, np.float64 if kind[0] == "f" else np.int64, what)

    def cells(self, words: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each cell starts (c + 1,), and the nodes of all cells one after the other."""
        count, size = self.count(words, 1), self.count(words, 2)
        mark = self.scanner.at
        first = b"" if count == 0 else self.scanner.data[mark : mark + 7]
        if first.upper() == b"OFFSETS":  # since version 5.1
            starts = self._named_items("OFFSETS", count).astype(np.int64)
            nodes = self._named_items("CONNECTIVITY", size).astype(np.int64)
            if starts[0] != 0 or starts[-1] != size or (np.diff(starts) < 0).any():
                self.scanner.fail("the offsets of the cells must rise from 0 to the number of their nodes")
            return starts, nodes
        table = self.items(size, "i4", "the cells").astype(np.int64)
        starts = np.empty(count + 1, np.int64)
        at = 0
        for cell in range(count):
            if at >= size or table[at] < 0:
                self.scanner.fail(f"cell {cell} of {count} is beyond the {size} numbers of the cells")
            starts[cell] = at + 1
            at += 1 + int(table[at])
        if at != size:
            self.scanner.fail(f"the {count} cells have {at} numbers, but {size} are announced")
        return _without_lengths(table, starts)

    def _named_items(self, name: str, count: int) -> NDArray[Any]:
        words = self.scanner.line(name).split()
        if words[0].upper() != name:
            self.scanner.fail_before(f"{name} is expected, found {words[0][:40]!r}")
        return self.items(count, self.kind(words, 1), f"the {name.lower()} of the cells")

    def skip_field(self, words: list[str]) -> None:
        """Step over arrays that belong to no point or cell."""
        for _ in range(self.count(words, 2)):
            header = self.scanner.line("the name of an array").split()
            size = self.count(header, 1) * self.count(header, 2)
            self.items(size, self.kind(header, 3), f"the array {header[0][:40]}")


def _without_lengths(
    table: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The nodes only, from a table in which the length of each cell comes before its nodes."""
    starts[-1] = len(table) + 1
    is_node = np.ones(len(table), dtype=bool)
    is_node[starts[:-1] - 1] = False
    return starts - np.arange(1, len(starts) + 1), table[is_node]
