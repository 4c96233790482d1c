"""Loads of a scene: forces, torques, pressure, wind and fields that act on its bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.elements.element import Elements
from signorini.errors import InputError
from signorini.loads.course import Course, checked_course
from signorini.loads.point_loads import Field, PointLoad, Resultant, RigidPointLoad, RigidTorque
from signorini.loads.surface_loads import Air, RigidPressure, RigidWind, SurfacePressure, SurfaceWind
from signorini.model.contribution import Contribution
from signorini.scene.body import Body, BodyList
from signorini.scene.checks import check_non_negative, two_sided
from signorini.scene.pins import checked_vertices
from signorini.scene.places import VerticesLike, chosen_vertices

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
TimeFunction = Callable[[float], ArrayLike]
FieldFunction = Callable[[Floats, float], Floats]
RIGID_NODES = np.array([[0], [1]], np.int32)
QUADRATURE = ((5.0 + 3.0 * np.sqrt(5.0)) / 20.0, (5.0 - np.sqrt(5.0)) / 20.0)
"""Barycentric coordinates of the four points that integrate quadratic functions over a tetrahedron exactly."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BodyLoad:
    """A load on a body, as plain data."""

    kind: str
    """force, torque, pressure, wind or field; its table in a scene file."""
    body: str
    law: Course | Air | Field
    vertices: Ints | None = None
    """Where it acts; None: on the whole body."""
    table: dict[str, Any] | None = None
    """Its table in a scene file; None: it is a Python function, which no file can hold."""

    def __repr__(self) -> str:
        where = "" if self.vertices is None else f" at {len(self.vertices)} vertices"
        return f"BodyLoad: {self.kind} on {self.body!r}{where}"

    def elements(self, part: Contribution) -> Elements:
        """What it adds to the model of its body."""
        match self.kind, self.law:
            case "torque", Course() as torque:
                return RigidTorque(RIGID_NODES[1:], torque)
            case "force", Course() as force:
                return self._force(part, force)
            case "field", Field() as field:
                return _field(part, field)
            case "pressure", Course() as pressure:
                triangles = two_sided(f"pressure on {self.body!r}", self._triangles(part))
                if part.rigid is not None:
                    return RigidPressure(RIGID_NODES, _arms(part), triangles, pressure)
                return SurfacePressure(*_corners(part, triangles), pressure)
            case _, Air() as air:
                if part.rigid is not None:
                    return RigidWind(RIGID_NODES, _arms(part), self._triangles(part), air)
                return SurfaceWind(*_corners(part, self._triangles(part)), air, part.thick)
        raise AssertionError(self.kind)

    def _force(self, part: Contribution, force: Course) -> Elements:
        law, chosen = Resultant(force), self.vertices
        if part.rigid is not None:
            arms = np.zeros((1, 3)) if chosen is None else _arms(part)[chosen]
            return RigidPointLoad(RIGID_NODES, arms, np.full(len(arms), 1.0 / len(arms)), law)
        mass = part.nodes.mass
        if chosen is None:
            return PointLoad(np.arange(len(mass), dtype=np.int32)[:, None], mass / mass.sum(), law)
        return PointLoad(chosen[:, None], np.full(len(chosen), 1.0 / len(chosen)), law)

    def _triangles(self, part: Contribution) -> Ints:
        """The triangles all of whose corners are chosen."""
        if self.vertices is None:
            return part.triangles
        chosen = np.zeros(len(part.rest), dtype=bool)
        chosen[self.vertices] = True
        found = part.triangles[chosen[part.triangles].all(axis=1)]
        if not len(found):
            raise InputError(f"{self.kind} on {self.body!r}: no triangle has all its corners among the chosen vertices")
        return found


def _arms(part: Contribution) -> Floats:
    """(v, 3) from the centre of mass of a rigid body to its vertices, in the frame of its mesh [m]."""
    assert part.rows is not None
    return part.rows.rest_arms[1::2]


def _corners(part: Contribution, triangles: Ints) -> tuple[Ints, Floats]:
    """Nodes and weights (t, 3 m) that move the corners of triangles of a deformable body."""
    assert part.rows is not None
    counts, most = part.rows.counts, int(part.rows.counts.max(initial=1))
    vertex = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(vertex)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = part.rows.nodes[np.minimum(np.cumsum(counts) - counts, len(part.rows.nodes) - 1)]
    nodes, weights = np.tile(first[:, None], (1, most)), np.zeros((len(counts), most))
    nodes[vertex, place], weights[vertex, place] = part.rows.nodes, part.rows.weights
    shape = (len(triangles), 3 * most)
    return nodes[triangles].reshape(shape).astype(np.int32), np.ascontiguousarray(weights[triangles].reshape(shape))


