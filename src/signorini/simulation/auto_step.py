"""The time step of a simulation: a number, or "auto" for one that the error of the motion chooses (docs/adaptive-step.md)."""

from __future__ import annotations

import math
from dataclasses import replace

from signorini.checks import check_positive
from signorini.errors import InputError
from signorini.settings import Settings

AUTO = "auto"
LONGEST_AUTO = 1.0 / 120.0
"""Longest step of dt = "auto" [s]: frames at 10, 12, 15, 20, 24, 30, 40 and 60 a second are on time. What moves
slowly allows twice that, but then meets an impact with it, and the error of an impact is that of the step which it ends."""
DEFAULT_ERROR = 5e-3
"""`Settings.step_error` of dt = "auto" [1/s]: a body of 1 m errs by 5 mm in a second of smooth motion at most."""
SHORTEST_STEP, LONGEST_STEP = 1e-12, 1e3
"""Range of dt [s]; what lies outside is an error of units."""
ON_TIME = 1e-9
"""Part of a step by which a frame may miss the end of a step and still be on time."""


def chosen_step(dt: float | str, settings: Settings, *, fps: float | None = None) -> tuple[float, Settings]:
    """The (longest) time step [s] and the settings that it is taken with.

    If `fps` is given, steps that adapt end at all frames.
    """
    if isinstance(dt, str):
        if dt != AUTO:
            raise InputError(f"dt must be a number of seconds or {AUTO!r}, got {dt!r}")
        error = DEFAULT_ERROR if settings.step_error is None else settings.step_error
        dt, settings = LONGEST_AUTO, replace(settings, integrator="bdf2", step_error=error)
    dt = check_positive("dt", dt, unit="s")
    if not SHORTEST_STEP <= dt <= LONGEST_STEP:
        raise InputError(f"dt must be between {SHORTEST_STEP:g} s and {LONGEST_STEP:g} s, got {dt:g} s")
    if fps is not None and settings.step_error is not None:
        check_positive("fps", fps, unit="1/s")
        dt = 1.0 / (fps * max(1, math.ceil(1.0 / (fps * dt) - ON_TIME)))
    return dt, settings


def check_frames(dt: float, settings: Settings, fps: float) -> None:
    """Raise an `InputError` if frames do not fall on the ends of steps that adapt."""
    steps = 1.0 / (fps * dt) if fps > 0.0 else 1.0
    if settings.step_error is not None and abs(steps - round(steps)) > ON_TIME * steps:
        longest, _ = chosen_step(dt, settings, fps=fps)
        raise InputError(
            f"frames at fps = {fps:g} 1/s are not at the ends of adaptive steps of at most {dt:g} s: use "
            f"dt={longest:.12g} with step_error={settings.step_error:g} instead"
        )
