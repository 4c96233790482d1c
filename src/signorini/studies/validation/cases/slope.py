"""Validation case: Coulomb's law on a slope, for every kind of body, several angles and directions of the mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.geometry import shapes
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series
from signorini.studies.validation.cases.blocks import KINDS, add_block, thickness_of

G = 9.81
SIZE = (0.2, 0.2, 0.06)
STEEP = float(np.arctan(0.5))
"""tan θ = 0.5 [rad]."""
SETTLING = 0.3
"""Seconds after which nothing is left of the landing."""
ACCURACY = 0.005
"""Of the acceleration."""
CREEP = 1e-7
"""Speed that counts as rest [m/s]: 1 µm in 10 s."""


def on_slope(
    kind: str,
    friction: float,
    *,
    angle: float = STEEP,
    heading: float = 0.4,
    world: Sequence[float] = (0.0, 0.0, 0.0),
    plane: str = "half-space",
    dt: float = 4e-3,
    contact_distance: float | None = None,
    sleep: bool = True,
    speed: float = 0.0,
    **block: Any,
) -> tuple[Simulation, NDArray[np.float64], NDArray[np.float64]]:
    """A block just above a slope: the simulation, the downhill direction and the normal.

    `heading` turns the mesh on the slope, `world` the slope and gravity together; `plane` is half-space or triangles.
    """
    turn = Rotation.from_rotvec(world)
    slope = turn * Rotation.from_rotvec((0.0, angle, 0.0))
    downhill, normal = slope.apply((1.0, 0.0, 0.0)), slope.apply((0.0, 0.0, 1.0))
    scene = Scene(gravity=tuple(turn.apply((0.0, 0.0, -G))), friction=friction)
    delta = contact_distance if contact_distance is not None else (3e-3 if kind in ("cloth", "rod") else 1e-3)
    above = 0.5 * thickness_of(kind, SIZE) + delta + (1e-3 if kind in ("cloth", "rod") else 2e-4)
    where: dict[str, Any] = {
        "rotation": tuple((slope * Rotation.from_rotvec((0.0, 0.0, heading))).as_rotvec()),
        "position": tuple(above * normal),
        "velocity": tuple(speed * downhill),
    }
    add_block(scene, kind, SIZE, name="block", **where, **block)
    if plane == "half-space":
        scene.add_ground(normal=tuple(normal), name="slope")
    else:
        board = shapes.box(10.0, 1.0, 0.1, cells=(20, 2, 1))
        scene.add_kinematic(board, rotation=tuple(slope.as_rotvec()), position=tuple(-0.05 * normal), name="slope")
    return Simulation(scene, dt=dt, settings=Settings(contact_distance=delta, sleep=sleep)), downhill, normal


def slide(sim: Simulation, downhill: NDArray[np.float64], steps: int) -> NDArray[np.float64]:
    """Mean displacement and velocity downhill after each step, (steps, 2)."""
    block, path = sim.bodies["block"], []
    start = block.positions.mean(axis=0)
    for _ in range(steps):
        sim.step()
        path.append(((block.positions.mean(axis=0) - start) @ downhill, block.velocities.mean(axis=0) @ downhill))
    return np.array(path)


def acceleration(friction: float, angle: float = STEEP) -> float:
    """g (sin θ − μ cos θ) [m/s²], at least 0."""
    return max(0.0, G * (np.sin(angle) - friction * np.cos(angle)))


def gained(kind: str, friction: float, *, seconds: float, **options: Any) -> float:
    """Acceleration downhill over so many seconds after the landing [m/s²], as the gain of velocity."""
    sim, downhill, _ = on_slope(kind, friction, **options)
    slide(sim, downhill, round(SETTLING / sim.dt))
    before = float(sim.bodies["block"].velocities.mean(axis=0) @ downhill)
    after = slide(sim, downhill, round(seconds / sim.dt))[-1, 1]
    return float(after - before) / seconds


def creep(kind: str, friction: float, *, seconds: float, **options: Any) -> float:
    """Mean speed downhill over so many seconds after the landing [m/s], of a body that may not sleep."""
    sim, downhill, _ = on_slope(kind, friction, sleep=False, **options)
    slide(sim, downhill, round((SETTLING if kind == "rigid" else 1.0) / sim.dt))
    return float(slide(sim, downhill, round(seconds / sim.dt))[-1, 0]) / seconds


def run(quick: bool, progress: Progress) -> Measurements:
    """Slide at three coefficients, hold at one; then turn the mesh, the slope and the world."""
    seconds = 0.2 if quick else 1.0
    jobs: list[Measurement] = []
    frictions = (0.2, 0.49) if quick else (0.0, 0.1, 0.2, 0.3, 0.4, 0.49)
    angles = () if quick else (10.0, 20.0, 35.0, 45.0)
    headings = (0.0,) if quick else (0.0, 0.25 * np.pi, 0.5 * np.pi, 1.1)
    total = len(KINDS) * (len(frictions) + 1 + len(angles) + len(headings) + 1)
    by_friction, by_angle = {}, {}

    def add(row: Measurement) -> float:
        jobs.append(row)
        progress(len(jobs) / total)
        return row.measured

    def slides(what: str, kind: str, friction: float, angle: float = STEEP, **options: Any) -> float:
        found = gained(kind, friction, seconds=seconds, angle=angle, **options)
        return add(Measurement(f"acceleration, {kind}, {what}", found, acceleration(friction, angle), "m/s²", ACCURACY))

    for kind in KINDS:
        by_friction[kind] = [slides(f"μ = {mu:g}, tan θ = 0.5", kind, mu) for mu in frictions]
        held = creep(kind, 0.51, seconds=seconds)
        add(Measurement(f"creep, {kind}, μ = 0.51, tan θ = 0.5", held, 0.0, "m/s", CREEP, absolute=True))
        by_angle[kind] = [slides(f"μ = 0.1, θ = {a:g}°", kind, 0.1, np.radians(a)) for a in angles]
        for heading in headings:
            slides(f"μ = 0.2, mesh turned by {np.degrees(heading):.0f}°", kind, 0.2, heading=float(heading))
        slides("μ = 0.2, slope of triangles, world turned", kind, 0.2, plane="triangles", world=(0.3, -0.5, 0.9))
    lines = [Series(kind, frictions, values) for kind, values in by_friction.items()]
    mu = np.linspace(0.0, 0.5, 11)
    curves = [
        Curve(
            "Acceleration at tan θ = 0.5",
            "μ",
            "[m/s²]",
            [*lines, Series("g (sin θ − μ cos θ)", list(mu), [acceleration(m) for m in mu], theory=True)],
        )
    ]
    if angles:
        theta = np.linspace(5.0, 45.0, 17)
        theory = Series("theory", list(theta), [acceleration(0.1, np.radians(t)) for t in theta], theory=True)
        lines = [Series(kind, angles, values) for kind, values in by_angle.items()]
        curves.append(Curve("Acceleration at μ = 0.1", "θ [°]", "[m/s²]", [*lines, theory]))
    return Measurements(jobs, curves)


CASE = Case(
    name="slope",
    title="Every kind of body on a slope: it slides or holds by Coulomb's law",
    theory="A slab on a slope of angle θ holds for μ ≥ tan θ, and slides with a = g (sin θ − μ cos θ) otherwise, whatever it is "
    "made of and however its mesh lies. Measured as the gain of velocity after the landing, which backward Euler has exactly "
    "for a constant force. At μ = 0.49 and tan θ = 0.5, 2 % of a are 0.04 % of the friction.",
    source="Coulomb 1785, Théorie des machines simples; balance of forces",
    run=run,
)