def _field(part: Contribution, field: Field) -> Elements:
    """A field on all nodes, or on points inside a rigid body that integrate quadratic functions of place exactly."""
    mass = part.nodes.mass
    if part.rigid is None:
        return PointLoad(np.arange(len(mass), dtype=np.int32)[:, None], mass, field)
    corners = _arms(part)[part.triangles]
    volume = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    tets = np.concatenate([np.zeros((len(corners), 1, 3)), corners], axis=1)
    weights = np.full((4, 4), QUADRATURE[1]) + (QUADRATURE[0] - QUADRATURE[1]) * np.eye(4)
    points = np.einsum("pk,tki->tpi", weights, tets).reshape(-1, 3)
    return RigidPointLoad(RIGID_NODES, points, np.repeat(volume * mass.sum() / volume.sum() / 4.0, 4), field)


class AddsLoads(BodyList):
    """Scenes with loads."""

    loads: list[BodyLoad]

    def add_force(
        self,
        body: str | Body,
        force: Sequence[float] | Sequence[Sequence[float]] | TimeFunction,
        *,
        vertices: VerticesLike | None = None,
        times: Sequence[float] | None = None,
        start: float = 0.0,
        stop: float = float("inf"),
    ) -> BodyLoad:
        """Let a force act on a body: on its centre of mass, or shared equally by some of its vertices.

        Parameters:
            body: name of a cloth, a rod, a soft solid or a rigid body.
            force: the resultant (3,) [N]; with `times` one for each of them; in Python also a function of the time [s].
            vertices: numbers of its vertices (of the vertices of `tets` for a soft solid), or a place; by default the whole
                body, in proportion to mass.
            times: times of the forces [s], linear in between, constant before and after; by default the force is constant.
            start: time after which it acts [s].
            stop: time until which it acts [s]; by default forever.
        """
        target = self._loaded(body, "force")
        course = checked_course(f"force on {target.name!r}", force, 3, times, start, stop)
        chosen = self._chosen("force", target, vertices)
        return self._add_load(
            "force", target, course, chosen, {"force": force, "times": times, "start": start, "stop": stop}
        )

    def add_torque(
        self,
        body: str | Body,
        torque: Sequence[float] | Sequence[Sequence[float]] | TimeFunction,
        *,
        times: Sequence[float] | None = None,
        start: float = 0.0,
        stop: float = float("inf"),
    ) -> BodyLoad:
        """Let a torque act on a rigid body.

        Parameters:
            body: name of a rigid body.
            torque: (3,) in the world frame [N m]; with `times` one for each of them; in Python also a function of the time [s].
            times: times of the torques [s], linear in between, constant before and after; by default the torque is constant.
            start: time after which it acts [s].
            stop: time until which it acts [s]; by default forever.
        """
        target = self._loaded(body, "torque")
        if target.kind != "rigid":
            raise InputError(
                f"a torque cannot act on {target.name!r}: only rigid bodies take one; add forces to vertices"
            )
        course = checked_course(f"torque on {target.name!r}", torque, 3, times, start, stop)
        return self._add_load(
            "torque", target, course, None, {"torque": torque, "times": times, "start": start, "stop": stop}
        )

    def add_pressure(
        self,
        body: str | Body,
        pressure: float | Sequence[float] | TimeFunction,
        *,
        vertices: VerticesLike | None = None,
        times: Sequence[float] | None = None,
        start: float = 0.0,
        stop: float = float("inf"),
    ) -> BodyLoad:
        """Let a pressure act on the surface of a body, along the normals of its triangles: outward if it is positive. Implicit.

        Parameters:
            body: name of a cloth, a soft solid or a rigid body; a closed cloth is inflated.
            pressure: [Pa]; with `times` one for each of them; in Python also a function of the time [s].
            vertices: numbers of vertices of its surface, or a place: it acts on the triangles all of whose corners are chosen; by
                default on all.
            times: times of the pressures [s], linear in between, constant before and after; by default it is constant.
            start: time after which it acts [s].
            stop: time until which it acts [s]; by default forever.
        """
        target = self._loaded(body, "pressure")
        course = checked_course(f"pressure on {target.name!r}", pressure, 1, times, start, stop)
        chosen = self._chosen("pressure", target, vertices, surface=True)
        table = {"pressure": pressure, "times": times, "start": start, "stop": stop}
        return self._add_load("pressure", target, course, chosen, table)

    def add_wind(
        self,
        body: str | Body,
        velocity: Sequence[float] | Sequence[Sequence[float]] | TimeFunction,
        *,
        density: float = 1.2,
        drag: float = 1.0,
        lift: float = 0.5,
        vertices: VerticesLike | None = None,
        times: Sequence[float] | None = None,
        start: float = 0.0,
        stop: float = float("inf"),
    ) -> BodyLoad:
        """Let wind act on a body: ½ ρ v² A (drag and lift) of each triangle, for its velocity in the air. Implicit.

        Parameters:
            body: name of a cloth, a soft solid or a rigid body; of the latter two only the sides in the wind feel it.
            velocity: of the air (3,) [m/s]; with `times` one for each of them; in Python also a function of the time [s]. Before
                `start` and after `stop` the air is still, and slows the body down.
            density: of the air [kg/m³].
            drag: drag coefficient, of the area that is seen from the wind.
            lift: lift coefficient, of this area times the sine of the angle between wind and normal.
            vertices: numbers of vertices of its surface, or a place: it acts on the triangles all of whose corners are chosen; by
                default on all.
            times: times of the velocities [s], linear in between, constant before and after; by default it is constant.
            start: time after which it blows [s].
            stop: time until which it blows [s]; by default forever.
        """
        target = self._loaded(body, "wind")
        course = checked_course(f"wind on {target.name!r}", velocity, 3, times, start, stop)
        numbers = {"density": density, "drag": drag, "lift": lift}
        air = Air(course, *(check_non_negative(f"{key} of the wind", value) for key, value in numbers.items()))
        chosen = self._chosen("wind", target, vertices, surface=True)
        table = {"velocity": velocity, **numbers, "times": times, "start": start, "stop": stop}
        return self._add_load("wind", target, air, chosen, table)

    def add_field(
        self, body: str | Body, field: FieldFunction, *, start: float = 0.0, stop: float = float("inf")
    ) -> BodyLoad:
        """Let a field of forces per mass act on a body. Explicit: it is constant within a step.

        Parameters:
            body: name of a cloth, a rod, a soft solid or a rigid body.
            field: a function of places (k, 3) [m] and a time [s] that returns forces per mass (k, 3) [N/kg].
            start: time after which it acts [s].
            stop: time until which it acts [s]; by default forever.
        """
        target = self._loaded(body, "field")
        if not callable(field):
            raise InputError(
                f"field on {target.name!r} must be a function of places and time, got {type(field).__name__}"
            )
        what = f"field on {target.name!r}"
        law = Field(field, what, checked_course(what, 1.0, 1, None, start, stop))
        return self._add_load("field", target, law, None, {"field": field})

    def _loaded(self, body: str | Body, what: str) -> Body:
        target = self._named(body)
        if target.kind in ("kinematic", "ground"):
            raise InputError(f"a {what} cannot act on {target.name!r}: its motion is prescribed, whatever acts on it")
        if what in ("pressure", "wind") and target.kind == "rod":
            raise InputError(
                f"{what} cannot act on the rod {target.name!r}, which has no triangles: add forces instead"
            )
        return target

    def _chosen(self, what: str, body: Body, vertices: Any, *, surface: bool = False) -> Ints | None:
        if vertices is None:
            return None
        points = np.asarray(getattr(body, "positions", None))
        if not surface and body.kind == "soft_solid":
            points = np.asarray(getattr(body, "node_positions", None))
        groups = body.surface_groups if surface else body.groups
        chosen = chosen_vertices(f"{what} on {body.name!r}", vertices, points, groups)
        return checked_vertices(f"{what} on {body.name!r}", len(points), chosen)

    def _add_load(
        self, kind: str, body: Body, law: Course | Air | Field, chosen: Ints | None, table: dict[str, Any]
    ) -> BodyLoad:
        given = next(iter(table.values()))
        plain = None if callable(given) else _plain_table(body.name, chosen, table)
        load = BodyLoad(kind=kind, body=body.name, law=law, vertices=chosen, table=plain)
        self.loads.append(load)
        return load


def _plain_table(body: str, chosen: Ints | None, table: dict[str, Any]) -> dict[str, Any]:
    values = {key: np.asarray(v).tolist() if not isinstance(v, float | type(None)) else v for key, v in table.items()}
    values = {key: None if v == float("inf") else v for key, v in values.items()}
    return {"body": body, **values, "vertices": None if chosen is None else chosen.tolist()}
