"""Wavefront OBJ: one text file a frame, each body an object of its own."""

from __future__ import annotations

from pathlib import Path

from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection
from signorini.geometry.faces import Faces


@exporter("obj")
def write_obj(selection: FrameSelection, file: Path) -> list[Path]:
    """Write a sequence of OBJ files with the polygons, texture coordinates and vertex order of the source file.

    Coordinates have all digits, so that they read back exactly.
    """
    first = first_uv = 1  # OBJ counts from 1, over all objects
    constant: dict[str, tuple[list[str], list[str]]] = {}
    for name, body in selection.bodies.items():
        faces = selection.faces(name)
        lines = face_lines(faces, first, first_uv) + [f"l {a} {b}" for a, b in (body.edges + first).tolist()]
        constant[name] = [f"vt {u!r} {v!r}" for u, v in faces.uv.tolist()], lines
        first, first_uv = first + body.vertex_count, first_uv + len(faces.uv)
    paths = selection.numbered(file)
    for path, frame in zip(paths, selection.frames, strict=True):
        lines = []
        for name, (uv, faces) in constant.items():
            points = selection.positions(name, frame).tolist()
            lines += [f"o {'_'.join(name.split())}", *(f"v {x!r} {y!r} {z!r}" for x, y, z in points), *uv, *faces]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def face_lines(faces: Faces, first: int, first_uv: int) -> list[str]:
    """The lines of the polygons, whose vertices and texture coordinates begin at these numbers."""
    words = [str(vertex) for vertex in (faces.corners + first).tolist()]
    if len(faces.uv_corners):
        rows = (faces.uv_corners + first_uv).tolist()
        words = [f"{word}/{row}" if row >= first_uv else word for word, row in zip(words, rows, strict=True)]
    ends = (faces.starts + faces.counts).tolist()
    return ["f " + " ".join(words[start:end]) for start, end in zip(faces.starts.tolist(), ends, strict=True)]
