"""Load on a body of a scene as plain data, and the elements that it becomes in the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements
from signorini.errors import InputError
from signorini.loads.load_history import LoadHistory
from signorini.loads.point_loads import Field, PointLoad, Resultant, RigidPointLoad, RigidTorque
from signorini.loads.surface_loads import Air, RigidPressure, RigidWind, SurfacePressure, SurfaceWind
from signorini.model.contribution import Contribution
from signorini.scene.checks import two_sided

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
RIGID_NODES = np.array([[0], [1]], np.int32)
QUADRATURE = ((5.0 + 3.0 * np.sqrt(5.0)) / 20.0, (5.0 - np.sqrt(5.0)) / 20.0)
"""Barycentric coordinates of the four points that integrate quadratic functions over a tetrahedron exactly."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BodyLoad:
    """A load on a body, as plain data."""

    kind: str
    """force, torque, pressure, wind or field; its table in a scene file."""
    body: str
    law: LoadHistory | Air | Field
    vertices: Ints | None = None
    """Where it acts; None: on the whole body."""
    table: dict[str, Any] | None = None
    """Its table in a scene file; None: it is a Python function, which no file can hold."""

    def __repr__(self) -> str:
        where = "" if self.vertices is None else f" at {len(self.vertices)} vertices"
        return f"BodyLoad: {self.kind} on {self.body!r}{where}"

    def elements(self, part: Contribution) -> Elements:
        """Elements that it adds to the model of its body."""
        match self.kind, self.law:
            case "torque", LoadHistory() as torque:
                return RigidTorque(RIGID_NODES[1:], torque)
            case "force", LoadHistory() as force:
                return self._force(part, force)
            case "field", Field() as field:
                return _field(part, field)
            case "pressure", LoadHistory() as pressure:
                triangles = two_sided(f"pressure on {self.body!r}", self._triangles(part))
                if part.rigid is not None:
                    return RigidPressure(RIGID_NODES, _arms(part), triangles, pressure)
                return SurfacePressure(*_corners(part, triangles), pressure)
            case _, Air() as air:
                if part.rigid is not None:
                    return RigidWind(RIGID_NODES, _arms(part), self._triangles(part), air)
                return SurfaceWind(*_corners(part, self._triangles(part)), air, part.thick)
        raise AssertionError(self.kind)

    def _force(self, part: Contribution, force: LoadHistory) -> Elements:
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
