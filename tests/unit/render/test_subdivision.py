"""Loop subdivision: its rules, its limits, and surfaces that never intersect where the coarse ones did not."""

from __future__ import annotations

import numpy as np
import pytest

from reference.refined_check import RefinedCheck
from signorini.collision.broad_phase import BoxTree
from signorini.collision.intersections import Intersections
from signorini.files.runs.trajectory import Trajectory, TrajectoryBody, TrajectoryPlane
from signorini.files.runs.trajectory_writer import TrajectoryWriter
from signorini.geometry import shapes
from signorini.geometry.triangles import find_edges
from signorini.render import refined_surfaces
from signorini.render.refined_surfaces import PART, ROUNDS, RefinedSurfaces
from signorini.render.subdivision import loop_subdivision


def naive(points: np.ndarray, triangles: np.ndarray) -> dict[tuple[int, ...], np.ndarray]:
    """Loop's rules for the vertices and edges inside of a mesh, written down one by one."""
    opposite: dict[tuple[int, int], list[int]] = {}
    for a, b, c in triangles.tolist():
        for i, j, k in ((a, b, c), (b, c, a), (c, a, b)):
            opposite.setdefault((min(i, j), max(i, j)), []).append(k)
    hem = {v for edge, third in opposite.items() if len(third) == 1 for v in edge}
    found: dict[tuple[int, ...], np.ndarray] = {}
    for (i, j), third in opposite.items():
        if len(third) == 2:
            found[i, j] = 0.375 * (points[i] + points[j]) + 0.125 * (points[third[0]] + points[third[1]])
        else:
            found[i, j] = 0.5 * (points[i] + points[j])
    for v in set(range(len(points))) - hem:
        around = [i if j == v else j for i, j in opposite if v in (i, j)]
        beta = 3.0 / 16.0 if len(around) == 3 else 3.0 / (8.0 * len(around))
        found[(v,)] = (1.0 - len(around) * beta) * points[v] + beta * points[around].sum(axis=0)
    return found


def test_the_rules_are_those_of_loop() -> None:
    mesh = shapes.grid(1.0, 1.0, cells=5)
    chance = np.random.default_rng(0)
    points = mesh.vertices + 0.05 * chance.standard_normal(mesh.vertices.shape)
    part = loop_subdivision(points, mesh.triangles)
    fine = part.flat @ points + part.bend @ points
    ends = find_edges(mesh.triangles).ends
    for key, place in naive(points, mesh.triangles).items():
        row = key[0] if len(key) == 1 else len(points) + int(np.flatnonzero((ends == sorted(key)).all(axis=1))[0])
        np.testing.assert_allclose(fine[row], place, atol=1e-12)


def test_a_sphere_stays_round_and_closed() -> None:
    ball = shapes.sphere(1.0, subdivisions=4)
    part = loop_subdivision(ball.vertices, ball.triangles)
    assert len(part.triangles) == 4 * len(ball.triangles)
    edges = find_edges(part.triangles)
    assert (edges.valence == 2).all()
    fine = part.flat @ ball.vertices + part.bend @ ball.vertices
    assert largest_angle(fine, part.triangles) < 0.7 * largest_angle(ball.vertices, ball.triangles), (
        "half, but for valence"
    )
    assert np.linalg.norm(fine, axis=1).min() > 0.97


def largest_angle(points: np.ndarray, triangles: np.ndarray) -> float:
    """The largest angle between two triangles at an edge [rad]."""
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    sides = find_edges(triangles).of_triangle.ravel()
    one, other = np.argsort(sides, kind="stable").reshape(-1, 2).T // 3
    return float(np.arccos(np.clip(np.sum(normals[one] * normals[other], axis=1), -1.0, 1.0)).max())


def test_flat_parts_lie_on_the_coarse_surface_and_keep_orientation() -> None:
    mesh = shapes.grid(1.0, 1.0, cells=3)
    part = loop_subdivision(mesh.vertices, mesh.triangles)
    flat = part.flat @ mesh.vertices
    corners = flat[part.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] > 0.0).all()
    assert normals[:, 2].sum() / 2.0 == pytest.approx(1.0)


