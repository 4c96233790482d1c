"""Which steps of a run are frames."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.checks import check_positive
from signorini.errors import InputError

MOST_STEPS = 1e15
"""Steps of the longest run: beyond 2^53 steps, times are not exact."""
MOST_FRAMES = 1e6
"""Frames that may be asked for in one step; they are stored as one."""


@dataclass(frozen=True, slots=True)
class FrameClock:
    """Frame k is the state after the step nearest to k / fps, and the last step is a frame: no step is cut short for one.

    The instants depend on dt and fps only, so that a run which is interrupted and resumed has the same frames.
    """

    dt: float
    """Time step [s]."""
    fps: float
    """Frames per simulated second [1/s]."""
    seconds: float
    """Simulated time at which the run ends [s]."""

    def __post_init__(self) -> None:
        check_positive("seconds", self.seconds, unit="s")
        check_positive("fps", self.fps, unit="1/s")
        if self.seconds / self.dt > MOST_STEPS:
            raise InputError(
                f"seconds ({self.seconds:g} s) over dt ({self.dt:g} s) is more than {MOST_STEPS:g} steps: choose a shorter time "
                "or a larger dt"
            )
        if self.fps * self.dt > MOST_FRAMES:
            raise InputError(
                f"fps ({self.fps:g} 1/s) asks for more than {MOST_FRAMES:g} frames a step: choose a smaller one"
            )
        if self.last_step == 0:
            raise InputError(f"seconds ({self.seconds:g} s) must be at least one step of dt = {self.dt:g} s")

    @classmethod
    def endless(cls, dt: float, fps: float) -> FrameClock:
        """The clock of a recording, whose end nobody knows: time steps of dt [s], fps frames a second."""
        return cls(dt, fps, 0.5 * MOST_STEPS * dt)

    @property
    def last_step(self) -> int:
        """The step that ends the run, counted from 1."""
        return round(self.seconds / self.dt)

    def step_of(self, frame: int) -> int:
        """The step at whose end frame number `frame` is taken; 0 is the start."""
        return round(frame * (1.0 / (self.fps * self.dt)))

    def is_frame(self, step: int, next_frame: int) -> bool:
        """Whether a step ends in a frame when `next_frame` is the first that is not yet taken."""
        return step >= self.step_of(next_frame) or step >= self.last_step

    def frame_after(self, step: int, next_frame: int) -> int:
        """The first frame from `next_frame` on that is later than a step: several frames may fall on one step."""
        next_frame = max(next_frame, int((step - 1.0) * self.fps * self.dt))  # later than none that is wanted
        while self.step_of(next_frame) <= step:
            next_frame += 1
        return next_frame
