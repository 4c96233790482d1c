"""A run by the method of Hong2004, looked at frame by frame: penetration, contacts, CPU time, depths of vertices."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.gallery import two_cylinders
from signorini.geometry import shapes
from signorini.geometry.inside import InsideTest
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangles import distance_to_triangles
from signorini.scene.scene import Scene
from signorini.scene.soft_solid import SoftSolid
from signorini.settings import Settings
from signorini.simulation.penetration import deepest_penetration
from signorini.simulation.simulation import Simulation
from signorini.studies.reproduction.measured_run import PICTURE
from signorini.studies.reproduction.target import Progress

HONG = Settings(method="hong")
FPS = 25.0
"""Frames a second, of simulated time."""


def cylinder_of_500() -> TetMesh:
    """504 tetrahedra: seven layers of elements that are longer along the axis than across."""
    short = shapes.cylinder_tets(two_cylinders.RADIUS, 0.55 * two_cylinders.LENGTH, edge=two_cylinders.RADIUS / 1.5)
    return TetMesh(short.vertices * [1.0, 1.0, 1.0 / 0.55], short.tetrahedra)


def element_size(scene: Scene) -> float:
    """Mean edge of a regular tetrahedron of the same volume [m]."""
    volumes = np.concatenate([b.tets.volumes() for b in scene.bodies.values() if isinstance(b, SoftSolid)])
    return float(np.cbrt(6.0 * np.sqrt(2.0) * volumes).mean())


@dataclass(slots=True)
class HongRun:
    """What a run by the method of Hong2004 showed, frame by frame."""

    sim: Simulation
    element: float
    """Size of an element [m]."""
    times: list[float] = field(default_factory=list)
    deepest: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    contacts: list[int] = field(default_factory=list)
    intersecting: int = 0
    seen: list[Any] = field(default_factory=list)
    """What `look` returned."""
    pictures: list[tuple[float, NDArray[np.uint8]]] = field(default_factory=list)


def follow(
    scene: Scene, progress: Progress, *, dt: float, seconds: float, look: Any = None, pictures: tuple[float, ...] = ()
) -> HongRun:
    """Simulate and look at 25 frames per simulated second; CPU time is that of the steps alone."""
    Simulation(scene, dt=dt, settings=HONG, threads=1).step()  # loads kernels
    sim = Simulation(scene, dt=dt, settings=HONG, threads=1)
    run, each, wanted = HongRun(sim, element_size(scene)), max(1, round(1.0 / (FPS * dt))), list(pictures)
    frames = round(seconds / (dt * each))
    for frame in range(frames):
        begin = time.process_time()
        reports = [sim.step() for _ in range(each)]
        run.cpu.append(time.process_time() - begin)
        run.times.append(sim.time)
        run.deepest.append(deepest_penetration(sim))
        run.contacts.append(reports[-1].contact_count)
        run.intersecting += sim.intersections() > 0
        if look is not None:
            run.seen.append(look(sim))
        if wanted and sim.time >= wanted[0] - 1e-9:
            picture = sim.render(size=PICTURE, view=(0.7, -1.0, 0.5))
            assert isinstance(picture, np.ndarray)
            run.pictures.append((sim.time, picture))
            wanted.pop(0)
        progress((frame + 1) / frames, f"{scene.name}: {sim.time:.2f} of {seconds:g} s")
    return run


def contact_depths(sim: Simulation, reach: float) -> list[tuple[float, float]]:
    """Place along y [m] and depth [m] of the vertices of either cylinder nearer to the other one than `reach` [m].

    The depth is positive inside and negative outside.
    """
    found = []
    for body, other in ((sim.bodies["upper"], sim.bodies["lower"]), (sim.bodies["lower"], sim.bodies["upper"])):
        surface = TriangleMesh(other.positions, other.triangles)
        low, high = surface.vertices.min(axis=0) - reach, surface.vertices.max(axis=0) + reach
        near = body.positions[((body.positions > low) & (body.positions < high)).all(axis=1)]
        corners = surface.vertices[surface.triangles]
        inside = InsideTest(surface).contains(near) if len(near) else np.zeros(0, dtype=bool)
        for point, within in zip(near, inside, strict=True):
            distance = float(distance_to_triangles(point, corners))
            if within or distance < reach:
                found.append((float(point[1]), distance if within else -distance))
    return found
