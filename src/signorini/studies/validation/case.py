"""Validation case: what is simulated, what theory says of it, and how far from that the simulation may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Progress = Callable[[float], None]
"""Takes the share of a case that is done, 0 to 1."""
Verdict = Literal["inside", "known", "outside"]
"""Inside the bound; outside for a reason that is known and written down; outside for no known reason."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Measured value beside the one expected, with the bound of their difference."""

    quantity: str
    """What was measured, with the parameters that tell it from its neighbours: `acceleration, rigid box, μ = 0.2`."""
    measured: float
    expected: float
    unit: str
    """SI unit without prefix; nothing for a number."""
    bound: float
    """Largest allowed |measured − expected|: a share of |expected|, or with `absolute` in the unit."""
    absolute: bool = False
    reason: str = ""
    """Why the bound is missed, where that is known: the miss then does not count as unexpected."""

    @property
    def deviation(self) -> float:
        """Measured minus expected: a share of |expected|, or with `absolute` in the unit."""
        difference = self.measured - self.expected
        if self.absolute:
            return difference
        return difference / abs(self.expected) if self.expected else math.copysign(math.inf, difference)

    @property
    def verdict(self) -> Verdict:
        """Whether the value is inside its bound; one that is not a number is not."""
        if abs(self.deviation) <= self.bound:
            return "inside"
        return "known" if self.reason else "outside"


@dataclass(frozen=True, slots=True)
class Series:
    """Line of a plot: the closed form, or points that were measured."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    theory: bool = False
    """Drawn dashed and without points."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Plot of a case."""

    title: str
    x_label: str
    """With the unit in brackets: `time [s]`."""
    y_label: str
    series: Sequence[Series]
    logarithmic: bool = False
    """Whether the axis of y is."""


@dataclass(frozen=True, slots=True)
class Measurements:
    """Measurements and curves of a case."""

    rows: Sequence[Measurement]
    curves: Sequence[Curve] = ()
    remarks: Sequence[str] = ()
    """What a reader should know beside the numbers: what is not right, and why."""


@dataclass(frozen=True, slots=True)
class Case:
    """Validation case with a name of its own."""

    name: str
    """In lower case with hyphens; the word on the command line."""
    title: str
    theory: str
    """The closed form or the experiment, with its symbols explained."""
    source: str
    """Where it stands: author, title, year, equation or page; or `derived` with its principle."""
    run: Callable[[bool, Progress], Measurements]
    """Called with whether it must be quick (seconds) and the function that shows progress."""


def part_of(progress: Progress, part: int, parts: int) -> Progress:
    """The progress of one of several equal parts of a case, counted from 0."""
    return lambda share: progress((part + share) / parts)
