"""PLY file of what was checked, with the triangles of faults in colour and a small octahedron at every place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signorini.diagnosis.fault import CheckReport

COLOURS = {"error": (214, 40, 40), "warning": (247, 127, 0), "remark": (252, 191, 73)}
"""Red, orange, yellow."""
PLAIN = (190, 196, 204)
_OCTAHEDRON = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.float64)
_SIDES = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
MARK = 0.008
"""Radius of the mark of a place over the size of all surfaces."""
MOST_MARKS = 2000
"""Places of a fault that are marked."""


def triangle_colours(report: CheckReport, name: str, count: int) -> NDArray[np.uint8]:
    """(t, 3) colours of the triangles of a surface: those of its worst fault."""
    colours = np.tile(np.array(PLAIN, dtype=np.uint8), (count, 1))
    for fault in reversed(report.faults):
        for body, numbers in fault.triangles:
            if body == name:
                colours[numbers[(numbers >= 0) & (numbers < count)]] = COLOURS[fault.severity]
    return colours


def marks(report: CheckReport) -> tuple[NDArray[np.float64], NDArray[np.uint8], float]:
    """Places (k, 3) of all faults [m], their colours (k, 3), and the radius at which they are seen [m]."""
    places = [fault.places[:MOST_MARKS] for fault in report.faults]
    colours = [np.tile(np.array(COLOURS[f.severity], np.uint8), (len(f.places[:MOST_MARKS]), 1)) for f in report.faults]
    points = [s.vertices[np.isfinite(s.vertices).all(axis=1)] for s in report.surfaces]
    cloud = np.concatenate([*points, np.zeros((0, 3))])
    size = float(np.linalg.norm(np.ptp(cloud, axis=0))) if len(cloud) else 1.0
    none = np.zeros((0, 3))
    return np.concatenate([*places, none]), np.concatenate([*colours, none.astype(np.uint8)]), MARK * size


def write_coloured_ply(report: CheckReport, file: Path) -> Path:
    """Write all surfaces, each triangle with corners of its own, so that colours do not run."""
    points, colours = [], []
    for surface in report.surfaces:
        good = ((surface.triangles >= 0) & (surface.triangles < len(surface.vertices))).all(axis=1)
        corners = surface.vertices[surface.triangles[good]]
        own = triangle_colours(report, surface.name, len(surface.triangles))[good]
        finite = np.isfinite(corners).all(axis=(1, 2))
        points.append(corners[finite].reshape(-1, 3))
        colours.append(np.repeat(own[finite], 3, axis=0))
    places, tints, radius = marks(report)
    points.append((places[:, None, None] + radius * _OCTAHEDRON[_SIDES][None]).reshape(-1, 3))
    colours.append(np.repeat(tints, 24, axis=0))
    rows = np.zeros(sum(map(len, points)), dtype=[("x", "<f4", 3), ("c", "u1", 3)])
    rows["x"], rows["c"] = np.concatenate(points), np.concatenate(colours)
    faces = np.zeros(len(rows) // 3, dtype=[("n", "u1"), ("v", "<i4", 3)])
    faces["n"], faces["v"] = 3, np.arange(len(faces) * 3).reshape(-1, 3)
    header = [
        "ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}",
        *(f"property float {axis}" for axis in "xyz"), *(f"property uchar {c}" for c in ("red", "green", "blue")),
        f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header",
    ]  # fmt: skip
    file.write_bytes(("\n".join(header) + "\n").encode() + rows.tobytes() + faces.tobytes())
    return file
