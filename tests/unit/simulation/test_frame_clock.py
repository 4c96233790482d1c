"""Which steps are frames: the nearest to each instant, the same for a run, a run on disk and a comparison."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signorini.errors import InputError
from signorini.files.runs.runner import run_to_directory
from signorini.files.runs.trajectory import Trajectory
from signorini.simulation.frame_clock import FrameClock
from support.fake_simulation import FakeSimulation, small_scene


def frames(clock: FrameClock) -> list[int]:
    """The steps that are frames, asked step by step as runs do."""
    found, frame = [], 1
    for step in range(1, clock.last_step + 1):
        if clock.is_frame(step, frame):
            found.append(step)
            frame = clock.frame_after(step, frame)
    return found


@given(dt=st.floats(1e-3, 0.1), fps=st.floats(5.0, 200.0), frame=st.integers(0, 500))
def test_a_frame_is_the_step_nearest_to_its_time(dt: float, fps: float, frame: int) -> None:
    error = abs(FrameClock(dt, fps, 1.0).step_of(frame) * dt - frame / fps)
    assert error <= 0.5 * dt * (1.0 + 1e-9)


@given(dt=st.floats(1e-3, 0.1), fps=st.floats(5.0, 200.0), seconds=st.floats(0.2, 2.0))
def test_frames_increase_and_end_with_the_run(dt: float, fps: float, seconds: float) -> None:
    clock = FrameClock(dt, fps, seconds)
    found = frames(clock)
    assert found[-1] == clock.last_step
    assert all(a < b for a, b in pairwise(found))
    nearest = {clock.step_of(k) for k in range(1, round(seconds * fps) + 2)}
    assert set(found[:-1]) <= nearest
    assert {step for step in nearest if 0 < step <= clock.last_step} <= set(found)


def test_every_step_is_a_frame_when_frames_are_closer_than_steps() -> None:
    assert frames(FrameClock(0.01, 1000.0, 0.05)) == [1, 2, 3, 4, 5]


def test_a_run_on_disk_has_the_frames_of_the_clock(tmp_path) -> None:
    run_to_directory(FakeSimulation(small_scene(), dt=0.01), seconds=0.5, fps=30.0, out=tmp_path / "out")
    times = Trajectory.open(tmp_path / "out").times
    assert [round(float(t) / 0.01) for t in times] == [0, *frames(FrameClock(0.01, 30.0, 0.5))]


@pytest.mark.parametrize(("dt", "fps", "seconds", "word"), [(0.01, 0.0, 1.0, "fps"), (0.01, 30.0, -1.0, "seconds")])
def test_bad_times_are_named(dt: float, fps: float, seconds: float, word: str) -> None:
    with pytest.raises(InputError, match=word):
        FrameClock(dt, fps, seconds)


def test_a_run_shorter_than_a_step_is_refused() -> None:
    with pytest.raises(InputError, match=r"seconds \(0.004 s\) must be at least one step of dt = 0.01 s"):
        FrameClock(0.01, 30.0, 0.004)
