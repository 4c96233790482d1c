"""Validation case: a cantilever of cloth sags under its weight as the elastica does, on seven meshes."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_bvp

from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series
from signorini.studies.validation.cases.sheets.strips import (
    FEW_MESHES,
    MESHES,
    add_strip,
    clamped_strip,
    plate_material,
)

LENGTH, WIDTH = 0.3, 0.045
"""Of the strip [m]."""
AREA_DENSITY, GRAVITY = 0.2, 9.81
STRETCHING = 2000.0
"""E·h [N/m]: the weight of the strip stretches it by 0.03 % at most."""
DRAG = 8.0
"""Of the air [1/s]: near that which brings the pendulum of a limp strip to rest soonest."""
LOADS = (1.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)
EDGES = 64
"""Edges along the strip: the resolution at which the bound must hold."""
STUDY_LOADS, STUDY_EDGES = (10.0, 100.0, 1000.0), (16, 32, 64)
"""Of the study of convergence."""
STUDY_MESHES = ("aligned", "turned by 20°", "random", "staggered 0.99")
ORDER = 1.5
"""Least observed order between the coarsest and the finest mesh; where the error is below `SETTLED`, none is told."""
SETTLED = 3e-3


def elastica(load: float) -> float:
    """Tip drop over reach of a horizontal cantilever with Γ = q L³ / B: θ'' = −Γ (1 − s) cos θ, θ(0) = θ'(1) = 0."""
    s, guess = np.linspace(0.0, 1.0, 400), np.zeros((2, 400))
    for g in np.geomspace(0.5, load, 12):

        def slope(s: np.ndarray, y: np.ndarray, g: float = g) -> np.ndarray:
            return np.vstack([y[1], g * (1.0 - s) * np.cos(y[0])])

        solution = solve_bvp(slope, lambda a, b: np.array([a[0], b[1]]), s, guess, tol=1e-8, max_nodes=40000)
        guess = solution.sol(s)
    fine = np.linspace(0.0, 1.0, 4001)
    theta = solution.sol(fine)[0]  # pyright: ignore[reportPossiblyUnboundVariable]
    return float(np.trapezoid(np.abs(np.sin(theta)), fine) / np.trapezoid(np.cos(theta), fine))


def tip_ratio(mesh: str, load: float, edges: int, *, seconds: float = 6.0, dt: float = 0.02) -> float:
    """Drop of the tip over its reach, when a strip that started straight hangs still."""
    strip = clamped_strip(mesh, LENGTH, WIDTH, edges)
    rigidity = AREA_DENSITY * GRAVITY * LENGTH**3 / load
    scene = Scene(gravity=(0.0, 0.0, -GRAVITY), air_drag=DRAG)
    material = plate_material(rigidity, stretching=STRETCHING, bending_damping_time=0.05)
    add_strip(scene, strip, (0, 1), material, area_density=AREA_DENSITY, self_contact=False).pin(strip.clamp)
    sim = Simulation(scene, dt=dt)
    for _ in range(round(seconds / dt)):
        sim.step()
    tip = sim.bodies["strip"].positions[strip.tip].mean(axis=0)
    return float(-tip[2] / tip[0])


def run(quick: bool, progress: Progress) -> Measurements:
    """All loads on all meshes at one resolution, then some at coarser ones."""
    meshes, loads, edges = (FEW_MESHES, (10.0, 100.0), 32) if quick else (MESHES, LOADS, EDGES)
    expected = {load: elastica(load) for load in LOADS}
    studied = () if quick else [(m, load, n) for m in STUDY_MESHES for load in STUDY_LOADS for n in STUDY_EDGES[:-1]]
    jobs = [(m, load, edges) for m in meshes for load in loads] + list(studied)
    found = {}
    for k, job in enumerate(jobs):
        found[job] = tip_ratio(*job)
        progress((k + 1) / len(jobs))
    rows = [
        Measurement(f"H/W, Γ = {load:g}, {m}, {edges} edges", found[m, load, edges], expected[load], "", 0.03)
        for m in meshes
        for load in loads
    ]
    curves = []
    if not quick:
        for load in STUDY_LOADS:
            errors = {m: [abs(found[m, load, n] / expected[load] - 1.0) for n in STUDY_EDGES] for m in STUDY_MESHES}
            series = [Series(m, STUDY_EDGES, error) for m, error in errors.items()]
            curves.append(
                Curve(f"Error of H/W, Γ = {load:g}", "edges along the strip", "error", series, logarithmic=True)
            )
            rows += [_order(m, load, error) for m, error in errors.items() if error[-1] > SETTLED]
    return Measurements(
        rows,
        curves,
        [
            "The clamp begins along a line of the mesh. The observed order, at most 2, is told where the error at "
            f"{EDGES} edges is above 0.3 %."
        ],
    )


def _order(mesh: str, load: float, errors: list[float]) -> Measurement:
    """Observed order of convergence; faster is better, hence the bound is one-sided."""
    order = float(np.log(errors[0] / errors[-1]) / np.log(STUDY_EDGES[-1] / STUDY_EDGES[0]))
    return Measurement(f"order, Γ = {load:g}, {mesh}", min(order, 2.0), 2.0, "", 2.0 - ORDER, absolute=True)


CASE = Case(
    name="cloth-cantilever",
    title="A strip of cloth, clamped at one end, under its weight",
    theory="The angle θ of an inextensible elastic strip obeys θ″ = −Γ (1 − s) cos θ, θ(0) = θ′(1) = 0, with the load "
    "Γ = q L³ / B, q its weight per length and B its bending rigidity, both per width. H is the drop of the tip, W its reach.",
    source="elastica of Euler 1744, solved numerically; the experiment of Romero et al. 2021, Physical validation of simulators "
    "in computer graphics, ACM Transactions on Graphics 40 (4)",
    run=run,
)
