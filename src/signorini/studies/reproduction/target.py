"""Target of `signorini reproduce`: one figure or number of a paper, how it is measured here, and what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from signorini.errors import InputError

Progress = Callable[[float, str], None]
"""Is told which part of a target is done (0 to 1), and what is being done."""
PAPERS = {
    "Otaduy2009": "Otaduy, Tamstorf, Steinemann, Gross: Implicit Contact Handling for Deformable Objects, 2009",
    "Otaduy2010": "Otaduy et al.: on contact between rigid and deformable bodies (rigid response refinement), 2010",
    "Hong2004": "Hong, Choi, Lee: Constraint-Based Contact Analysis between Deformable Objects, 2004",
    "Sifakis2008": "Sifakis, Marino, Teran: Globally Coupled Collision Handling Using Volume Preserving Impulses, 2008",
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number or statement of a paper, beside what was measured here."""

    what: str
    paper: str
    """What the text of the paper says, or that it says nothing."""
    ours: str
    """What was measured, with its unit."""
    why: str
    """Why the two differ, or in what sense they agree."""
    agrees: bool | None
    """Whether the statement of the paper holds here; None where the two cannot be compared."""

    def __post_init__(self) -> None:
        for name in ("what", "paper", "ours", "why"):
            if not getattr(self, name).strip():
                raise InputError(f"a number of a paper needs {name!r}: {self}")
        if self.agrees is not None:  # comparisons of arrays give booleans of NumPy
            object.__setattr__(self, "agrees", bool(self.agrees))

    @property
    def verdict(self) -> str:
        """One word for tables."""
        return {True: "holds", False: "does not hold", None: "not comparable"}[self.agrees]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a target."""

    numbers: list[Number]
    draw: Callable[[Any], None]
    """Draws on a figure of matplotlib."""
    size: tuple[float, float] = (9.0, 4.0)
    """Of the figure [inch]."""
    data: dict[str, Any] = field(default_factory=dict)
    """What was drawn, as plain lists and numbers."""
    setup: str = ""
    """What was simulated: sizes, steps, settings."""


@dataclass(frozen=True, slots=True)
class Target:
    """A figure or number of a paper."""

    name: str
    paper: str
    """A key of PAPERS."""
    figure: str
    """The figure, or where in the text the number stands."""
    claim: str
    """What the paper claims, in one sentence."""
    run: Callable[[bool, Progress], Outcome]
    """run(quick, progress)"""
    minutes: tuple[float, float]
    """CPU minutes on one core of a 2026 server, roughly: quick, full."""
