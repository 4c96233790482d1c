"""Places in space that choose vertices: a box, a ball, a half-space, what is nearest to a point, a group of a mesh file.

Pins, attachments and loads take one in place of vertex numbers, or a function of positions (n, 3) [m] that returns n booleans.
Positions are those at the start of the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.checks import check_count, check_number, check_positive
from signorini.errors import InputError, short
from signorini.geometry.triangle_mesh import as_vector
from signorini.geometry.vertex_groups import Groups

Floats = NDArray[np.float64]
Vector = tuple[float, float, float]


@runtime_checkable
class Place(Protocol):
    """Anything that chooses points."""

    def chosen(self, points: Floats, groups: Groups) -> NDArray[np.bool_]:
        """(n,) which points (n, 3) [m] are chosen; `groups` are the named groups of the mesh."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Vertices in a box along the axes."""

    low: Vector
    """Corner with the least coordinates [m]."""
    high: Vector
    """Corner with the largest coordinates [m]."""

    def __post_init__(self) -> None:
        if (as_vector("low of a box", self.low) > as_vector("high of a box", self.high)).any():
            raise InputError(f"low of a box must not exceed high, got {self.low} and {self.high}")

    def chosen(self, points: Floats, groups: Groups) -> NDArray[np.bool_]:
        return np.asarray(((points >= np.asarray(self.low)) & (points <= np.asarray(self.high))).all(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sphere:
    """Vertices in a ball."""

    center: Vector
    """[m]"""
    radius: float
    """[m]"""

    def __post_init__(self) -> None:
        as_vector("center of a sphere", self.center)
        check_positive("radius of a sphere", self.radius, unit="m")

    def chosen(self, points: Floats, groups: Groups) -> NDArray[np.bool_]:
        return ((points - np.asarray(self.center)) ** 2).sum(axis=1) <= self.radius**2


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfSpace:
    """Vertices above a plane: points x with normal·x ≥ height, for a normal of length 1."""

    normal: Vector = (0.0, 0.0, 1.0)
    """Direction that points into the half-space; it need not have length 1."""
    height: float = 0.0
    """Offset of the plane along its normal [m]."""

    def __post_init__(self) -> None:
        check_number("height of a half_space", self.height)
        if not as_vector("normal of a half_space", self.normal).any():
            raise InputError(f"normal of a half_space must not be zero, got {self.normal}")

    def chosen(self, points: Floats, groups: Groups) -> NDArray[np.bool_]:
        normal = np.asarray(self.normal, dtype=np.float64)
        return points @ (normal / np.linalg.norm(normal)) >= self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """The points that are nearest to one."""

    point: Vector
    """[m]"""
    count: int = 1
    """How many."""

    def __post_init__(self) -> None:
        as_vector("point of a nearest", self.point)
        check_count("count of a nearest", self.count, least=1)

    def chosen(self, points: Floats, groups: Groups) -> NDArray[np.bool_]:
        found = np.zeros(len(points), dtype=bool)
        distance = ((points - np.asarray(self.point)) ** 2).sum(axis=1)
        found[np.argsort(distance, kind="stable")[: self.count]] = True
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The vertices of a named group of the mesh, such as a physical group of a Gmsh file."""

    name: str
    """Its name in the file; its number if it has none."""

    def chosen(self, points: Floats, groups: Groups) -> NDArray[np.bool_]:
        if self.name not in groups:
            raise InputError(
                f"the mesh has no group {short(self.name)}; it has {', '.join(map(repr, groups)) or 'none'}"
            )
        found = np.zeros(len(points), dtype=bool)
        found[groups[self.name]] = True
        return found


KINDS: dict[str, type] = {
    "box": Box,
    "sphere": Sphere,
    "half_space": HalfSpace,
    "nearest": Nearest,
    "group": Group,
}
"""Places by the `kind` of their tables in scene files."""
VerticesLike = ArrayLike | Place | Callable[[Floats], ArrayLike]


def place_from(table: Mapping[str, Any]) -> Any:
    """The place that a table of a scene file describes."""
    values = {key: tuple(v) if isinstance(v, list) else v for key, v in table.items() if key != "kind"}
    if not isinstance(table.get("kind"), str) or table["kind"] not in KINDS:
        raise InputError(f"kind of a place must be one of {', '.join(KINDS)}, got {short(table.get('kind'))}")
    kind = KINDS[table["kind"]]
    keys = [own.name for own in fields(kind)]
    for key in values:
        if key not in keys:
            raise InputError(f"a place of kind {table['kind']!r} has no key {key!r}; its keys are {', '.join(keys)}")
    try:
        return kind(**values)
    except TypeError as error:
        raise InputError(f"a place of kind {table['kind']!r}: {str(error).partition('() ')[2]}") from None


def chosen_vertices(what: str, vertices: Any, points: Floats, groups: Groups) -> Any:
    """Vertex numbers, where a place or a function was given; numbers are returned as they are, to be checked."""
    if isinstance(vertices, Mapping):
        vertices = place_from(vertices)
    if isinstance(vertices, type):
        raise InputError(
            f"{what}: {vertices.__name__} is a kind of place: give it its values, as {vertices.__name__}(...)"
        )
    if isinstance(vertices, Place):
        mask = vertices.chosen(points, groups)
    elif callable(vertices):
        mask = np.asarray(vertices(points.copy()))
        if mask.dtype != np.bool_ or mask.shape != (len(points),):
            raise InputError(f"{what}: the function must return {len(points)} booleans, got {short(mask)}")
    else:
        return vertices
    if not mask.any():
        low, high = (tuple(round(float(c), 4) for c in corner) for corner in (points.min(axis=0), points.max(axis=0)))
        raise InputError(f"{what}: no vertex is at {short(vertices)}; they lie between {low} and {high} m")
    return np.flatnonzero(mask)
