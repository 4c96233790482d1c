"""Tetrahedra from Gmsh files, versions 2 and 4.1, text and binary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.files.meshes.mesh_scanner import MeshScanner, RawTets

TETRAHEDRON = 4
NODE_COUNTS = (
    0,
    2,
    3,
    4,
    4,
    8,
    6,
    5,
    3,
    6,
    9,
    10,
    27,
    18,
    14,
    1,
    8,
    20,
    15,
    13,
    9,
    10,
    12,
    15,
    15,
    21,
    4,
    5,
    6,
    20,
    35,
    56,
)
"""Nodes of an element by Gmsh's number of its type."""


def read_gmsh(scanner: MeshScanner) -> RawTets:
    """The nodes and the four-node tetrahedra of a .msh file; other elements are left out."""
    if scanner.line("$MeshFormat") != "$MeshFormat":
        scanner.fail("a Gmsh file must start with $MeshFormat", at=0)
    format_line = scanner.line("the version of the format")
    words = format_line.split()
    if len(words) != 3 or words[1] not in ("0", "1"):
        scanner.fail_before(f"a version, 0 or 1 and a size are expected, found {format_line[:40]!r}")
    version, is_old = words[0], words[0].startswith("2")
    if words[2] != "8" or not (is_old or version == "4.1"):
        scanner.fail_before(
            f"Gmsh format {version} with size {words[2][:9]} is not supported: save it as version 4.1 or 2.2"
        )
    source = _Source(scanner, _byte_order(scanner) if words[1] == "1" else "")
    scanner.skip_past("$EndMeshFormat")
    raw = RawTets()
    while (section := scanner.word()) is not None:
        if not section.startswith("$"):
            continue
        if section == "$Nodes":
            raw.names, raw.points = _nodes_2(source) if is_old else _nodes_4(source)
        elif section == "$Elements":
            raw.tetrahedra, raw.others = _elements_2(source) if is_old else _elements_4(source)
        scanner.skip_past("$End" + section[1:])
    return raw


@dataclass(frozen=True, slots=True)
class _Source:
    """Numbers of a file whose binary data have the byte order `order`; empty for text."""

    scanner: MeshScanner
    order: str

    def integers(self, count: int, what: str, *, size: int) -> NDArray[np.int64]:
        """`count` integers; in binary data of `size` bytes each."""
        if not self.order:
            return self.scanner.numbers(count, np.int64, what)
        return self.scanner.binary(count, np.dtype(f"{self.order}i{size}"), what).astype(np.int64)

    def reals(self, count: int, what: str) -> NDArray[np.float64]:
        if not self.order:
            return self.scanner.numbers(count, np.float64, what)
        return self.scanner.binary(count, np.dtype(f"{self.order}f8"), what).astype(np.float64)

    def count_line(self, what: str) -> int:
        """A count on a line of its own, in text also in binary files."""
        self.scanner.skip_past("\n")
        text = self.scanner.line(what)
        if not (text.isascii() and text.isdigit()):
            self.scanner.fail_before(f"an integer is expected for {what}, found {text[:40]!r}")
        return self.scanner.checked_count(int(text), what)

    def section_header(self, what: str) -> tuple[int, int]:
        """Of version 4.1: the number of blocks and of all items."""
        if self.order:
            self.scanner.skip_past("\n")
        blocks, total, _, _ = self.integers(4, f"the header of {what}", size=8)
        return self.scanner.checked_count(int(blocks), "the number of blocks"), self.scanner.checked_count(
            int(total), what
        )

    def block_header(self, what: str) -> tuple[int, int, int]:
        """Of version 4.1: the dimension of the geometry, the kind and the number of items of a block."""
        dimension, _, kind = self.integers(3, f"the header of a block of {what}", size=4)
        count = int(self.integers(1, f"the size of a block of {what}", size=8)[0])
        return int(dimension), int(kind), self.scanner.checked_count(count, f"the size of a block of {what}")


def _byte_order(scanner: MeshScanner) -> str:
    one = scanner.binary(1, np.dtype("<i4"), "the byte order")[0]
    if one not in (1, 1 << 24):
        scanner.fail("a binary Gmsh file must tell its byte order by the integer 1")
    return "<" if one == 1 else ">"


