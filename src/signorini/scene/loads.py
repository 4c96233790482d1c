"""Loads of a scene: forces, torques, pressure, wind and fields that act on its bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.errors import InputError
from signorini.loads.load_history import LoadHistory, checked_history
from signorini.loads.point_loads import Field
from signorini.loads.surface_loads import Air
from signorini.scene.body import Body, BodyList
from signorini.scene.body_load import BodyLoad
from signorini.scene.checks import check_non_negative
from signorini.scene.pins import checked_vertices
from signorini.scene.places import VerticesLike, chosen_vertices

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
TimeFunction = Callable[[float], ArrayLike]
FieldFunction = Callable[[Floats, float], Floats]


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
        history = checked_history(f"force on {target.name!r}", force, 3, times, start, stop)
        chosen = self._chosen("force", target, vertices)
        return self._add_load(
            "force", target, history, chosen, {"force": force, "times": times, "start": start, "stop": stop}
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
        history = checked_history(f"torque on {target.name!r}", torque, 3, times, start, stop)
        return self._add_load(
            "torque", target, history, None, {"torque": torque, "times": times, "start": start, "stop": stop}
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
        history = checked_history(f"pressure on {target.name!r}", pressure, 1, times, start, stop)
        chosen = self._chosen("pressure", target, vertices, surface=True)
        table = {"pressure": pressure, "times": times, "start": start, "stop": stop}
        return self._add_load("pressure", target, history, chosen, table)

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
        history = checked_history(f"wind on {target.name!r}", velocity, 3, times, start, stop)
        numbers = {"density": density, "drag": drag, "lift": lift}
        air = Air(history, *(check_non_negative(f"{key} of the wind", value) for key, value in numbers.items()))
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
        law = Field(field, what, checked_history(what, 1.0, 1, None, start, stop))
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
        self, kind: str, body: Body, law: LoadHistory | Air | Field, chosen: Ints | None, table: dict[str, Any]
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
