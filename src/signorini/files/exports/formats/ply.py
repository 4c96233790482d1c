"""PLY: one binary file a frame, with the bodies one after the other in one mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection
from signorini.geometry.faces import Faces

LARGEST_POLYGON = 255
"""Corners that the count of one byte before a polygon allows; bodies with larger ones are written as triangles."""


@exporter("ply")
def write_ply(selection: FrameSelection, file: Path) -> list[Path]:
    """Write a sequence of PLY files in double precision; comments in the header say which vertices are whose.

    Polygons are those of the source file. Texture coordinates are written if every body has exactly one at each vertex.
    """
    comments, polygons, edges, texture, first, count = [], [], [], [], 0, 0
    for name, body in selection.bodies.items():
        comments.append(f"comment {' '.join(name.split())}: vertices {first} to {first + body.vertex_count - 1}")
        faces = selection.faces(name)
        if len(faces.counts) and faces.counts.max() > LARGEST_POLYGON:
            faces = Faces.of_triangles(body.triangles)
        polygons.append(_face_bytes(faces, first))
        edges.append(body.edges + first)
        texture.append(_vertex_uv(faces, body.vertex_count))
        first, count = first + body.vertex_count, count + len(faces.counts)
    uv = None if any(part is None for part in texture) else np.concatenate([p for p in texture if p is not None])
    lone = np.concatenate(edges).astype("<i4")
    header = [
        "ply",
        "format binary_little_endian 1.0",
        *comments,
        f"element vertex {first}",
        *(f"property double {axis}" for axis in ("x", "y", "z", *(() if uv is None else ("s", "t")))),
        f"element face {count}",
        "property list uchar int vertex_indices",
        *([f"element edge {len(lone)}", "property int vertex1", "property int vertex2"] if len(lone) else []),
        "end_header",
    ]
    head = ("\n".join(header) + "\n").encode("ascii", errors="backslashreplace")
    tail = b"".join(polygons) + lone.tobytes()
    paths = selection.numbered(file)
    for path, frame in zip(paths, selection.frames, strict=True):
        points = np.concatenate([selection.positions(name, frame) for name in selection.bodies])
        rows = points if uv is None else np.column_stack([points, uv])
        path.write_bytes(head + rows.astype("<f8").tobytes() + tail)
    return paths


def _face_bytes(faces: Faces, first: int) -> bytes:
    """A count of one byte before the corners of each polygon."""
    sizes = 1 + 4 * faces.counts.astype(np.int64)
    data = np.zeros(int(sizes.sum()), dtype=np.uint8)
    starts = np.cumsum(sizes) - sizes
    data[starts] = faces.counts
    within = np.arange(len(faces.corners)) - np.repeat(faces.starts, faces.counts)
    places = np.repeat(starts, faces.counts) + 1 + 4 * within
    data[places[:, None] + np.arange(4)] = (faces.corners + first).astype("<i4").view(np.uint8).reshape(-1, 4)
    return data.tobytes()


def _vertex_uv(faces: Faces, count: int) -> np.ndarray | None:
    """(n, 2) texture coordinates of the vertices, or None if a vertex has none or several."""
    if not faces.has_uv:
        return None
    row = np.full(count, -1)
    row[faces.corners] = faces.uv_corners
    values = faces.uv[row]
    same = (row >= 0).all() and np.array_equal(values[faces.corners], faces.uv[faces.uv_corners])
    return values if same else None
