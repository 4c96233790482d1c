"""Picture of what was checked: surfaces in grey, triangles of faults and their places in colour, also where they are hidden."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signorini.diagnosis.coloured_mesh import PLAIN, coloured_triangles
from signorini.diagnosis.fault import CheckReport
from signorini.render.camera import Camera, make_camera
from signorini.render.pictures import DEFAULT_VIEW, checked_target
from signorini.render.raster import Raster

SIZE = (1280, 720)
"""Width and height [pixels]."""
SHINE_THROUGH = 0.6
"""Opacity of faults behind other triangles."""
NEARER = 1.0 - 1e-3
"""Factor of depths of what could hide a fault: a mark in the plane of a triangle is seen."""
LIGHT = np.array([-0.5, -0.6, 0.62])
"""Direction of the light, which lights both sides of triangles."""


def draw_faults(report: CheckReport, file: Path) -> Path:
    """Write a PNG that shows where the faults are; those behind other triangles shine through."""
    from PIL import Image, ImageDraw, ImageFont

    target = checked_target(file, ".png")
    corners, colours = coloured_triangles(report)
    faulty = (colours != np.array(PLAIN, np.uint8)).any(axis=1)
    shaded = _lit(corners, colours)
    low, high = (corners.min(axis=(0, 1)), corners.max(axis=(0, 1))) if len(corners) else (np.zeros(3), np.ones(3))
    middle, half = 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-3 * float((high - low).max()) + 1e-12)
    camera = make_camera(np.array([middle - half, middle + half]), SIZE, view=DEFAULT_VIEW)
    good, bad = (_drawn(camera, corners[chosen], shaded[chosen]) for chosen in (~faulty, faulty))
    nothing = np.zeros_like(good.depth)
    surfaces = good.image(np.full((SIZE[1], SIZE[0], 3), 255.0, np.float32), nothing).astype(np.float32)
    on_top, in_place = (bad.image(surfaces, depth).astype(float) for depth in (nothing, NEARER * good.depth))
    picture = Image.fromarray(np.round(SHINE_THROUGH * on_top + (1.0 - SHINE_THROUGH) * in_place).astype(np.uint8))
    text = f"{report.source}: {report.verdict}"
    ImageDraw.Draw(picture).text((16, 12), text, fill="black", font=ImageFont.load_default(18))
    picture.save(target, compress_level=3)
    return target


def _lit(corners: NDArray[np.float64], colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(t, 3) colours of triangles in the light, darker where it grazes them."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
    bright = 0.6 + 0.4 * np.abs(normals @ LIGHT) / (length * np.linalg.norm(LIGHT))
    return (bright[:, None] * colours).astype(np.uint8)


def _drawn(camera: Camera, corners: NDArray[np.float64], colours: NDArray[np.uint8]) -> Raster:
    """Triangles (t, 3, 3), each in one colour."""
    raster, each = Raster(SIZE), np.repeat(colours, 3, axis=0)
    triangles = np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)
    raster.draw(camera, corners.reshape(-1, 3), triangles, each, each)
    return raster
