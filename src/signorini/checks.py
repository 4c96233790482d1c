"""Checks of numbers that a user gives: each raises an `InputError` that names the thing and its value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from signorini.errors import InputError, short

LARGEST_NUMBER = 1e30
"""Largest number that is taken for a quantity in SI units, and one over the least: products of several must not overflow."""


def check_positive(name: str, value: Any, *, unit: str = "") -> float:
    """Return `value` as a float, or raise an `InputError` that names it if it is not a finite number above zero."""
    number = check_number(name, value)
    given = f"{number:g}{' ' + unit if unit else ''}"
    if not math.isfinite(number) or number <= 0.0:
        raise InputError(f"{name} must be positive and finite, got {given}")
    if not 1.0 / LARGEST_NUMBER <= number <= LARGEST_NUMBER:
        raise InputError(
            f"{name} must be between {1.0 / LARGEST_NUMBER:g} and {LARGEST_NUMBER:g}, got {given}: check its unit"
        )
    return number


def check_number(name: str, value: Any) -> float:
    """Return `value` as a float, or raise an `InputError` that names it if it is not a number (a bool is none)."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{name} must be a number, got {short(value)}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{name} must be a number of at most {LARGEST_NUMBER:g}, got {short(value)}") from None


def check_count(name: str, value: Any, *, least: int) -> int:
    """Return `value`, or raise an `InputError` that names it if it is not an integer of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} must be an integer of at least {least}, got {value!r}")
    if value >= 2**31:
        raise InputError(
            f"{name} must be below 2^31, got {value:.3g}" if value < 1e300 else f"{name} must be below 2^31"
        )
    return value
