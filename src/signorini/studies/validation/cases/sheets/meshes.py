"""Meshes of a flat rectangle that differ in everything but their shape: what a result must not depend on."""

from __future__ import annotations

import numpy as np
from scipy.spatial import Delaunay

from signorini.geometry import shapes
from signorini.geometry.triangle_mesh import TriangleMesh


def from_points(points: np.ndarray) -> TriangleMesh:
    """Delaunay's triangles of points in the plane, all turned up."""
    triangles = Delaunay(points).simplices
    a, b, c = (points[triangles[:, k]] for k in range(3))
    up = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    longest = np.max([np.linalg.norm(x - y, axis=1) for x, y in ((a, b), (b, c), (c, a))], axis=0)
    triangles = np.where((up < 0.0)[:, None], triangles[:, ::-1], triangles)[np.abs(up) > 1e-3 * longest**2]
    return TriangleMesh(np.column_stack([points, np.zeros(len(points))]), triangles.astype(np.int32))


def _rim(length: float, width: float, edge: float) -> tuple[np.ndarray, int, int]:
    nx, ny = max(2, round(length / edge)), max(2, round(width / edge))
    x, y = np.linspace(0.0, length, nx + 1), np.linspace(0.0, width, ny + 1)
    rim = [np.column_stack([x, np.full(nx + 1, w)]) for w in (0.0, width)]
    rim += [np.column_stack([np.full(ny - 1, w), y[1:-1]]) for w in (0.0, length)]
    return np.concatenate(rim), nx, ny


def _clipped(points: np.ndarray, length: float, width: float, edge: float) -> TriangleMesh:
    """Inner points, those near the rim left out, and a regular rim."""
    rim, _, _ = _rim(length, width, edge)
    near = 0.45 * edge
    keep = (points > near).all(axis=1) & (points < np.array([length, width]) - near).all(axis=1)
    return from_points(np.concatenate([rim, points[keep]]))


def random_mesh(length: float, width: float, edge: float, seed: int = 0) -> TriangleMesh:
    """Inner vertices at random, at least 0.6 edges apart."""
    rng = np.random.default_rng(seed)
    rim, nx, ny = _rim(length, width, edge)
    kept = [*rim]
    for p in rng.uniform([0.0, 0.0], [length, width], (40 * nx * ny, 2)):
        near = min(p[0], p[1], length - p[0], width - p[1]) < 0.5 * edge
        if not near and ((np.array(kept) - p) ** 2).sum(axis=1).min() > (0.62 * edge) ** 2:
            kept.append(p)
    return from_points(np.array(kept))


def turned(length: float, width: float, edge: float, angle: float) -> TriangleMesh:
    """A square grid turned by an angle [rad], cut off at the rim."""
    n = int(2 * (length + width) / edge)
    grid = edge * np.stack(np.meshgrid(np.arange(-n, n), np.arange(-n, n)), axis=-1).reshape(-1, 2)
    grid = grid @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return _clipped(grid + 1e-3 * edge, length, width, edge)


def staggered(length: float, width: float, edge: float, height: float) -> TriangleMesh:
    """Rows of nearly equilateral triangles; `height` of a row over that of equilateral ones."""
    nx = max(2, round(length / edge))
    ny = max(2, round(width / (edge * height * np.sqrt(0.75))))
    points = []
    for j, y in enumerate(np.linspace(0.0, width, ny + 1)):
        x = np.linspace(0.0, length, nx + 1)
        x = x if j % 2 == 0 else np.concatenate([[0.0], 0.5 * (x[1:] + x[:-1]), [length]])
        points.append(np.column_stack([x, np.full(len(x), y)]))
    return from_points(np.concatenate(points))


def seven_meshes(length: float, width: float, edge: float) -> dict[str, TriangleMesh]:
    """Seven meshes of a rectangle [0, length] × [0, width] in the plane z = 0 with about the same edge [m]."""
    cells = max(2, round(length / edge)), max(2, round(width / edge))
    grids = {}
    for name in ("alternate", "uniform"):
        grid = shapes.grid(length, width, cells=cells, diagonals=name)
        low = grid.vertices.min(axis=0)
        grids[name] = TriangleMesh(grid.vertices - low, grid.triangles)
    return {
        "aligned": grids["alternate"],
        "uniform diagonals": grids["uniform"],
        "turned by 45°": turned(length, width, edge, np.pi / 4),
        "turned by 20°": turned(length, width, edge, np.pi / 9),
        "random": random_mesh(length, width, edge),
        "staggered 0.99": staggered(length, width, edge, 0.99),
        "staggered 1.01": staggered(length, width, edge, 1.01),
    }
