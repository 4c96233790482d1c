"""Tetrahedra, triangles and physical groups from Gmsh files, versions 2 and 4.1, text and binary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.files.meshes.gmsh_groups import GroupedElements, PhysicalGroups
from signorini.files.meshes.mesh_scanner import MeshScanner, RawTets

NODE_COUNTS = (
    0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1,
    8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20, 35, 56,
)  # fmt: skip
"""Nodes of an element by Gmsh's number of its type."""


def read_gmsh(scanner: MeshScanner) -> RawTets:
    """The nodes, four-node tetrahedra, three-node triangles and physical groups of a .msh file; other elements are left out."""
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
    raw, found, groups = RawTets(), GroupedElements(), PhysicalGroups()
    while (section := scanner.word()) is not None:
        if not section.startswith("$"):
            continue
        if section == "$Nodes":
            raw.names, raw.points = _nodes_2(source) if is_old else _nodes_4(source)
        elif section == "$Elements":
            _elements_2(source, found) if is_old else _elements_4(source, groups, found)
        elif section == "$PhysicalNames":
            _physical_names(source, groups)
        elif section == "$Entities" and not is_old:
            _entities(source, groups)
        scanner.skip_past("$End" + section[1:])
    raw.tetrahedra, raw.triangles, raw.others = found.tetrahedra(), found.triangles(), found.others
    raw.groups = groups.by_name(found)
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

    def block_header(self, what: str) -> tuple[int, int, int, int]:
        """Of version 4.1: dimension and number of the part of the geometry, kind and number of the items of a block."""
        dimension, part, kind = self.integers(3, f"the header of a block of {what}", size=4)
        count = int(self.integers(1, f"the size of a block of {what}", size=8)[0])
        return int(dimension), int(part), int(kind), self.scanner.checked_count(count, f"the size of a block of {what}")


def _byte_order(scanner: MeshScanner) -> str:
    one = scanner.binary(1, np.dtype("<i4"), "the byte order")[0]
    if one not in (1, 1 << 24):
        scanner.fail("a binary Gmsh file must tell its byte order by the integer 1")
    return "<" if one == 1 else ">"


def _node_count(scanner: MeshScanner, kind: int) -> int:
    if not 0 < kind < len(NODE_COUNTS):
        scanner.fail(f"elements of Gmsh type {kind} are not known")
    return NODE_COUNTS[kind]


def _nodes_2(source: _Source) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    count = source.count_line("the number of nodes")
    if source.order:
        kind = np.dtype([("name", f"{source.order}i4"), ("point", f"{source.order}f8", 3)])
        items = source.scanner.binary(count, kind, "the nodes")
        return items["name"].astype(np.int64), items["point"].astype(np.float64)
    table = source.scanner.numbers(4 * count, np.float64, "the nodes").reshape(-1, 4)
    return source.scanner.integers_of(table[:, 0], "the names of nodes"), np.ascontiguousarray(table[:, 1:])


def _elements_2(source: _Source, found: GroupedElements) -> None:
    count = source.count_line("the number of elements")
    if source.order:
        _elements_2_binary(source, count, found)
    else:
        _elements_2_text(source.scanner, count, found)


def _elements_2_text(scanner: MeshScanner, count: int, found: GroupedElements) -> None:
    """Lines of: name, type, number of tags, tags (the first one is the physical group), nodes."""
    rows: dict[tuple[int, int], list[list[int]]] = {}
    for number in range(count):
        text = scanner.line(f"element {number + 1} of {count}")
        try:
            row = [int(word) for word in text.split()]
            kind, nodes = row[1], row[3 + row[2] :]
            group = row[3] if row[2] > 0 else 0
        except (ValueError, IndexError):
            scanner.fail_before(f"element {number + 1} of {count} must be integers, found {text[:40]!r}")
        if len(nodes) != _node_count(scanner, kind):
            scanner.fail_before(
                f"element {number + 1} of {count} has {len(nodes)} nodes, its type {kind} another number"
            )
        rows.setdefault((kind, group), []).append([number, *nodes])
    try:
        tables = {key: np.array(listed, dtype=np.int64) for key, listed in rows.items()}
    except OverflowError:
        scanner.fail("the numbers of nodes must be integers of 64 bits")
    for (kind, group), table in tables.items():
        found.add(kind, table[:, 1:], (group,), order=table[:, 0])


