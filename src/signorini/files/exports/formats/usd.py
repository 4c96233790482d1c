"""USD with time samples (extra `usd`): one stage with a mesh for each body, for Blender, Houdini, Maya, Omniverse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from signorini.errors import InputError
from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection
from signorini.files.meshes.usd_file import usd_modules

FIRST_FRAME = 1
"""Time code of the first frame: where animations begin in Blender, Houdini and Maya. Frame k of the run is at a whole time code,
so that what a program shows at a whole frame is a state that was computed, and not a mean of two."""


@exporter("usd", "usda", "usdc")
def write_usd(selection: FrameSelection, file: Path) -> list[Path]:
    """Write the bodies as meshes (rods as curves) whose points have one sample a frame; bodies at rest have one in all.

    The stage says its up axis, metres per unit and frames per second. Polygons and texture coordinates (`primvars:st`) are those
    of the source file.
    """
    pxr = usd_modules()
    Tf, Usd, UsdGeom = pxr.Tf, pxr.Usd, pxr.UsdGeom

    up = selection.up or "z"
    if up == "x":
        raise InputError("USD knows only y and z as up axis, got up 'x': leave it out")
    stage: Any = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y if up == "y" else UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0 / selection.scale)
    stage.SetTimeCodesPerSecond(selection.fps)
    stage.SetFramesPerSecond(selection.fps)
    stage.SetStartTimeCode(FIRST_FRAME)
    stage.SetEndTimeCode(FIRST_FRAME + len(selection.frames) - 1)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
    for name, path in prim_paths(selection).items():
        _add_body(stage, selection, name, path)
    try:
        stage.GetRootLayer().Export(str(file))
    except Tf.ErrorException as error:
        raise InputError(f"{str(file)!r} cannot be written as USD ({' '.join(str(error).split())[:120]})") from None
    return [file]


def prim_paths(selection: FrameSelection) -> dict[str, str]:
    """The path of each body in the stage: its name, with what USD does not allow in names replaced."""
    paths: dict[str, str] = {}
    for name in selection.bodies:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = f"_{plain}" if plain[0].isdigit() else plain
        while f"/World/{plain}" in paths.values():
            plain += "_"
        paths[name] = f"/World/{plain}"
    return paths


def _add_body(stage: Any, selection: FrameSelection, name: str, path: str) -> None:
    pxr = usd_modules()
    Usd, Vt = pxr.Usd, pxr.Vt

    body = selection.bodies[name]
    shape = _add_mesh(stage, selection, name, path) if len(body.triangles) else _add_curves(stage, body.edges, path)
    shape.GetPrim().SetDisplayName(name)
    shape.GetPrim().SetCustomDataByKey("signorini:kind", body.kind)
    frames = selection.frames[:1] if selection.is_at_rest(name) else selection.frames
    order = slice(None) if len(body.triangles) else body.edges.ravel()
    for k, frame in enumerate(frames):
        time = Usd.TimeCode(FIRST_FRAME + k) if len(frames) > 1 else Usd.TimeCode.Default()
        points = selection.positions(name, frame)[order].astype(np.float32)
        shape.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(points)), time)
        box = np.ascontiguousarray([points.min(axis=0), points.max(axis=0)], dtype=np.float32)
        shape.GetExtentAttr().Set(Vt.Vec3fArray.FromNumpy(box), time)


def _add_mesh(stage: Any, selection: FrameSelection, name: str, path: str) -> Any:
    pxr = usd_modules()
    Sdf, UsdGeom, Vt = pxr.Sdf, pxr.UsdGeom, pxr.Vt

    faces = selection.faces(name)
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.GetFaceVertexCountsAttr().Set(Vt.IntArray.FromNumpy(faces.counts))
    mesh.GetFaceVertexIndicesAttr().Set(Vt.IntArray.FromNumpy(faces.corners))
    mesh.GetSubdivisionSchemeAttr().Set(
        UsdGeom.Tokens.none
    )  # contact was computed for the polygons, not for a limit surface
    mesh.GetDoubleSidedAttr().Set(True)
    if faces.has_uv:
        primvar = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(
            "st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying
        )
        primvar.Set(Vt.Vec2fArray.FromNumpy(np.ascontiguousarray(faces.uv, dtype=np.float32)))
        primvar.SetIndices(Vt.IntArray.FromNumpy(faces.uv_corners))
    return mesh


def _add_curves(stage: Any, edges: np.ndarray, path: str) -> Any:
    """Edges that belong to no triangle, each a straight curve of two points."""
    pxr = usd_modules()
    UsdGeom, Vt = pxr.UsdGeom, pxr.Vt

    curves = UsdGeom.BasisCurves.Define(stage, path)
    curves.GetTypeAttr().Set(UsdGeom.Tokens.linear)
    curves.GetCurveVertexCountsAttr().Set(Vt.IntArray.FromNumpy(np.full(len(edges), 2, np.int32)))
    return curves
