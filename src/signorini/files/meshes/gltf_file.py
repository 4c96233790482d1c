"""Surfaces of glTF 2.0 files (gltf, glb): all meshes of the scene, placed as its nodes place them. glTF is y up, in metres."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.errors import InputError
from signorini.files.meshes.raw_surface import RawSurface
from signorini.geometry.faces import Faces
from signorini.geometry.triangles import merged_corners

_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}
"""NumPy's name of each type of number of the format."""
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
"""Modes of primitives."""


class GltfFile:
    """The JSON part of a file and its binary data."""

    def __init__(self, file: Path) -> None:
        self.file = file
        data = file.read_bytes()
        self._chunk = b""
        if data[:4] == b"glTF":
            data, self._chunk = _chunks(data)
        self.json: dict[str, Any] = json.loads(data)

    def array(self, number: int) -> NDArray[Any]:
        """The numbers (count, width) of an accessor, those of SCALAR (count,)."""
        accessor = self.json["accessors"][number]
        kind, width, count = (
            np.dtype("<" + _COMPONENTS[accessor["componentType"]]),
            _WIDTHS[accessor["type"]],
            accessor["count"],
        )
        if "sparse" in accessor:
            raise InputError("sparse accessors are not supported: export without compression")
        if "bufferView" not in accessor:
            return np.zeros((count, width), kind)
        view = self.json["bufferViews"][accessor["bufferView"]]
        data = self._buffer(view["buffer"])
        stride = view.get("byteStride", width * kind.itemsize)
        first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        if count and first + stride * (count - 1) + width * kind.itemsize > len(data):
            raise InputError("an accessor reaches beyond its buffer: is the file cut off?")
        values = np.ndarray((count, width), kind, data, first, (stride, kind.itemsize)).copy()
        if accessor.get("normalized") and kind.kind in "iu":
            values = np.maximum(values.astype(np.float64) / np.iinfo(kind).max, -1.0)
        return values[:, 0] if accessor["type"] == "SCALAR" else values

    def placed_meshes(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """The number of each mesh of the scene with the matrix (4, 4) that places it."""
        nodes = self.json.get("nodes", [])
        scenes = self.json.get("scenes", [])
        roots = scenes[self.json.get("scene", 0)].get("nodes", []) if scenes else range(len(nodes))
        waiting = [(int(root), np.eye(4)) for root in reversed(list(roots))]
        for _ in range(len(nodes)):
            if not waiting:
                break
            number, outer = waiting.pop()
            node = nodes[number]
            place = outer @ _local(node)
            if "mesh" in node:
                yield int(node["mesh"]), place
            waiting += [(int(child), place) for child in reversed(node.get("children", []))]

    def _buffer(self, number: int) -> bytes:
        uri = self.json["buffers"][number].get("uri")
        if uri is None:
            return self._chunk
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2])
        return (self.file.parent / unquote(uri)).read_bytes()


def read_gltf(file: Path) -> RawSurface:
    """The triangles of all meshes, with their texture coordinates; vertices that a seam repeats are made one, mesh by mesh."""
    try:
        return _read(GltfFile(file))
    except InputError as error:
        raise InputError(f"mesh file {str(file)!r}: {error}") from None
    except Exception as error:  # a damaged file can make any of the steps above fail
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"mesh file {str(file)!r} cannot be read as glTF ({type(error).__name__}: {reason})") from None


