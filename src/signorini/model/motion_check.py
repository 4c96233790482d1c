"""Check of what a scripted motion returns: a position that is no number would make an obstacle vanish from every box test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, SimulationStoppedError

if TYPE_CHECKING:
    from signorini.model.contribution import Motion

Floats = NDArray[np.float64]


def placed_by(motion: Motion | None, rest: Floats, time: float, *, what: str) -> Floats:
    """Where a motion puts points (k, 3) at a time [s], or an error: of the input at time 0, a stop of the simulation later."""
    if motion is None:
        return rest
    kind = InputError if time <= 0.0 else SimulationStoppedError
    at = f"at t = {time:.6g} s {what}"
    try:
        placed = np.asarray(motion.positions(rest.copy(), time), dtype=np.float64)
    except InputError as error:
        raise kind(f"{at} fails: {error}") from None
    except (TypeError, ValueError) as error:
        raise kind(
            f"{at} gives no array of numbers ({error}): it must return one position (x, y, z) per point"
        ) from error
    if placed.shape != rest.shape:
        raise kind(f"{at} has shape {placed.shape}: it must return one position for each of {len(rest)} points")
    if not np.isfinite(placed).all():
        bad = int(np.flatnonzero(~np.isfinite(placed).all(axis=1))[0])
        value = tuple(float(c) for c in placed[bad])
        raise kind(f"{at} puts point {bad} at {value}: every coordinate must be finite, check the script")
    return placed
