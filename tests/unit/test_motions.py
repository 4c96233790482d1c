"""Motions: where points are at a time."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.motions import Chain, Frames, Rotate, Script, Translate, as_motion

POINTS = np.array([[1.0, 0, 0], [0, 2, 0]])


def test_translate_starts_and_stops():
    motion = Translate(velocity=(0, 0, 2), start=1.0, stop=3.0)
    for time, z in ((0.0, 0.0), (1.0, 0.0), (2.0, 2.0), (3.0, 4.0), (10.0, 4.0)):
        np.testing.assert_allclose(motion.positions(POINTS, time), POINTS + np.array([0, 0, z]))


def test_rotate_is_about_its_line_and_counter_clockwise():
    motion = Rotate(rate=np.pi / 2, axis=(0, 0, 3), center=(1, 1, 0))
    np.testing.assert_allclose(motion.positions(np.array([[2.0, 1, 5]]), 1.0), [[1, 2, 5]], atol=1e-14)


def test_frames_are_linear_between_and_constant_outside():
    frames = POINTS + np.array([0, 1, 3])[:, None, None] * np.array([0, 0, 1])
    motion = Frames(times=[0.0, 1.0, 2.0], frames=frames)
    for time, z in ((-1.0, 0.0), (0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.5, 2.0), (9.0, 3.0)):
        np.testing.assert_allclose(motion.positions(POINTS, time), POINTS + np.array([0, 0, z]))


def test_chain_applies_the_first_motion_first():
    turn, shift = Rotate(rate=np.pi / 2), Translate(velocity=(1, 0, 0))
    np.testing.assert_allclose(Chain([turn, shift]).positions(POINTS[:1], 1.0), [[1, 1, 0]], atol=1e-14)
    np.testing.assert_allclose(Chain([shift, turn]).positions(POINTS[:1], 1.0), [[0, 2, 0]], atol=1e-14)


def test_functions_become_scripts():
    motion = as_motion(lambda rest, time: rest + time)
    assert isinstance(motion, Script)
    np.testing.assert_allclose(motion.positions(POINTS, 2.0), POINTS + 2)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Translate(velocity=(0, 0)), "velocity"),
        (lambda: Translate(velocity=(0, 0, 1), start=2, stop=1), "start=2"),
        (lambda: Rotate(rate=1, axis=(0, 0, 0)), "axis"),
        (lambda: Rotate(rate=float("nan")), "rate"),
        (lambda: Frames(times=[0.0], frames=np.zeros((1, 2, 3))), "at least two"),
        (lambda: Frames(times=[0.0, 0.0], frames=np.zeros((2, 2, 3))), "increasing"),
        (lambda: Frames(times=[0.0, 1.0], frames=np.zeros((3, 2, 3))), r"\(2, n, 3\)"),
        (lambda: Frames(times=[0.0, 1.0], frames=np.full((2, 2, 3), np.nan)), "finite"),
        (lambda: Frames(times=[0.0, 1.0], frames=np.zeros((2, 5, 3))).positions(POINTS, 0.0), "5 points"),
        (lambda: Script(lambda rest, time: rest[:1]).positions(POINTS, 0.0), "1 points for 2"),
        (lambda: Script(lambda rest, time: rest * np.nan).positions(POINTS, 0.0), "finite"),
        (lambda: as_motion("spin"), "'spin'"),
    ],
)
def test_bad_motions_are_named(build, words):
    with pytest.raises(InputError, match=words):
        build()
