"""Trajectory: what is written is read, also after the writer was killed at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.files.runs.trajectory import Trajectory, TrajectoryBody, TrajectoryPlane
from signorini.files.runs.trajectory_writer import TrajectoryWriter
from signorini.geometry import shapes

GRID = shapes.grid(1, 1, cells=3)
BODIES = {name: TrajectoryBody(name, "cloth", GRID.triangles, 16) for name in ("sheet", "other one")}


def frame(k: int) -> dict[str, np.ndarray]:
    return {"sheet": GRID.vertices + k, "other one": GRID.vertices * (k + 1) / 3.0}


def written(path, frames: int) -> TrajectoryWriter:
    plane = TrajectoryPlane("floor", (0.0, 0.6, 0.8), -0.5)
    writer = TrajectoryWriter.create(path / "trajectory.zarr", BODIES, half_spaces=[plane])
    for k in range(frames):
        writer.append(k / 30, frame(k))
    return writer


def test_round_trip_is_exact(tmp_path):
    written(tmp_path, 4)
    trajectory = Trajectory.open(tmp_path)
    assert trajectory.frame_count == 4
    np.testing.assert_array_equal(trajectory.times, np.arange(4) / 30)
    assert list(trajectory.bodies) == ["sheet", "other one"]
    np.testing.assert_array_equal(trajectory.bodies["sheet"].triangles, GRID.triangles)
    assert trajectory.bodies["sheet"].kind == "cloth"
    assert trajectory.half_spaces == [TrajectoryPlane("floor", (0.0, 0.6, 0.8), -0.5)]
    for k in range(4):
        for name, points in frame(k).items():
            np.testing.assert_array_equal(trajectory.positions(name, k), points)
    np.testing.assert_array_equal(trajectory.positions("sheet", -1), frame(3)["sheet"])


def test_one_file_per_frame_and_body(tmp_path):
    written(tmp_path, 3)
    folder = tmp_path / "trajectory.zarr/bodies/sheet/positions"
    assert sorted(file.name for file in folder.iterdir()) == ["c.0.0.0", "c.1.0.0", "c.2.0.0", "zarr.json"]


def test_a_trajectory_with_a_folder_for_each_frame_is_read(tmp_path, monkeypatch):
    """As earlier versions wrote them."""
    monkeypatch.setattr("signorini.files.runs.trajectory_writer.FLAT_KEYS", {"name": "default", "separator": "/"})
    written(tmp_path, 3)
    assert (tmp_path / "trajectory.zarr/bodies/sheet/positions/c/2/0/0").is_file()
    np.testing.assert_array_equal(Trajectory.open(tmp_path).positions("sheet", 2), frame(2)["sheet"])


def test_frames_that_are_held_share_files_and_can_be_continued(tmp_path):
    writer = TrajectoryWriter.create(tmp_path / "trajectory.zarr", BODIES, hold=10**9)
    for k in range(130):
        writer.append(k / 30, frame(k))
    assert Trajectory.open(tmp_path).frame_count == 0
    writer.flush()
    folder = tmp_path / "trajectory.zarr/bodies/sheet/positions"
    assert sorted(file.name for file in folder.iterdir()) == ["c.0.0.0", "c.1.0.0", "c.2.0.0", "zarr.json"]
    again = TrajectoryWriter.reopen(tmp_path / "trajectory.zarr", frame_count=70)
    for k in (7, 8):
        again.append(70 + k, frame(k))
    trajectory = Trajectory.open(tmp_path)
    assert trajectory.frame_count == 72
    for k, expected in ((0, 0), (63, 63), (64, 64), (69, 69), (70, 7), (71, 8)):
        np.testing.assert_array_equal(trajectory.positions("sheet", k), frame(expected)["sheet"])


def test_unreferenced_vertices_are_kept(tmp_path):
    body = TrajectoryBody("a", "cloth", np.array([[0, 1, 2]], dtype=np.int32), 5)
    writer = TrajectoryWriter.create(tmp_path / "t.zarr", {"a": body})
    points = np.arange(15.0).reshape(5, 3)
    writer.append(0.0, {"a": points})
    np.testing.assert_array_equal(Trajectory.open(tmp_path / "t.zarr").positions("a", 0), points)


def test_frame_without_its_time_is_invisible(tmp_path):
    writer = written(tmp_path, 2)
    writer._positions["sheet"].resize((3, 16, 3))
    writer._positions["sheet"][2] = 7.0
    assert Trajectory.open(tmp_path).frame_count == 2
    writer._times.resize((3,))  # killed between the resize of `times` and its value
    assert Trajectory.open(tmp_path).frame_count == 2
    again = TrajectoryWriter.reopen(tmp_path / "trajectory.zarr", frame_count=2)
    again.append(2 / 30, frame(2))
    trajectory = Trajectory.open(tmp_path)
    np.testing.assert_array_equal(trajectory.positions("sheet", 2), frame(2)["sheet"])
    np.testing.assert_array_equal(trajectory.times, np.arange(3) / 30)


def test_reopen_drops_later_frames(tmp_path):
    written(tmp_path, 5)
    writer = TrajectoryWriter.reopen(tmp_path / "trajectory.zarr", frame_count=2)
    assert Trajectory.open(tmp_path).frame_count == 2
    writer.append(9.0, frame(9))
    assert Trajectory.open(tmp_path).times.tolist() == [0.0, 1 / 30, 9.0]
    with pytest.raises(InputError, match="it has only 3"):
        TrajectoryWriter.reopen(tmp_path / "trajectory.zarr", frame_count=4)


def test_wrong_shape_is_refused(tmp_path):
    writer = written(tmp_path, 1)
    with pytest.raises(InputError, match=r"'sheet' must have shape \(16, 3\), got \(4, 3\)"):
        writer.append(1.0, {**frame(1), "sheet": np.zeros((4, 3))})
    assert Trajectory.open(tmp_path).frame_count == 1


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda t: t.positions("shet", 0), ["'shet'", "did you mean 'sheet'"]),
        (lambda t: t.positions("sheet", 2), ["frame 2", "0 to 1"]),
        (lambda t: t.positions("sheet", -3), ["frame -3"]),
        (lambda t: t.positions("sheet", 0.5), ["frame 0.5"]),
    ],
)
def test_bad_questions_are_answered(tmp_path, ask, words):
    written(tmp_path, 2)
    with pytest.raises(InputError) as caught:
        ask(Trajectory.open(tmp_path))
    for word in words:
        assert word in str(caught.value)


def test_what_is_not_a_run_is_said(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        Trajectory.open(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"no trajectory\.zarr"):
        Trajectory.open(tmp_path)
    import zarr

    zarr.open_group(tmp_path / "trajectory.zarr", mode="w")
    with pytest.raises(InputError, match="cannot be read"):
        Trajectory.open(tmp_path)


WRITER = """
import sys, numpy as np
from pathlib import Path
from signorini import shapes
from signorini.files.runs.trajectory import TrajectoryBody
from signorini.files.runs.trajectory_writer import TrajectoryWriter
grid = shapes.grid(1, 1, cells=40)
bodies = {n: TrajectoryBody(n, "cloth", grid.triangles, 41 * 41) for n in ("a", "b")}
writer = TrajectoryWriter.create(Path(sys.argv[1]) / "trajectory.zarr", bodies)
print("ready", flush=True)
k = 0
while True:
    writer.append(k / 10, {"a": grid.vertices + k, "b": grid.vertices - k})
    print(k, flush=True)
    k += 1
"""


@pytest.mark.parametrize("delay", [0.0, 0.113, 0.251])
def test_kill_9_leaves_complete_frames_only(tmp_path, delay):
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while process.stdout.readline().strip() != "3":
        assert process.poll() is None
    time.sleep(delay)
    os.kill(process.pid, signal.SIGKILL)
    confirmed = [int(line) for line in process.stdout.read().split()]
    process.wait()
    process.stdout.close()
    trajectory = Trajectory.open(tmp_path)
    last = max([3, *confirmed])
    assert last + 1 <= trajectory.frame_count <= last + 2
    grid = shapes.grid(1, 1, cells=40)
    for k in range(trajectory.frame_count):
        assert trajectory.times[k] == k / 10
        np.testing.assert_array_equal(trajectory.positions("a", k), grid.vertices + k)
        np.testing.assert_array_equal(trajectory.positions("b", k), grid.vertices - k)
    TrajectoryWriter.reopen(tmp_path / "trajectory.zarr", frame_count=2).append(
        5.0, {"a": grid.vertices, "b": grid.vertices}
    )
    assert Trajectory.open(tmp_path).times.tolist() == [0.0, 0.1, 5.0]
