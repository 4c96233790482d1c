"""NumPy's npz: all positions of all frames in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from signorini.files.exports.fields import stored_fields
from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection


@exporter("npz")
def write_npz(selection: FrameSelection, file: Path) -> list[Path]:
    """Write `times` (k,) [s], and `NAME/positions` (k, n, 3) [m] and `NAME/triangles` (t, 3) for each body.

    A body with edges that belong to no triangle has `NAME/edges` (k, 2) too; one whose file has polygons or texture
    coordinates has `NAME/face_counts` (f,), `NAME/face_corners` (c,), `NAME/uv` (u, 2) and `NAME/uv_corners` (c,).
    Fields of vertices that the run stored are `NAME/FIELD` (k, n) or (k, n, 3).
    """
    arrays: dict[str, Any] = {"times": selection.times}
    for name, body in selection.bodies.items():
        arrays[f"{name}/positions"] = np.stack([selection.positions(name, frame) for frame in selection.frames])
        arrays[f"{name}/triangles"] = body.triangles
        if len(body.edges):
            arrays[f"{name}/edges"] = body.edges
        if body.faces is not None:
            arrays |= {f"{name}/{key}": values for key, values in body.faces.to_arrays().items()}
        stored = [stored_fields(selection, name, k) for k in range(len(selection.frames))]
        for field in selection.trajectory.field_names(name).get("vertices", []):
            arrays[f"{name}/{field}"] = np.stack([fields[field] for fields in stored])
    with file.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
    return [file]
