"""A motion segment of a spine: two vertebrae and the disc between them, made from measures of a lumbar spine.

z is up along the spine, x to the left of the patient, y to the back. A vertebra has a body with a waist and hollow end
plates, two pedicles, laminae, a spinous and two transverse processes, and four articular ones. The disc fills the space
between the end plates of two vertebrae, but for a gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_count, check_positive
from signorini.errors import InputError
from signorini.geometry.isosurface import isosurface
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangulation import signed_area, triangulate

BODY_HEIGHT = 0.028
"""Height of the vertebral body at its rim [m]."""
DISC_THICKNESS = 0.010
"""Thickness of the disc at its rim [m]."""
FINEST_EDGE, COARSEST_EDGE = 0.0005, 0.0032
"""Shortest and longest edges of the triangles of a vertebra at scale 1 [m]; coarser ones lose the thin processes."""
_HALF_WIDTH = 0.024
_HALF_DEPTH = 0.0172
_HOLLOW = 0.0018
"""Depth of the middle of an end plate below its rim [m]."""
_WAIST = 0.08
_RIM_RADIUS = 0.0035
_BLEND = 0.003
_DISC_SHARE = 0.93
"""Fraction of the radius of the end plate that the disc covers; its outside bulges by half of the rest."""

# Ends (x, y, z) [m] of the right side, radii [m] at the ends, and how much the section is stretched along x and z.
_PROCESSES = (
    ((0.0140, 0.012, 0.004), (0.0145, 0.026, 0.005), 0.0042, 0.0042, 1.0, 1.2),  # pedicle
    ((0.0140, 0.027, 0.003), (0.0, 0.037, -0.003), 0.0040, 0.0042, 1.0, 1.5),  # lamina
    ((0.0, 0.037, -0.003), (0.0, 0.058, -0.006), 0.0050, 0.0055, 0.85, 1.4),  # spinous process
    ((0.0150, 0.026, 0.004), (0.0380, 0.032, 0.005), 0.0045, 0.0038, 1.0, 1.2),  # transverse process
    ((0.0170, 0.029, 0.004), (0.0200, 0.031, 0.017), 0.0048, 0.0042, 1.0, 1.0),  # superior articular process
    ((0.0090, 0.034, -0.004), (0.0095, 0.035, -0.0175), 0.0044, 0.0040, 1.0, 1.0),  # inferior articular process
)


@dataclass(frozen=True, slots=True)
class SpineSegment:
    """Two vertebrae with the disc between them, in place; the middle of the disc is the origin."""

    lower: TriangleMesh
    disc: TetMesh
    upper: TriangleMesh


def spine_segment(
    *, gap: float = 2e-4, tetrahedra: int = 6000, edge: float = 0.0026, scale: float = 1.0
) -> SpineSegment:
    """Vertebrae with edges of about `edge` [m] and a disc of about `tetrahedra`, with a `gap` [m] between them.

    `scale` multiplies the size of the whole, not `gap` and `edge`.
    """
    factor = check_positive("scale of a spine segment", scale)
    # Flat triangles bridge the hollow end plates, at most by half the curvature times their edge squared.
    least = _HOLLOW / _HALF_DEPTH**2 / factor * check_positive("edge of a spine segment", edge, unit="m") ** 2
    if check_positive("gap of a spine segment", gap, unit="m") < least:
        raise InputError(
            f"gap of a spine segment must be at least {least:.2g} m for an edge of {edge:g} m, got {gap:g} m: use a shorter "
            "edge or a wider gap"
        )
    bone = vertebra(edge=edge, scale=scale)
    shift = np.array([0.0, 0.0, 0.5 * factor * (BODY_HEIGHT + DISC_THICKNESS)])
    return SpineSegment(
        bone.moved(np.eye(3), -shift), disc(gap=gap, tetrahedra=tetrahedra, scale=scale), bone.moved(np.eye(3), shift)
    )


def vertebra(*, edge: float = 0.0026, scale: float = 1.0) -> TriangleMesh:
    """A vertebra, 80 mm wide and deep at scale 1, with the middle of its body at the origin; `edge` [m] of its triangles."""
    factor = check_positive("scale of a vertebra", scale)
    length = check_positive("edge of a vertebra", edge, unit="m") / factor
    if not FINEST_EDGE <= length <= COARSEST_EDGE:
        raise InputError(
            f"edge of a vertebra must be between {FINEST_EDGE * factor:g} m and {COARSEST_EDGE * factor:g} m at scale "
            f"{factor:g}, got {length * factor:g} m"
        )
    mesh = isosurface(
        _vertebra_function, np.array([-0.046, -0.022, -0.026]), np.array([0.046, 0.069, 0.026]), edge=length
    )
    return TriangleMesh(factor * mesh.vertices, mesh.triangles)


def disc(*, gap: float = 2e-4, tetrahedra: int = 6000, scale: float = 1.0) -> TetMesh:
    """A disc of about `tetrahedra` in the space between two vertebrae, `gap` [m] away from both, around the origin."""
    factor = check_positive("scale of a disc", scale)
    distance = check_positive("gap of a disc", gap, unit="m") / factor
    if distance > 0.25 * DISC_THICKNESS:
        raise InputError(
            f"gap of a disc must be at most a quarter of its thickness of {factor * DISC_THICKNESS:g} m, got {gap:g} m"
        )
    wanted = check_count("tetrahedra of a disc", tetrahedra, least=200)
    angles = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    outline = _DISC_SHARE * _plate_radius(around)[:, None] * around
    # Three tetrahedra in a prism whose base is an equilateral triangle, and as high as its edges are long.
    area = signed_area(outline)
    edge = (3.0 * area * DISC_THICKNESS / (np.sqrt(3.0 / 16.0) * wanted)) ** (1.0 / 3.0)
    flat = triangulate([_evenly(outline, edge)], edge=edge)
    layers = max(2, round(wanted / (3.0 * len(flat.triangles))))
    height = 0.5 * DISC_THICKNESS + _hollow(flat.points) - distance
    levels = 2.0 * np.arange(layers + 1) / layers - 1.0
    bulge = 1.0 + 0.5 * (1.0 / _DISC_SHARE - 1.0) * (1.0 - levels**2)
    points = [np.column_stack([b * flat.points, level * height]) for level, b in zip(levels, bulge, strict=True)]
    return TetMesh.flipped(factor * np.concatenate(points), _prisms(flat.triangles, len(flat.points), layers))


def _plate_radius(xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) from the middle to the rim of an end plate in the direction of xy (n, 2): an oval, hollow at the back."""
    x, y = xy.T
    length = np.maximum(np.hypot(x, y), 1e-12)
    c, s = np.abs(x) / length / _HALF_WIDTH, np.abs(y) / length / _HALF_DEPTH
    back = np.arctan2(x, y)
    return (c**2.4 + s**2.4) ** (-1.0 / 2.4) * (1.0 - 0.13 * np.exp(-((back / 0.6) ** 2)))


