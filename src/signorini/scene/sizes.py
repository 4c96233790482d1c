"""Sizes and masses of the bodies of a scene, as a summary lists them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from signorini.model.contribution import Contribution
from signorini.scene.body import Body


@dataclass(frozen=True, slots=True)
class BodySize:
    """Size and mass of a body at its start."""

    name: str
    kind: str
    vertices: int
    triangles: int
    size: tuple[float, float, float]
    """Extent along x, y and z at the start [m]."""
    mass: float | None
    """[kg]; None for a body without one."""
    elements: str = ""
    """Which elements a soft solid is made of, and why."""

    def to_table(self) -> dict[str, Any]:
        """As the summary of a run has it."""
        table = {**asdict(self), "size": list(self.size)}
        return {key: value for key, value in table.items() if key != "elements" or value}

    @property
    def size_text(self) -> str:
        """The extents as a person reads them, such as `1.2 × 0.8 × 0.003 m`."""
        return f"{' × '.join(f'{extent:.3g}' for extent in self.size)} m"

    @property
    def mass_text(self) -> str:
        """The mass as a person reads it; empty for a body without one."""
        if self.mass is None:
            return ""
        if self.mass >= 999.5:
            return f"{self.mass:,.0f} kg"
        return f"{self.mass:.3g} kg" if self.mass >= 1.0 else f"{1e3 * self.mass:.3g} g"


def body_sizes(bodies: dict[str, Body]) -> list[BodySize]:
    """The sizes of all bodies that have vertices, in their order; half-spaces have none."""
    found = []
    for body in bodies.values():
        parts = body.contribution(0.0)
        if len(parts.rest):
            found.append(_size(body, parts))
    return found


def _size(body: Body, parts: Contribution) -> BodySize:
    points = np.asarray(getattr(body, "positions", parts.rest))
    x, y, z = (float(extent) for extent in np.ptp(points, axis=0))
    mass = float(parts.nodes.mass.sum())
    return BodySize(body.name, body.kind, len(points), len(parts.triangles), (x, y, z), mass or None, body.element_text)
