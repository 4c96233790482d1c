"""Scripted motions of obstacles and pins: where points are at a time, given where they are at time 0.

A motion is any object with `positions(rest, time)`; a plain function `f(rest, time)` works as well. The classes here are
data, so a scene that uses them can be written to a file and run again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation as _Rotation

from signorini.errors import InputError
from signorini.mesh import as_points, as_vector
from signorini.settings import check_number

Points = NDArray[np.float64]
Vector = tuple[float, float, float]


@runtime_checkable
class Motion(Protocol):
    """Anything that places points in time."""

    def positions(self, rest: Points, time: float) -> Points:
        """Where the points `rest` (n, 3) of time 0 are at `time` [s]."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Translate:
    """Constant velocity [m/s] from `start` to `stop` [s], at rest before and after."""

    velocity: Vector
    start: float = 0.0
    stop: float = float("inf")

    def __post_init__(self) -> None:
        as_vector("velocity of a Translate motion", self.velocity)
        _check_interval(self.start, self.stop)

    def positions(self, rest: Points, time: float) -> Points:
        elapsed = min(max(time, self.start), self.stop) - self.start
        return rest + elapsed * np.asarray(self.velocity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotate:
    """Constant turning rate [rad/s] about the line through `center` [m] along `axis`, from `start` to `stop` [s]."""

    rate: float
    axis: Vector = (0.0, 0.0, 1.0)
    center: Vector = (0.0, 0.0, 0.0)
    start: float = 0.0
    stop: float = float("inf")

    def __post_init__(self) -> None:
        if not np.linalg.norm(as_vector("axis of a Rotate motion", self.axis)) > 0.0:
            raise InputError(f"axis of a Rotate motion must not be zero, got {self.axis}")
        as_vector("center of a Rotate motion", self.center)
        if not np.isfinite(check_number("rate of a Rotate motion", self.rate)):
            raise InputError(f"rate of a Rotate motion must be finite, got {self.rate}")
        _check_interval(self.start, self.stop)

    def positions(self, rest: Points, time: float) -> Points:
        angle = self.rate * (min(max(time, self.start), self.stop) - self.start)
        axis = np.asarray(self.axis, dtype=np.float64)
        R = _Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
        center = np.asarray(self.center)
        return (rest - center) @ R.T + center


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """A sequence of frames: at `times[k]` [s] the points are at `frames[k]`, linear in between, at rest outside."""

    times: Sequence[float]
    frames: Points
    """(k, n, 3) [m]; frame 0 need not equal the rest points."""

    def __post_init__(self) -> None:
        try:
            times, frames = np.asarray(self.times, dtype=np.float64), np.asarray(self.frames, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("times and frames of a Frames motion must be arrays of numbers") from None
        if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0).all():
            raise InputError("times of a Frames motion must be at least two increasing numbers")
        if frames.ndim != 3 or frames.shape[0] != len(times) or frames.shape[2] != 3:
            raise InputError(f"frames of a Frames motion must have shape ({len(times)}, n, 3), got {frames.shape}")
        as_points("frames of a Frames motion", frames.reshape(-1, 3))
        object.__setattr__(self, "times", tuple(float(t) for t in times))
        object.__setattr__(self, "frames", frames)

    def positions(self, rest: Points, time: float) -> Points:
        if rest.shape != self.frames.shape[1:]:
            raise InputError(f"a Frames motion for {self.frames.shape[1]} points cannot move {len(rest)} points")
        k = int(np.clip(np.searchsorted(self.times, time) - 1, 0, len(self.times) - 2))
        s = float(np.clip((time - self.times[k]) / (self.times[k + 1] - self.times[k]), 0.0, 1.0))
        return (1.0 - s) * self.frames[k] + s * self.frames[k + 1]


@dataclass(frozen=True, slots=True)
class Chain:
    """One motion after the other, each applied to the result of the one before: first `motions[0]`."""

    motions: Sequence[Motion] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        if isinstance(self.motions, str) or not isinstance(self.motions, Sequence):
            raise InputError(f"motions of a Chain must be a sequence of motions, got {self.motions!r}")
        object.__setattr__(self, "motions", tuple(m for m in map(as_motion, self.motions) if m is not None))

    def positions(self, rest: Points, time: float) -> Points:
        for motion in self.motions:
            rest = motion.positions(rest, time)
        return rest


@dataclass(frozen=True, slots=True)
class Script:
    """A motion given by a Python function `f(rest, time) -> positions`; it cannot be written to a scene file."""

    function: Callable[[Points, float], Points]

    def positions(self, rest: Points, time: float) -> Points:
        moved = as_points("positions returned by a scripted motion", self.function(rest.copy(), time))
        if moved.shape != rest.shape:
            raise InputError(f"a scripted motion returned {len(moved)} points for {len(rest)} at t = {time:g} s")
        return moved


def as_motion(motion: Motion | Callable[[Points, float], Points] | None) -> Motion | None:
    """The motion itself, a function wrapped as a `Script`, or None (at rest)."""
    if motion is None or (isinstance(motion, Motion) and not isinstance(motion, type)):
        return motion
    if callable(motion) and not isinstance(motion, type):
        return Script(motion)
    raise InputError(f"motion must be a signorini.motions object, a function f(rest, time) or None, got {motion!r}")


def _check_interval(start: float, stop: float) -> None:
    if not np.isfinite(check_number("start of a motion", start)):
        raise InputError(f"start of a motion must be finite, got {start}")
    if not check_number("stop of a motion", stop) >= start:
        raise InputError(f"stop of a motion must not be before start, got start={start:g} s and stop={stop:g} s")
