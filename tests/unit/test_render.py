"""Pictures and films: that something is drawn where it should be, and what is said when it cannot be."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from signorini import shapes
from signorini.errors import InputError, MissingExtraError
from signorini.files.trajectory import Trajectory, TrajectoryBody, TrajectoryPlane, TrajectoryWriter
from signorini.render import render_film, render_frame
from signorini.render_ground import round_length
from signorini.render_light import light_in, smooth_normals, surface_samples

SIZE = (320, 180)


@pytest.fixture(scope="module")
def trajectory(tmp_path_factory):
    path = tmp_path_factory.mktemp("run")
    ball, sheet = shapes.sphere(0.3, subdivisions=6), shapes.grid(0.5, 0.5, cells=8)
    bodies = {
        "sheet": TrajectoryBody("sheet", "cloth", sheet.triangles, len(sheet.vertices)),
        "ball": TrajectoryBody("ball", "kinematic", ball.triangles, len(ball.vertices)),
    }
    plane = TrajectoryPlane("floor", (0.0, 0.0, 1.0), 0.0)
    writer = TrajectoryWriter.create(path / "trajectory.zarr", bodies, half_spaces=[plane])
    for k in range(4):
        positions = {
            "sheet": sheet.vertices + np.array([1.0, 0, 0.8 - 0.2 * k]),
            "ball": ball.vertices + np.array([0, 0, 0.3]),
        }
        writer.append(k / 10, positions)
    return Trajectory.open(path)


def read(path) -> np.ndarray:
    import imageio.v3 as imageio

    return np.asarray(imageio.imread(path))[..., :3].astype(float)


def test_picture_shows_the_bodies_whole_and_the_ground(trajectory, tmp_path):
    picture = read(render_frame(trajectory, -1, tmp_path / "p.png", size=SIZE))
    assert picture.shape == (180, 320, 3)
    blue = (picture[..., 2] - picture[..., 0]) > 60
    assert 0.01 < blue.mean() < 0.3, "the sheet is blue and in the picture"
    border = np.concatenate([blue[0], blue[-1], blue[:, 0], blue[:, -1]])
    assert not border.any(), "the sheet is not cut off"
    assert picture[-1].std() > 1.0, "the floor has a pattern"


def test_bodies_move_between_frames(trajectory, tmp_path):
    pictures = [read(render_frame(trajectory, k, tmp_path / f"{k}.png", size=SIZE, whole_motion=True)) for k in (0, 3)]
    rows = [np.flatnonzero(((p[..., 2] - p[..., 0]) > 60).any(axis=1)).mean() for p in pictures]
    assert rows[1] > rows[0] + 10, "the sheet falls"


def test_film_has_all_frames_at_real_time(trajectory, tmp_path):
    import imageio.v3 as imageio

    film = render_film(trajectory, tmp_path / "f.mp4", size=SIZE)
    assert imageio.imread(film, plugin="FFMPEG").shape == (4, 180, 320, 3)
    assert imageio.immeta(film, plugin="FFMPEG")["fps"] == pytest.approx(10.0)


def test_nothing_is_printed(trajectory, tmp_path):
    code = (
        "import sys; from signorini.files.trajectory import Trajectory; from signorini.render import render_frame;"
        "render_frame(Trajectory.open(sys.argv[1]), 0, sys.argv[2], size=(64, 48))"
    )
    command = [sys.executable, "-c", code, str(trajectory.path.parent), str(tmp_path / "p.png")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout + result.stderr == ""


def test_light_is_brighter_above_than_below_and_darker_in_shadow():
    low, high = shapes.grid(1, 1, cells=20), shapes.grid(0.4, 0.4, cells=20)
    raised = high.vertices + np.array([0, 0, 0.3])
    points = np.concatenate([low.vertices, raised])
    samples = np.concatenate([surface_samples(low.vertices, low.triangles), surface_samples(raised, high.triangles)])
    up = np.array([0.0, 0, 1])
    light = light_in(points, samples, sun=up)
    n = len(low.vertices)
    normals = smooth_normals(low.vertices, low.triangles)
    np.testing.assert_allclose(normals, np.tile(up, (n, 1)), atol=1e-6)
    top = light.on(normals, slice(0, n), sun=up, view=up)
    bottom = light.on(-normals, slice(0, n), sun=up, view=up)
    assert bottom.max() < top.min()
    radius = np.abs(low.vertices[:, :2]).max(axis=1)
    assert top[radius < 0.15].max() < 0.8 * top[radius > 0.45].min()


@pytest.mark.parametrize(("length", "expected"), [(0.35, 0.2), (1.0, 1.0), (0.99, 0.5), (7.0, 5.0)])
def test_tiles_have_round_sizes(length, expected):
    assert round_length(length) == pytest.approx(expected)


def test_mistakes_are_named(trajectory, tmp_path):
    with pytest.raises(InputError, match="frame 4 does not exist"):
        render_frame(trajectory, 4, tmp_path / "p.png")
    with pytest.raises(InputError, match=r"must end in \.png"):
        render_frame(trajectory, 0, tmp_path / "p.jpg")
    with pytest.raises(InputError, match=r"must end in \.mp4"):
        render_film(trajectory, tmp_path / "p.gif")
    with pytest.raises(InputError, match=r"directory .* does not exist"):
        render_frame(trajectory, 0, tmp_path / "no/p.png")
    with pytest.raises(InputError, match="between 16 and"):
        render_frame(trajectory, 0, tmp_path / "p.png", size=(0, 100))


def test_missing_extra_says_what_to_install(trajectory, tmp_path, monkeypatch):
    find_spec = importlib.util.find_spec
    for missing in ("pyvista", "imageio_ffmpeg"):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, m=missing: None if name == m else find_spec(name))
        with pytest.raises(MissingExtraError, match=r'pip install "signorini\[render\]"'):
            render_film(trajectory, tmp_path / "f.mp4", size=SIZE)
