"""Check and repair of meshes and scenes: every fault with its place and its remedy, not only the first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from signorini.checks import check_path
from signorini.diagnosis.crossings import crossing_fault, overlap_fault, thin_fault, usual_contact_distance
from signorini.diagnosis.fault import CheckReport, Fault, Surface, sorted_faults
from signorini.diagnosis.inner_parts import nested_fault
from signorini.diagnosis.mesh_faults import mesh_faults
from signorini.diagnosis.repair import repaired_surface
from signorini.diagnosis.repaired_files import carried_faces, repaired_name, write_mesh, write_scene
from signorini.diagnosis.scene_check import check_scene, check_scene_file
from signorini.diagnosis.size_remarks import unit_remark, up_remark
from signorini.diagnosis.specimen import Specimen
from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import read_arrays, read_surface
from signorini.files.meshes.units import Unit, conversion
from signorini.files.meshes.up_axis import UpAxis
from signorini.files.meshes.volume_meshes import READERS, load_tets
from signorini.files.scenes.scene_file import SceneFile
from signorini.geometry.faces import Faces
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.scene import Scene
from signorini.scene.sizes import BodySize


def check(
    source: str | Path | Scene | SceneFile | TriangleMesh | TetMesh,
    *,
    up: UpAxis | None = None,
    scale: float = 1.0,
    unit: Unit | None = None,
) -> CheckReport:
    """Look for everything that is wrong with a mesh or a scene; print the report, or ask it for `ok` and `faults`.

    `source` is a mesh file, a scene file (.toml), the name of a built-in scene, or the thing itself. `up`, `scale` and `unit` are
    those of `load_mesh`, for mesh files. Meshes of scene files are checked as they are, so that all faults are named and not
    only the first that a loader meets.
    """
    given = up is not None or unit is not None or not isinstance(scale, int | float) or scale != 1.0
    if given and not _is_mesh_file(source):
        raise InputError(
            "up, scale and unit are for mesh files: scenes say them for each mesh, and meshes in Python are in metres"
        )
    match source:
        case Scene():
            return check_scene(SceneFile(scene=source), source.name)
        case SceneFile():
            return check_scene(source, source.scene.name)
        case TriangleMesh():
            return _check_surface(Specimen.of("mesh", source.vertices, source.triangles), "mesh", [])
        case TetMesh():
            return _check_volume(source, "mesh")
        case str() | Path() if str(source).endswith(".toml"):
            return check_scene_file(Path(source))
        case str() if _is_name(source):
            from signorini import gallery

            entry = gallery.find(source)
            return check_scene(
                SceneFile(scene=entry.build(), dt=entry.dt, seconds=entry.seconds, fps=entry.fps), source
            )
        case str() | Path():
            return _check_file(Path(source), up=up, scale=scale, unit=unit)
    raise InputError(f"check takes a file, a scene or a mesh, got {type(source).__name__}")


def repair(
    source: str | Path | TriangleMesh,
    target: str | Path | None = None,
    *,
    up: UpAxis | None = None,
    scale: float = 1.0,
    unit: Unit | None = None,
) -> CheckReport:
    """Do every repair of a mesh that is safe, write the result to a new file, and check that.

    Safe are: merging vertices at the same place, dropping degenerate and duplicate triangles and unused vertices, flipping
    slivers, orienting triangles, filling small holes, and smoothing small self-intersections away. The new file (default:
    `NAME.repaired.obj` beside a NAME.obj) is in the units and axes of the old one; it keeps polygons and texture coordinates if
    only vertices were merged or dropped, and has triangles otherwise. The repaired meshes of a scene file are written beside
    these, and a scene file with their names beside that.
    """
    if isinstance(source, TriangleMesh):
        if target is None:
            raise InputError("repair of a mesh that is no file needs the name of a new file as its second argument")
        return _repair_surface(
            Specimen.of("mesh", source.vertices, source.triangles),
            check_path("target of a repair", target),
            {},
            source.faces,
        )
    if isinstance(source, str) and _is_name(source):
        raise InputError(
            f"{source!r} is no file: write a built-in scene out first, with signorini scenes {source} --write"
        )
    file = check_path("source of a repair", source)
    new = repaired_name(file) if target is None else check_path("target of a repair", target)
    if file.suffix.lower() == ".toml":
        return _repair_scene(file, new)
    options: dict[str, Any] = {"up": up, "scale": scale, "unit": unit}
    conversion("a mesh", **options)
    if _is_volume(file):
        raise InputError(f"{str(file)!r} is a volume mesh: only surfaces are repaired, mesh the volume again")
    raw = read_surface(file)
    specimen = _specimen(file.stem, raw.vertices, raw.triangles)
    return _repair_surface(specimen, new, options, raw.faces)


def surface_faults(specimen: Specimen, *, contact_distance: float | None = None) -> list[Fault]:
    """All faults of one surface by itself."""
    distance = usual_contact_distance(specimen) if contact_distance is None else contact_distance
    found = mesh_faults(specimen)
    crossing = crossing_fault(specimen)
    further = [crossing, overlap_fault(specimen), None if crossing is not None else nested_fault(specimen)]
    if crossing is None and not any(fault.kind == "duplicate vertices" for fault in found):
        further.append(thin_fault(specimen, distance))
    return found + [fault for fault in further if fault is not None]


def _specimen(name: str, vertices: Any, triangles: Any) -> Specimen:
    try:
        return Specimen.of(name, vertices, triangles)
    except (TypeError, ValueError) as error:
        raise InputError(f"mesh {name!r} cannot be checked: {error}") from None


def _check_surface(specimen: Specimen, source: str, remarks: list[Fault]) -> CheckReport:
    finite = specimen.vertices[np.isfinite(specimen.vertices).all(axis=1)]
    extent = np.ptp(finite, axis=0).tolist() if len(finite) else [0.0, 0.0, 0.0]
    counts = len(specimen.vertices), len(specimen.triangles)
    size = BodySize(specimen.name, specimen.kind, *counts, (extent[0], extent[1], extent[2]), None)
    found = surface_faults(specimen) + remarks + [r for r in (unit_remark(size, from_file=True),) if r is not None]
    surface = Surface(specimen.name, specimen.vertices, specimen.triangles)
    return CheckReport(source, sorted_faults(found), (size,), (surface,))


def _check_volume(tets: TetMesh, source: str) -> CheckReport:
    mesh, _ = tets.surface()
    return _check_surface(Specimen.of("surface", mesh.vertices, mesh.triangles, kind="soft_solid"), source, [])


def _check_file(file: Path, **options: Any) -> CheckReport:
    frame = conversion("a mesh", **options)
    if _is_volume(file):
        return _check_volume(load_tets(file, **options), str(file))
    raw = read_surface(file)
    frame = conversion("a mesh", **options, own_up=raw.up, own_metres=raw.metres)
    specimen = _specimen(file.stem, raw.vertices, raw.triangles)
    specimen = replace(specimen, vertices=frame.apply(specimen.vertices))
    remark = up_remark(file.stem, specimen.vertices) if options["up"] is None and raw.up == "z" else None
    return _check_surface(specimen, str(file), [] if remark is None else [remark])


def _is_name(source: str) -> bool:
    """Whether a text can only be the name of a built-in scene."""
    return not Path(source).suffix and not Path(source).exists()


def _is_mesh_file(source: object) -> bool:
    """Whether something is the path of a file that is no scene file."""
    named = isinstance(source, Path) or (isinstance(source, str) and not _is_name(source))
    return named and not str(source).endswith(".toml")


def _is_volume(file: Path) -> bool:
    """Whether a file has tetrahedra by its ending; an npz file is looked into."""
    ending = file.suffix.lower()
    if ending == ".npz" and file.is_file():
        return "tetrahedra" in read_arrays(file)
    return ending in READERS and ending != ".npz"


def _repair_surface(specimen: Specimen, target: Path, options: dict[str, Any], faces: Faces | None) -> CheckReport:
    fixed, steps = repaired_surface(specimen)
    write_mesh(target, fixed.vertices, fixed.triangles, carried_faces(faces, specimen, fixed))
    return replace(check(target, **options), written=(target,), repairs=tuple(steps))


def _repair_scene(file: Path, target: Path) -> CheckReport:
    written, steps = write_scene(file, target)
    return replace(check_scene_file(target), written=tuple(written), repairs=tuple(steps))
