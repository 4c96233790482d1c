"""Checks of what a user gives, each with an `InputError` that names thing and value; and how objects print themselves."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from dataclasses import MISSING, fields
from pathlib import Path
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
        raise InputError(f"{name} must be an integer of at least {least}, got {short(value)}")
    if value >= 2**31:
        raise InputError(
            f"{name} must be below 2^31, got {value:.3g}" if value < 1e300 else f"{name} must be below 2^31"
        )
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return `value`, or raise an `InputError` that names it if it is neither true nor false."""
    if not isinstance(value, bool):
        raise InputError(f"{name} must be true or false, got {short(value)}")
    return value


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return `value`, or raise an `InputError` that names it if it is none of the words `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, got {short(value)}")
    return value


def check_path(name: str, value: Any) -> Path:
    """Return `value` as a path, or raise an `InputError` that names it if no file can be called so."""
    given = value.__fspath__() if isinstance(value, os.PathLike) else value
    if not isinstance(given, str) or "\0" in given or not given:
        raise InputError(f"{name} must be a path, got {short(value)}")
    return Path(given)


def told_fields(self: Any) -> str:
    """The `__repr__` of a dataclass for people: the fields that differ from their defaults, and arrays by their shapes."""
    told = []
    for f in fields(self):
        own, default = getattr(self, f.name), f.default if f.default_factory is MISSING else f.default_factory()
        shape = getattr(own, "shape", ())
        if f.repr and (shape or type(own) is not type(default) or own != default):
            told.append(f"{f.name}={'array ' + named_list(shape) if shape else short(own)}")
    return f"{type(self).__name__}({', '.join(told)})"


def named_list(names: Collection[Any], *, most: int = 6) -> str:
    """Names or numbers in brackets; of a long list only the first ones."""
    first = [str(name) for _, name in zip(range(most), names, strict=False)]
    return f"({', '.join(first + ['...'] * (len(names) > most))})"


def told_vector(vector: Collection[float]) -> str:
    """A vector as a person reads it, such as `(0, 0.5, -1.25)`."""
    return f"({', '.join(f'{c:.4g}' for c in vector)})"


def told_size(points: Any) -> str:
    """The extent of points (n, 3) [m] as a person reads it, such as `1.2 × 0.8 × 0.003 m`."""
    low, high = points.min(axis=0), points.max(axis=0)
    return f"{' × '.join(f'{c:.3g}' for c in high - low)} m"
