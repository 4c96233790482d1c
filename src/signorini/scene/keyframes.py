"""Keyframed rigid motion: where a rigid thing is at given times, and smoothly in between.

Quaternions are (x, y, z, w), the scalar last, as in scipy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from signorini.checks import LARGEST_NUMBER, check_choice
from signorini.errors import InputError, short
from signorini.geometry.ranges import LARGEST
from signorini.geometry.triangle_mesh import as_floats, as_vector
from signorini.model.contribution import Turning

Floats = NDArray[np.float64]
Interpolation = Literal["linear", "cubic"]
HALF_TURN = np.pi * (1.0 + 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Keyframes:
    """A rigid motion given at some times: a point x goes to `center + translation + R (x - center)`.

    At `times` (k,) [s] the body is displaced by `translations` (k, 3) [m] and turned by `rotations` about `center` [m],
    which moves along: rotation vectors (k, 3) [rad] or quaternions (k, 4). Either of the two may be left out. Before the
    first and after the last time the body rests. Turns are spherical interpolations, each by the shortest way, so that
    two rotation vectors in a row may differ by at most half a turn. Displacements are linear in between, or with
    `interpolation="cubic"` a spline that starts and ends at rest (it may overshoot between keyframes).
    """

    times: Sequence[float]
    """Times (k,) of the keyframes, increasing [s]."""
    translations: ArrayLike | None = None
    """Displacements (k, 3) [m]; by default none."""
    rotations: ArrayLike | None = None
    """Rotation vectors (k, 3) [rad] or quaternions (k, 4), the scalar last; by default no rotation."""
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Centre of the rotations [m], which moves along with the displacement."""
    interpolation: Interpolation = "linear"
    """Displacements between keyframes: `linear`, or `cubic` for a spline that starts and ends at rest."""
    _spline: Any = field(init=False, repr=False)
    _turns: Floats | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        times = as_times("times of a Keyframes motion", self.times)
        as_vector("center of a Keyframes motion", self.center)
        if self.translations is None and self.rotations is None:
            raise InputError("a Keyframes motion needs translations or rotations, got neither")
        check_choice("interpolation of a Keyframes motion", self.interpolation, ("linear", "cubic"))
        path = None if self.translations is None else _rows("translations", self.translations, len(times), (3,))
        rotations = None if self.rotations is None else _rows("rotations", self.rotations, len(times), (3, 4))
        spline = self.interpolation == "cubic" and path is not None
        object.__setattr__(self, "times", tuple(times.tolist()))
        object.__setattr__(self, "translations", path)
        object.__setattr__(self, "rotations", rotations)
        object.__setattr__(self, "_spline", _clamped_spline(times, path) if spline else None)
        object.__setattr__(self, "_turns", None if rotations is None else _quaternions(rotations))

    def placement(self, time: float) -> tuple[Floats, Floats]:
        """Rotation matrix (3, 3) and displacement (3,) [m] at `time` [s]."""
        k, s = find_interval(np.array(self.times), np.array([time]))
        shift, R = np.zeros(3), np.eye(3)
        if self._spline is not None:
            shift = self._spline(min(max(time, self.times[0]), self.times[-1]))
        elif self.translations is not None:
            x = np.asarray(self.translations)
            shift = ((1.0 - s) * x[k] + s * x[k + 1])[0]
        if self._turns is not None:
            R = Rotation.from_quat(slerp(self._turns[k], self._turns[k + 1], s)[0]).as_matrix()
        return R, shift

    def turning(self, start: float, end: float) -> Turning:
        """Rotation of the body between two times [s], along the shortest arc from keyframe to keyframe."""
        inside = [time for time in self.times if start < time < end]
        R = [Rotation.from_matrix(self.placement(time)[0]) for time in (start, *inside, end)]
        angle = sum((after * before.inv()).magnitude() for before, after in pairwise(R))
        centre = np.asarray(self.center, dtype=np.float64) + self.placement(start)[1]
        return Turning(np.asarray((R[-1] * R[0].inv()).as_rotvec()), centre, float(angle))

    def positions(self, rest: Floats, time: float) -> Floats:
        """Positions (n, 3) at `time` [s] of the points `rest` (n, 3) of time 0."""
        R, shift = self.placement(time)
        center = np.asarray(self.center, dtype=np.float64)
        return (rest - center) @ R.T + center + shift


