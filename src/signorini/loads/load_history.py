"""History of a load: its value over time, a constant, a table that is linear between its times, or a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.checks import LARGEST_NUMBER, check_number
from signorini.errors import InputError, SimulationStoppedError, short
from signorini.geometry.triangle_mesh import as_floats

Floats = NDArray[np.float64]
ROUNDING = 1e-12
"""Part of a time by which the end of the last step of a load may be later: times of steps are rounded."""


@dataclass(frozen=True, slots=True)
class LoadHistory:
    """A number or a vector as a function of time, zero until `start` and after `stop`."""

    what: str
    """What it is, for messages."""
    size: int
    """How many components it has."""
    values: Floats
    """(k, size) at the times; (1, size) if it is constant, (0, size) if it is a function."""
    times: Floats
    """(k,) [s], increasing; it is constant before the first and after the last one. (0,) if there is no table."""
    function: Callable[[float], ArrayLike] | None = None
    start: float = 0.0
    """[s]"""
    stop: float = float("inf")
    """[s]"""

    def at(self, time: float) -> Floats:
        """(size,) the value in a step that ends at a time [s]."""
        if not self.start < time <= self.stop * (1.0 + ROUNDING):
            return np.zeros(self.size)
        if self.function is not None:
            return self._asked(time)
        if len(self.values) == 1:
            return self.values[0]
        return np.array([np.interp(time, self.times, column) for column in self.values.T])

    def _asked(self, time: float) -> Floats:
        assert self.function is not None
        answer = self.function(time)
        try:
            value = np.atleast_1d(as_floats(answer))
        except (TypeError, ValueError):
            value = np.full(0, np.nan)
        if value.shape != (self.size,) or not (np.abs(value) <= LARGEST_NUMBER).all():
            raise SimulationStoppedError(
                f"{self.what} at t = {time:.6g} s must be {_numbers(self.size)}, but its function returned {short(answer)}"
            )
        return value


def checked_history(what: str, value: Any, size: int, times: Any, start: float, stop: float) -> LoadHistory:
    """The history that a user has given, or an `InputError` that names it."""
    begin, end = check_number(f"start of {what}", start), check_number(f"stop of {what}", stop)
    if not (np.isfinite(begin) and end > begin):
        raise InputError(f"{what}: stop must be later than start, got {stop:g} s and {start:g} s")
    if callable(value):
        if times is not None:
            raise InputError(f"{what} is a function of time: leave out times")
        return LoadHistory(what, size, np.zeros((0, size)), np.zeros(0), value, begin, end)  # pyright: ignore[reportArgumentType]
    try:
        table = as_floats(value)
        moments = np.zeros(0) if times is None else np.atleast_1d(as_floats(times))
    except (TypeError, ValueError):
        raise InputError(f"{what} must be {_numbers(size)}, got {short(value)}") from None
    if not (np.abs(table) <= LARGEST_NUMBER).all() or not (np.abs(moments) <= LARGEST_NUMBER).all():
        raise InputError(f"{what} and its times must be finite and at most {LARGEST_NUMBER:g}, got {short(value)}")
    if times is None:
        if table.shape != ((size,) if size > 1 else ()):
            raise InputError(f"{what} must be {_numbers(size)}, got {short(value)}; with times, one row for each")
        return LoadHistory(what, size, table.reshape(1, size), moments, None, begin, end)
    rows = table.reshape(-1, 1) if size == 1 else table
    if rows.ndim != 2 or rows.shape != (len(moments), size) or len(moments) < 2 or not (np.diff(moments) > 0.0).all():
        raise InputError(
            f"{what} must have one row of {_numbers(size)} for each of its times, which must increase: got {short(value)} for "
            f"the times {short(times)}"
        )
    return LoadHistory(what, size, rows, moments, None, begin, end)


def _numbers(size: int) -> str:
    return "a number" if size == 1 else f"{size} numbers"
