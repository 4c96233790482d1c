"""Values of a varied parameter: lists and ranges, and the texts that stand for them, such as `0:1:20` or `cotton,silk`."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, short
from signorini.gallery.options import read_value

MOST_VALUES = 1_000_000
"""Values of one parameter, and runs of one sweep: more is a slip of the keyboard."""
DIGITS = 12
"""Significant digits of the values of a range: 0.15 instead of 0.15000000000000002, so that it is the same as if typed."""
FORMS = "write NAME=a,b,c or NAME=low:high:count, with :log for equal ratios and :int for integers"


@dataclass(frozen=True, slots=True)
class Choices:
    """Values that are listed one by one."""

    values: tuple[Any, ...]

    def points(self) -> list[Any]:
        return list(self.values)


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers between two ends, both included: `count` of them, or drawn if `count` is None."""

    low: float
    high: float
    count: int | None = None
    logarithmic: bool = False
    """Equal ratios instead of equal differences."""
    whole: bool = False
    """Integers; others are rounded."""

    def points(self) -> list[Any]:
        """The values of a grid."""
        assert self.count is not None
        places = np.linspace(0.0, 1.0, self.count) if self.count > 1 else np.zeros(1)
        return self.at(places)

    def at(self, places: NDArray[np.float64]) -> list[Any]:
        """The values at places from 0 (low) to 1 (high)."""
        if self.whole and self.count is None:  # every integer is drawn as often as any other
            span = math.floor(self.high) - math.ceil(self.low) + 1
            return [math.ceil(self.low) + min(int(u * span), span - 1) for u in places]
        if self.logarithmic:
            values = [self.low * (self.high / self.low) ** float(u) for u in places]
        else:
            values = [self.low + (self.high - self.low) * float(u) for u in places]
        return [round(v) if self.whole else float(f"{v:.{DIGITS}g}") for v in values]


Axis = Choices | Range


def read_axis(name: str, text: str) -> Axis:
    """The values that a text stands for; an `InputError` says what is wrong with it."""
    where = f"--vary {name}={text}"
    if not text.strip():
        raise InputError(f"{where}: there are no values: {FORMS}")
    parts = [part.strip() for part in text.split(":")]
    if len(parts) > 1 and _number(parts[0]) is not None:
        return _read_range(where, parts)
    return checked_choices(where, _listed(text))


def axis_of(name: str, given: Any) -> Axis:
    """The values of a parameter that Python code gives: an axis, a text, a sequence or an array."""
    if isinstance(given, Choices | Range):
        return given
    if isinstance(given, str):
        return read_axis(name, given)
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, Sequence | range):
        raise InputError(f"parameter {name!r} must be a list of values or a text such as '0:1:20', got {short(given)}")
    plain = [value.item() if isinstance(value, np.generic) else value for value in given]
    return checked_choices(f"parameter {name!r}", plain)


def checked_choices(where: str, values: Sequence[Any]) -> Choices:
    """A list of values that are all different."""
    if not values:
        raise InputError(f"{where}: there are no values: give at least one")
    seen: set[str] = set()
    for value in values:
        key = f"{type(value).__name__}:{value!r}"
        if key in seen:
            raise InputError(f"{where}: the value {short(value)} stands there twice: leave one out")
        seen.add(key)
    return Choices(tuple(values))


def _listed(text: str) -> list[Any]:
    """The values between commas: all TOML, or each TOML or text."""
    try:
        return tomllib.loads(f"values = [{text}]")["values"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return [read_value(part.strip()) for part in text.split(",") if part.strip()]


def _read_range(where: str, parts: list[str]) -> Range:
    words = {part for part in parts if part in ("log", "int")}
    rest = [part for part in parts if part not in words]
    numbers = [_number(part) for part in rest]
    if len(rest) not in (2, 3) or None in numbers or len(words) != len(parts) - len(rest):
        raise InputError(f"{where} is no range: {FORMS}")
    low, high = (float(n) for n in numbers[:2] if n is not None)
    count = None
    if len(rest) == 3:
        if not rest[2].isdigit() or not 1 <= int(rest[2]) <= MOST_VALUES:
            raise InputError(
                f"{where}: the range is empty: the number of values must be from 1 to {MOST_VALUES}, got {rest[2]}"
            )
        count = int(rest[2])
    if low == high and count != 1:
        raise InputError(f"{where}: the range is empty: both ends are {low:g}")
    if "log" in words and not (low > 0.0 and high > 0.0):
        raise InputError(f"{where}: a range of equal ratios needs ends above 0, got {low:g} and {high:g}")
    if count is None and low > high:
        raise InputError(f"{where}: the range is empty: {low:g} is above {high:g}")
    if "int" in words and count is None and math.floor(high) < math.ceil(low):
        raise InputError(f"{where}: the range is empty: there is no integer from {low:g} to {high:g}")
    found = Range(low, high, count, "log" in words, "int" in words or _all_whole(rest, low, high))
    if count is not None:
        checked_choices(where, found.points())
    return found


def _all_whole(rest: list[str], low: float, high: float) -> bool:
    """Whether a range with a count is written in integers and hits only integers, as 10:50:5 does."""
    if len(rest) != 3 or not all(part.lstrip("+-").isdigit() for part in rest[:2]):
        return False
    steps = int(rest[2]) - 1
    return steps == 0 or (high - low) % steps == 0.0


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
