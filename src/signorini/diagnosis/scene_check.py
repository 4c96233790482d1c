"""Check of scenes: the meshes of all bodies, then the bodies among each other, then whether a simulation starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from signorini.diagnosis.crossings import crossing_fault, overlap_fault, thin_fault, usual_contact_distance
from signorini.diagnosis.fault import CheckReport, Fault, Surface, sorted_faults
from signorini.diagnosis.inner_parts import nested_fault
from signorini.diagnosis.mesh_faults import mesh_faults
from signorini.diagnosis.scene_faults import refusal, scene_faults, start_of
from signorini.diagnosis.scene_meshes import SceneMesh, scene_meshes
from signorini.diagnosis.size_remarks import locking_remarks, mass_remark, unit_remark, up_remark
from signorini.diagnosis.specimen import Specimen
from signorini.errors import InputError
from signorini.files.scenes.scene_file import SceneFile, load_scene
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangles import find_edges, signed_volume, triangle_areas
from signorini.scene.body import Body
from signorini.scene.sizes import BodySize, body_sizes
from signorini.simulation.simulation import Simulation


def check_scene_file(file: Path) -> CheckReport:
    """The faults of all mesh files that a scene file names, and of the scene if these allow it to be made."""
    if not file.is_file():
        load_scene(file)  # nothing to check: the error of the loader says why
    meshes = scene_meshes(file)
    found: list[Fault] = []
    for mesh in meshes:
        found += _file_faults(mesh)
    try:
        scene = load_scene(file)
    except InputError as error:
        if not any(fault.severity == "error" for fault in found):
            found.append(refusal(error))
        placed = [mesh.placed for mesh in meshes if mesh.placed is not None]
        surfaces = tuple(Surface(s.name, s.vertices, s.triangles) for s in placed)
        return CheckReport(str(file), sorted_faults(found), (), surfaces)
    return check_scene(scene, str(file), found, done={mesh.name for mesh in meshes})


def check_scene(
    file: SceneFile, source: str, found: list[Fault] | None = None, done: set[str] | None = None
) -> CheckReport:
    """The faults of a scene beside those that were `found` in the mesh files of the bodies `done`."""
    faults = list(found or [])
    bodies = [body for body in file.scene.bodies.values() if isinstance(getattr(body, "mesh", None), TriangleMesh)]
    specimens = {body.name: _specimen(body) for body in bodies}
    sizes = tuple(body_sizes(file.scene.bodies))
    distance = None
    try:
        world, start = start_of(file.scene, file.settings)
        distance = world.contact_distance
        faults += scene_faults(world, start)
    except InputError as error:
        faults.append(refusal(error))
    crossing = {name for fault in faults if fault.kind == "intersecting" for name in fault.bodies}
    for name, specimen in specimens.items():
        if name not in (done or ()):
            faults += mesh_faults(specimen)
        if name in (done or ()) or name in crossing:
            continue
        further = [overlap_fault(specimen), None if specimen.kind == "soft_solid" else nested_fault(specimen)]
        if not specimen.is_deformable:  # rigid and scripted bodies may cross themselves, which the start does not show
            further.append(crossing_fault(specimen))
        elif distance is not None:
            further.append(thin_fault(specimen, distance))
        faults += [fault for fault in further if fault is not None]
    faults += locking_remarks(file.scene.bodies)
    for size in sizes:
        remark = unit_remark(size, from_file=size.name in (done or ()))
        faults += [] if remark is None else [remark]
        if size.name in specimens:
            remark = _mass_remark(size, specimens[size.name])
            faults += [] if remark is None else [remark]
    if not any(fault.severity == "error" for fault in faults):
        faults += _start_refusal(file)
    surfaces = tuple(Surface(s.name, s.vertices, s.triangles) for s in specimens.values())
    return CheckReport(source, sorted_faults(faults), sizes, surfaces, distance)


def _file_faults(mesh: SceneMesh) -> list[Fault]:
    """The faults of one mesh file."""
    if mesh.placed is None:
        return [] if mesh.error is None else [refusal(mesh.error)]
    s = mesh.placed
    crossing = crossing_fault(s)
    further = [crossing, overlap_fault(s), None if mesh.says_up else up_remark(s.name, s.vertices)]
    if crossing is None:
        further.append(nested_fault(s))
        further.append(thin_fault(s, usual_contact_distance(s)))
    return mesh_faults(s) + [fault for fault in further if fault is not None]


def _specimen(body: Body) -> Specimen:
    mesh: TriangleMesh = body.mesh  # pyright: ignore[reportAttributeAccessIssue]
    positions = np.asarray(body.positions)  # pyright: ignore[reportAttributeAccessIssue]
    inward = find_edges(mesh.triangles).closed and signed_volume(positions, mesh.triangles) < 0.0
    hollow = bool(getattr(body, "hollow", False)) or (body.kind == "kinematic" and inward)
    return Specimen.of(body.name, positions, mesh.triangles, kind=body.kind, hollow=hollow)


def _mass_remark(size: BodySize, s: Specimen) -> Fault | None:
    triangles = s.triangles.astype(np.int32)
    volume = signed_volume(s.vertices, triangles) if find_edges(triangles).closed else 0.0
    return mass_remark(size, volume=volume, area=float(triangle_areas(s.vertices, triangles).sum()))


def _start_refusal(file: SceneFile) -> list[Fault]:
    """Refusal of the start by the simulation, where no other fault was found."""
    try:
        Simulation(file.scene, dt=file.dt, settings=file.settings)
    except InputError as error:
        return [refusal(error)]
    return []
