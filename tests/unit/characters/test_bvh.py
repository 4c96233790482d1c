"""BVH files: poses with closed-form answers, a real recording, and one sentence with the line for what is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from signorini.characters.bvh import load_bvh
from signorini.errors import InputError

DATA = os.environ.get("SIGNORINI_EXTERNAL_DATA")
external = pytest.mark.skipif(DATA is None, reason="SIGNORINI_EXTERNAL_DATA is not set: no motion capture")

ARM = """HIERARCHY
ROOT Hips
{
  OFFSET 1.0 2.0 3.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Elbow {
    OFFSET 10.0 0.0 0.0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 5.0 0.0 0.0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0 0 0 0 0 0 0
0 0 0 90 0 0 0 0 0
2 4 6 90 30 -20 -90 40 10
"""
"""Sixteen lines of hierarchy, MOTION in line 15, frames from line 18."""


def write(tmp_path: Path, text: str = ARM) -> Path:
    path = tmp_path / "arm.bvh"
    path.write_text(text, encoding="utf-8")
    return path


def test_hierarchy_and_frames_are_those_of_the_file(tmp_path):
    bvh = load_bvh(write(tmp_path))
    assert bvh.names == ("Hips", "Elbow") and bvh.parents.tolist() == [-1, 0]
    assert bvh.end_sites == ((1, (5.0, 0.0, 0.0)),)
    assert bvh.channels[1] == ("Yrotation", "Zrotation", "Xrotation")
    assert bvh.frame_count == 3 and bvh.frame_time == 0.5 and bvh.values.shape == (3, 9)


def test_poses_in_closed_form(tmp_path):
    motion = load_bvh(write(tmp_path)).articulation(scale=1.0, up="z")
    x, R = motion.poses([0.0, 0.25, 0.5, 1.0])
    np.testing.assert_allclose(x[0], [[1, 2, 3], [11, 2, 3]], atol=1e-14)
    s = np.sqrt(0.5)
    np.testing.assert_allclose(x[1], [[1, 2, 3], [1 + 10 * s, 2 + 10 * s, 3]], atol=1e-13)  # halfway to 90°
    np.testing.assert_allclose(x[2], [[1, 2, 3], [1, 12, 3]], atol=1e-13)
    # The channels in the order of the file, each about the axes that the ones before have turned.
    hips = Rotation.from_euler("ZXY", [90, 30, -20], degrees=True)
    elbow = hips * Rotation.from_euler("YZX", [-90, 40, 10], degrees=True)
    np.testing.assert_allclose(x[3], [[3, 6, 9], np.array([3, 6, 9]) + hips.apply([10, 0, 0])], atol=1e-13)
    np.testing.assert_allclose(R[3], [hips.as_matrix(), elbow.as_matrix()], atol=1e-14)


def test_the_pose_rests_outside_and_one_time_is_as_many(tmp_path):
    motion = load_bvh(write(tmp_path)).articulation(scale=1.0, start=2.0, speed=2.0)
    assert motion.times.tolist() == [2.0, 2.25, 2.5]
    for inside, outside in ((2.0, -5.0), (2.5, 90.0)):
        for a, b in zip(motion.pose(inside), motion.pose(outside), strict=True):
            np.testing.assert_array_equal(a, b)
    x, R = motion.poses([2.1, 2.4])
    for k, time in enumerate((2.1, 2.4)):
        np.testing.assert_array_equal(motion.pose(time)[0], x[k])
        np.testing.assert_array_equal(motion.pose(time)[1], R[k])


def test_scale_up_axis_and_placement(tmp_path):
    bvh = load_bvh(write(tmp_path))
    x, _ = bvh.articulation(scale=1.0, up="z").pose(0.9)
    metres, R = bvh.articulation(scale=0.01, up="y").pose(0.9)
    np.testing.assert_allclose(metres, 0.01 * np.column_stack([x[:, 0], -x[:, 2], x[:, 1]]), atol=1e-15)
    placed = bvh.articulation(scale=0.01, up="y").placed(position=(1, 2, 3), rotation=(0, 0, np.pi / 2))
    np.testing.assert_allclose(
        placed.pose(0.9)[0], np.column_stack([1 - metres[:, 1], 2 + metres[:, 0], 3 + metres[:, 2]])
    )
    quarter = Rotation.from_euler("z", 90, degrees=True).as_matrix()
    np.testing.assert_allclose(placed.pose(0.9)[1], quarter @ R, atol=1e-14)


def test_position_channels_may_contain_the_offset(tmp_path):
    bvh = load_bvh(write(tmp_path))
    x, _ = bvh.articulation(scale=1.0, up="z", position_channels="replace").pose(1.0)
    np.testing.assert_allclose(x[0], [2, 4, 6], atol=1e-14)


def test_a_part_of_the_frames_and_a_single_one(tmp_path):
    bvh = load_bvh(write(tmp_path))
    whole, part = bvh.articulation(), bvh.articulation(frames=(1, 3))
    assert part.times.tolist() == [0.0, 0.5]
    np.testing.assert_array_equal(part.pose(0.25)[0], whole.pose(0.75)[0])
    still = bvh.articulation(frames=(2, 3))
    np.testing.assert_array_equal(still.pose(-1.0)[0], still.pose(7.0)[0])


LINES = ARM.splitlines()


def edited(line: int, text: str | None) -> str:
    """The file with one line (counted from 1) replaced or left out."""
    return "\n".join([*LINES[: line - 1], *([] if text is None else [text]), *LINES[line:]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 0: the file ends where HIERARCHY is expected"),
        (edited(1, "OFF"), "line 1: expected HIERARCHY, got 'OFF'"),
        (edited(2, "ROOT"), "line 2: expected a name after ROOT"),
        (edited(3, None), "line 3: expected {, got 'OFFSET"),
        (edited(4, "OFFSET 1 2"), "line 4: expected OFFSET and three numbers"),
        (edited(4, "OFFSET 1 2 x"), "line 4: expected a number, got 'x'"),
        (edited(5, "CHANNELS 6 Xposition"), "line 5: CHANNELS announces 6 channels, but names 1"),
        (edited(5, "CHANNELS 1 Wrotation"), "line 5: unknown channel 'Wrotation'"),
        (edited(5, "CHANNELS 2 Xrotation Xrotation"), "line 5: a channel is named twice"),
        (edited(6, "LIMB Elbow"), "line 6: expected JOINT, End Site or }, got 'LIMB Elbow'"),
        (edited(14, None), "line 14: expected JOINT, End Site or }, got 'MOTION'"),
        (edited(15, None), "line 15: expected MOTION, got 'Frames: 3'"),
        (edited(16, "Frames: 0"), "line 16: expected 'Frames:' and how many"),
        (edited(17, "Frame Time: -1"), "line 17: the frame time must be positive"),
        (edited(17, None), "line 17: expected 'Frame Time:'"),
        (edited(19, "1 2 3"), "line 19: frame 2 has 3 numbers, but the joints have 9 channels"),
        (edited(19, "0 0 0 nan 0 0 0 0 0"), "line 19: expected a number, got 'nan'"),
        (edited(16, "Frames: 2"), "line 20: the file announces 2 frames, but goes on"),
        (edited(16, "Frames: 4"), "line 20: the file ends where frame 4 of 4 is expected: it is cut off"),
    ],
)
def test_wrong_files_are_named_with_their_line(tmp_path, text, words):
    with pytest.raises(InputError) as caught:
        load_bvh(write(tmp_path, text))
    assert words in str(caught.value) and "arm.bvh" in str(caught.value)


def test_every_truncation_is_an_error_of_one_sentence(tmp_path):
    for length in range(0, len(ARM) - len("10\n"), 7):
        with pytest.raises(InputError, match=r"arm\.bvh', line \d+: ") as caught:
            load_bvh(write(tmp_path, ARM[:length]))
        assert "\n" not in str(caught.value)


def test_files_that_are_no_text_are_named(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        load_bvh(tmp_path / "none.bvh")
    (tmp_path / "b.bvh").write_bytes(bytes(range(200, 256)))
    with pytest.raises(InputError, match="cannot be read as text"):
        load_bvh(tmp_path / "b.bvh")
    with pytest.raises(InputError, match="cannot be read as text"):
        load_bvh(tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scale": 0.0}, "scale"),
        ({"up": "w"}, "'w'"),
        ({"frames": (0, 4)}, r"within 0 to 3, got \(0, 4\)"),
        ({"frames": (2, 2)}, r"\(2, 2\)"),
        ({"speed": -1.0}, "speed"),
        ({"start": float("nan")}, "start"),
        ({"position_channels": "both"}, "'both'"),
    ],
)
def test_wrong_options_are_named(tmp_path, options, words):
    with pytest.raises(InputError, match=words):
        load_bvh(write(tmp_path)).articulation(**options)


@external
def test_a_real_recording():
    bvh = load_bvh(Path(str(DATA)) / "mocap" / "05_06.bvh")
    assert (len(bvh.names), bvh.frame_count, len(bvh.end_sites)) == (31, 886, 7)
    motion = bvh.articulation(scale=0.05644, frames=(1, 886))  # the first frame is a T-pose
    times = np.linspace(0.0, motion.times[-1], 1000)
    x, R = motion.poses(times)
    # Bones keep their length at all times, also between frames.
    for j, parent in enumerate(bvh.parents.tolist()):
        if parent >= 0:
            length = np.linalg.norm(x[:, j] - x[:, parent], axis=1)
            np.testing.assert_allclose(length, 0.05644 * np.linalg.norm(bvh.offsets[j]), rtol=1e-9, atol=1e-12)
    assert x[:, :, 2].min() > -0.1 and 1.5 < x[:, :, 2].max() < 2.0  # stands on the floor, of human height
    # Pirouettes: the pelvis turns about the vertical by more than three turns.
    forward = R[:, bvh.names.index("Hips"), :, 2]
    heading = np.unwrap(np.arctan2(forward[:, 1], forward[:, 0]))
    assert np.ptp(heading) > 3 * 2 * np.pi


@external
def test_a_real_recording_that_is_cut_off(tmp_path):
    text = (Path(str(DATA)) / "mocap" / "05_06.bvh").read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"line \d+: (frame \d+ has \d+ numbers|the file ends where frame)"):
        load_bvh(write(tmp_path, text[: len(text) // 2]))
