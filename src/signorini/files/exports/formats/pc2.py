"""PC2 point caches (Blender, 3ds Max): the vertices of a body at every frame, in the order of its mesh."""

from __future__ import annotations

import struct
from pathlib import Path

from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection

_HEADER = struct.Struct("<12siiffi")
"""Signature, version, number of points, first frame, frames per sample, number of samples."""
FIRST_FRAME = 1.0
"""Number of the first frame: where animations begin in Blender, Houdini and Maya."""


@exporter("pc2")
def write_pc2(selection: FrameSelection, file: Path) -> list[Path]:
    """Write one cache for each body, in single precision."""
    paths = selection.per_body(file)
    for name, path in paths.items():
        count = selection.bodies[name].vertex_count
        with path.open("wb") as stream:
            stream.write(_HEADER.pack(b"POINTCACHE2\0", 1, count, FIRST_FRAME, 1.0, len(selection.frames)))
            for frame in selection.frames:
                stream.write(selection.positions(name, frame).astype("<f4").tobytes())
    return list(paths.values())
