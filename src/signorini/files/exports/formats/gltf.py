"""glTF 2.0 (glb, gltf): rigid motions as animated nodes, all others as one morph target a frame; y up, metres."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection
from signorini.geometry.triangles import area_vectors
from signorini.linalg.nearest_rotation import nearest_rotation

Floats = NDArray[np.float64]
_ARRAY_BUFFER, _INDEX_BUFFER, _LINES, _TRIANGLES = 34962, 34963, 1, 4
RIGID = 1e-6
"""Deviation from a rigid motion over the size of a body below which its motion is written as one: single precision has 1e-7."""


@exporter("glb", "gltf")
def write_gltf(selection: FrameSelection, file: Path) -> list[Path]:
    """Write one file with all bodies and one animation; `glb` is binary, `gltf` is text with everything in it.

    glTF has triangles only, and one texture coordinate a vertex: vertices along seams are repeated.
    """
    selection = selection.usually_up("y")
    document = _Document()
    times = document.add(np.asarray(selection.times - selection.times[0], dtype=np.float32), bounds=True)
    for name in selection.bodies:
        _add_body(document, selection, name, times)
    data, body = document.finished(), bytes(document.data)
    if file.suffix.lower() == ".gltf":
        uri = "data:application/octet-stream;base64," + base64.b64encode(body).decode()
        data["buffers"][0]["uri"] = uri
        file.write_text(json.dumps(data, indent=1), encoding="utf-8")
        return [file]
    text = json.dumps(data, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(body))
    file.write_bytes(
        head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(body), b"BIN\0") + body
    )
    return [file]


@dataclass(slots=True)
class _Document:
    """The parts of a glTF file while it is being made."""

    data: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)
    meshes: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    samplers: list[dict[str, Any]] = field(default_factory=list)
    channels: list[dict[str, Any]] = field(default_factory=list)

    def add(self, values: NDArray[Any], *, bounds: bool = False, target: int | None = None) -> int:
        """Append numbers (count,) or (count, width) and return the number of their accessor."""
        width = 1 if values.ndim == 1 else values.shape[1]
        kind = 5126 if values.dtype == np.float32 else 5125
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes}
        self.views.append(view if target is None else {**view, "target": target})
        accessor: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": kind,
            "count": len(values),
            "type": {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}[width],
        }
        if bounds:
            columns = values.reshape(len(values), width)
            accessor |= {"min": columns.min(axis=0).tolist(), "max": columns.max(axis=0).tolist()}
        self.accessors.append(accessor)
        self.data += np.ascontiguousarray(values).tobytes()
        return len(self.accessors) - 1

    def animate(self, node: int, path: str, times: int, values: NDArray[np.float32]) -> None:
        """Let a property of a node follow values at the times of an accessor, linearly in between."""
        self.samplers.append({"input": times, "output": self.add(values), "interpolation": "LINEAR"})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def finished(self) -> dict[str, Any]:
        """The JSON part."""
        whole: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Signorini"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(self.nodes)))}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": [
                {"doubleSided": True, "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.8}}
            ],
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.data)}],
        }
        if self.channels:
            whole["animations"] = [{"name": "simulation", "samplers": self.samplers, "channels": self.channels}]
        return whole


def _add_body(document: _Document, selection: FrameSelection, name: str, times: int) -> None:
    body = selection.bodies[name]
    frames = [selection.positions(name, frame) for frame in selection.frames]
    motion = None if len(frames) == 1 else _rigid_motion(frames)
    vertex, triangles, uv = _split_at_seams(selection, name)
    attributes = {"POSITION": document.add(frames[0][vertex].astype(np.float32), bounds=True, target=_ARRAY_BUFFER)}
    primitive: dict[str, Any] = {"attributes": attributes, "material": 0}
    if len(triangles):
        primitive |= {"mode": _TRIANGLES, "indices": _add_indices(document, triangles)}
        attributes["NORMAL"] = document.add(_normals(frames[0], body.triangles)[vertex], target=_ARRAY_BUFFER)
    else:
        primitive |= {"mode": _LINES, "indices": _add_indices(document, body.edges)}
    if uv is not None:
        attributes["TEXCOORD_0"] = document.add(uv, target=_ARRAY_BUFFER)
    mesh: dict[str, Any] = {"name": name, "primitives": [primitive]}
    node = {"name": name, "mesh": len(document.meshes)}
    document.meshes.append(mesh)
    document.nodes.append(node)
    if motion is not None:
        rotations, translations = motion
        if not (np.ptp(rotations, axis=0).any() or np.ptp(translations, axis=0).any()):
            return
        document.animate(len(document.nodes) - 1, "rotation", times, rotations.astype(np.float32))
        document.animate(len(document.nodes) - 1, "translation", times, translations.astype(np.float32))
    elif len(frames) > 1:
        primitive["targets"] = [
            _morph_target(document, frames[0], moved, body.triangles, vertex) for moved in frames[1:]
        ]
        mesh["weights"] = [0.0] * (len(frames) - 1)
        weights = np.eye(len(frames), len(frames) - 1, k=-1, dtype=np.float32).ravel()
        document.animate(len(document.nodes) - 1, "weights", times, weights)


def _add_indices(document: _Document, corners: NDArray[np.integer]) -> int:
    return document.add(corners.astype(np.uint32).ravel(), target=_INDEX_BUFFER)


def _morph_target(
    document: _Document, start: Floats, moved: Floats, triangles: NDArray[np.int32], vertex: NDArray[np.int32]
) -> dict[str, int]:
    """Morph target of a frame: differences of positions and normals from the first frame."""
    target = {"POSITION": document.add((moved - start)[vertex].astype(np.float32), bounds=True)}
    if len(triangles):
        target["NORMAL"] = document.add((_normals(moved, triangles) - _normals(start, triangles))[vertex])
    return target


def _split_at_seams(
    selection: FrameSelection, name: str
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32] | None]:
    """The vertex that each written one copies, the triangles of these, and their texture coordinates with v downward."""
    body, faces = selection.bodies[name], selection.faces(name)
    if not faces.has_uv:
        return np.arange(body.vertex_count, dtype=np.int32), body.triangles, None
    # Unsplit vertices stay in their order: the first texture coordinate of a vertex keeps its number.
    pairs = np.column_stack([faces.corners, faces.uv_corners])
    kinds, first, inverse = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    is_extra = np.ones(len(kinds), dtype=bool)
    leading = np.full(body.vertex_count, -1)
    for kind in np.argsort(first, kind="stable").tolist():
        vertex = kinds[kind, 0]
        if leading[vertex] < 0:
            leading[vertex], is_extra[kind] = kind, False
    number = np.where(is_extra, body.vertex_count + np.cumsum(is_extra) - 1, kinds[:, 0])
    vertex = np.concatenate([np.arange(body.vertex_count), kinds[is_extra, 0]]).astype(np.int32)
    rows = np.concatenate([np.where(leading >= 0, kinds[leading, 1], 0), kinds[is_extra, 1]])
    uv = faces.uv[rows] * [1.0, -1.0] + [0.0, 1.0]
    triangles = number[inverse.ravel()][faces.triangle_corners(body.triangles)].astype(np.int32)
    return vertex, triangles, uv.astype(np.float32)


def _normals(x: Floats, triangles: NDArray[np.int32]) -> NDArray[np.float32]:
    """(n, 3) unit normals of the vertices: means over their triangles, weighted by area."""
    vectors = area_vectors(x, triangles)
    total = np.column_stack(
        [np.bincount(triangles.ravel(), weights=np.repeat(vectors[:, k], 3), minlength=len(x)) for k in range(3)]
    )
    length = np.linalg.norm(total, axis=1)
    total[length == 0.0] = (0.0, 1.0, 0.0)
    return (total / np.where(length == 0.0, 1.0, length)[:, None]).astype(np.float32)


def _rigid_motion(frames: list[Floats]) -> tuple[Floats, Floats] | None:
    """Quaternions (k, 4) and translations (k, 3) from the first frame, or None if the body deforms."""
    start = frames[0]
    centre = start.mean(axis=0)
    arms, size = start - centre, max(float(np.ptp(start, axis=0).max()), 1e-300)
    quaternions, translations = [], []
    for moved in frames:
        middle = moved.mean(axis=0)
        turn = nearest_rotation((moved - middle).T @ arms)
        if np.abs(arms @ turn.T + middle - moved).max() > RIGID * size:
            return None
        quaternion = Rotation.from_matrix(turn).as_quat()
        if quaternions and quaternion @ quaternions[-1] < 0.0:
            quaternion = -quaternion
        quaternions.append(quaternion)
        translations.append(middle - turn @ centre)
    return np.array(quaternions), np.array(translations)