def slerp(q0: Floats, q1: Floats, s: Floats) -> Floats:
    """Spherical interpolation of unit quaternions (..., 4) along the shortest arc; s (...) from 0 (q0) to 1 (q1)."""
    dot = np.sum(q0 * q1, axis=-1)
    q1 = np.where(dot[..., None] < 0.0, -q1, q1)
    angle = np.arccos(np.minimum(np.abs(dot), 1.0))
    near = angle < 1e-7  # sin(s a) / sin(a) is s to rounding
    sine = np.where(near, 1.0, np.sin(angle))
    a = np.where(near, 1.0 - s, np.sin((1.0 - s) * angle) / sine)
    b = np.where(near, s, np.sin(s * angle) / sine)
    q = a[..., None] * q0 + b[..., None] * q1
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def find_interval(times: Floats, at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """For each time of `at` (t,) the interval k of the increasing `times` and how far in it, 0 to 1; clamped outside."""
    k = np.clip(np.searchsorted(times, at) - 1, 0, len(times) - 2)
    return k, np.clip((at - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)


def as_times(name: str, value: Any) -> Floats:
    """At least two finite increasing times [s], or an `InputError`."""
    try:
        times = as_floats(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be numbers [s], got {short(value)}") from None
    if times.ndim != 1 or len(times) < 2:
        raise InputError(f"{name} must be at least two numbers [s], got an array of shape {times.shape}")
    if not (np.abs(times) <= LARGEST_NUMBER).all():
        bad = int(np.flatnonzero(~(np.abs(times) <= LARGEST_NUMBER))[0])
        raise InputError(f"{name} must be finite and within {LARGEST_NUMBER:g} s, but number {bad} is {times[bad]}")
    if not (np.diff(times) > 0.0).all():
        bad = int(np.flatnonzero(np.diff(times) <= 0.0)[0])
        raise InputError(f"{name} must increase, but number {bad + 1} is {times[bad + 1]:g} s after {times[bad]:g} s")
    return times


def _rows(name: str, value: Any, count: int, widths: tuple[int, ...]) -> Floats:
    try:
        rows = as_floats(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} of a Keyframes motion must be rows of numbers") from None
    if rows.ndim != 2 or len(rows) != count or rows.shape[1] not in widths:
        shapes = " or ".join(f"({count}, {w})" for w in widths)
        raise InputError(f"{name} of a Keyframes motion must have shape {shapes} for {count} times, got {rows.shape}")
    bad = np.flatnonzero(~(np.abs(rows) <= LARGEST).all(axis=1))
    if len(bad):
        raise InputError(
            f"{name} of a Keyframes motion must be finite and within {LARGEST:g}, but number {bad[0]} is {rows[bad[0]].tolist()}"
        )
    return rows


def _quaternions(rotations: Floats) -> Floats:
    """Unit quaternions (k, 4) of rotation vectors (k, 3) or quaternions (k, 4)."""
    if rotations.shape[1] == 4:
        length = np.linalg.norm(rotations, axis=1)
        if not (length > 0.0).all():
            bad = int(np.argmin(length))
            raise InputError(f"rotations of a Keyframes motion: quaternion {bad} is zero")
        return rotations / length[:, None]
    change = np.linalg.norm(np.diff(rotations, axis=0), axis=1)
    if (change > HALF_TURN).any():
        bad = int(np.argmax(change > HALF_TURN))
        raise InputError(
            f"rotations of a Keyframes motion: rotation vectors {bad} and {bad + 1} differ by {change[bad]:.3g} rad, more than "
            "half a turn, which leaves open which way to turn: add keyframes in between or give quaternions"
        )
    return np.asarray(Rotation.from_rotvec(rotations).as_quat())


def _clamped_spline(times: Floats, path: Floats | None) -> Any:
    """The spline through positions (k, 3) at times (k,) that starts and ends at rest."""
    from scipy.interpolate import CubicSpline  # takes a fifth of the time of `import signorini`, and is seldom needed

    return CubicSpline(times, path, bc_type="clamped")
