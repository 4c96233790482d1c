"""PLY file of what was checked, with the triangles of faults in colour and a small octahedron at every place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signorini.diagnosis.fault import CheckReport

COLOURS = {"error": (214, 40, 40), "warning": (247, 127, 0), "remark": (252, 191, 73)}
"""Red, orange, yellow."""
PLAIN = (190, 196, 204)
"""Of triangles without a fault."""
_OCTAHEDRON = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.float64)
_SIDES = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
MARK = 0.008
"""Radius of the mark of a place over the size of all surfaces."""
MOST_MARKS = 2000
"""Places of a fault that are marked."""


def coloured_triangles(report: CheckReport) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Corners (t, 3, 3) [m] and colours (t, 3) of all triangles that can be placed, and of a small octahedron at every place."""
    corners, colours = [np.zeros((0, 3, 3))], [np.zeros((0, 3), np.uint8)]
    for surface in report.surfaces:
        good = ((surface.triangles >= 0) & (surface.triangles < len(surface.vertices))).all(axis=1)
        own = surface.vertices[surface.triangles[good]]
        finite = np.isfinite(own).all(axis=(1, 2))
        corners.append(own[finite])
        colours.append(_triangle_colours(report, surface.name, len(surface.triangles))[good][finite])
    places = [fault.places[:MOST_MARKS] for fault in report.faults]
    tints = [np.tile(np.array(COLOURS[f.severity], np.uint8), (len(f.places[:MOST_MARKS]), 1)) for f in report.faults]
    radius = MARK * _size(report)
    for points, tint in zip(places, tints, strict=True):
        corners.append((points[:, None, None] + radius * _OCTAHEDRON[_SIDES][None]).reshape(-1, 3, 3))
        colours.append(np.repeat(tint, len(_SIDES), axis=0))
    return np.concatenate(corners), np.concatenate(colours)


def write_coloured_ply(report: CheckReport, file: Path) -> Path:
    """Write all surfaces, each triangle with corners of its own, so that colours do not run."""
    corners, colours = coloured_triangles(report)
    rows = np.zeros(3 * len(corners), dtype=[("x", "<f4", 3), ("c", "u1", 3)])
    rows["x"], rows["c"] = corners.reshape(-1, 3), np.repeat(colours, 3, axis=0)
    faces = np.zeros(len(rows) // 3, dtype=[("n", "u1"), ("v", "<i4", 3)])
    faces["n"], faces["v"] = 3, np.arange(len(faces) * 3).reshape(-1, 3)
    header = [
        "ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}",
        *(f"property float {axis}" for axis in "xyz"), *(f"property uchar {c}" for c in ("red", "green", "blue")),
        f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header",
    ]  # fmt: skip
    file.write_bytes(("\n".join(header) + "\n").encode() + rows.tobytes() + faces.tobytes())
    return file


def _triangle_colours(report: CheckReport, name: str, count: int) -> NDArray[np.uint8]:
    """(t, 3) colours of the triangles of a surface: those of its worst fault."""
    colours = np.tile(np.array(PLAIN, dtype=np.uint8), (count, 1))
    for fault in reversed(report.faults):
        for body, numbers in fault.triangles:
            if body == name:
                colours[numbers[(numbers >= 0) & (numbers < count)]] = COLOURS[fault.severity]
    return colours


def _size(report: CheckReport) -> float:
    """The diagonal of the box around all surfaces [m]."""
    points = [s.vertices[np.isfinite(s.vertices).all(axis=1)] for s in report.surfaces]
    cloud = np.concatenate([*points, np.zeros((0, 3))])
    return float(np.linalg.norm(np.ptp(cloud, axis=0))) if len(cloud) else 1.0