def test_hems_are_smooth_curves_and_corners_stay() -> None:
    mesh = shapes.grid(1.0, 1.0, cells=8)
    points = mesh.vertices.copy()
    points[:, 1] += np.where(points[:, 1] < -0.49, 0.02 * (-1.0) ** np.round(8.0 * (points[:, 0] + 0.5)), 0.0)
    part = loop_subdivision(mesh.vertices, mesh.triangles)
    fine = part.flat @ points + part.bend @ points
    corner = int(np.argmin(mesh.vertices @ [1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(fine[corner], points[corner])
    hem = [v for v in np.flatnonzero(mesh.vertices[:, 1] < -0.49) if abs(mesh.vertices[v, 0]) < 0.49]
    zigzag = np.abs(points[hem, 1] + 0.5)
    assert np.abs(fine[hem, 1] + 0.5).max() == pytest.approx(0.5 * zigzag.max()), "1/8, 3/4, 1/8 halve a zigzag"


def write(path, bodies: dict[str, tuple[str, shapes.TriangleMesh]], frames: list[dict], planes=()) -> Trajectory:
    stored = {n: TrajectoryBody(n, kind, m.triangles, len(m.vertices)) for n, (kind, m) in bodies.items()}
    writer = TrajectoryWriter.create(path / "trajectory.zarr", stored, half_spaces=list(planes))
    for k, positions in enumerate(frames):
        writer.append(k / 10.0, positions)
    return Trajectory.open(path)


def crossings(trajectory: Trajectory, frame: int) -> bool:
    return RefinedCheck(trajectory).intersects(frame)


def folded(cells: int, gap: float, sharp: float) -> np.ndarray:
    """A sheet folded in three layers, `gap` apart, with turns as narrow as that."""
    mesh = shapes.grid(1.0, 1.0, cells=cells)
    s = mesh.vertices[:, 0] + 0.5
    third = 1.0 / 3.0
    layer = np.minimum((s / third).astype(int), 2)
    t = s - layer * third
    x = np.where(layer % 2 == 0, t, third - t)
    turn = np.minimum(t, third - t)
    lift = np.where(t < third - t, -1.0, 1.0) * np.maximum(sharp - turn, 0.0) / sharp * 0.45 * gap
    lift[(layer == 0) & (t < third - t)] = 0.0
    lift[(layer == 2) & (t > third - t)] = 0.0
    return np.column_stack([x, mesh.vertices[:, 1], gap * layer + lift])


@pytest.mark.parametrize("gap", [0.02, 0.004, 0.0005])
def test_layers_that_are_folded_sharply_stay_apart(tmp_path, gap: float) -> None:
    mesh = shapes.grid(1.0, 1.0, cells=30)
    points = folded(30, gap, 0.06)
    trajectory = write(tmp_path, {"sheet": ("cloth", mesh)}, [{"sheet": mesh.vertices}, {"sheet": points}])
    refined = RefinedSurfaces(trajectory)
    flat = {"sheet": refined.parts["sheet"].flat @ points}
    assert refined.intersections(flat, {"sheet": points}) == 0, "the coarse surface is free of intersection"
    assert not crossings(trajectory, 1)
    placed = refined.place({"sheet": points})
    assert refined.intersections(placed, {"sheet": points}) == 0


def test_what_intersects_after_flattening_is_flattened_too(tmp_path, monkeypatch) -> None:
    """Two triangles far from each other are said to intersect, one until it is flat, then the other for ever."""
    mesh = shapes.grid(1.0, 1.0, cells=20)
    points = mesh.vertices.copy()
    points[:, 2] = 0.1 * np.sin(9.0 * points[:, 0]) * np.cos(8.0 * points[:, 1])
    refined = RefinedSurfaces(write(tmp_path, {"sheet": ("cloth", mesh)}, [{"sheet": points}]))
    part, looks = refined.parts["sheet"], []
    flat = part.flat @ points
    edges, triangles = refined._fine.surface.edges, refined._fine.surface.triangles
    inside = np.linalg.norm((part.bend @ points)[triangles], axis=2).min(axis=1) > 1e-4
    one, other = (int(np.flatnonzero(inside)[k]) for k in (0, -1))
    patient = 2 * ROUNDS

    def pretended(tree, x):
        looks.append(x)
        which = one if len(looks) < patient and (x != flat)[triangles[one]].any() else other
        edge = np.flatnonzero(np.isin(edges, triangles[which]).all(axis=1))[0]
        return Intersections(np.array([[edge, which]]), np.zeros((0, 2), int))

    monkeypatch.setattr(refined_surfaces, "find_intersections", pretended)
    placed = refined.place({"sheet": points})["sheet"]
    corners = triangles[[one, other]].ravel()
    np.testing.assert_array_equal(placed[corners], flat[corners])
    assert len(looks) < patient and np.abs(placed - flat).max() > 1e-3


def test_plain_subdivision_would_intersect_and_yields(tmp_path) -> None:
    """A sheet folded over a thin bar: without limits the smooth surface would cut it."""
    mesh = shapes.grid(0.4, 0.4, cells=8)
    bar = shapes.box(0.006, 1.0, 0.006)
    points = mesh.vertices.copy()
    points[:, 2] = 0.006 - 0.52 * np.abs(points[:, 0])
    trajectory = write(
        tmp_path,
        {"sheet": ("cloth", mesh), "bar": ("kinematic", bar)},
        [{"sheet": mesh.vertices + np.array([0, 0, 1.0]), "bar": bar.vertices}, {"sheet": points, "bar": bar.vertices}],
    )
    refined = RefinedSurfaces(trajectory)
    positions = {"sheet": points, "bar": bar.vertices}
    part = refined.parts["sheet"]
    smooth = {"sheet": part.flat @ points + part.bend @ points}
    assert refined.intersections({"sheet": part.flat @ points}, positions) == 0
    assert refined.intersections(smooth, positions) > 0, "otherwise this test shows nothing"
    assert not crossings(trajectory, 1)
    far = np.flatnonzero(np.abs(points[:, 0]) > 0.12)
    placed = refined.place(positions)["sheet"]
    np.testing.assert_allclose(placed[far], smooth["sheet"][far], err_msg="it yields only there")


def test_layers_keep_at_least_half_of_their_distance(tmp_path) -> None:
    chance = np.random.default_rng(1)
    mesh = shapes.grid(0.5, 0.5, cells=10)
    low = mesh.vertices + np.column_stack([np.zeros((121, 2)), 0.01 * chance.standard_normal(121)])
    high = low + np.array([0.0, 0.0, 0.003])
    trajectory = write(tmp_path, {"a": ("cloth", mesh), "b": ("cloth", mesh)}, [{"a": low, "b": high}])
    refined = RefinedSurfaces(trajectory)
    placed = refined.place({"a": low, "b": high})
    for name, points in (("a", low), ("b", high)):
        moved = np.linalg.norm(placed[name] - refined.parts[name].flat @ points, axis=1)
        assert moved.max() <= PART * 0.003 * (1.0 + 1e-9)
    assert refined.intersections(placed, {"a": low, "b": high}) == 0


def test_the_tree_of_the_fine_surface_finds_all_pairs(tmp_path) -> None:
    """It is made from that of the coarse surface; which leaves meet does not depend on how a tree was built."""
    mesh, bar = shapes.grid(0.4, 0.4, cells=6), shapes.box(0.1, 0.6, 0.1, cells=2)
    first = {"bar": bar.vertices, "sheet": mesh.vertices + np.array([0, 0, 0.2])}
    trajectory = write(tmp_path, {"bar": ("kinematic", bar), "sheet": ("cloth", mesh)}, [first])
    refined = RefinedSurfaces(trajectory)
    chance = np.random.default_rng(3)
    fine = refined.parts["sheet"].flat @ mesh.vertices
    x = np.concatenate([bar.vertices, fine + 0.03 * chance.standard_normal(fine.shape)])
    fresh = BoxTree(refined._fine.surface, x)
    found, expected = ({tuple(sorted(p)) for p in tree.find_leaf_pairs(x).tolist()} for tree in (refined._fine, fresh))
    assert found == expected and len(found) > 500


def test_cloth_stays_above_the_ground(tmp_path) -> None:
    mesh = shapes.grid(0.5, 0.5, cells=10)
    points = mesh.vertices + np.array([0.0, 0.0, 0.002])
    points[:, 2] += np.where(np.hypot(points[:, 0], points[:, 1]) > 0.1, 0.08, 0.0)
    plane = TrajectoryPlane("floor", (0.0, 0.0, 1.0), 0.0)
    trajectory = write(tmp_path, {"sheet": ("cloth", mesh)}, [{"sheet": points}], [plane])
    placed = RefinedSurfaces(trajectory).place({"sheet": points})["sheet"]
    assert placed[:, 2].min() >= 0.001


def test_without_cloth_there_is_nothing_to_do(tmp_path) -> None:
    ball = shapes.sphere(0.3, subdivisions=3)
    trajectory = write(tmp_path, {"ball": ("rigid", ball)}, [{"ball": ball.vertices}])
    refined = RefinedSurfaces(trajectory)
    assert refined.place({"ball": ball.vertices}) == {} and refined.intersections({}, {"ball": ball.vertices}) == 0
