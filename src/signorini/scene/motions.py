"""Scripted motions of obstacles and pins: where points are at a time, given where they are at time 0.

A motion is any object with `positions(rest, time)`; a plain function `f(rest, time)` works as well. The classes here are
data, so a scene that uses them can be written to a file and run again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation as _Rotation

from signorini.checks import LARGEST_NUMBER, check_choice, check_number, check_positive, told_fields
from signorini.errors import InputError
from signorini.geometry.ranges import LARGEST
from signorini.geometry.triangle_mesh import as_floats, as_points, as_vector
from signorini.model.contribution import Motion, Turning, turning_of
from signorini.scene.keyframes import Keyframes

__all__ = ["Chain", "Frames", "Keyframes", "Motion", "Points", "Rotate", "Script", "Translate", "Turn", "as_motion"]

Points = NDArray[np.float64]
Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Translate:
    """Constant velocity [m/s] from `start` to `stop` [s], at rest before and after."""

    velocity: Vector
    """Velocity [m/s]."""
    start: float = 0.0
    """Time at which the motion begins [s]."""
    stop: float = float("inf")
    """Time at which the motion ends [s]; by default never."""

    def __post_init__(self) -> None:
        as_vector("velocity of a Translate motion", self.velocity)
        _check_interval(self.start, self.stop)

    def positions(self, rest: Points, time: float) -> Points:
        elapsed = min(max(time, self.start), self.stop) - self.start
        return rest + elapsed * np.asarray(self.velocity)

    def turning(self, start: float, end: float) -> Turning:
        return Turning(np.zeros(3), np.zeros(3), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotate:
    """Constant turning rate [rad/s] about the line through `center` [m] along `axis`, from `start` to `stop` [s]."""

    rate: float
    """Angular velocity [rad/s]."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Direction of the axis; it need not have length 1."""
    center: Vector = (0.0, 0.0, 0.0)
    """A point on the axis [m]."""
    start: float = 0.0
    """Time at which the motion begins [s]."""
    stop: float = float("inf")
    """Time at which the motion ends [s]; by default never."""

    def __post_init__(self) -> None:
        _check_line("Rotate", self.axis, self.center)
        if not abs(check_number("rate of a Rotate motion", self.rate)) <= LARGEST:
            raise InputError(f"rate of a Rotate motion must be finite and at most {LARGEST:g} rad/s, got {self.rate}")
        _check_interval(self.start, self.stop)

    def positions(self, rest: Points, time: float) -> Points:
        return _turned(rest, self.angle_at(time), self.axis, self.center)

    def angle_at(self, time: float) -> float:
        """Angle of rotation at `time` [s], in rad."""
        return self.rate * (min(max(time, self.start), self.stop) - self.start)

    def turning(self, start: float, end: float) -> Turning:
        return _turning(self.angle_at(end) - self.angle_at(start), self.axis, self.center)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A smooth turn by `angle` [rad] about the line through `center` [m] along `axis`, from `start` [s] in `duration` [s].

    It starts from rest. With `then="rest"` it also ends at rest: angle · (10 u³ - 15 u⁴ + 6 u⁵) for u from 0 to 1, at most
    1.875 times the mean rate. With `then="turn"` the rate grows smoothly (3 u² - 2 u³) over half the duration and then stays,
    at 4/3 of the mean rate; `angle` is still reached after `duration`.
    """

    angle: float
    """Angle that is reached after `duration` [rad]."""
    duration: float
    """Time from the start to this angle [s]."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Direction of the axis; it need not have length 1."""
    center: Vector = (0.0, 0.0, 0.0)
    """A point on the axis [m]."""
    start: float = 0.0
    """Time at which the turn begins [s]."""
    then: Literal["rest", "turn"] = "rest"
    """What comes after `duration`: `rest`, or `turn` on at the rate that was reached."""

    def __post_init__(self) -> None:
        _check_line("Turn", self.axis, self.center)
        check_positive("duration of a Turn motion", self.duration, unit="s")
        for name in ("angle", "start"):
            if not abs(check_number(f"{name} of a Turn motion", getattr(self, name))) <= LARGEST:
                raise InputError(
                    f"{name} of a Turn motion must be finite and at most {LARGEST:g}, got {getattr(self, name)}"
                )
        check_choice("then of a Turn motion", self.then, ("rest", "turn"))

    def angle_at(self, time: float) -> float:
        """Angle of rotation at `time` [s], in rad."""
        u = max((time - self.start) / self.duration, 0.0)
        if self.then == "rest":
            u = min(u, 1.0)
            return self.angle * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
        ramp = min(2.0 * u, 1.0)  # the integral of 3 r² - 2 r³ over the ramp is r³ - r⁴/2, one half at its end
        return self.angle * 4.0 / 3.0 * (0.5 * ramp**3 * (1.0 - 0.5 * ramp) + max(u - 0.5, 0.0))

    def positions(self, rest: Points, time: float) -> Points:
        return _turned(rest, self.angle_at(time), self.axis, self.center)

    def turning(self, start: float, end: float) -> Turning:
        return _turning(self.angle_at(end) - self.angle_at(start), self.axis, self.center)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """A sequence of frames: at `times[k]` [s] the points are at `frames[k]`, linear in between, at rest outside."""

    __repr__ = told_fields

    times: Sequence[float]
    frames: Points
    """(k, n, 3) [m]; frame 0 need not equal the rest points."""

    def __post_init__(self) -> None:
        try:
            times, frames = as_floats(self.times), as_floats(self.frames)
        except (TypeError, ValueError, OverflowError):
            raise InputError("times and frames of a Frames motion must be arrays of numbers") from None
        if times.ndim != 1 or len(times) < 2 or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
            raise InputError("times of a Frames motion must be at least two finite increasing numbers")
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

    def turning(self, start: float, end: float) -> Turning | None:
        """Rotation of the one motion that turns; the sum of the angles if several do."""
        vector, centre, angle = np.zeros(3), np.zeros(3), 0.0
        for motion in self.motions:
            own = turning_of(motion, start, end)
            if own is None:
                continue
            if angle > 0.0:
                centre = motion.positions(centre[None], start)[0]
            elif own.angle > 0.0:
                centre = own.centre
            vector, angle = vector + own.vector, angle + own.angle
        return Turning(vector, centre, angle)


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


