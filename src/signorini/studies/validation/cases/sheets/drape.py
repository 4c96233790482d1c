"""Validation case: drape coefficients of the fabrics; a disc of 30 cm hangs over one of 18 cm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Measurement, Measurements, Progress
from signorini.studies.validation.cases.sheets.meshes import from_points

Floats = NDArray[np.float64]
RADIUS, SUPPORT = 0.15, 0.09
"""Radii of the cloth and of the disc that carries it [m]."""
WAVE = 1e-3
"""Height of the random waves with which the hanging part starts [m]: a perfect disc would have no reason to fold."""
PIXELS = 600
"""Resolution of the shadow across the cloth."""
MESHES = ("rings", "grid", "random")
PUBLISHED = {"cotton": (60.0, 76.0), "silk": (20.0, 40.0), "wool": (40.0, 70.0), "denim": (70.0, 90.0)}
"""Ranges of the drape coefficient [%]."""


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
    return from_points(points)


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
    scene = Scene(air_drag=2.0)
    cloth = scene.add_cloth(mesh, material=fabric, initial_vertices=start, name="cloth")
    cloth.pin(np.flatnonzero(radius < SUPPORT + 1e-6))
    sim = Simulation(scene, dt=dt)
    for _ in range(round(seconds / dt)):
        sim.step()
    return drape_coefficient(mesh.triangles, sim.bodies["cloth"].positions)


def run(quick: bool, progress: Progress) -> Measurements:
    """All fabrics on all meshes with edges of 8 and 6 mm, or some on a coarse mesh."""
    fabrics, meshes, edges = (
        (("silk", "denim"), MESHES[:1], (0.012,)) if quick else (tuple(PUBLISHED), MESHES, (0.008, 0.006))
    )
    jobs = [(fabric, edge, mesh) for fabric in fabrics for edge in edges for mesh in meshes]
    found: dict[str, list[float]] = {fabric: [] for fabric in fabrics}
    rows = []
    for k, (fabric, edge, mesh) in enumerate(jobs):
        found[fabric].append(drape(disc_mesh(mesh, edge), fabric))
        least, most = PUBLISHED[fabric]
        label = f"drape of {fabric} [%], {mesh}, edges of {1e3 * edge:g} mm"
        rows.append(
            Measurement(label, found[fabric][-1], 0.5 * (least + most), "", 0.5 * (most - least), absolute=True)
        )
        progress((k + 1) / len(jobs))
    for fabric, values in found.items():
        if len(values) > 1:
            label = f"spread of {fabric} over {len(values)} meshes [percentage points]"
            rows.append(Measurement(label, max(values) - min(values), 0.0, "", 3.0, absolute=True))
    remark = (
        "Bending and shear of the presets were chosen within their ranges such that the drape fits: a calibration, not a "
        "prediction."
    )
    return Measurements(rows, (), [remark])


CASE = Case(
    name="cloth-drape",
    title="Cusick drape of the fabrics",
    theory="The drape coefficient is the shadow of the hanging part of a disc of cloth, 30 cm across, over its area; the disc "
    "that carries it is 18 cm across. The expected value and its bound are the middle and the half of the published range.",
    source="Cusick 1968, The measurement of fabric drape, Journal of the Textile Institute 59; ranges as published for "
    "such fabrics",
    run=run,
)
