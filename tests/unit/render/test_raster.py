"""The rasteriser and its camera: pixels that a ray would give, patterns that fade, arrows that point."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.files.runs.trajectory import TrajectoryPlane
from signorini.geometry import shapes
from signorini.render.camera import Camera, make_camera
from signorini.render.contact_arrows import SLIP, STICK, contact_arrows
from signorini.render.ground import Floor, rgb
from signorini.render.patterns import make_pattern
from signorini.render.pictures import parse_point
from signorini.render.raster import Raster
from signorini.render.raster_kernels import CHECKS, PLAIN, WOVEN, pattern_brightness
from signorini.simulation.frame_readout import FrameReadout

SIZE = (64, 48)
EYE = Camera(np.array([0.4, -3.0, 1.2]), np.array([0.1, 0.0, 0.2]))
WHITE, NOWHERE = np.full((SIZE[1], SIZE[0], 3), 255.0, np.float32), np.zeros((2 * SIZE[1], 2 * SIZE[0]), np.float32)


def rays(camera: Camera, size: tuple[int, int]) -> np.ndarray:
    """(h, w, 3) directions of the middles of pixels."""
    right, up, forward = camera.axes
    across, upwards = camera.slopes(size)
    x = across * (2.0 * (np.arange(size[0]) + 0.5) / size[0] - 1.0)
    y = upwards * (1.0 - 2.0 * (np.arange(size[1]) + 0.5) / size[1])
    return forward + x[None, :, None] * right + y[:, None, None] * up


def hits(camera: Camera, directions: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(h, w) distance of a triangle along rays by Cramer's rule, infinite where it is missed; its sign tells the side."""
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    fall = directions @ normal
    t = ((a - camera.eye) @ normal) / fall
    point = camera.eye + t[..., None] * directions
    inside = np.ones(t.shape, bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.cross(q - p, point - p) @ normal >= 0.0
    return np.where(inside & (t > 0.0), np.where(fall < 0.0, t, -t), np.inf)


@pytest.mark.parametrize("seed", range(4))
def test_every_sample_shows_the_nearest_triangle_and_its_side(seed: int) -> None:
    """A soup of triangles, one colour each: all samples agree with rays but for those on an edge."""
    chance = np.random.default_rng(seed)
    corners = chance.uniform(-0.6, 0.6, (12, 1, 3)) + chance.uniform(-0.5, 0.5, (12, 3, 3))
    points, triangles = corners.reshape(-1, 3), np.arange(36, dtype=np.int32).reshape(-1, 3)
    shade = np.repeat(np.arange(12), 3)
    front = np.column_stack([shade, 0 * shade + 100, 0 * shade]).astype(np.uint8)
    back = np.column_stack([shade, 0 * shade + 200, 0 * shade]).astype(np.uint8)
    raster = Raster(SIZE)
    raster.clear()
    raster.draw(EYE, points, triangles, front, back)
    fine = (2 * SIZE[0], 2 * SIZE[1])
    found = np.array([hits(EYE, rays(EYE, fine), c) for c in corners])
    nearest = np.abs(found).argmin(axis=0)
    distance = np.take_along_axis(found, nearest[None], 0)[0]
    covered = np.isfinite(distance)
    assert 0.05 < covered.mean() < 0.95
    assert ((raster._depth > 0) == covered).mean() > 0.999
    both = covered & (raster._depth > 0)
    agree = (raster._color[both][:, 0] == nearest[both]) & (
        raster._color[both][:, 1] == np.where(distance[both] > 0.0, 100, 200)
    )
    assert agree.mean() > 0.995


def test_depth_is_the_distance_along_the_view() -> None:
    sheet = shapes.grid(0.5, 0.5, cells=1)
    camera = Camera(np.array([0.0, 0.0, 4.0]), np.zeros(3))
    assert camera.project(sheet.vertices, SIZE)[:, 2] == pytest.approx(0.25)
    middle = camera.project(np.zeros((1, 3)), SIZE)[0]
    np.testing.assert_allclose(middle[:2], [32.0, 24.0])
    behind = camera.project(np.array([[0.0, 0.0, 5.0]]), SIZE)[0]
    assert behind[2] == 0.0
    raster = Raster(SIZE)
    raster.draw(camera, sheet.vertices + np.array([0, 0, 6.0]), sheet.triangles, *2 * [np.zeros((4, 3), np.uint8)])
    assert (raster.image(WHITE, NOWHERE) == 255).all(), "what is behind the eye is not drawn"


def test_a_half_covered_pixel_is_a_mixture() -> None:
    camera = Camera(np.array([0.0, 0.0, 4.0]), np.zeros(3))
    sheet = shapes.grid(1.0, 1.0, cells=1)
    raster = Raster(SIZE)
    raster.draw(camera, sheet.vertices, sheet.triangles, *2 * [np.zeros((4, 3), np.uint8)])
    image = raster.image(WHITE, NOWHERE)[..., 0]
    corner = camera.project(np.array([[0.5, 0.5, 0.0]]), SIZE)[0]
    wide, high = 2.0 * (corner[0] - 32.0), 2.0 * (24.0 - corner[1])
    assert (255.0 - image).sum() / 255.0 == pytest.approx(wide * high, rel=0.03)


def test_the_floor_is_where_rays_meet_it_and_hides_what_is_below() -> None:
    plane = TrajectoryPlane("floor", (0.0, 0.0, 1.0), 0.1)
    floor = Floor([plane], np.zeros(3), 1.0, np.array([0.0, 0.0, 1.0]))
    floor.look(EYE, SIZE)
    fine, directions = rays(EYE, (2 * SIZE[0], 2 * SIZE[1])), rays(EYE, SIZE)
    away = (0.1 - 1e-4 - EYE.eye[2]) / fine[..., 2]
    seen = (away > 0.0) & (np.hypot(*(EYE.eye + away[..., None] * fine)[..., :2].transpose(2, 0, 1)) < 2.3)
    assert seen.sum() > 1000
    np.testing.assert_allclose(floor.depth[seen], 1.0 / away[seen], rtol=1e-4)
    assert (floor.depth[fine[..., 2] >= 0.0] == 0.0).all()
    t = (0.1 - 1e-4 - EYE.eye[2]) / directions[..., 2]
    point = EYE.eye + t[..., None] * directions
    shown = (t > 0.0) & (np.hypot(point[..., 0], point[..., 1]) < 2.55)
    cloud = np.array([[x, y, 0.5] for x in np.linspace(-0.1, 0.1, 40) for y in np.linspace(-0.1, 0.1, 40)])
    lit, dark = floor.shaded(np.zeros((0, 3))), floor.shaded(cloud)
    below = np.hypot(point[..., 0], point[..., 1]) < 0.05
    assert (dark[shown & below] < lit[shown & below] - 20.0).all()
    far = shown & (np.hypot(point[..., 0], point[..., 1]) > 0.6)
    np.testing.assert_array_equal(dark[far], lit[far])
    raster = Raster(SIZE)
    buried = shapes.grid(0.2, 0.2, cells=1)
    raster.draw(EYE, buried.vertices, buried.triangles, *2 * [np.zeros((4, 3), np.uint8)])
    np.testing.assert_allclose(raster.image(lit, floor.depth), lit, atol=1.0)
    from_below = Floor([plane], np.zeros(3), 1.0, np.array([0.0, 0.0, 1.0]))
    from_below.look(Camera(np.array([0.0, -3.0, -1.0]), np.zeros(3)), SIZE)
    assert (from_below.depth == 0.0).all()


def test_what_lies_on_the_floor_is_not_mixed_with_it() -> None:
    """Seen aslant in a small picture, where the depth of the floor varies by centimetres within a pixel."""
    floor = Floor([TrajectoryPlane("floor", (0.0, 0.0, 1.0), 0.0)], np.zeros(3), 1.0, np.array([0.0, 0.0, 1.0]))
    low = Camera(np.array([0.0, -3.0, 0.5]), np.zeros(3))
    floor.look(low, SIZE)
    raster, sheet = Raster(SIZE), shapes.grid(1.0, 1.0, cells=1)
    points = sheet.vertices + np.array([0.0, 0.0, 1e-3])
    raster.draw(low, points, sheet.triangles, *2 * [np.zeros((4, 3), np.uint8)])
    alone = raster.image(WHITE, NOWHERE)
    inside = (alone == 0).all(axis=2)
    assert inside.sum() > 50
    assert (raster.image(floor.shaded(np.zeros((0, 3))), floor.depth)[inside] == 0).all()


def test_cameras_frame_the_box_or_stand_where_they_are_told() -> None:
    box = np.array([[-1.0, -0.5, 0.0], [1.0, 0.5, 0.7]])
    corners = np.array([[box[i][0], box[j][1], box[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    for view in ((1.0, -1.9, 0.85), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)):
        x, y, _ = make_camera(box, (1280, 720), view=view).project(corners, (1280, 720)).T
        assert x.min() > 20 and x.max() < 1260 and y.min() > 20 and y.max() < 700
        assert (x.max() - x.min() > 0.8 * 1280) or (y.max() - y.min() > 0.8 * 720), "it fills the picture"
    told = make_camera(box, SIZE, view=(1, 0, 0), camera=(3.0, 0.0, 1.0), look_at=(0.0, 0.0, 0.5))
    np.testing.assert_allclose(told.eye, [3.0, 0.0, 1.0])
    np.testing.assert_allclose(told.project(np.array([[0.0, 0.0, 0.5]]), SIZE)[0, :2], [32.0, 24.0])
    half = told.orbited(np.pi)
    np.testing.assert_allclose(half.eye, [-3.0, 0.0, 1.0], atol=1e-12)
    with pytest.raises(InputError, match="the camera is where it looks at"):
        make_camera(box, SIZE, view=(1, 0, 0), camera=(1, 1, 1), look_at=(1, 1, 1))
    assert parse_point("--camera", "1, -2,0.5") == (1.0, -2.0, 0.5)
    for wrong in ("1,2", "a,b,c", "1,2,nan"):
        with pytest.raises(InputError, match="--camera"):
            parse_point("--camera", wrong)


def test_patterns_run_along_the_sides_of_a_sheet_and_fade_when_they_are_small() -> None:
    sheet = shapes.grid(1.0, 0.5, cells=8)
    c, s = np.cos(0.6), np.sin(0.6)
    turned = sheet.vertices @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]).T
    pattern = make_pattern("checks", turned, sheet.triangles)
    assert pattern.number == CHECKS and pattern.period == pytest.approx(0.5 / 24, rel=0.1)
    extent = np.sort(np.ptp(pattern.places, axis=0) * pattern.period[0])
    np.testing.assert_allclose(extent, [0.5, 1.0], rtol=0.06)
    assert make_pattern("glossy", turned, sheet.triangles).number == PLAIN
    u = np.linspace(0.0, 3.0, 301)
    values = np.array([[pattern_brightness(WOVEN, a, b, 1.0) for a in u] for b in u])
    assert np.ptp(values) > 0.2 and abs(values.mean() - 1.0) < 0.05
    assert {pattern_brightness(WOVEN, a, 0.3, 0.0) for a in u} == {1.0}


def test_arrows_point_along_forces_in_two_colours() -> None:
    forces = np.array([[0.0, 0.0, 2.0], [1.0, 0.0, 0.0]])
    points = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    pairs = np.zeros((2, 2), np.int32)
    found = FrameReadout(("a",), pairs, points, np.zeros((2, 3)), forces, np.array([True, False]))
    stick, slip = contact_arrows(found, radius=1.0)
    assert (tuple(stick.color), tuple(slip.color)) == (STICK, SLIP)
    assert np.ptp(stick.points[:, 2]) == pytest.approx(2.0 * np.ptp(slip.points[:, 0]), rel=1e-6)
    np.testing.assert_allclose(stick.points[-6:].mean(axis=0)[:2], 0.0, atol=1e-12)
    assert stick.points[:, 2].min() == 0.0 and slip.points[:, 0].max() > 1.05
    assert (
        contact_arrows(FrameReadout(("a",), pairs[:0], points[:0], points[:0], points[:0], np.zeros(0, bool)), 1.0)
        == []
    )


def test_background_is_the_colour_of_pages() -> None:
    assert (255 * rgb("#f4f2ee")).round().tolist() == [244, 242, 238]
