"""MDD point caches (LightWave, Blender, Houdini, Modo): the vertices of a body at every frame, with the times."""

from __future__ import annotations

import struct
from pathlib import Path

from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection


@exporter("mdd")
def write_mdd(selection: FrameSelection, file: Path) -> list[Path]:
    """Write one cache for each body: two counts, the times [s] and the points, all big-endian and in single precision."""
    paths = selection.per_body(file)
    for name, path in paths.items():
        with path.open("wb") as stream:
            stream.write(struct.pack(">ii", len(selection.frames), selection.bodies[name].vertex_count))
            stream.write(selection.times.astype(">f4").tobytes())
            for frame in selection.frames:
                stream.write(selection.positions(name, frame).astype(">f4").tobytes())
    return list(paths.values())