def _elements_2_binary(source: _Source, count: int, found: GroupedElements) -> None:
    """Blocks of: type, number of elements, number of tags, then per element name, tags, nodes."""
    left = count
    while left > 0:
        kind, size, tags = (int(i) for i in source.integers(3, "the header of a block of elements", size=4))
        if not 0 < size <= left or not 0 <= tags <= 1000:
            source.scanner.fail(f"a block of {size} elements with {tags} tags does not fit into {count} elements")
        width = 1 + tags + _node_count(source.scanner, kind)
        table = source.integers(size * width, "a block of elements", size=4).reshape(size, width)
        order = count - left + np.arange(size)
        left -= size
        groups = table[:, 1] if tags else np.zeros(size, np.int64)
        for group in np.unique(groups):
            own = groups == group
            found.add(kind, table[own, 1 + tags :], (int(group),), order=order[own])


def _nodes_4(source: _Source) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    blocks, total = source.section_header("the nodes")
    names, points = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
    for _ in range(blocks):
        dimension, _, parametric, count = source.block_header("nodes")
        names.append(source.integers(count, "the names of nodes", size=8))
        width = 3 + (dimension if parametric else 0)
        points.append(source.reals(count * width, "the nodes").reshape(count, width)[:, :3])
    found = sum(len(p) for p in points)
    if found != total:
        source.scanner.fail(f"{total} nodes are announced, but the blocks have {found}")
    return np.concatenate(names), np.concatenate(points)


def _elements_4(source: _Source, groups: PhysicalGroups, found: GroupedElements) -> None:
    blocks, _ = source.section_header("the elements")
    seen = 0
    for _ in range(blocks):
        dimension, part, kind, count = source.block_header("elements")
        width = 1 + _node_count(source.scanner, kind)
        table = source.integers(count * width, "a block of elements", size=8).reshape(count, width)
        own = groups.of_parts.get((dimension, part), ())
        if count:
            found.add(kind, table[:, 1:], own, order=seen + np.arange(count))
        seen += count


def _physical_names(source: _Source, groups: PhysicalGroups) -> None:
    """Lines of: dimension, number, name in quotation marks; in text also in binary files."""
    count = source.count_line("the number of physical groups")
    for number in range(count):
        what = f"physical group {number + 1} of {count}"
        text = source.scanner.line(what).encode("latin-1").decode("utf-8", "replace")
        words = text.split(None, 2)
        try:
            dimension, tag, name = int(words[0]), int(words[1]), words[2].strip().strip('"')
        except (ValueError, IndexError):
            source.scanner.fail_before(f'{what} must be a dimension, a number and a "name", found {text[:40]!r}')
        groups.names[dimension, tag] = name


def _entities(source: _Source, groups: PhysicalGroups) -> None:
    """Parts of the geometry of version 4.1, points to volumes: number, extent, physical groups, what bounds them."""
    if source.order:
        source.scanner.skip_past("\n")
    counts = source.integers(4, "the numbers of parts of the geometry", size=8)
    for dimension, count in enumerate(counts):
        for _ in range(source.scanner.checked_count(int(count), "the number of parts of the geometry")):
            part = int(source.integers(1, "the number of a part of the geometry", size=4)[0])
            source.reals(6 if dimension else 3, "the extent of a part of the geometry")
            groups.of_parts[dimension, part] = tuple(_counted(source, "the physical groups of a part"))
            if dimension:
                _counted(source, "the boundary of a part of the geometry")


def _counted(source: _Source, what: str) -> list[int]:
    """A count and so many integers."""
    count = source.scanner.checked_count(int(source.integers(1, what, size=8)[0]), what)
    return [int(i) for i in source.integers(count, what, size=4)]
