"""Patterns along texture coordinates: every pixel is what the coordinates say, seams stay, threads are as dense on the whole."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.geometry.faces import Faces
from signorini.render.camera import Camera
from signorini.render.drawn_surfaces import DrawnCloth, DrawnSurface
from signorini.render.patterns import make_pattern
from signorini.render.raster import Raster
from signorini.render.raster_kernels import PLAIN
from signorini.render.subdivision import loop_subdivision

SIZE = (120, 120)
ABOVE = Camera(np.array([0.0, 0.0, 4.0]), np.zeros(3))


def sheet(cells: int, coordinates) -> tuple[sg.TriangleMesh, np.ndarray]:
    """A square of 1 m and the texture coordinates (t, 3, 2) of its corners, a function of x and y."""
    mesh = sg.shapes.grid(1.0, 1.0, cells=cells)
    x, y = np.moveaxis(mesh.vertices[mesh.triangles][..., :2], 2, 0)
    return mesh, np.stack(coordinates(x, y), axis=2)


def drawn(mesh: sg.TriangleMesh, finish: str, uv: np.ndarray | None) -> np.ndarray:
    """Brightness of the sheet from above at all samples (h, w), 200 without a pattern, 0 where it is not."""
    raster, grey = Raster(SIZE), np.full((len(mesh.vertices), 3), 200, np.uint8)
    pattern = make_pattern(finish, mesh.vertices, mesh.triangles, uv)
    raster.draw(
        ABOVE, mesh.vertices, mesh.triangles, grey, grey, pattern=pattern, period_pixels=np.full(len(grey), 99.0)
    )
    return np.where(raster._depth > 0, raster._color[..., 0], 0).astype(float)


def samples() -> tuple[np.ndarray, np.ndarray]:
    """x and y [m] of all samples on the plane of the sheet."""
    across, upwards = ABOVE.slopes(SIZE)
    x = 4.0 * across * (2.0 * (np.arange(2 * SIZE[0]) + 0.5) / (2 * SIZE[0]) - 1.0)
    y = 4.0 * upwards * (1.0 - 2.0 * (np.arange(2 * SIZE[1]) + 0.5) / (2 * SIZE[1]))
    return np.broadcast_to(x, (len(y), len(x))), np.broadcast_to(y[:, None], (len(y), len(x)))


@pytest.mark.parametrize("angle", [0.0, 0.5, 2.0])
def test_stripes_are_the_lines_of_equal_u(angle: float) -> None:
    """Turned coordinates of any size, moved anywhere: a pixel is dark where the whole number of periods is odd."""
    c, s = np.cos(angle), np.sin(angle)
    mesh, uv = sheet(5, lambda x, y: (7.0 * (c * x + s * y) + 3.0, 0.2 * (c * y - s * x)))
    seen = drawn(mesh, "stripes", uv)
    x, y = samples()
    place = 24.0 * (c * x + s * y) + 3.0 / 7.0 * 24.0  # a period is a 24th of the width, however u is scaled
    inside = np.maximum(np.abs(x), np.abs(y)) < 0.49
    near_edge = np.abs(place - np.round(place)) < 0.02
    expected = np.where(np.floor(place) % 2.0 == 1.0, 140.0, 200.0)
    np.testing.assert_allclose(seen[inside & ~near_edge], expected[inside & ~near_edge], atol=1.0)


def test_coordinates_without_area_leave_the_pattern_as_it_was() -> None:
    mesh, uv = sheet(3, lambda x, y: (x, x))
    np.testing.assert_array_equal(drawn(mesh, "checks", uv), drawn(mesh, "checks", None))
    np.testing.assert_array_equal(drawn(mesh, "checks", np.full_like(uv, np.nan)), drawn(mesh, "checks", None))
    assert make_pattern("matt", mesh.vertices, mesh.triangles, uv).number == PLAIN


def test_threads_lie_as_densely_as_the_coordinates_and_the_rest_fades() -> None:
    """u grows three times as fast on the right half: a third of the period there, and the mean stays."""
    mesh, uv = sheet(8, lambda x, y: (np.where(x > 0.0, 3.0 * x, x), y))
    pattern = make_pattern("stripes", mesh.vertices, mesh.triangles, uv)
    x = mesh.vertices[:, 0]
    right, left = pattern.period[x > 0.01], pattern.period[x < -0.01]
    assert right == pytest.approx(right[0]) and left == pytest.approx(min(3.0 * right[0], 1.0 / 24.0))
    assert np.ptp(pattern.places[:, 0]) == pytest.approx(24.0), "as many stripes as without coordinates"


@pytest.mark.parametrize("smooth", [True, False])
def test_finer_triangles_get_what_lies_between(smooth: bool) -> None:
    """Linear coordinates stay the same function of place when triangles are subdivided or divided; seams stay."""
    mesh, uv = sheet(3, lambda x, y: (2.0 * x + y, x - 3.0 * y + 1.0))
    uv[: len(uv) // 2] += 10.0  # a seam through the middle
    part = loop_subdivision(mesh.vertices, mesh.triangles)
    surface = (
        DrawnCloth.of(part, mesh.vertices)
        if smooth
        else DrawnSurface.of(mesh.vertices, mesh.triangles, crease=None, longest=0.1)
    )
    places = part.flat @ mesh.vertices if smooth else surface.place(mesh.vertices)[0]
    fine = surface.spread(uv)
    x, y = np.moveaxis(places[surface.triangles][..., :2], 2, 0)
    shift = np.where(np.arange(len(fine)) < len(fine) // 2, 10.0, 0.0)[:, None]
    np.testing.assert_allclose(fine, np.stack([2.0 * x + y + shift, x - 3.0 * y + 1.0 + shift], axis=2), atol=1e-12)


def test_triangles_of_polygons_keep_their_texture_coordinates() -> None:
    """A quadrilateral, a triangle and a concave pentagon with a seam, against a search corner by corner."""
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 2], [1.2, 1.6], [0, 2.0]], float)
    vertices = np.column_stack([points, np.zeros(len(points))])
    counts, corners = np.array([4, 3, 5]), np.array([0, 1, 2, 3, 1, 4, 2, 3, 2, 5, 6, 7])
    rows = np.arange(len(corners))[::-1].copy()
    faces = Faces(*(a.astype(np.int32) for a in (counts, corners)), np.random.default_rng(0).random((12, 2)), rows)
    triangles = faces.triangulated(vertices)
    found, start = faces.triangle_uv(triangles), np.repeat(faces.starts, counts - 2)
    for k, triangle in enumerate(triangles):
        polygon = corners[start[k] : start[k] + np.repeat(counts, counts - 2)[k]].tolist()
        for c, vertex in enumerate(triangle.tolist()):
            np.testing.assert_array_equal(found[k, c], faces.uv[rows[start[k] + polygon.index(vertex)]])


def test_a_picture_follows_the_file_of_the_user(tmp_path) -> None:
    """Two OBJ files that differ in their texture coordinates only: stripes across, and stripes along."""
    grid = sg.shapes.grid(1.0, 1.0, cells=4)
    seen = {}
    for axis in (0, 1):
        lines = [f"v {x} {y} {z}" for x, y, z in grid.vertices] + [f"vt {v[axis]} {v[1 - axis]}" for v in grid.vertices]
        lines += ["f " + " ".join(f"{v + 1}/{v + 1}" for v in triangle) for triangle in grid.triangles]
        (tmp_path / "sheet.obj").write_text("\n".join(lines))
        scene = sg.Scene()
        scene.add_cloth(sg.load_mesh(tmp_path / "sheet.obj"), finish="stripes", color="white", name="sheet")
        picture = sg.Simulation(scene, dt=0.01).render(size=(240, 240), camera=(0, 0, 2), look_at=(0, 0, 0))
        middle = np.asarray(picture)[60:180, 60:180, 0].astype(float)
        seen[axis] = [float(np.abs(np.diff(middle, axis=a)).mean()) for a in (1, 0)]  # change across, change upwards
    assert seen[0][0] > 5.0 * seen[0][1] and seen[1][1] > 5.0 * seen[1][0]
