"""Half-spaces: the ground, or any other plane with everything below it solid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_number, told_vector
from signorini.errors import InputError
from signorini.geometry.ranges import LARGEST
from signorini.geometry.triangle_mesh import as_vector
from signorini.model.contribution import Contribution, Plane
from signorini.scene.body import Body, BodyList
from signorini.scene.body_options import ContactOptions, checked_options
from signorini.scene.tables import Table, TableReader, TableWriter

if TYPE_CHECKING:
    from signorini.scene.scene import Scene


@dataclass(slots=True, kw_only=True, eq=False)
class HalfSpace(Body):
    """Everything below a plane is solid: points x with normal·x < height are inside."""

    kind: ClassVar[str] = "ground"

    normal: NDArray[np.float64]
    height: float
    """Offset of the plane along its normal [m]."""

    def __repr__(self) -> str:
        return f"HalfSpace {self.name!r}: below {self.height:g} m along {told_vector(self.normal)}, friction {self.friction:g}"

    def contribution(self, air_drag: float) -> Contribution:
        """A plane without vertices."""
        plane = Plane(self.normal, self.height)
        contact = self.options.contact()
        return Contribution(name=self.name, kind=self.kind, friction=self.friction, contact=contact, plane=plane)

    def to_table(self, writer: TableWriter) -> Table:
        """`[[ground]]`."""
        normal = [float(c) for c in self.normal]
        return {
            "name": self.name,
            "height": self.height,
            "normal": normal,
            "friction": self.friction,
            **self.options.to_table(),
        }

    @classmethod
    def from_table(cls, scene: Scene, values: Mapping[str, Any], reader: TableReader) -> None:
        """`Scene.add_ground`."""
        scene.add_ground(**values)


class AddsGround(BodyList):
    """Scenes with half-spaces."""

    def add_ground(
        self,
        *,
        height: float = 0.0,
        normal: Sequence[float] = (0.0, 0.0, 1.0),
        name: str | None = None,
        friction: float | None = None,
        **options: Unpack[ContactOptions],
    ) -> HalfSpace:
        """Add a half-space: the plane normal·x = height, solid below.

        Parameters:
            height: offset of the plane along its normal [m].
            normal: direction that points out of the half-space; it need not have length 1.
            name: name of the body; by default that of its kind, with a number if there are several.
            friction: friction coefficient; by default that of the scene.
            options: restitution, contact_distance (`ContactOptions`).
        """
        n = as_vector("normal", normal)
        length = float(np.linalg.norm(n))
        if not length > 0.0:
            raise InputError(f"normal of a ground must not be zero, got {tuple(normal)}")
        if not abs(check_number("height of a ground", height)) <= LARGEST:
            raise InputError(f"height of a ground must be finite and within {LARGEST:g} m, got {height} m")
        return self._add(
            HalfSpace(
                name=self._new_name("ground", name),
                normal=n / length,
                height=float(height),
                friction=self._friction_or_default(friction),
                options=checked_options(name or "ground", options, ContactOptions),
            )
        )