def _node_count(scanner: MeshScanner, kind: int) -> int:
    if not 0 < kind < len(NODE_COUNTS):
        scanner.fail(f"elements of Gmsh type {kind} are not known")
    return NODE_COUNTS[kind]


def _described(kind: int) -> str:
    return "second-order tetrahedra" if kind == 11 else f"elements of Gmsh type {kind}"


def _nodes_2(source: _Source) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    count = source.count_line("the number of nodes")
    if source.order:
        kind = np.dtype([("name", f"{source.order}i4"), ("point", f"{source.order}f8", 3)])
        items = source.scanner.binary(count, kind, "the nodes")
        return items["name"].astype(np.int64), items["point"].astype(np.float64)
    table = source.scanner.numbers(4 * count, np.float64, "the nodes").reshape(-1, 4)
    return source.scanner.integers_of(table[:, 0], "the names of nodes"), np.ascontiguousarray(table[:, 1:])


def _elements_2(source: _Source) -> tuple[NDArray[np.int64], set[str]]:
    count = source.count_line("the number of elements")
    return _elements_2_binary(source, count) if source.order else _elements_2_text(source.scanner, count)


def _elements_2_text(scanner: MeshScanner, count: int) -> tuple[NDArray[np.int64], set[str]]:
    """Lines of: name, type, number of tags, tags, nodes."""
    found: list[list[int]] = []
    others: set[str] = set()
    for number in range(count):
        text = scanner.line(f"element {number + 1} of {count}")
        try:
            row = [int(word) for word in text.split()]
            kind, nodes = row[1], row[3 + row[2] :]
        except (ValueError, IndexError):
            scanner.fail_before(f"element {number + 1} of {count} must be integers, found {text[:40]!r}")
        if len(nodes) != _node_count(scanner, kind):
            scanner.fail_before(
                f"element {number + 1} of {count} has {len(nodes)} nodes, its type {kind} another number"
            )
        if kind == TETRAHEDRON:
            found.append(nodes)
        else:
            others.add(_described(kind))
    return np.array(found, dtype=np.int64).reshape(-1, 4), others


def _elements_2_binary(source: _Source, count: int) -> tuple[NDArray[np.int64], set[str]]:
    """Blocks of: type, number of elements, number of tags, then per element name, tags, nodes."""
    found = [np.zeros((0, 4), np.int64)]
    others: set[str] = set()
    left = count
    while left > 0:
        kind, size, tags = (int(i) for i in source.integers(3, "the header of a block of elements", size=4))
        if not 0 < size <= left or not 0 <= tags <= 1000:
            source.scanner.fail(f"a block of {size} elements with {tags} tags does not fit into {count} elements")
        width = 1 + tags + _node_count(source.scanner, kind)
        table = source.integers(size * width, "a block of elements", size=4).reshape(size, width)
        left -= size
        if kind == TETRAHEDRON:
            found.append(table[:, -4:])
        else:
            others.add(_described(kind))
    return np.concatenate(found), others


def _nodes_4(source: _Source) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    blocks, total = source.section_header("the nodes")
    names, points = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
    for _ in range(blocks):
        dimension, parametric, count = source.block_header("nodes")
        names.append(source.integers(count, "the names of nodes", size=8))
        width = 3 + (dimension if parametric else 0)
        points.append(source.reals(count * width, "the nodes").reshape(count, width)[:, :3])
    found = sum(len(p) for p in points)
    if found != total:
        source.scanner.fail(f"{total} nodes are announced, but the blocks have {found}")
    return np.concatenate(names), np.concatenate(points)


def _elements_4(source: _Source) -> tuple[NDArray[np.int64], set[str]]:
    blocks, _ = source.section_header("the elements")
    found = [np.zeros((0, 4), np.int64)]
    others: set[str] = set()
    for _ in range(blocks):
        _, kind, count = source.block_header("elements")
        width = 1 + _node_count(source.scanner, kind)
        table = source.integers(count * width, "a block of elements", size=8).reshape(count, width)
        if kind == TETRAHEDRON:
            found.append(table[:, 1:])
        elif count:
            others.add(_described(kind))
    return np.concatenate(found), others
