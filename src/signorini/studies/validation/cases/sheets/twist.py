"""Validation case: torque of a twisted strip of cloth, on seven meshes."""

from __future__ import annotations

import numpy as np

from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.motions import Turn
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Measurement, Measurements, Progress
from signorini.studies.validation.cases.sheets.meshes import seven_meshes
from signorini.studies.validation.cases.sheets.strips import FEW_MESHES, MESHES, ROUNDING, plate_material

LENGTH, WIDTH, EDGES = 0.3, 0.045, 32
"""Of the strip [m], and edges along it."""
RIGIDITY, STRETCHING = 1e-3, 500.0
"""B [N·m] and E·h [N/m]."""
ANGLE = 0.05
"""By which one end is turned against the other [rad]: small, so that the borders are not stretched."""


def energy_of_twist(mesh: str, poisson_ratio: float) -> float:
    """Elastic energy [J] of a strip whose ends are lines that were turned against one another about its middle."""
    flat = seven_meshes(LENGTH, WIDTH, LENGTH / EDGES)[mesh]
    strip = TriangleMesh(flat.vertices - [0.0, 0.5 * WIDTH, 0.0], flat.triangles)
    scene = Scene(gravity=(0.0, 0.0, 0.0), air_drag=10.0)
    material = plate_material(RIGIDITY, stretching=STRETCHING, poisson_ratio=poisson_ratio)
    cloth = scene.add_cloth(strip, material=material, area_density=0.1, self_contact=False, name="strip")
    x = strip.vertices[:, 0]
    cloth.pin(np.flatnonzero(x < ROUNDING))
    cloth.pin(np.flatnonzero(x > LENGTH - ROUNDING), motion=Turn(angle=ANGLE, duration=0.2, axis=(1.0, 0.0, 0.0)))
    sim = Simulation(scene, dt=0.01, settings=Settings(sleep=False))
    for _ in range(119):
        sim.step()
    return sim.step().elastic_energy


def run(quick: bool, progress: Progress) -> Measurements:
    """Twist with and without contraction across, on all meshes."""
    jobs = [(mesh, nu) for mesh in (FEW_MESHES if quick else MESHES) for nu in (0.0, 0.3)]
    rows = []
    for k, (mesh, nu) in enumerate(jobs):
        rigidity = 2.0 * energy_of_twist(mesh, nu) * LENGTH / ANGLE**2
        expected = 2.0 * WIDTH * RIGIDITY / (1.0 + nu)
        rows.append(Measurement(f"GJ, ν = {nu:g}, {mesh}", rigidity, expected, "N·m²", 0.02))
        progress((k + 1) / len(jobs))
    return Measurements(rows)


CASE = Case(
    name="cloth-twist",
    title="A strip of cloth is twisted",
    theory="A plate of width w with ends that are straight lines, turned by φ against one another, has the energy GJ φ² / (2 L) "
    "with GJ = 2 w B / (1 + ν), as long as φ is small beside the thickness over the width.",
    source="Timoshenko and Woinowsky-Krieger 1959, Theory of Plates and Shells, §11: constant twist",
    run=run,
)
