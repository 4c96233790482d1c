"""Animated surfaces from mesh files: one file a frame, the same triangles in all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from signorini.checks import check_number, check_path, check_positive
from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import load_mesh
from signorini.files.meshes.units import Unit, conversion
from signorini.files.meshes.up_axis import UpAxis
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.motions import Frames


def load_mesh_sequence(
    files: str | Path | Sequence[str | Path],
    *,
    fps: float,
    start: float = 0.0,
    up: UpAxis | None = None,
    scale: float = 1.0,
    unit: Unit | None = None,
) -> tuple[TriangleMesh, Frames]:
    """The mesh of the first file, and the motion through all of them for `scene.add_kinematic(mesh, motion=motion)`.

    In between frames vertices move on straight lines, and before and after all of them they rest.

    Parameters:
        files: a pattern such as "walk/frame_*.obj", whose numbers count as numbers (frame_9 comes before frame_10); in Python
            also a list of paths in their order.
        fps: frames per second of simulated time: frame k is at `start` + k / `fps`.
        start: time of the first frame [s].
        up: axis that points up in the files, "x", "y" or "z", as in `load_mesh`.
        scale: factor of all coordinates.
        unit: unit of the files: "um", "mm", "cm", "m", "km", "in" or "ft", as in `load_mesh`.
    """
    rate = check_positive("fps of a mesh sequence", fps, unit="1/s")
    if not np.isfinite(check_number("start of a mesh sequence", start)):
        raise InputError(f"start of a mesh sequence must be finite, got {start} s")
    frame: dict[str, Any] = {"up": up, "scale": scale, "unit": unit}
    conversion("a mesh sequence", **frame)  # refuses what is wrong before a file is read
    paths = _paths(files)
    first = load_mesh(paths[0], **frame)
    frames = np.empty((len(paths), len(first.vertices), 3))
    for k, path in enumerate(paths):
        mesh = first if k == 0 else load_mesh(path, **frame)
        _check_same(first, mesh, paths[0], path)
        frames[k] = mesh.vertices
    times = start + np.arange(len(paths)) / rate
    return first, Frames(times=times.tolist(), frames=frames)


def natural_key(name: str) -> list[tuple[int, str]]:
    """A key that sorts names with their numbers as numbers."""
    parts = re.split(r"(\d+)", name)
    return [(int(p), p) if p.isdigit() else (-1, p) for p in parts]


def _paths(files: str | Path | Sequence[str | Path]) -> list[Path]:
    if isinstance(files, str | Path):
        pattern = check_path("files of a mesh sequence", files)
        matches = Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))
        paths = sorted(matches, key=lambda path: natural_key(str(path)))
        if not paths:
            raise InputError(f"no file matches the mesh sequence {str(files)!r}")
        what = f"mesh sequence {str(files)!r}"
    else:
        if not isinstance(files, Sequence) or not all(isinstance(f, str | Path) for f in files):
            raise InputError(f"files of a mesh sequence must be a pattern or a list of paths, got {files!r}")
        paths = [Path(f) for f in files]
        what = "a mesh sequence"
    if len(paths) < 2:
        raise InputError(f"{what} needs at least two files, got {len(paths)}")
    return paths


def _check_same(first: TriangleMesh, mesh: TriangleMesh, first_path: Path, path: Path) -> None:
    for what, mine, theirs in (
        ("vertices", len(mesh.vertices), len(first.vertices)),
        ("triangles", len(mesh.triangles), len(first.triangles)),
    ):
        if mine != theirs:
            raise InputError(
                f"mesh file {str(path)!r} has {mine} {what}, but {str(first_path)!r} has {theirs}: all frames of a sequence "
                "must have the same (a file that is cut off has fewer)"
            )
    if not np.array_equal(mesh.triangles, first.triangles):
        bad = int(np.flatnonzero((mesh.triangles != first.triangles).any(axis=1))[0])
        raise InputError(
            f"mesh file {str(path)!r} has other triangles than {str(first_path)!r}, the first is triangle {bad}: "
            "export all frames with the same vertex order"
        )
