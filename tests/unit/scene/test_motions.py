"""Motions: where points are at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from signorini.errors import InputError
from signorini.scene.keyframes import slerp
from signorini.scene.motions import Chain, Frames, Keyframes, Rotate, Script, Translate, Turn, as_motion

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


def test_keyframes_turn_about_a_center_that_moves_along():
    motion = Keyframes(
        times=[1.0, 2.0, 4.0],
        translations=[[0, 0, 0], [0, 0, 1], [0, 0, 5]],
        rotations=[[0, 0, 0], [0, 0, np.pi / 2], [0, 0, np.pi]],
        center=(1, 0, 0),
    )
    arm = np.array([[2.0, 0, 0]])  # one metre from the centre
    for time, angle, z in ((-1, 0, 0), (1, 0, 0), (1.5, np.pi / 4, 0.5), (2, np.pi / 2, 1), (3, 3 * np.pi / 4, 3)):
        expected = [[1 + np.cos(angle), np.sin(angle), z]]
        np.testing.assert_allclose(motion.positions(arm, time), expected, atol=1e-14)
    np.testing.assert_allclose(motion.positions(arm, 9.0), [[0, 0, 5]], atol=1e-14)


def test_keyframes_take_quaternions_of_any_length_by_the_shortest_way():
    turns = Rotation.from_rotvec([[0, 0, 3.0], [0, 0, -3.0]])  # 0.28 rad apart across half a turn
    quaternions = turns.as_quat() * [[2.0], [-0.5]]
    motion = Keyframes(times=[0.0, 1.0], rotations=quaternions)
    np.testing.assert_allclose(motion.positions(np.array([[1.0, 0, 0]]), 0.5), [[-1, 0, 0]], atol=1e-14)


def test_cubic_keyframes_pass_through_and_start_and_end_at_rest():
    path = np.array([[0, 0, 0], [1, 0, 2], [1, 3, 0], [4, 0, 0]], dtype=float)
    motion = Keyframes(times=[0, 1, 2, 4], translations=path, interpolation="cubic")
    origin, h = np.zeros((1, 3)), 1e-5
    for time, x in zip((0, 1, 2, 4), path, strict=True):
        np.testing.assert_allclose(motion.positions(origin, time), [x], atol=1e-14)
        before, after = motion.positions(origin, time - h), motion.positions(origin, time + h)
        assert np.abs(before + after - 2 * x).max() <= 20 * h**2  # the velocity has no jump
    assert np.abs(motion.positions(origin, h)).max() <= 20 * h**2  # and is 0 at the start


def test_slerp_is_that_of_scipy():
    rng = np.random.default_rng(0)
    a, b = Rotation.random(50, rng=rng), Rotation.random(50, rng=rng)
    b = Rotation.concatenate([b[:40], a[40:45] * Rotation.from_rotvec(np.full((5, 3), 1e-9)), a[45:]])
    s = rng.uniform(size=50)
    mine = Rotation.from_quat(slerp(a.as_quat(), b.as_quat(), s))
    for k in range(50):
        exact = Slerp([0, 1], Rotation.concatenate([a[k], b[k]]))(s[k])
        assert (exact.inv() * mine[k]).magnitude() <= 1e-14


@pytest.mark.parametrize("then", ["rest", "turn"])
def test_a_turn_starts_smoothly_and_reaches_its_angle_in_time(then):
    turn = Turn(angle=2 * np.pi, duration=0.8, start=0.5, center=(1, 0, 0), then=then)
    assert turn.angle_at(0.2) == 0.0
    assert turn.angle_at(1.3) == pytest.approx(2 * np.pi, abs=1e-14)
    np.testing.assert_allclose(turn.positions(POINTS, 1.3), POINTS, atol=1e-14)
    times = np.linspace(0, 3, 6001)
    rate = np.diff([turn.angle_at(t) for t in times]) / 5e-4
    assert (rate >= -1e-9).all()
    assert np.abs(np.diff(rate)).max() <= 60.0 * 5e-4  # bounded angular acceleration: no jump of the rate
    if then == "rest":
        assert turn.angle_at(3.0) == pytest.approx(2 * np.pi)
        # A difference quotient over h = 0.5 ms is off by h²/24 times the third derivative, 1e-6 of the rate.
        assert rate.max() == pytest.approx(1.875 * 2 * np.pi / 0.8, rel=1e-5)
    else:
        assert rate[-1] == pytest.approx(4 / 3 * 2 * np.pi / 0.8)


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
        (lambda: Turn(angle=1, duration=0), "duration"),
        (lambda: Turn(angle=float("inf"), duration=1), "angle"),
        (lambda: Turn(angle=1, duration=1, axis=(0, 0, 0)), "axis of a Turn"),
        (lambda: Turn(angle=1, duration=1, then="stop"), "'stop'"),  # pyright: ignore[reportArgumentType]
        (lambda: Keyframes(times=[0, 1]), "neither"),
        (lambda: Keyframes(times=[0, 1, 1], translations=np.zeros((3, 3))), "number 2 is 1 s after 1 s"),
        (lambda: Keyframes(times=[0], translations=np.zeros((1, 3))), "at least two"),
        (lambda: Keyframes(times=[0, float("nan")], translations=np.zeros((2, 3))), "number 1 is nan"),
        (lambda: Keyframes(times=["a", "b"], translations=np.zeros((2, 3))), "'a'"),  # pyright: ignore
        (lambda: Keyframes(times=[0, 1], translations=np.zeros((3, 3))), r"\(2, 3\) for 2 times, got \(3, 3\)"),
        (lambda: Keyframes(times=[0, 1], rotations=np.zeros((2, 5))), r"\(2, 3\) or \(2, 4\)"),
        (lambda: Keyframes(times=[0, 1], rotations=[[0, 0, 0, 1], [0, 0, 0, 0]]), "quaternion 1 is zero"),
        (lambda: Keyframes(times=[0, 1], rotations=[[0, 0, 0], [0, 0, 2 * np.pi]]), "half a turn"),
        (lambda: Keyframes(times=[0, 1], translations=[[0, 0, 0], [0, np.inf, 0]]), "number 1"),
        (lambda: Keyframes(times=[0, 1], translations=np.zeros((2, 3)), interpolation="bezier"), "'bezier'"),  # pyright: ignore
        (lambda: Keyframes(times=[0, 1], translations=np.zeros((2, 3)), center=(0, 0)), "center"),  # pyright: ignore
    ],
)
def test_bad_motions_are_named(build, words):
    with pytest.raises(InputError, match=words):
        build()
