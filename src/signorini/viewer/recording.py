"""Recordings for the viewer: bodies, frames and steps of a run on disk, also of one that is still being written."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_path
from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import read_arrays
from signorini.files.runs.step_table import COLUMNS, TEXTS, read_steps
from signorini.files.runs.trajectory import Trajectory, TrajectoryBody, TrajectoryPlane
from signorini.files.runs.trajectory_fields import stored_vertex_fields
from signorini.geometry.triangles import vertex_means
from signorini.render.bodies import body_colors, look_of
from signorini.render.drawn_surfaces import split_creases
from signorini.render.ground import rgb
from signorini.simulation.frame_readout import FIELDS, FrameReadout
from signorini.simulation.strain import triangle_strain
from signorini.viewer.packing import packed

Arrays = dict[str, NDArray[Any]]


class Recording(ABC):
    """Frames and steps, of which there may become more while they are looked at."""

    title: str
    bodies: Mapping[str, TrajectoryBody]
    planes: Sequence[TrajectoryPlane]

    @abstractmethod
    def refresh(self) -> bool:
        """Look for new frames and steps; whether more may come."""

    @property
    @abstractmethod
    def times(self) -> NDArray[np.float64]:
        """(frames,) [s]"""

    @abstractmethod
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """The steps, as rows of steps.csv."""

    @abstractmethod
    def positions(self, body: str, frame: int) -> NDArray[np.float64]:
        """(n, 3) [m]"""

    @abstractmethod
    def readout(self, frame: int) -> FrameReadout | None:
        """Contacts and fields of a frame, if there are any."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The run in numbers, as far as they are known."""

    def scene(self) -> bytes:
        """Constant data: names, colours and triangles of the bodies, and the half-spaces."""
        entries, arrays = [], {}
        colors = body_colors(self.bodies)
        for k, (name, body) in enumerate(self.bodies.items()):
            front, back = (rgb(color).tolist() for color in colors[name])
            entries.append(
                {"name": name, "kind": body.kind, "front": front, "back": back, "vertices": body.vertex_count}
            )
            crease = look_of(body).crease
            triangles, source = split_creases(self.positions(name, 0), body.triangles, crease)
            arrays |= {f"triangles/{k}": triangles, f"source/{k}": source.astype(np.int32), f"edges/{k}": body.edges}
        planes = [{"name": p.name, "normal": list(p.normal), "height": p.height} for p in self.planes]
        meta = {"title": self.title, "bodies": entries, "planes": planes, "fields": FIELDS, "facts": self.facts()}
        return packed(meta, arrays)

    def news(self, *, frames: int = 0, steps: int = 0, only: Sequence[int] | None = None) -> bytes:
        """The times of frames and the rows of steps beyond these numbers, and whether more may come.

        With `only`, the times of these frames, of which no more will come.
        """
        more = self.refresh() and only is None
        rows = self.rows()[max(steps, 0) :]
        arrays: Arrays = {"times": self.times[max(frames, 0) :] if only is None else self.times[list(only)]}
        for name in COLUMNS:
            if name not in TEXTS:
                arrays[name] = np.array([float(row[name]) for row in rows])
        texts = {name: [row[name] for row in rows] for name in TEXTS}
        return packed({"more": more, "texts": texts}, arrays)

    def frame(self, number: int, *, small: bool = False) -> bytes:
        """Positions, fields and contacts of a frame; `small` rounds positions to 1/65535 of the extent of their body."""
        if not 0 <= number < len(self.times):
            raise InputError(f"frame {number} does not exist: there are {len(self.times)}")
        boxes, arrays = [], {}
        found = self.readout(number)
        for k, name in enumerate(self.bodies):
            points = self.positions(name, number)
            low, extent = points.min(axis=0), float(np.ptp(points, axis=0).max())
            boxes.append([*low.tolist(), extent] if small else None)
            arrays[f"positions/{k}"] = points.astype(np.float32)
            if small:
                arrays[f"positions/{k}"] = np.round((points - low) * (65535.0 / max(extent, 1e-300))).astype(np.uint16)
            fields = {} if found is None else found.fields
            arrays |= {f"{field}/{k}": by_body[name] for field, by_body in fields.items() if name in by_body}
        meta: dict[str, Any] = {"boxes": boxes, "contacts": found is not None and bool(found.names)}
        if found is not None and found.names:
            meta["names"] = list(found.names)
            arrays |= {"points": found.points.astype(np.float32), "forces": found.forces.astype(np.float32)}
            arrays |= {"sticks": found.sticks.astype(np.uint8), "pairs": found.bodies.astype(np.uint16)}
        return packed(meta, arrays)


class RunRecording(Recording):
    """The recording of an output directory."""

    def __init__(self, out: str | Path):
        self._out = check_path("output directory", out)
        self._trajectory = Trajectory.open(self._out)
        self._trajectory.frame_index(0)
        self._size, self._rows = -1, []
        self._rest = {name: _rest_shape(self._out, body) for name, body in self._trajectory.bodies.items()}
        self.bodies, self.planes = self._trajectory.bodies, self._trajectory.half_spaces
        self.title = str(self.facts().get("scene", self._out.resolve().name))
        self.refresh()

    def refresh(self) -> bool:
        """Open what was written since the last time."""
        table = self._out / "steps.csv"
        size = table.stat().st_size if table.is_file() else 0
        if size != self._size:
            self._size = size
            self._rows = read_steps(table) if size else []
            self._trajectory = Trajectory.open(self._out)
        return self.facts().get("status") == "running"

    @property
    def times(self) -> NDArray[np.float64]:
        """Of the frames that are complete."""
        return self._trajectory.times

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows of steps.csv."""
        return self._rows

    def positions(self, body: str, frame: int) -> NDArray[np.float64]:
        """Those of the trajectory."""
        return self._trajectory.positions(body, frame)

    def readout(self, frame: int) -> FrameReadout | None:
        """Stored readout; without one only the strain of cloth, which follows from its shape at rest."""
        if self._trajectory.has_contacts:
            return self._trajectory.contacts(frame)
        none, no_pairs = np.zeros((0, 3)), np.zeros((0, 2), np.int32)
        if self._trajectory.has_fields:
            fields = stored_vertex_fields(self._trajectory, frame)
            return FrameReadout((), no_pairs, none, none, none, np.zeros(0, np.bool_), fields)
        strain = {}
        for name, rest in self._rest.items():
            if rest is not None:
                body = self._trajectory.bodies[name]
                values = triangle_strain(rest, self.positions(name, frame), body.triangles)
                strain[name] = vertex_means(values, body.triangles, body.vertex_count).astype(np.float32)
        return FrameReadout((), no_pairs, none, none, none, np.zeros(0, np.bool_), {"strain": strain})

    def facts(self) -> dict[str, Any]:
        """The contents of summary.json; none while the run has not written it."""
        try:
            found = json.loads((self._out / "summary.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def _rest_shape(out: Path, body: TrajectoryBody) -> NDArray[np.float64] | None:
    """(n, 3) the shape at rest of a cloth [m], from the meshes of the run; None for what has none."""
    if body.kind != "cloth":
        return None
    try:
        vertices = read_arrays(out / "meshes" / f"{quote(body.name, safe=' ')}.npz")["vertices"]
    except (InputError, KeyError):
        return None
    return vertices if vertices.shape == (body.vertex_count, 3) else None
