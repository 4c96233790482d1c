"""VTKHDF for ParaView (extra `paraview`): all bodies and frames with their fields in one file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from signorini.errors import MissingExtraError
from signorini.files.exports.fields import FIELD_NAMES, stored_field_names, stored_fields, vertex_fields
from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection

VERSION = (2, 0)
"""Of the format: the first with time steps."""


@exporter("vtkhdf")
def write_vtkhdf(selection: FrameSelection, file: Path) -> list[Path]:
    """Write one surface of all bodies, in double precision: with `displacement`, `velocity` and the number of the `body`,
    and the fields that the run stored.

    The attribute `bodies` of the file lists the names in the order of their numbers. The polygons are stored once.
    """
    with _hdf(file) as root:
        root.attrs["Version"] = VERSION
        root.attrs.create("Type", b"PolyData", dtype="S8")
        root.attrs["bodies"] = list(selection.bodies)
        steps = root.create_group("Steps")
        _write_topology(root, selection)
        points, frames = sum(body.vertex_count for body in selection.bodies.values()), len(selection.frames)
        root["NumberOfPoints"] = np.array([points])
        root.create_dataset("Points", (points * frames, 3), "f8", chunks=(max(1, points), 3))
        widths = dict.fromkeys(FIELD_NAMES, 3) | stored_field_names(selection)
        for name, width in widths.items():
            shape = (points * frames,) if width == 1 else (points * frames, width)
            root.create_dataset(f"PointData/{name}", shape, "f8", chunks=(max(1, points), *shape[1:]))
        numbers = [np.full(body.vertex_count, k, np.int32) for k, body in enumerate(selection.bodies.values())]
        root["PointData/body"] = np.concatenate(numbers)
        for k, frame in enumerate(selection.frames):
            rows = slice(k * points, (k + 1) * points)
            root["Points"][rows] = np.concatenate([selection.positions(name, frame) for name in selection.bodies])
            fields = [
                vertex_fields(selection, name, k) | stored_fields(selection, name, k) for name in selection.bodies
            ]
            for name in widths:
                root[f"PointData/{name}"][rows] = np.concatenate([each[name] for each in fields])
        _write_steps(steps, selection, points, tuple(widths))
    return [file]


def _write_topology(root: Any, selection: FrameSelection) -> None:
    """The cells of all bodies, which are the same at all times."""
    corners, sizes, lines, first = [], [np.zeros(1, np.int64)], [], 0
    for name, body in selection.bodies.items():
        faces = selection.faces(name)
        sizes.append(faces.counts.astype(np.int64))
        corners.append(faces.corners.astype(np.int64) + first)
        lines.append(body.edges.astype(np.int64) + first)
        first += body.vertex_count
    edges = np.concatenate(lines)
    none = (np.zeros(0, np.int64), np.zeros(1, np.int64))
    for kind, (connectivity, offsets) in {
        "Vertices": none,
        "Lines": (edges.ravel(), 2 * np.arange(len(edges) + 1)),
        "Polygons": (np.concatenate(corners), np.cumsum(np.concatenate(sizes))),
        "Strips": none,
    }.items():
        root[f"{kind}/NumberOfCells"] = np.array([len(offsets) - 1])
        root[f"{kind}/NumberOfConnectivityIds"] = np.array([len(connectivity)])
        root[f"{kind}/Connectivity"] = connectivity
        root[f"{kind}/Offsets"] = offsets


def _write_steps(steps: Any, selection: FrameSelection, points: int, fields: tuple[str, ...]) -> None:
    """Offsets of the data of each time: points and fields follow one another, cells are always the first."""
    count = len(selection.frames)
    moving, constant = points * np.arange(count), np.zeros(count, np.int64)
    steps.attrs["NSteps"] = count
    steps["Values"] = selection.times
    steps["PartOffsets"], steps["NumberOfParts"], steps["PointOffsets"] = constant, np.ones(count, np.int64), moving
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        steps[name] = np.zeros((count, 4), np.int64)
    for name in fields:
        steps[f"PointDataOffsets/{name}"] = moving
    steps["PointDataOffsets/body"] = constant


@contextlib.contextmanager
def _hdf(file: Path) -> Iterator[Any]:
    """The group of a new file that VTK reads."""
    try:
        import h5py
    except ImportError:
        raise MissingExtraError(
            'VTKHDF files need the package h5py: install it with pip install "signorini[paraview]", or write a .pvd series'
        ) from None
    with h5py.File(file, "w") as whole:
        yield whole.create_group("VTKHDF", track_order=True)
