"""Faults of meshes and scenes, each with its number, its places and its remedy, and the report that lists them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from signorini.scene.sizes import BodySize

Severity = Literal["error", "warning", "remark"]
"""What a simulation refuses or computes wrongly; what may surprise; what is worth a look."""
SHOWN_PLACES = 3
"""Places that a sentence names."""
STORED_PLACES = 100
"""Places of a fault that the JSON form lists."""
NANOMETRES = 9
"""Decimals of a place that is printed [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One kind of fault of one body or pair of bodies."""

    kind: str
    """Its name, such as "degenerate" or "intersecting"."""
    severity: Severity
    bodies: tuple[str, ...]
    """The bodies that have it."""
    count: int
    """How many there are."""
    what: str
    """What they are, as a sentence without its end."""
    remedy: str
    """What would repair it."""
    places: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 3)))
    """(k, 3) where they are [m]."""
    triangles: tuple[tuple[str, NDArray[np.int64]], ...] = ()
    """The triangles that have it, by body."""
    repairable: bool = False
    """Whether `repair` mends it."""

    def __repr__(self) -> str:
        return f"Fault {self.kind!r} ({self.severity}): {self}"

    def __str__(self) -> str:
        rounded = (np.round(self.places[:STORED_PLACES], NANOMETRES) + 0.0).tolist()  # no −0, no 1e-17 m
        near = list(dict.fromkeys(f"({', '.join(f'{c:.4g}' for c in place)})" for place in rounded))
        more = ", ..." if len(near) > SHOWN_PLACES else ""
        where = f" at {'; '.join(near[:SHOWN_PLACES])}{more}" if near else ""
        who = f"{' and '.join(self.bodies)}: " if self.bodies else ""
        return f"{who}{self.what}{where}; {self.remedy}"

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "bodies": list(self.bodies),
            "count": self.count,
            "what": self.what,
            "remedy": self.remedy,
            "repairable": self.repairable,
            "places": self.places[:STORED_PLACES].tolist(),
            "triangles": {body: numbers[:STORED_PLACES].tolist() for body, numbers in self.triangles},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A surface that was looked at: what pictures and coloured files show."""

    name: str
    vertices: NDArray[np.float64]
    """(n, 3) [m]"""
    triangles: NDArray[np.int64]
    """(t, 3)"""


@dataclass(frozen=True, slots=True, eq=False)
class CheckReport:
    """Result of `check`: the faults, the worst first, and the sizes and masses of the bodies."""

    source: str
    faults: tuple[Fault, ...]
    sizes: tuple[BodySize, ...]
    surfaces: tuple[Surface, ...] = ()
    """What was looked at, placed as it starts."""
    contact_distance: float | None = None
    """That of the scene [m], if it can be made."""
    written: tuple[Path, ...] = ()
    """Files that a repair has written."""
    repairs: tuple[str, ...] = ()
    """What a repair has done."""

    @property
    def ok(self) -> bool:
        """Whether there is no error; there may be warnings and remarks."""
        return not self.errors

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults that a simulation refuses, or computes wrongly."""
        return tuple(fault for fault in self.faults if fault.severity == "error")

    def named(self, kind: str) -> tuple[Fault, ...]:
        """The faults of a kind, such as "degenerate"."""
        return tuple(fault for fault in self.faults if fault.kind == kind)

    def __repr__(self) -> str:
        lines = [f"{self.source}: {self.verdict}"]
        for size in self.sizes:
            mass = f", {size.mass_text}" if size.mass is not None else ""
            shape = f"{size.vertices:,} vertices, {size.triangles:,} triangles"
            lines.append(f"  {size.name} ({size.kind}): {size.size_text}{mass}, {shape}")
        if self.contact_distance is not None:
            lines.append(f"  contact distance: {1e3 * self.contact_distance:.3g} mm")
        lines += [f"  {fault.severity}: {fault.kind}: {fault}" for fault in self.faults]
        lines += [f"  repaired: {step}" for step in self.repairs]
        return "\n".join(lines)

    @property
    def verdict(self) -> str:
        """The report in a few words."""
        counts = {kind: sum(f.severity == kind for f in self.faults) for kind in ("error", "warning", "remark")}
        parts = [f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in counts.items() if count]
        return ", ".join(parts) if parts else "nothing is wrong with it"

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON."""
        return {
            "source": self.source,
            "ok": self.ok,
            "contact_distance": self.contact_distance,
            "bodies": [size.to_table() for size in self.sizes],
            "faults": [fault.to_dict() for fault in self.faults],
            "repairs": list(self.repairs),
            "written": [str(path) for path in self.written],
        }


def sorted_faults(faults: list[Fault]) -> tuple[Fault, ...]:
    """The worst first, otherwise in their order."""
    order = ("error", "warning", "remark")
    return tuple(sorted(faults, key=lambda fault: order.index(fault.severity)))