def _turned(rest: Points, angle: float, axis: Vector, center: Vector) -> Points:
    """The points turned by `angle` [rad] about the line through `center` along `axis`."""
    direction = np.asarray(axis, dtype=np.float64)
    R = _Rotation.from_rotvec(angle * direction / np.linalg.norm(direction)).as_matrix()
    fixed = np.asarray(center)
    return (rest - fixed) @ R.T + fixed


def _turning(angle: float, axis: Vector, center: Vector) -> Turning:
    direction = np.asarray(axis, dtype=np.float64)
    return Turning(angle * direction / np.linalg.norm(direction), np.asarray(center, dtype=np.float64), abs(angle))


def _check_line(kind: str, axis: Vector, center: Vector) -> None:
    if not np.linalg.norm(as_vector(f"axis of a {kind} motion", axis)) > 0.0:
        raise InputError(f"axis of a {kind} motion must not be zero, got {axis}")
    as_vector(f"center of a {kind} motion", center)


def _check_interval(start: float, stop: float) -> None:
    if not np.isfinite(check_number("start of a motion", start)):
        raise InputError(f"start of a motion must be finite, got {start}")
    if abs(start) > LARGEST_NUMBER:
        raise InputError(f"start of a motion must be within {LARGEST_NUMBER:g} s, got {start}")
    if not check_number("stop of a motion", stop) >= start:
        raise InputError(f"stop of a motion must not be before start, got start={start:g} s and stop={stop:g} s")
