"""PLY: one binary file a frame, with the bodies one after the other in one mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection

_FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3)])


@exporter("ply")
def write_ply(selection: FrameSelection, file: Path) -> list[Path]:
    """Write a sequence of PLY files in double precision [m]; comments in the header say which vertices are whose."""
    comments, triangles, first = [], [], 0
    for name, body in selection.bodies.items():
        comments.append(f"comment {' '.join(name.split())}: vertices {first} to {first + body.vertex_count - 1}")
        triangles.append(body.triangles + first)
        first += body.vertex_count
    corners = np.concatenate(triangles)
    faces = np.zeros(len(corners), dtype=_FACE)
    faces["count"], faces["corners"] = 3, corners
    header = [
        "ply",
        "format binary_little_endian 1.0",
        *comments,
        f"element vertex {first}",
        *(f"property double {axis}" for axis in "xyz"),
        f"element face {len(faces)}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    head = ("\n".join(header) + "\n").encode("ascii", errors="backslashreplace")
    paths = selection.numbered(file)
    for path, frame in zip(paths, selection.frames, strict=True):
        points = np.concatenate([selection.positions(name, frame) for name in selection.bodies])
        path.write_bytes(head + points.astype("<f8").tobytes() + faces.tobytes())
    return paths
