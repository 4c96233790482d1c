"""Rods: chains of particles that resist stretching and bending, such as ropes, threads, cables and hair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.checks import check_flag, check_positive
from signorini.elements.element import Elements
from signorini.elements.rod_bending import RodBending
from signorini.elements.springs import Springs
from signorini.errors import InputError
from signorini.geometry.triangle_mesh import as_points, as_vector
from signorini.model.contribution import Contribution, NodeSet
from signorini.model.surface_map import node_rows
from signorini.scene.body import BodyList
from signorini.scene.body_options import DeformableOptions, checked_options
from signorini.scene.checks import check_look, check_non_negative, matching_vertices, placed
from signorini.scene.pins import PinnableBody, pinned, pins_from_tables, pins_to_tables
from signorini.scene.tables import Table, TableReader, TableWriter

if TYPE_CHECKING:
    from signorini.scene.scene import Scene

Floats = NDArray[np.float64]
Points = Floats | Sequence[Sequence[float]]


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Rod(PinnableBody):
    """A chain of vertices. Its resting shape is `points`; contact takes it as a curve without thickness."""

    kind: ClassVar[str] = "rod"

    points: Floats
    """(n, 3) vertices at rest [m]."""
    closed: bool
    """Whether the last vertex is joined to the first."""
    positions: Floats
    velocities: Floats
    linear_density: float
    stretching_stiffness: float
    bending_rigidity: float
    damping_time: float

    @property
    def attachable_nodes(self) -> int:
        """Its vertices."""
        return len(self.positions)

    @property
    def segments(self) -> NDArray[np.int32]:
        """(s, 2) the vertices of each segment."""
        first = np.arange(len(self.points) - (not self.closed), dtype=np.int32)
        return np.column_stack([first, (first + 1) % len(self.points)]).astype(np.int32)

    def contribution(self, air_drag: float) -> Contribution:
        """Its vertices are nodes, joined by springs and bending elements; its segments collide."""
        segments = self.segments
        length = np.linalg.norm(self.points[segments[:, 1]] - self.points[segments[:, 0]], axis=1)
        half = np.repeat(0.5 * self.linear_density * length, 2)
        mass = np.bincount(segments.ravel(), weights=half, minlength=len(self.points)).astype(np.float64)
        return Contribution(
            name=self.name,
            kind=self.kind,
            friction=self.friction,
            contact=self.options.contact(),
            gravity=self.options.gravity,
            nodes=NodeSet(
                mass=mass,
                drag=np.full(len(mass), air_drag),
                positions=self.positions,
                velocities=self.velocities,
            ),
            rest=self.points,
            edges=segments,
            rows=node_rows(np.arange(len(mass))),
            elements=self._elements(segments, length),
            pins=pinned(self.pins, self.positions),
        )

    def _elements(self, segments: NDArray[np.int32], length: Floats) -> tuple[Elements, ...]:
        """Springs of stiffness EA / L along the segments, bending elements of stiffness EI / L at the vertices between them."""
        k = self.stretching_stiffness / length
        springs = Springs(segments, length, k, k, self.damping_time * k)
        before, after = np.arange(len(segments) - (not self.closed)), np.arange(1, len(segments) + self.closed)
        after %= len(segments)
        nodes = np.column_stack([segments[before], segments[after, 1]]).astype(np.int32)
        straight = RodBending(nodes, np.zeros(len(nodes)), np.zeros(len(nodes)), np.zeros(len(nodes)))
        stiffness = self.bending_rigidity / (0.5 * (length[before] + length[after]))
        damping = np.full(len(nodes), self.damping_time)
        return springs, RodBending(nodes, straight.curvatures(self.points), stiffness, damping)

    def scale_stiffness(self, factor: float) -> None:
        """Multiply both stiffnesses."""
        self.stretching_stiffness *= check_positive("factor", factor)
        self.bending_rigidity *= factor

    def to_table(self, writer: TableWriter) -> Table:
        """`[[rod]]`, with all numbers in the table itself."""
        return {
            "name": self.name,
            "points": self.points.tolist(),
            "closed": self.closed,
            "initial_vertices": self.positions.tolist(),
            "initial_velocities": self.velocities.tolist(),
            "linear_density": self.linear_density,
            "stretching_stiffness": self.stretching_stiffness,
            "bending_rigidity": self.bending_rigidity,
            "damping_time": self.damping_time,
            "friction": self.friction,
            **self.options.to_table(),
            "color": self.color,
            "finish": self.finish,
            "pins": pins_to_tables(self.name, self.pins, writer),
        }

    @classmethod
    def from_table(cls, scene: Scene, values: Mapping[str, Any], reader: TableReader) -> None:
        """`Scene.add_rod`, then its pins."""
        rod = scene.add_rod(**{key: value for key, value in values.items() if key != "pins"})
        pins_from_tables(rod, values["pins"], reader)


class AddsRod(BodyList):
    """Scenes with rods."""

    def add_rod(
        self,
        points: ArrayLike,
        *,
        linear_density: float = 0.01,
        stretching_stiffness: float = 1000.0,
        bending_rigidity: float = 1e-5,
        damping_time: float = 1e-3,
        closed: bool = False,
        name: str | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        friction: float | None = None,
        initial_vertices: Points | None = None,
        initial_velocities: Points | None = None,
        color: str | None = None,
        finish: str | None = None,
        **options: Unpack[DeformableOptions],
    ) -> Rod:
        """Add a rod whose resting shape is a chain of points. It has no thickness and no resistance to twist.

        Parameters:
            points: (n, 3) vertices of the rod at rest, at least two, in order [m].
            linear_density: mass per length [kg/m].
            stretching_stiffness: EA, tension per unit of strain [N].
            bending_rigidity: EI, moment per unit of curvature [N·m²].
            damping_time: damping of stretching and bending is their stiffness times this time [s].
            closed: whether the last point is joined to the first.
            name: name of the body; by default that of its kind, with a number if there are several.
            position: displacement of the points at the start [m].
            rotation: rotation vector by which the points are turned at the start, before they are displaced [rad].
            velocity: velocity at the start [m/s].
            friction: friction coefficient; by default that of the scene.
            initial_vertices: (n, 3) starting shape in place of the points, before it is turned and displaced [m].
            initial_velocities: (n, 3) velocities at the start of single vertices, added to `velocity` [m/s].
            color: colour in pictures and in the viewer, a name such as teal or #rrggbb; by default one of its kind.
            finish: finish in pictures: matt, glossy, jelly, woven, checks or stripes; by default that of its kind.
            options: restitution, contact_distance, self_contact, gravity (`DeformableOptions`).
        """
        rest = as_points("points of a rod", points)
        check_flag("closed of a rod", closed)
        if len(rest) < (3 if closed else 2):
            raise InputError(f"points of a rod must be at least {3 if closed else 2}, got {len(rest)}")
        lengths = np.linalg.norm(np.diff(rest, axis=0, append=rest[:1] if closed else rest[-1:] + 1.0), axis=1)
        if not (lengths > 0.0).all():
            k = int(np.argmin(lengths))
            raise InputError(f"points {k} and {(k + 1) % len(rest)} of a rod are the same: leave one of them out")
        start = rest if initial_vertices is None else matching_vertices(initial_vertices, len(rest))
        own = np.zeros_like(rest) if initial_velocities is None else as_points("initial_velocities", initial_velocities)
        if own.shape != rest.shape:
            raise InputError(f"initial_velocities must have one row per point, got {len(own)} for {len(rest)}")
        return self._add(
            Rod(
                name=self._new_name("rod", name),
                points=rest,
                closed=closed,
                positions=placed(start, position, rotation, name),
                velocities=own + as_vector("velocity", velocity),
                linear_density=check_positive("linear_density", linear_density, unit="kg/m"),
                stretching_stiffness=check_positive("stretching_stiffness", stretching_stiffness, unit="N"),
                bending_rigidity=check_non_negative("bending_rigidity", bending_rigidity),
                damping_time=check_non_negative("damping_time", damping_time),
                friction=self._friction_or_default(friction),
                options=checked_options(name or "rod", options, DeformableOptions),
                **check_look(name or "rod", color, finish),
            )
        )
