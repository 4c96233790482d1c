"""Surfaces of USD files (usd, usda, usdc, usdz; extra `usd`): all meshes of the stage, placed as it places them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, MissingExtraError
from signorini.files.meshes.raw_surface import RawSurface, surface_of_faces
from signorini.geometry.faces import Faces

ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
_UV_NAMES = ("st", "UVMap", "map1", "uv", "st0")
"""Names that programs give to their texture coordinates; the first that a mesh has is read."""


def usd_modules() -> Any:
    """The modules of usd-core that are used here, or a sentence that says how to install it; they have no type stubs."""
    try:
        return SimpleNamespace(**{name: import_module(f"pxr.{name}") for name in ("Sdf", "Tf", "Usd", "UsdGeom", "Vt")})
    except ImportError:
        raise MissingExtraError(
            'USD files need the package usd-core: install it with pip install "signorini[usd]"'
        ) from None


def read_usd(file: Path) -> RawSurface:
    """The polygons of all meshes at the first time of the stage, with its up axis and its unit."""
    pxr = usd_modules()
    Tf, Usd, UsdGeom = pxr.Tf, pxr.Usd, pxr.UsdGeom

    try:
        stage = Usd.Stage.Open(str(file))
    except Tf.ErrorException as error:
        said = " ".join(str(error).split())
        reason = (
            said[:120] if "Error in" not in said else said.rpartition(" : ")[2].strip("' ")[:120] or "it is damaged"
        )
        raise InputError(f"mesh file {str(file)!r} cannot be read as USD ({reason})") from None
    time = Usd.TimeCode(stage.GetStartTimeCode()) if stage.HasAuthoredTimeCodeRange() else Usd.TimeCode.EarliestTime()
    cache = UsdGeom.XformCache(time)
    points: list[NDArray[np.float64]] = []
    parts: list[Faces] = []
    first = uv_first = 0
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
        if not prim.IsA(UsdGeom.Mesh):
            continue
        own, faces = _read_mesh(file, UsdGeom.Mesh(prim), time)
        place = np.array(cache.GetLocalToWorldTransform(prim), dtype=np.float64)  # rows: x' = x M
        points.append(own @ place[:3, :3] + place[3, :3])
        uv_corners = np.where(faces.uv_corners >= 0, faces.uv_corners + uv_first, -1)
        parts.append(Faces(faces.counts, faces.corners + first, faces.uv, uv_corners.astype(np.int32)))
        first, uv_first = first + len(own), uv_first + len(faces.uv)
    if not parts:
        raise InputError(f"mesh file {str(file)!r} has no mesh")
    up: Any = "y" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y else "z"
    metres = float(UsdGeom.GetStageMetersPerUnit(stage))
    return surface_of_faces(np.concatenate(points), _joined(parts), up=up, metres=metres)


def _read_mesh(file: Path, mesh: Any, time: Any) -> tuple[NDArray[np.float64], Faces]:
    """Points (n, 3) and polygons of one mesh."""
    name = str(mesh.GetPath())
    points = np.array(mesh.GetPointsAttr().Get(time) or [], dtype=np.float64).reshape(-1, 3)
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get(time) or [], dtype=np.int32)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(time) or [], dtype=np.int32)
    if counts.sum() != len(corners) or (counts < 3).any() or ((corners < 0) | (corners >= len(points))).any():
        raise InputError(f"mesh file {str(file)!r}: the faces of {name!r} do not fit its {len(points)} points")
    if mesh.GetOrientationAttr().Get(time) == "leftHanded":
        corners = _reversed(counts, corners)
    uv, uv_corners = _read_uv(mesh, time, corners, len(points))
    return points, Faces(counts, corners, uv, uv_corners)


def _reversed(counts: NDArray[np.int32], corners: NDArray[np.int32]) -> NDArray[np.int32]:
    """The corners of each polygon from its last to its first."""
    start = np.repeat(np.cumsum(counts) - counts, counts)
    place = np.arange(len(corners)) - start
    return corners[start + np.repeat(counts, counts) - 1 - place]


def _read_uv(
    mesh: Any, time: Any, corners: NDArray[np.int32], count: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Texture coordinates and their row at each corner; empty if there are none, or not one a corner or vertex."""
    UsdGeom = usd_modules().UsdGeom

    api = UsdGeom.PrimvarsAPI(mesh)
    for name in _UV_NAMES:
        primvar = api.GetPrimvar(name)
        if not primvar or not primvar.HasValue() or mesh.GetOrientationAttr().Get(time) == "leftHanded":
            continue
        uv = np.array(primvar.Get(time) or [], dtype=np.float64).reshape(-1, 2)
        rows = np.array(primvar.GetIndices(time) or range(len(uv)), dtype=np.int32)
        if len(rows) == len(corners) and primvar.GetInterpolation() == UsdGeom.Tokens.faceVarying:
            return uv, rows
        if len(rows) == count and primvar.GetInterpolation() in (UsdGeom.Tokens.vertex, UsdGeom.Tokens.varying):
            return uv, rows[corners]
    return np.zeros((0, 2)), np.zeros(0, np.int32)


def _joined(parts: list[Faces]) -> Faces:
    """Polygons of several meshes, one after the other; those without texture coordinates have -1 if others have some."""
    textured = any(len(part.uv_corners) for part in parts)
    rows = [part.uv_corners if len(part.uv_corners) else np.full(len(part.corners), -1, np.int32) for part in parts]
    return Faces(
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.corners for part in parts]),
        np.concatenate([part.uv for part in parts]),
        np.concatenate(rows).astype(np.int32) if textured else np.zeros(0, np.int32),
    )
