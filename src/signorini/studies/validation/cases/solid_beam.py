"""Validation case: a solid beam that is clamped at one end sags, and vibrates, as beam theory says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from signorini.geometry.tet_shapes import box_tets
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

LENGTH, SIDE = 1.0, 0.1
"""Of the beam [m]."""
YOUNG, DENSITY, G = 9.43e7, 1000.0, 9.81
"""[Pa], [kg/m³] and [m/s²]: it sags by 1.6 % of its length."""
LOCKING = (
    "linear tetrahedra lock: they have one strain each and cannot bend. The error is of second order in their size, and grows "
    "with Poisson's ratio; docs/soft-solids.md has numbers, and above ν = 0.45 locking-free elements are taken by themselves. "
    'Below, `element="locking-free"` asks for them: the same beam is inside its bound then'
)
CLAMP = (
    "the clamp forbids the swelling of the compressed half, which beam theory lets happen, and a coarse mesh spreads that over "
    "its first cell"
)


def sag(cells: int, *, poisson: float, element: str, model: str = "corotational") -> float:
    """How far the end of the beam is down under its own weight [m], with so many cells over its height."""
    mesh = box_tets(LENGTH, SIDE, SIDE, cells=(10 * cells, cells, cells))
    material = SolidMaterial(young=YOUNG, poisson=poisson, density=DENSITY, model=model, element=element)  # pyright: ignore[reportArgumentType]
    scene = Scene(gravity=(0.0, 0.0, -G))
    body = scene.add_soft_solid(mesh, material=material, name="beam")
    body.pin(np.flatnonzero(mesh.vertices[:, 0] < -0.5 * LENGTH + 1e-9))
    sim = Simulation(scene, dt=0.5)
    for _ in range(10):  # steps far longer than its period: it comes to rest in a few
        sim.step()
    end = mesh.vertices[:, 0] > 0.5 * LENGTH - 1e-9
    return float((mesh.vertices[end, 2] - sim.bodies["beam"].node_positions[end, 2]).mean())


def beam_sag(poisson: float) -> float:
    """ρ g (12 L⁴/(8 E h²) + L²/(2 k G)), bending and shear with Cowper's k = 10 (1 + ν)/(12 + 11 ν) [m]."""
    shear = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson) * YOUNG / (2.0 * (1.0 + poisson))
    return DENSITY * G * (12.0 * LENGTH**4 / (8.0 * YOUNG * SIDE**2) + 0.5 * LENGTH**2 / shear)


def extrapolated(cells: Sequence[int], found: Sequence[float]) -> float:
    """What two meshes tend to if the error is of second order in the size of their cells (Richardson)."""
    (coarse, fine), (a, b) = cells, found
    return b + (b - a) / ((fine / coarse) ** 2 - 1.0)


def vibration(cells: int) -> tuple[float, float, float, float]:
    """Angular frequency [rad/s] and decay [1/s] of the first bending mode, measured and expected."""
    length, side, young, beta, dt = 0.4, 0.04, 1e8, 5e-4, 5e-4
    mesh = box_tets(length, side, side, cells=(5 * cells, cells, cells))
    stuff: dict[str, Any] = {
        "young": young,
        "poisson": 0.3,
        "density": DENSITY,
        "stiffness_damping": beta,
        "mass_damping": 0.0,
    }
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    x = mesh.vertices[:, 0] + 0.5 * length
    body = scene.add_soft_solid(mesh, model="stable-neo-hookean", element="locking-free", **stuff, name="beam")
    body.pin(np.flatnonzero(x < 1e-9))
    k = 1.8751 / length
    shape = np.cosh(k * x) - np.cos(k * x) - 0.7341 * (np.sinh(k * x) - np.sin(k * x))
    body.node_velocities[:, 2] = 0.2 * shape
    sim = Simulation(scene, dt=dt)
    end, height = x > length - 1e-9, []
    for _ in range(460):
        sim.step()
        height.append(float(sim.bodies["beam"].node_positions[end, 2].mean()))
    z = np.array(height)
    peaks = [i for i in range(1, len(z) - 1) if z[i] > z[i - 1] and z[i] > z[i + 1] and z[i] > 0.0]
    omega = 2.0 * math.pi / (dt * float(np.diff(peaks).mean()))
    decay = math.log(z[peaks[0]] / z[peaks[-1]]) / (dt * (peaks[-1] - peaks[0]))
    theory = 1.8751**2 * math.sqrt(young * side**2 / (12.0 * DENSITY * length**4))
    return omega, theory, decay, 0.5 * omega**2 * (beta + dt)


def run(quick: bool, progress: Progress) -> Measurements:
    """Sag over the mesh, for both kinds of elements and three Poisson's ratios; then the first mode."""
    meshes = (2, 4) if quick else (1, 2, 3, 4, 6)
    ratios = (0.3, 0.49) if quick else (0.0, 0.3, 0.45, 0.49)
    jobs = [(element, nu) for element in ("tetrahedra", "locking-free") for nu in ratios]
    rows, series = [], []
    for k, (element, nu) in enumerate(jobs):
        found = [sag(n, poisson=nu, element=element) for n in meshes]
        what = f"sag, {element}, ν = {nu:g}, {meshes[-1]} cells over the height"
        plain = element == "tetrahedra"
        bound = 0.05 if not quick else 0.1
        rows.append(Measurement(what, found[-1], beam_sag(nu), "m", bound, reason=LOCKING if plain else CLAMP))
        if plain and nu <= 0.45:  # above, locking-free elements are the default
            limit = extrapolated(meshes[-2:], found[-2:])
            what = f"sag, tetrahedra, ν = {nu:g}, extrapolated from {meshes[-2]} and {meshes[-1]} cells"
            rows.append(Measurement(what, limit, beam_sag(nu), "m", 0.1 if quick else 0.05))
        series.append(Series(f"{element}, ν = {nu:g}", meshes, [f / beam_sag(nu) for f in found]))
        part_of(progress, k, len(jobs) + 1)(1.0)
    omega, theory, decay, damped = vibration(4)
    rows.append(Measurement("first mode, locking-free", omega, theory, "rad/s", 0.05))
    rows.append(Measurement("its decay, with that of backward Euler", decay, damped, "1/s", 0.05))
    one = Series("beam theory", [meshes[0], meshes[-1]], [1.0, 1.0], theory=True)
    curve = Curve("Sag over that of beam theory", "cells over the height", "", [*series, one])
    return Measurements(rows, [curve])


CASE = Case(
    name="solid-beam",
    title="A solid cantilever: its sag, its first mode and its decay",
    theory="A beam of length L and height h sags under its weight by ρ g (12 L⁴/(8 E h²) + L²/(2 k G)), bending and shear; its "
    "first mode has ω = 1.8751² √(E I/(ρ A L⁴)), and the damping β of its stiffness and backward Euler damp it by ω² (β + dt)/2.",
    source="Timoshenko and Goodier, Theory of Elasticity; Cowper 1966 for k; Rayleigh, Theory of Sound",
    run=run,
)
