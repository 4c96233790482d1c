"""Validation case: a strip of cloth on edge buckles sideways under its weight at the load of the beam's theory."""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Measurement, Measurements, Progress
from signorini.studies.validation.cases.sheets.strips import (
    FEW_MESHES,
    MESHES,
    add_strip,
    clamped_strip,
    plate_material,
)

LENGTH = 0.5
"""Of the strip [m]."""
RIGIDITY, STRETCHING = 1e-4, 2000.0
"""B [N·m] and E·h [N/m]: on edge the strip sags by less than a thousandth of its length."""
GRAVITY, DRAG = 9.81, 6.0
SIDEWAYS = 1e-3
"""Deflection by the sideways load alone, over the length."""
APPROACH = 0.8
"""Load at which the deflection is measured, over the critical one of the theory."""


def _deflection(load: float) -> tuple[float, float]:
    """End values that make the tip of a strip under its weight free of torque: twist at the clamp, sideways deflection.

    Lengths are those of the strip, loads q L³ / √(EI·GJ); the sideways load per length is 1 and EI = GJ. The bending moment of
    the weight is m = load (1 − s)² / 2, so that u″ = m θ + (1 − s)² / 2 and θ″ = −m u″.
    """

    def rate(s: float, y: np.ndarray) -> list[float]:
        weight, side = 0.5 * load * (1.0 - s) ** 2, 0.5 * (1.0 - s) ** 2 * y[4]
        bend = weight * y[0] + side
        return [y[1], -weight * bend, y[3], bend, 0.0]

    ends = [
        solve_ivp(rate, (0.0, 1.0), start, rtol=1e-10, atol=1e-12).y[:, -1]
        for start in ([0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0, 0.0])
    ]
    twist = -ends[0][1] / ends[1][1]
    return float(ends[1][1]), float(ends[0][2] + twist * ends[1][2])


def critical_load() -> float:
    """q L³ / √(EI·GJ) at which the strip buckles, 12.854."""
    return float(cast(float, brentq(lambda load: _deflection(load)[0], 10.0, 15.0, xtol=1e-10)))


def amplification(share: float) -> float:
    """Sideways deflection of the tip at this share of the critical load, over that without weight, 1/8."""
    return 8.0 * _deflection(share * critical_load())[1]


def deflection(mesh: str, share: float, width: float, edges: int, *, seconds: float = 9.0, dt: float = 0.02) -> float:
    """Sideways deflection of the tip at rest, over that which the sideways load has without weight."""
    strip = clamped_strip(mesh, LENGTH, width, edges)
    EI, GJ = RIGIDITY * width, 2.0 * RIGIDITY * width
    weight = share * critical_load() * np.sqrt(EI * GJ) / LENGTH**3
    sideways = SIDEWAYS * LENGTH * 8.0 * EI / LENGTH**4
    scene = Scene(gravity=(0.0, GRAVITY * sideways / weight, -GRAVITY), air_drag=DRAG)
    material = plate_material(RIGIDITY, stretching=STRETCHING)
    density = weight / (GRAVITY * width)
    add_strip(scene, strip, (0, 2), material, area_density=density, self_contact=False).pin(strip.clamp)
    sim = Simulation(scene, dt=dt, settings=Settings(sleep=False))
    for _ in range(round(seconds / dt)):
        sim.step()
    return float(sim.bodies["strip"].positions[strip.tip, 1].mean() / (SIDEWAYS * LENGTH))


def measured_load(mesh: str, width: float, edges: int) -> float:
    """Critical load of the strip over that of the theory, by how much its weight amplifies a small sideways deflection."""
    found = deflection(mesh, APPROACH, width, edges)
    share = cast(float, brentq(lambda share: amplification(share) - found, 0.01, 0.999))
    return APPROACH / share


def run(quick: bool, progress: Progress) -> Measurements:
    """Two slender strips: a wider one is stiffer, since its clamp keeps it from warping."""
    width, edges = LENGTH / 20.0, 40 if quick else 60
    jobs = [(mesh, width, edges) for mesh in (FEW_MESHES if quick else MESHES)]
    jobs += [] if quick else [("aligned", LENGTH / 10.0, 60), ("aligned", LENGTH / 40.0, 160)]
    theory, rows = critical_load(), []
    for k, (mesh, w, n) in enumerate(jobs):
        label = f"q L³/√(EI·GJ), L/w = {LENGTH / w:.0f}, {mesh}, {n} edges"
        rows.append(Measurement(label, theory * measured_load(mesh, w, n), theory, "", 0.08))
        progress((k + 1) / (len(jobs) + 2))
    for k, (share, buckled) in enumerate(((0.9, False), (1.15, True))):
        large = deflection("aligned", share, width, 40) > 20.0
        rows.append(
            Measurement(
                f"buckles at {share:g} of the critical load (1: yes)",
                float(large),
                float(buckled),
                "",
                0.0,
                absolute=True,
            )
        )
        progress((len(jobs) + 1 + k) / (len(jobs) + 2))
    return Measurements(rows)


CASE = Case(
    name="cloth-lateral-buckling",
    title="A strip of cloth on edge buckles sideways under its weight",
    theory="A cantilever on edge buckles with twist when its weight q per length is q L³ = 12.854 √(EI·GJ). For a strip of width "
    "w EI = B w and, for ν = 0, GJ = 2 B w. The load is measured by how much the weight amplifies a small sideways deflection: "
    "u″ = m θ + (sideways moment), θ″ = −m u″ with the moment m of the weight. The theory has no width: the clamp of a strip "
    "keeps it from warping, over a length of about w.",
    source="Prandtl 1899, Kipp-Erscheinungen; Timoshenko and Gere 1961, Theory of Elastic Stability, §6.3, recomputed; the "
    "experiment of Romero et al. 2021",
    run=run,
)
