"""Which bodies are inside others. Their surfaces need not cross for that, so no test of edges and triangles can tell.

Surfaces that do not cross keep their parts wholly inside or wholly outside each other: one vertex of each part tells, and the
answer can change during a run only if something has passed through a surface. So the test at the end of a frame costs next to
nothing and is independent of continuous detection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from signorini.errors import InputError
from signorini.geometry.inside import InsideTest
from signorini.geometry.triangles import distance_to_triangles, find_edges, signed_volume
from signorini.model.model import BodySlot, Model

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SAMPLED = 200
"""Vertices of which the depth in a message is the largest."""


@dataclass(frozen=True, slots=True)
class _Surface:
    """Triangles where they are now. Unlike a `TriangleMesh` they may have collapsed."""

    vertices: Floats
    triangles: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Part:
    """A connected piece of the surface of a body."""

    body: str
    scripted: bool
    number: int
    """Among the parts of its body."""
    vertices: Ints
    """Of the whole surface."""


@dataclass(frozen=True, slots=True)
class _Shell:
    """A closed surface: one part of a body, or all closed parts together if some face inward."""

    slot: BodySlot
    part: int
    """Its number among the parts of its body, -1 if it is several."""
    triangles: NDArray[np.int32]
    """Outward; they count within `vertices`."""
    vertices: Ints
    """Of the whole surface."""
    hollow: bool
    """Whether bodies may be inside."""


@dataclass(frozen=True, slots=True)
class Nested:
    """A part of a body inside another body, or inside another part of the same one."""

    inner: str
    outer: str
    inner_part: int
    outer_part: int


class Nesting:
    """The parts and closed surfaces of all bodies, ready to be asked at any positions (v, 3) [m] of the surface."""

    def __init__(self, model: Model, x: Floats) -> None:
        """`x` are the positions at the start, which tell which closed surfaces face inward."""
        self._parts: list[_Part] = []
        self._shells: list[_Shell] = []
        for slot in model.bodies.values():
            label, count = _labelled(slot)
            members = [slot.first + np.flatnonzero(label == k) for k in range(count)]
            self._parts += [_Part(slot.name, slot.scripted, k, members[k]) for k in range(count)]
            if slot.thick:
                self._shells += _shells(slot, label, x)
        self._numbers, self._ignored = {slot.name: slot.number for slot in model.bodies.values()}, model.surface.ignored
        self._first = np.array([part.vertices[0] for part in self._parts], dtype=np.int64)
        self._at_start: frozenset[Nested] = frozenset()

    def check_start(self, x: Floats) -> None:
        """Raise an `InputError` if a body is inside one that is not hollow; remember which are inside hollow ones."""
        found = list(self._inside(x))
        for shell, part in found:
            if not shell.hollow:
                raise InputError(_sentence(shell, part, x))
        self._at_start = frozenset(_named(shell, part) for shell, part in found)

    def inside_solids(self, x: Floats) -> list[tuple[str, str, str, Floats]]:
        """What is inside a body that is not hollow: the names inner and outer, a sentence, and the middle (1, 3) of the part."""
        return [
            (part.body, shell.slot.name, _sentence(shell, part, x), x[part.vertices].mean(axis=0)[None])
            for shell, part in self._inside(x)
            if not shell.hollow
        ]

    def wrong(self, x: Floats) -> list[Nested]:
        """Pairs of bodies of which one got inside the other since the start, or left a closed hollow one."""
        now = {_named(shell, part) for shell, part in self._inside(x)}
        return sorted(now ^ self._at_start, key=lambda n: (n.inner, n.outer, n.inner_part, n.outer_part))

    def _inside(self, x: Floats) -> Iterator[tuple[_Shell, _Part]]:
        points = x[self._first]
        for shell in self._shells:
            corners = x[shell.vertices]
            boxed = ((points >= corners.min(axis=0)) & (points <= corners.max(axis=0))).all(axis=1)
            parts = [self._parts[k] for k in np.flatnonzero(boxed) if self._can_be_inside(self._parts[k], shell)]
            if not parts:
                continue
            corners.setflags(write=False)
            test = InsideTest(_Surface(corners, shell.triangles))
            # A method that lets bodies penetrate a little may have the one vertex inside: the majority decides.
            yield from ((shell, part) for part in parts if test.contains(x[part.vertices]).mean() > 0.5)

    def _can_be_inside(self, part: _Part, shell: _Shell) -> bool:
        """Whether this would be wrong: bodies that ignore each other and scripted ones may pass through each other, and rigid and
        scripted ones may consist of parts that overlap."""
        if self._ignored is not None and self._ignored[self._numbers[part.body], shell.slot.number]:
            return False
        if part.body == shell.slot.name:
            return shell.slot.deformable and shell.part not in (-1, part.number)
        return not (part.scripted and shell.slot.scripted)


def _labelled(slot: BodySlot) -> tuple[Ints, int]:
    """(count,) the part of each vertex of a body, -1 for one that belongs to nothing, and how many parts there are."""
    links = np.concatenate([slot.triangles[:, [0, 1]], slot.triangles[:, [1, 2]], slot.edges])
    graph = coo_array((np.ones(len(links), np.int8), links.T), shape=(slot.count, slot.count))
    _, component = connected_components(graph, directed=False)
    used = np.unique(links)
    label = np.full(slot.count, -1, dtype=np.int64)
    parts, label[used] = np.unique(component[used], return_inverse=True)
    return label, len(parts)


def _shells(slot: BodySlot, label: Ints, x: Floats) -> list[_Shell]:
    """The closed surfaces of a body: part by part, or all in one if some parts are cavities of others."""
    triangles, owner = slot.triangles, label[slot.triangles[:, 0]]
    closed = [int(k) for k in np.unique(owner) if find_edges(triangles[owner == k]).closed]
    volume = {k: signed_volume(x[slot.vertices], triangles[owner == k]) for k in closed}
    if not closed:
        return []
    if sum(volume.values()) < 0.0:  # it faces inward as a whole: a hollow body
        inward = [k for k in closed if volume[k] < 0.0]
        return [_shell(slot, k, triangles[owner == k][:, ::-1], hollow=True) for k in inward]
    if min(volume.values()) < 0.0:
        return [_shell(slot, -1, triangles[np.isin(owner, closed)], hollow=slot.hollow)]
    return [_shell(slot, k, triangles[owner == k], hollow=slot.hollow) for k in closed]


def _shell(slot: BodySlot, part: int, triangles: NDArray[np.int32], *, hollow: bool) -> _Shell:
    used, local = np.unique(triangles, return_inverse=True)
    own = np.ascontiguousarray(local.reshape(-1, 3), dtype=np.int32)
    own.setflags(write=False)
    return _Shell(slot, part, own, slot.first + used.astype(np.int64), hollow)


def _named(shell: _Shell, part: _Part) -> Nested:
    return Nested(part.body, shell.slot.name, part.number, shell.part)


def _sentence(shell: _Shell, part: _Part, x: Floats) -> str:
    """Message about a body inside another: which, how deep, and the remedy."""
    outer, inner = shell.slot.name, part.body
    sample = part.vertices[:: max(1, len(part.vertices) // SAMPLED)]
    depth = max(distance_to_triangles(point, x[shell.vertices][shell.triangles]) for point in x[sample])
    if inner == outer:
        return f"a part of {inner!r} starts inside another part of it, up to {depth:.3g} m deep: they overlap; take one away"
    if shell.slot.scripted:
        return (
            f"{inner!r} starts inside {outer!r}, up to {depth:.3g} m deep: move one of them, or say hollow=True when you add "
            f"{outer!r} if it is an empty shell, such as a container"
        )
    return (
        f"{inner!r} starts inside {outer!r}, which is solid, up to {depth:.3g} m deep: move one of them, or make {outer!r} a "
        "kinematic body with hollow=True if it is a container"
    )
