"""Wavefront OBJ: one text file a frame, each body an object of its own."""

from __future__ import annotations

from pathlib import Path

from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection


@exporter("obj")
def write_obj(selection: FrameSelection, file: Path) -> list[Path]:
    """Write a sequence of OBJ files; coordinates [m] have all digits, so that they read back exactly."""
    paths = selection.numbered(file)
    for path, frame in zip(paths, selection.frames, strict=True):
        lines, first = [], 1  # OBJ counts vertices from 1, over all objects
        for name, body in selection.bodies.items():
            points = selection.positions(name, frame).tolist()
            lines.append(f"o {'_'.join(name.split())}")
            lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in points]
            lines += [f"f {a} {b} {c}" for a, b, c in (body.triangles + first).tolist()]
            lines += [f"l {a} {b}" for a, b in (body.edges + first).tolist()]
            first += len(points)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths
