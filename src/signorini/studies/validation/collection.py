"""The explicit list of all validation cases, in the order in which they are run and shown."""

from __future__ import annotations

from collections.abc import Sequence

from signorini.errors import InputError
from signorini.studies.validation.case import Case
from signorini.studies.validation.cases import (
    capstan,
    collisions,
    convergence,
    dominoes,
    free_fall,
    gyroscope,
    hertz,
    masonry,
    mass_ratios,
    pendulum,
    rolling,
    slope,
    solid_beam,
    thrown_balls,
    weights,
)
from signorini.studies.validation.cases.sheets import cantilever, drape, lateral_buckling, stick_slip, twist, vibration

CASES: tuple[Case, ...] = (
    free_fall.CASE,
    weights.CASE,
    slope.CASE,
    capstan.CASE,
    hertz.CASE,
    solid_beam.CASE,
    masonry.ARCH,
    masonry.CARDS,
    dominoes.CASE,
    rolling.CASE,
    gyroscope.CASE,
    pendulum.CASE,
    collisions.CASE,
    mass_ratios.CASE,
    thrown_balls.CASE,
    convergence.CASE,
    cantilever.CASE,
    lateral_buckling.CASE,
    stick_slip.CASE,
    twist.CASE,
    vibration.CASE,
    drape.CASE,
)
"""Each is one file of `cases/`; a new case is one more line here."""


def find_cases(names: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases of these names in the order of the list; all of them for no names."""
    known = [case.name for case in CASES]
    for name in names:
        if name not in known:
            raise InputError(f"there is no validation case {name!r}: choose from {', '.join(known)}")
    return tuple(case for case in CASES if not names or case.name in names)