def _read(gltf: GltfFile) -> RawSurface:
    needed = set(gltf.json.get("extensionsRequired", [])) & {"KHR_draco_mesh_compression", "EXT_meshopt_compression"}
    if needed:
        raise InputError(f"it is compressed ({', '.join(sorted(needed))}): export it without compression")
    points: list[NDArray[np.float64]] = []
    triangles: list[NDArray[np.int32]] = []
    uv: list[NDArray[np.float64]] = []
    uv_corners: list[NDArray[np.int32]] = []
    first = uv_first = 0
    for number, place in gltf.placed_meshes():
        own, corners, own_uv, rows = _read_mesh(gltf, number)
        if np.linalg.det(place[:3, :3]) < 0.0:  # a mirror: glTF turns the triangles round
            corners, rows = corners[:, ::-1], rows[:, ::-1]
        merged, joined = merged_corners(own, corners)
        points.append(merged @ place[:3, :3].T + place[:3, 3])
        triangles.append(joined + np.int32(first))
        uv.append(own_uv)
        uv_corners.append(np.where(rows >= 0, rows + uv_first, -1).astype(np.int32))
        first, uv_first = first + len(merged), uv_first + len(own_uv)
    if not triangles or not sum(len(part) for part in triangles):
        raise InputError("it has no triangles")
    corners, rows = np.concatenate(triangles), np.concatenate(uv_corners).ravel()
    faces = None
    if (rows >= 0).any():
        faces = Faces(np.full(len(corners), 3, np.int32), corners.ravel(), np.concatenate(uv), rows)
    return RawSurface(np.concatenate(points), corners, faces, up="y")


def _read_mesh(
    gltf: GltfFile, number: int
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """Points (n, 3), triangles (t, 3), texture coordinates (k, 2) with v upward, and their rows (t, 3) or -1."""
    points, triangles, uv, rows = (
        [np.zeros((0, 3))],
        [np.zeros((0, 3), np.int32)],
        [np.zeros((0, 2))],
        [np.zeros((0, 3), np.int32)],
    )
    for primitive in gltf.json["meshes"][number]["primitives"]:
        own = gltf.array(primitive["attributes"]["POSITION"]).astype(np.float64)
        order = gltf.array(primitive["indices"]) if "indices" in primitive else np.arange(len(own))
        corners = _corners(order.astype(np.int64), primitive.get("mode", _TRIANGLES))
        if corners.size and (corners.max() >= len(own)):
            raise InputError(f"a triangle names vertex {corners.max()}, but there are {len(own)}")
        first, uv_first = sum(map(len, points)), sum(map(len, uv))
        texture = primitive["attributes"].get("TEXCOORD_0")
        rows.append((corners + uv_first if texture is not None else np.full_like(corners, -1)).astype(np.int32))
        if texture is not None:
            uv.append(gltf.array(texture).astype(np.float64) * [1.0, -1.0] + [0.0, 1.0])
        points.append(own)
        triangles.append((corners + first).astype(np.int32))
    return np.concatenate(points), np.concatenate(triangles), np.concatenate(uv), np.concatenate(rows)


def _corners(order: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """Triangles (t, 3) of a primitive; points and lines have none."""
    if mode == _TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    k = np.arange(max(0, len(order) - 2))
    if mode == _STRIP:
        return order[np.column_stack([k, k + 1 + k % 2, k + 2 - k % 2])]
    if mode == _FAN:
        return order[np.column_stack([k + 1, k + 2, np.zeros_like(k)])]
    return np.zeros((0, 3), np.int64)


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """The JSON and the binary chunk of a GLB file."""
    found = {b"JSON": b"", b"BIN\0": b""}
    at = 12
    while at + 8 <= len(data):
        (length,), kind = struct.unpack_from("<I", data, at), data[at + 4 : at + 8]
        if at + 8 + length > len(data):
            raise InputError("the file is cut off")
        found[kind] = data[at + 8 : at + 8 + length]
        at += 8 + length
    return found[b"JSON"], found[b"BIN\0"]


def _local(node: dict[str, Any]) -> NDArray[np.float64]:
    """The matrix (4, 4) of a node in that of its parent."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    place = np.eye(4)
    place[:3, :3] = Rotation.from_quat(node.get("rotation", [0.0, 0.0, 0.0, 1.0])).as_matrix() * np.array(
        node.get("scale", [1.0, 1.0, 1.0])
    )
    place[:3, 3] = node.get("translation", [0.0, 0.0, 0.0])
    return place
