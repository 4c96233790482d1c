"""Validation case: frequency and decay of a vibrating strip and of a vibrating plate of cloth."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit

from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series
from signorini.studies.validation.cases.sheets.meshes import seven_meshes
from signorini.studies.validation.cases.sheets.strips import (
    FEW_MESHES,
    ROUNDING,
    add_strip,
    clamped_strip,
    plate_material,
)

Floats = NDArray[np.float64]
LENGTH, WIDTH, SIDE = 0.3, 0.03, 0.3
"""Of the strip, and of the square plate [m]."""
RIGIDITY, AREA_DENSITY, STRETCHING = 1e-3, 0.1, 100.0
"""B [N·m], mass per area [kg/m²], E·h [N/m]."""
POISSON = 0.3
"""Of the plate."""
AMPLITUDE = 3e-5
"""At the start [m]: so small that the plate is not stretched, E·h a² ≪ B."""
DAMPING = 0.02
"""Share of the critical damping that the bending damping time is chosen for."""
PERIODS, STEPS = 6, 80
"""Periods that are watched, and steps in each."""
FIRST = 1.8751040687119611
"""First root of cos x cosh x = −1."""
MESHES = ("aligned", "turned by 20°", "random", "staggered 0.99")


def strip_frequency() -> float:
    """Of the first mode of a cantilever [rad/s]."""
    return FIRST**2 * math.sqrt(RIGIDITY / AREA_DENSITY) / LENGTH**2


def plate_frequency() -> float:
    """Of the first mode of a square plate with supported rim [rad/s]."""
    return 2.0 * math.pi**2 * math.sqrt(RIGIDITY / (1.0 - POISSON**2) / AREA_DENSITY) / SIDE**2


def strip_motion(mesh: str, edges: int) -> tuple[Floats, Floats]:
    """Times [s] and heights [m] of the tip of a strip that starts in its first mode."""
    omega, strip = strip_frequency(), clamped_strip(mesh, LENGTH, WIDTH, edges)
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    start = strip.mesh.vertices.copy()
    x = FIRST * np.clip(start[:, 0], 0.0, None) / LENGTH
    part = (math.cosh(FIRST) + math.cos(FIRST)) / (math.sinh(FIRST) + math.sin(FIRST))
    start[:, 2] = 0.5 * AMPLITUDE * (np.cosh(x) - np.cos(x) - part * (np.sinh(x) - np.sin(x)))
    material = _damped(omega, 0.0)
    cloth = add_strip(
        scene, strip, (0, 1), material, area_density=AREA_DENSITY, initial_vertices=start, self_contact=False
    )
    cloth.pin(strip.clamp)
    return _watched(scene, "strip", strip.tip, omega)


def plate_motion(mesh: str, edges: int) -> tuple[Floats, Floats]:
    """Times [s] and heights [m] of the middle of a plate that starts in its first mode."""
    omega, plate = plate_frequency(), seven_meshes(SIDE, SIDE, SIDE / edges)[mesh]
    start = plate.vertices.copy()
    shape = np.sin(np.pi * start[:, 0] / SIDE) * np.sin(np.pi * start[:, 1] / SIDE)
    start[:, 2] = AMPLITUDE * shape
    rim = ((plate.vertices[:, :2] < ROUNDING) | (plate.vertices[:, :2] > SIDE - ROUNDING)).any(axis=1)
    start[rim, 2] = 0.0
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    cloth = scene.add_cloth(
        TriangleMesh(plate.vertices, plate.triangles), material=_damped(omega, POISSON), area_density=AREA_DENSITY,
        initial_vertices=start, self_contact=False, name="plate",
    )  # fmt: skip
    cloth.pin(np.flatnonzero(rim))
    middle = np.flatnonzero(shape > 0.9)
    return _watched(scene, "plate", middle, omega)


def _damped(omega: float, poisson_ratio: float) -> ClothMaterial:
    """Moments are those of θ + τ θ′: with τ = 2 ζ / ω a mode decays with ζ ω."""
    damping_time = 2.0 * DAMPING / omega
    return plate_material(
        RIGIDITY, stretching=STRETCHING, poisson_ratio=poisson_ratio, bending_damping_time=damping_time
    )


def _watched(scene: Scene, name: str, vertices: NDArray[np.intp], omega: float) -> tuple[Floats, Floats]:
    dt = 2.0 * math.pi / omega / STEPS
    sim = Simulation(scene, dt=dt, settings=Settings(integrator="bdf2", sleep=False))
    heights = [sim.bodies[name].positions[vertices, 2].mean()]
    for _ in range(PERIODS * STEPS):
        sim.step()
        heights.append(sim.bodies[name].positions[vertices, 2].mean())
    return dt * np.arange(len(heights), dtype=np.float64), np.array(heights)


def fitted(times: Floats, heights: Floats, omega: float) -> tuple[float, float]:
    """Frequency [rad/s] and rate of decay [1/s] of the damped oscillation that fits best."""

    def damped(t: Floats, size: float, w: float, decay: float, phase: float) -> Floats:
        return size * np.exp(-decay * t) * np.cos(w * t + phase)

    scale = abs(heights[0])
    best, _ = curve_fit(damped, times, heights / scale, p0=(1.0, omega, DAMPING * omega, 0.0))
    return float(best[1]), float(best[2])


def run(quick: bool, progress: Progress) -> Measurements:
    """First modes of a cantilever and of a supported square plate."""
    meshes = FEW_MESHES[1:] if quick else MESHES
    kinds = (
        ("strip", strip_motion, strip_frequency(), 24),
        ("plate", plate_motion, plate_frequency(), 12 if quick else 20),
    )
    rows, curves = [], []
    for j, (kind, motion, omega, edges) in enumerate(kinds):
        series = []
        for k, mesh in enumerate(meshes):
            times, heights = motion(mesh, edges)
            w, decay = fitted(times, heights, omega)
            series.append(Series(mesh, list(times), list(1e6 * heights)))
            label = f"{kind}, {mesh}, {edges} edges"
            damped = omega * math.sqrt(1.0 - DAMPING**2)
            rows.append(Measurement(f"frequency, {label}", w / (2 * math.pi), damped / (2 * math.pi), "Hz", 0.03))
            rows.append(Measurement(f"rate of decay, {label}", decay, DAMPING * omega, "1/s", 0.1))
            progress((j + (k + 1) / len(meshes)) / len(kinds))
        curves.append(Curve(f"First mode of a {kind}", "time [s]", "height [µm]", series))
    return Measurements(rows, curves, [f"BDF2, {STEPS} steps in a period."])


CASE = Case(
    name="cloth-vibration",
    title="Frequency and decay of a vibrating strip and plate of cloth",
    theory="First mode of a cantilever ω = 3.516 √(B/ρ) / L², of a square plate with supported rim ω = 2 π² √(D/ρ) / a² with "
    "D = B / (1 − ν²), ρ the mass per area. Bending damping with the time τ makes it decay as e^(−ζ ω t), ζ = τ ω / 2.",
    source="Timoshenko 1937, Vibration Problems in Engineering; Leissa 1969, Vibration of Plates, NASA SP-160",
    run=run,
)
