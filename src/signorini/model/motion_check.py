"""Check of what a scripted motion returns: a position that is no number would make an obstacle vanish from every box test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, SimulationStoppedError, short
from signorini.geometry.ranges import LARGEST
from signorini.geometry.triangle_mesh import as_floats

if TYPE_CHECKING:
    from signorini.model.contribution import Motion, Turning

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CheckedMotion:
    """A motion whose every answer is checked, at the ends of a step and within it."""

    motion: Motion
    what: str
    """Whose motion it is, for messages."""

    def positions(self, rest: Floats, time: float) -> Floats:
        """Where the motion puts points (k, 3) at a time [s], or an error: of the input at time 0, a stop of the run later."""
        kind = _kind(time)
        at = f"at t = {time:.6g} s {self.what}"
        try:
            placed = as_floats(self.motion.positions(rest.copy(), time))
        except InputError as error:
            raise kind(f"{at} fails: {error}") from None
        except (TypeError, ValueError) as error:
            raise kind(
                f"{at} gives no array of numbers ({error}): it must return one position (x, y, z) per point"
            ) from error
        if placed.shape != rest.shape:
            raise kind(f"{at} has shape {placed.shape}: it must return one position for each of {len(rest)} points")
        if not np.abs(placed).max(initial=0.0) <= LARGEST:
            bad = int(np.flatnonzero(~(np.abs(placed) <= LARGEST).all(axis=1))[0])
            value = tuple(float(c) for c in placed[bad])
            raise kind(
                f"{at} puts point {bad} at {value}: every coordinate must be finite and within {LARGEST:g} m, check the script"
            )
        return placed

    def turning(self, start: float, end: float) -> Turning | None:
        """How the motion says that it turns between two times [s]; None if it does not."""
        ask = getattr(self.motion, "turning", None)
        told = None if ask is None else ask(start, end)
        if told is None:
            return None
        try:
            vector, centre, angle = (as_floats(part) for part in told)
            shapes = (vector.shape, centre.shape, angle.shape) == ((3,), (3,), ())
            sensible = shapes and bool(np.isfinite([*vector, *centre, angle]).all()) and float(angle) >= 0.0
        except (TypeError, ValueError):
            sensible = False
        if not sensible:
            raise _kind(end)(
                f"at t = {end:.6g} s the turning of {self.what} is {short(told)}: it must be a rotation vector and a centre of "
                "three finite numbers each, and an angle of at least 0"
            )
        return told


def checked_motion(motion: Motion | None, what: str) -> CheckedMotion | None:
    """The motion with checks, whose messages name it by `what`; None (at rest) needs none."""
    if motion is None:
        return None
    return CheckedMotion(motion.motion if isinstance(motion, CheckedMotion) else motion, what)


def _kind(time: float) -> type[InputError | SimulationStoppedError]:
    return InputError if time <= 0.0 else SimulationStoppedError
