"""Pins and attachments: nodes whose motion is prescribed, or which move with another body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.checks import check_number, told_fields
from signorini.errors import InputError, short
from signorini.model.contribution import Motion, Pinned
from signorini.scene.body import Body
from signorini.scene.motions import Points, as_motion
from signorini.scene.places import VerticesLike, chosen_vertices
from signorini.scene.tables import Table, TableReader, TableWriter

MotionLike = Motion | Callable[[Points, float], Points] | None
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pin:
    """Vertices whose position is prescribed: fixed, or moved by `motion`, until `release_time` [s]."""

    __repr__ = told_fields

    vertices: NDArray[np.int32]
    motion: Motion | None = None
    release_time: float = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attachment:
    """Vertices of a cloth, or nodes of a solid, that move with a kinematic or rigid body from the start on."""

    __repr__ = told_fields

    body: str
    vertices: NDArray[np.int32]
    to: str


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class PinnableBody(Body):
    """A body with nodes that can be pinned."""

    pins: list[Pin] = field(default_factory=list)

    def pin(self, vertices: VerticesLike, *, motion: MotionLike = None, release_time: float = float("inf")) -> Self:
        """Prescribe the motion of some vertices (fixed when `motion` is None) until `release_time` [s].

        Parameters:
            vertices: numbers of its vertices, of the vertices of `tets` for a soft solid; or a place that chooses them.
            motion: scripted motion from where they start; by default they are fixed.
            release_time: time at which they are let go [s]; by default never.
        """
        found = chosen_vertices(f"pin of {self.name!r}", vertices, node_points(self), self.groups)
        chosen = checked_vertices(f"pin of {self.name!r}", self.attachable_nodes, found)
        if not check_number(f"release_time of a pin of {self.name!r}", release_time) > 0.0:
            raise InputError(f"pin of {self.name!r}: release_time must be positive, got {release_time:g} s")
        self.pins.append(Pin(vertices=chosen, motion=as_motion(motion), release_time=release_time))
        return self


def node_points(body: Body) -> Floats:
    """(n, 3) where the nodes of a deformable body start [m]."""
    return np.asarray(getattr(body, "node_positions", getattr(body, "positions", None)), dtype=np.float64)


def checked_attachment(source: Body, vertices: VerticesLike, target: Body, others: Sequence[Attachment]) -> Attachment:
    """The attachment, or an `InputError` that says what is wrong with it."""
    if not source.attachable_nodes:
        raise InputError(
            f"attach: {source.name!r} must be a cloth, a rod or a soft solid: only these have vertices to attach"
        )
    if not target.carries:
        raise InputError(
            f"attach: {target.name!r} must be a kinematic or rigid body; to fix vertices in space use pin(...)"
        )
    found = chosen_vertices(f"attachment of {source.name!r}", vertices, node_points(source), source.groups)
    chosen = checked_vertices(f"attachment of {source.name!r}", source.attachable_nodes, found)
    for other in others:
        both = np.intersect1d(chosen, other.vertices) if other.body == source.name else []
        if len(both):
            raise InputError(f"attach: vertex {both[0]} of {source.name!r} is attached to {other.to!r} already")
    return Attachment(body=source.name, vertices=chosen, to=target.name)


def checked_vertices(what: str, count: int, vertices: ArrayLike, *, ordered: bool = True) -> NDArray[np.int32]:
    """Increasing vertex numbers, each once, or an `InputError` that begins with `what`; as they were given if not `ordered`."""
    try:
        given = np.atleast_1d(np.asarray(vertices))
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{what}: vertices must be integers, got {short(vertices)}") from None
    if given.dtype == np.float64 and not given.size:
        given = given.astype(np.int64)
    if not np.issubdtype(given.dtype, np.integer) or given.ndim != 1:
        raise InputError(f"{what}: vertices must be integers, got {short(vertices)}")
    bad = given[(given < 0) | (given >= count)]
    if len(bad):
        raise InputError(f"{what}: vertex {int(bad[0])} does not exist, the mesh has vertices 0 to {count - 1}")
    return (np.unique(given) if ordered else given).astype(np.int32)


def pinned(pins: Sequence[Pin], start: Floats) -> tuple[Pinned, ...]:
    """Pins as a contribution to the model, for nodes that start at (n, 3) [m]."""
    return tuple(Pinned(pin.vertices, start[pin.vertices], pin.motion, pin.release_time) for pin in pins)


def pins_to_tables(body: str, pins: Sequence[Pin], writer: TableWriter) -> list[Table] | None:
    """The tables of a body's pins; None if there are none."""
    tables = [
        {
            "vertices": pin.vertices.tolist(),
            "motion": writer.motion(pin.motion, f"{body}-pin-{k}"),
            "release_time": pin.release_time if np.isfinite(pin.release_time) else None,
        }
        for k, pin in enumerate(pins)
    ]
    return tables or None


def pins_from_tables(body: PinnableBody, tables: Sequence[Mapping[str, Any]], reader: TableReader) -> None:
    """Make the calls `body.pin` that tables stand for."""
    for table in tables:
        body.pin(table["vertices"], motion=reader.motion(table["motion"]), release_time=table["release_time"])
