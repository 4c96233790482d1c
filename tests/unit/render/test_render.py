"""Pictures and films: that something is drawn where it should be, and what is said when it cannot be."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from signorini.errors import InputError, MissingExtraError
from signorini.files.runs.trajectory import Trajectory, TrajectoryBody, TrajectoryPlane
from signorini.files.runs.trajectory_writer import TrajectoryWriter
from signorini.geometry import shapes
from signorini.render.bodies import LOOKS, body_colors, look_of, painted
from signorini.render.drawn_surfaces import DrawnSurface, divided, split_creases
from signorini.render.ground import rgb, round_length
from signorini.render.light import light_in, smooth_normals, surface_samples
from signorini.render.pictures import frame_rate, render_film, render_frame

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


def test_a_film_of_uneven_frames_lasts_as_long_as_they_do(trajectory, tmp_path):
    import imageio.v3 as imageio

    assert frame_rate(np.array([0.0, 0.03, 0.06, 0.12])) == pytest.approx(25.0)
    film = render_film(trajectory, tmp_path / "f.mp4", size=SIZE, every=2)
    assert imageio.imread(film, plugin="FFMPEG").shape[0] == 3, "the first, the third and the last"
    assert imageio.immeta(film, plugin="FFMPEG")["fps"] == pytest.approx(2.0 / 0.3, rel=1e-3)


def test_a_hidden_body_is_left_out(trajectory, tmp_path):
    picture = read(render_frame(trajectory, -1, tmp_path / "p.png", size=SIZE, hide=["sheet"]))
    assert not ((picture[..., 2] - picture[..., 0]) > 60).any()


def test_nothing_is_printed(trajectory, tmp_path):
    code = (
        "import sys; from signorini.files.runs.trajectory import Trajectory; from signorini.render.pictures import render_frame;"
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
    with pytest.raises(InputError, match=r"must end in \.mp4 or \.webp or \.gif"):
        render_film(trajectory, tmp_path / "p.avi")
    with pytest.raises(InputError, match=r"no body 'shet' to hide; bodies of this run: 'sheet'"):
        render_frame(trajectory, 0, tmp_path / "p.png", hide=["shet"])
    with pytest.raises(InputError, match=r"directory .* does not exist"):
        render_frame(trajectory, 0, tmp_path / "no/p.png")
    with pytest.raises(InputError, match="orbit must be a finite angle"):
        render_film(trajectory, tmp_path / "f.gif", size=SIZE, orbit=float("nan"))
    with pytest.raises(InputError, match="between 16 and"):
        render_frame(trajectory, 0, tmp_path / "p.png", size=(0, 100))


def test_missing_extra_says_what_to_install(trajectory, tmp_path, monkeypatch):
    find_spec = importlib.util.find_spec
    missing = "imageio_ffmpeg"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else find_spec(name))
    with pytest.raises(MissingExtraError, match=r'pip install "signorini\[render\]"'):
        render_film(trajectory, tmp_path / "f.mp4", size=SIZE)
    render_frame(trajectory, 0, tmp_path / "p.png", size=SIZE)  # pictures need no extra


@pytest.fixture(scope="module")
def four_kinds(tmp_path_factory):
    """A row of equal boxes, one of each kind."""
    path = tmp_path_factory.mktemp("kinds")
    box = shapes.box(0.3, 0.3, 0.3)
    bodies = {kind: TrajectoryBody(kind, kind, box.triangles, len(box.vertices)) for kind in LOOKS}
    writer = TrajectoryWriter.create(path / "trajectory.zarr", bodies)
    writer.append(0.0, {kind: box.vertices + np.array([0.5 * k, 0, 0]) for k, kind in enumerate(LOOKS)})
    return Trajectory.open(path)


def test_each_kind_of_body_has_its_own_colour(four_kinds, tmp_path):
    """The most frequent hue of each box is that of the first colour of its kind."""
    picture = read(render_frame(four_kinds, 0, tmp_path / "p.png", size=(640, 240), view=(0.0, -1.0, 0.0)))
    drawn = np.abs(picture - picture[0, 0]).max(axis=2) > 20
    columns = np.flatnonzero(drawn.any(axis=0))
    boxes = np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1)
    assert len(boxes) == len(LOOKS)
    for kind, inside in zip(LOOKS, boxes, strict=True):
        color = np.median(picture[:, inside][drawn[:, inside]], axis=0)
        wanted = rgb(LOOKS[kind].colors[0][0])
        np.testing.assert_allclose(color / color.sum(), wanted / wanted.sum(), atol=0.05, err_msg=kind)
    first = [rgb(look.colors[0][0]) for look in LOOKS.values()]
    assert all(np.abs(a - b).max() > 0.15 for i, a in enumerate(first) for b in first[:i])


def body(kind: str, **look: str) -> TrajectoryBody:
    return TrajectoryBody("b", kind, np.zeros((0, 3), np.int32), 0, **look)


def test_unknown_kinds_look_kinematic():
    assert look_of(body("ghost")) is LOOKS["kinematic"]


def test_a_body_may_have_a_colour_and_a_finish_of_its_own():
    bodies = {"a": body("cloth", color="#204060"), "b": body("cloth"), "c": body("rigid", color="#204060")}
    colors = body_colors(bodies)
    assert colors["a"] == ("#204060", "#8f9faf"), "the inner side of cloth is lighter"
    assert colors["b"] == LOOKS["cloth"].colors[0], "the first colour of its kind is still there"
    assert colors["c"] == ("#204060", "#204060")
    assert look_of(body("rigid", finish="matt")).gloss == 0.0
    assert look_of(body("kinematic", finish="glossy")).gloss > 0.4
    assert look_of(body("cloth", finish="checks")) == LOOKS["cloth"]


def test_faces_of_a_box_are_sharp_and_a_ball_is_smooth():
    box, ball = shapes.box(1, 1, 1, cells=3), shapes.sphere(1.0, subdivisions=4)
    split, source = split_creases(box.vertices, box.triangles, 0.95)
    np.testing.assert_array_equal(source[split], box.triangles)
    assert len(source) == 6 * 16, "every face has its own vertices"
    normals = smooth_normals(box.vertices[source], split)
    assert set(np.abs(normals).max(axis=1).tolist()) == {1.0}, "all normals are those of the faces"
    for mesh, crease in ((ball, 0.95), (box, None)):
        split, source = split_creases(mesh.vertices, mesh.triangles, crease)
        assert len(source) == len(mesh.vertices)
        np.testing.assert_array_equal(source[split], mesh.triangles)


def test_divided_triangles_cover_the_same_surface():
    ball = shapes.sphere(1.0, subdivisions=2)
    fine, between, weights = divided(ball.triangles, 3)
    assert len(fine) == 9 * len(ball.triangles)
    edges = len(np.unique(np.sort(fine[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0))
    assert len(between) - edges + len(fine) == 2, "closed, with every point of an edge once (Euler)"
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    points = np.einsum("nk,nki->ni", weights, ball.vertices[between])

    def volume(x, t):
        return np.einsum("ti,ti->", x[t[:, 0]], np.cross(x[t[:, 1]], x[t[:, 2]])) / 6.0

    assert volume(points, fine) == pytest.approx(volume(ball.vertices, ball.triangles), rel=1e-12)


def test_a_coarse_surface_is_divided_and_follows_the_body():
    ball = shapes.sphere(1.0, subdivisions=2)
    drawn = DrawnSurface.of(ball.vertices, ball.triangles, crease=0.95, longest=0.2)
    points, normals = drawn.place(2.0 * ball.vertices + np.array([0, 0, 5.0]))
    corners = points[drawn.triangles]
    assert np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1).max() < 0.4 + 1e-12
    outward = (points - np.array([0, 0, 5.0])) / np.linalg.norm(points - np.array([0, 0, 5.0]), axis=1, keepdims=True)
    assert np.sum(normals * outward, axis=1).min() > 0.97, "normals are interpolated, not those of flat facets"
    same = DrawnSurface.of(ball.vertices, ball.triangles, crease=None, longest=10.0)
    assert len(same.triangles) == len(ball.triangles)


def test_highlights_need_gloss_and_sun():
    up = np.array([0.0, 0.0, 1.0])
    white, bright = np.array([0.5, 0.5, 0.5], dtype=np.float32), np.array([0.6, 0.6])
    normals, sunlit = np.array([up, up]), np.array([1.0, 0.0])
    rigid = painted(LOOKS["rigid"], white, bright, normals, sunlit=sunlit, sun=up, view=up).astype(int)
    cloth = painted(LOOKS["cloth"], white, bright, normals, sunlit=sunlit, sun=up, view=up).astype(int)
    assert rigid[0, 0] - rigid[1, 0] == pytest.approx(255 * LOOKS["rigid"].gloss, abs=1)
    assert (rigid[1] == cloth[1]).all()
    assert (cloth[0] == cloth[1]).all()


@pytest.mark.parametrize("ending", ["webp", "gif"])
def test_an_animated_picture_has_all_frames_and_needs_no_extra(ending: str, trajectory, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    film = render_film(trajectory, tmp_path / f"f.{ending}", size=SIZE, fps=20.0)
    with Image.open(film) as picture:
        assert (picture.n_frames, picture.size) == (trajectory.frame_count, SIZE)
        picture.seek(1)
        picture.load()
        assert picture.info["duration"] == 50
