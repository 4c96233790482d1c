"""Drape coefficients of the fabrics (Cusick 1968): a disc of 30 cm hangs over one of 18 cm; on three meshes and two resolutions.

Run: python benchmarks/cusick_drape.py [fabric ...] [--edges 0.008 0.006]
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay

import signorini as sg
from signorini.geometry.triangle_mesh import TriangleMesh

Floats = NDArray[np.float64]
RADIUS, SUPPORT = 0.15, 0.09
"""Radii of the cloth and of the disc that carries it [m]."""
WAVE = 1e-3
"""Height of the random waves with which the hanging part starts [m]: a perfect disc would have no reason to fold."""
PIXELS = 600
"""Resolution of the shadow across the cloth."""
MESHES = ("rings", "grid", "random")


def disc_mesh(kind: str, edge: float) -> TriangleMesh:
    """A mesh of the cloth with vertices on its rim and on that of the support; `kind` says what lies between."""
    rims = np.concatenate([_ring(SUPPORT, edge), _ring(RADIUS, edge)])
    if kind == "rings":
        inner, outer = round(SUPPORT / edge), round((RADIUS - SUPPORT) / edge)
        radii = [
            *(SUPPORT * np.arange(1, inner) / inner),
            *(SUPPORT + (RADIUS - SUPPORT) * np.arange(1, outer) / outer),
        ]
        points = np.concatenate([rims, [[0.0, 0.0]], *(_ring(radius, edge) for radius in radii)])
    elif kind == "grid":
        line = np.arange(-RADIUS - edge, RADIUS + 2.0 * edge, edge)
        grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
        points = np.concatenate([rims, grid[_free(grid, edge)]])
    else:
        kept = list(rims)
        random = np.random.default_rng(0)
        for point in random.uniform(-RADIUS, RADIUS, (int(240 * (RADIUS / edge) ** 2), 2)):
            apart = ((np.array(kept) - point) ** 2).sum(axis=1).min() > (0.65 * edge) ** 2
            if apart and _free(point[None], edge)[0]:
                kept.append(point)
        points = np.array(kept)
    triangles = Delaunay(points).simplices
    a, b, c = (points[triangles[:, k]] for k in range(3))
    up = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    triangles = np.where((up < 0.0)[:, None], triangles[:, ::-1], triangles)[np.abs(up) > 1e-3 * edge**2]
    return TriangleMesh(np.column_stack([points, np.zeros(len(points))]), triangles.astype(np.int32))


def _ring(radius: float, edge: float) -> Floats:
    count = max(6, round(2.0 * np.pi * radius / edge))
    angle = 2.0 * np.pi * (np.arange(count) + 0.5 * (round(radius / edge) % 2)) / count
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def _free(points: Floats, edge: float) -> NDArray[np.bool_]:
    """Points within the cloth and half an edge away from both rims."""
    radius = np.hypot(points[:, 0], points[:, 1])
    return (radius < RADIUS - 0.5 * edge) & (np.abs(radius - SUPPORT) > 0.5 * edge)


def drape_coefficient(triangles: NDArray[np.int32], x: Floats) -> float:
    """Shadow of the hanging part over its area [%]."""
    shadow = np.zeros((PIXELS, PIXELS), dtype=np.bool_)
    centre = ((np.arange(PIXELS) + 0.5) / PIXELS * 2.0 - 1.0) * RADIUS
    for a, b, c in x[triangles][:, :, :2]:
        corners = np.array([a, b, c])
        low = np.clip(np.searchsorted(centre, corners.min(axis=0)) - 1, 0, PIXELS)
        high = np.clip(np.searchsorted(centre, corners.max(axis=0)) + 1, 0, PIXELS)
        u, v = b - a, c - a
        area = u[0] * v[1] - u[1] * v[0]
        if abs(area) < 1e-14:
            continue
        px, py = np.meshgrid(centre[low[0] : high[0]] - a[0], centre[low[1] : high[1]] - a[1])
        s, t = (px * v[1] - py * v[0]) / area, (u[0] * py - u[1] * px) / area
        shadow[low[1] : high[1], low[0] : high[0]] |= (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)
    covered = shadow.sum() * (2.0 * RADIUS / PIXELS) ** 2
    return float(100.0 * (covered - np.pi * SUPPORT**2) / (np.pi * (RADIUS**2 - SUPPORT**2)))


def drape(mesh: TriangleMesh, fabric: str, *, seconds: float = 1.6, dt: float = 0.01) -> float:
    """Drape coefficient [%] of a fabric after `seconds`, when it hangs still."""
    start = mesh.vertices.copy()
    radius, angle = np.hypot(start[:, 0], start[:, 1]), np.arctan2(start[:, 1], start[:, 0])
    random = np.random.default_rng(1)
    wave = sum(random.normal() * np.cos(k * angle + random.uniform(0.0, 2.0 * np.pi)) for k in range(2, 12))
    start[:, 2] = WAVE * wave * np.clip((radius - SUPPORT) / (RADIUS - SUPPORT), 0.0, 1.0) ** 2
    scene = sg.Scene(air_drag=2.0)
    cloth = scene.add_cloth(mesh, material=fabric, initial_vertices=start, name="cloth")
    cloth.pin(np.flatnonzero(radius < SUPPORT + 1e-6))
    sim = sg.Simulation(scene, dt=dt)
    for _ in range(round(seconds / dt)):
        sim.step()
    return drape_coefficient(mesh.triangles, sim.bodies["cloth"].positions)


def main() -> None:
    """Print a table of the drape coefficients."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fabrics", nargs="*", default=["cotton", "silk", "wool", "denim"])
    parser.add_argument("--edges", type=float, nargs="+", default=[0.008, 0.006])
    arguments = parser.parse_args()
    for fabric in arguments.fabrics:
        for edge in arguments.edges:
            found = [drape(disc_mesh(kind, edge), fabric) for kind in MESHES]
            values = ", ".join(f"{kind} {value:.1f}" for kind, value in zip(MESHES, found, strict=True))
            print(f"{fabric}, edges of {1e3 * edge:g} mm: {values} %", flush=True)


if __name__ == "__main__":
    main()