def _hollow(xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) how deep an end plate lies below its rim [m]."""
    share = np.hypot(xy[:, 0], xy[:, 1]) / _plate_radius(xy)
    return _HOLLOW * np.maximum(1.0 - share**2, 0.0)


def _vertebra_function(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Negative inside a vertebra; about the distance near its surface [m]."""
    radius = _plate_radius(x[:, :2]) * (1.0 - _WAIST * np.maximum(1.0 - (2.0 * x[:, 2] / BODY_HEIGHT) ** 2, 0.0))
    side = np.hypot(x[:, 0], x[:, 1]) - radius
    ends = np.abs(x[:, 2]) - 0.5 * BODY_HEIGHT + _hollow(x[:, :2])
    value = -_soft_minimum(-side, -ends, _RIM_RADIUS)
    mirrored = np.abs(x * [1.0, 0.0, 0.0]) + x * [0.0, 1.0, 1.0]
    for process in _PROCESSES:
        value = _soft_minimum(value, _rod(mirrored, *process), _BLEND)
    return value


def _rod(
    x: NDArray[np.float64],
    start: tuple[float, float, float],
    end: tuple[float, float, float],
    start_radius: float,
    end_radius: float,
    stretch_x: float,
    stretch_z: float,
) -> NDArray[np.float64]:
    """A rod with round ends whose radius changes along it, measured in stretched space."""
    stretch = np.array([stretch_x, 1.0, stretch_z])
    a, b, p = np.array(start) / stretch, np.array(end) / stretch, x / stretch
    s = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.linalg.norm(p - a - s[:, None] * (b - a), axis=1) - (1.0 - s) * start_radius - s * end_radius


def _soft_minimum(a: NDArray[np.float64], b: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """The smaller of two, rounded where they differ by less than `width`."""
    near = np.maximum(width - np.abs(a - b), 0.0)
    return np.minimum(a, b) - near * near / (4.0 * width)


def _evenly(contour: NDArray[np.float64], edge: float) -> NDArray[np.float64]:
    """Points at equal distances of about `edge` along a closed contour (n, 2), rounded to a nanometre."""
    closed = np.concatenate([contour, contour[:1]])
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    places = np.arange(max(8, round(walked[-1] / edge)))
    places = places * (walked[-1] / len(places))
    return np.column_stack([np.interp(places, walked, closed[:, k]) for k in range(2)]).round(9)


def _prisms(triangles: NDArray[np.int32], count: int, layers: int) -> NDArray[np.int32]:
    """Three tetrahedra in each prism; the diagonals start at the lower number, so that neighbours agree."""
    a, b, c = np.sort(triangles, axis=1).T
    parts = []
    for k in range(layers):
        low, high = count * k, count * (k + 1)
        parts.append(np.column_stack([a + low, b + low, c + low, c + high]))
        parts.append(np.column_stack([a + low, b + low, b + high, c + high]))
        parts.append(np.column_stack([a + low, a + high, b + high, c + high]))
    return np.concatenate(parts).astype(np.int32)
