"""Check of a checkpoint before a simulation returns to it: it may come from a file, or from another scene."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.errors import InputError
from signorini.geometry.ranges import LARGEST
from signorini.model.state import History, State

UNIT = 1e-6
"""By how much the length of a quaternion may differ from 1."""
EARLIER = ("history_before_velocity", "history_before_displacement")
"""Arrays of the step before the last one; there are none if it had another length."""


def checked_checkpoint(arrays: Mapping[str, ArrayLike], own: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """Contiguous copies of the arrays of a checkpoint, or an `InputError` that names what does not fit.

    `own` is a checkpoint of the simulation itself, without its memory.
    """
    if not isinstance(arrays, Mapping):
        raise InputError(f"a checkpoint must be what Simulation.checkpoint() returned, got {type(arrays).__name__}")
    saved = {name: _array(name, value) for name, value in arrays.items()}
    saved.setdefault("applied", np.zeros_like(own["applied"]))  # checkpoints of earlier versions have no forces by hand
    for name in own:
        if name not in saved:
            raise InputError(f"the checkpoint has no {name!r}: it must be what Simulation.checkpoint() returned")
        numbers = saved[name].dtype.kind in "biuf"
        if not numbers or saved[name].shape != own[name].shape or not np.isfinite(saved[name]).all():
            raise InputError(
                f"{name!r} of the checkpoint must be finite and have shape {own[name].shape}, as in this scene; it has "
                f"shape {saved[name].shape} and is {saved[name].dtype}"
            )
    if float(saved["dt"]) != float(own["dt"]):
        raise InputError(
            f"the checkpoint was made with dt = {float(saved['dt']):g} s, this simulation has {float(own['dt']):g} s"
        )
    _check_moment(saved)
    return saved


def _check_moment(saved: Mapping[str, NDArray]) -> None:
    """Raise an `InputError` unless the time is that of the step, and bodies have a place and an orientation."""
    step, time, dt = saved["step_index"].item(), float(saved["time"]), float(saved["dt"])
    if saved["step_index"].dtype.kind not in "iu" or step < 0:
        raise InputError(f"'step_index' of the checkpoint must be an integer of at least 0, it is {step}")
    if abs(time - step * dt) > 0.5 * dt:
        raise InputError(
            f"the checkpoint is at {time:g} s, but its step {step} ends at {step * dt:g} s: it was changed"
        )
    if not 0.0 <= float(saved["interval"]) <= (1.0 + 1e-9) * dt:
        raise InputError(
            f"'interval' of the checkpoint must be between 0 and dt = {dt:g} s, it is {float(saved['interval']):g}"
        )
    far = float(np.abs(saved["q"]).max(initial=0.0))
    if far > LARGEST:
        raise InputError(f"'q' of the checkpoint must be within {LARGEST:g} m, it reaches to {far:.3g} m")
    length = np.linalg.norm(saved["rotations"], axis=-1)
    if not (np.abs(length - 1.0) <= UNIT).all():
        raise InputError("'rotations' of the checkpoint must be quaternions of length 1, and one is not")


def history_arrays(state: State) -> dict[str, NDArray]:
    """What the next step of second order extrapolates from, as arrays of a checkpoint; none if it is of first order."""
    history = state.history
    if history is None:
        return {}
    arrays = {
        "history_velocity": history.velocity,
        "history_displacement": history.displacement,
        "history_length": np.array(history.length),
    }
    if history.before is not None:
        arrays |= {
            "history_before_velocity": history.before.velocity,
            "history_before_displacement": history.before.displacement,
        }
    return arrays


def recalled_history(saved: Mapping[str, NDArray]) -> History | None:
    """The history in a checked checkpoint; None if its next step is of first order."""
    if "history_length" not in saved:
        return None
    shape = saved["q"].shape
    expected_shapes = {"history_velocity": shape, "history_displacement": shape, "history_length": ()}
    if any(name in saved for name in EARLIER):
        expected_shapes |= dict.fromkeys(EARLIER, shape)
    for name, expected in expected_shapes.items():
        if name not in saved or saved[name].shape != expected or not np.isfinite(saved[name]).all():
            raise InputError(f"{name!r} of the checkpoint must be finite and have shape {expected}")
    if saved["history_length"] <= 0.0:
        raise InputError("the checkpoint is damaged: 'history_length' must be positive")
    length = float(saved["history_length"])
    before = History(saved[EARLIER[0]], saved[EARLIER[1]], length) if EARLIER[0] in saved else None
    return History(saved["history_velocity"], saved["history_displacement"], length, before)


def _array(name: str, value: ArrayLike) -> NDArray:
    try:
        return np.array(value, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{name!r} of the checkpoint is no array: rows have different lengths") from None
