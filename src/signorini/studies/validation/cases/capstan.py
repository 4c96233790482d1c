"""Validation case: a rope around a fixed drum holds e^{μθ} times the force at its other end."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

RADIUS = 0.05
"""Of the drum [m]."""
DELTA = 5e-4
"""Contact distance [m]."""
STIFFNESS = 2e4
"""Of the rope: force at a strain of one [N]."""
HOLD = 1.0
"""Force at the end that is held back [N]."""
FREE = 0.1
"""Length of the rope that leaves the drum on each side [m]."""
SPEED = 0.05
"""At which the rope is drawn [m/s]."""
SEGMENT, FACET = 4e-3, 2e-3
"""Lengths of the segments of the rope and of the sides of the drum, which has 157 [m]."""
DRAWING, READING = 0.15, 0.1
"""Seconds until all of the rope slides, and in which its tension is averaged."""
CORNERS = (
    "A drum is a polygon: the rope is lifted over each of its 157 corners and falls behind it, and a hard contact gives nothing "
    "back. Without friction that is 1 % of the tension at half a turn with sides of 1.3 mm and 4 % with 4 mm; scripted bodies "
    "have no smooth patches. Without friction only half a turn is drawn: a rope that is wound further slides along the drum."
)


def wrapped(angle: float, segment: float, *, rise: float) -> NDArray[np.float64]:
    """Points of a rope that is wrapped about z by `angle` [rad] and leaves straight; it rises by `rise` [m] a turn."""
    radius = RADIUS + DELTA + 1e-5
    arc = np.arange(0.0, 1.0 + 1e-9, 1.0 / max(2, round(radius * angle / segment)))
    turned = angle * arc
    middle = np.column_stack([radius * np.cos(turned), radius * np.sin(turned), rise * turned / (2.0 * math.pi)])
    straight = np.arange(segment, FREE + 1e-9, segment)
    before = middle[0] + np.outer(straight[::-1], (0.0, -1.0, 0.0))
    after = middle[-1] + np.outer(straight, (-math.sin(angle), math.cos(angle), 0.0))
    return np.concatenate([before, middle, after])


def tension_ratio(friction: float, angle: float) -> float:
    """Tension at the drawn end over the force at the other one, while the rope slides around the drum."""
    points = wrapped(angle, SEGMENT, rise=0.0 if angle < 1.2 * math.pi else 0.01)
    scene = Scene(gravity=(0.0, 0.0, 0.0), friction=friction)
    drum = shapes.cylinder(RADIUS, 0.1, edge=FACET)
    scene.add_kinematic(drum, name="drum")
    rope = scene.add_rod(
        points,
        linear_density=0.01,
        stretching_stiffness=STIFFNESS,
        bending_rigidity=1e-7,
        damping_time=5e-3,
        name="rope",
    )
    last = len(points) - 1
    pull = points[-1] - points[-2]
    rope.pin([last], motion=motions.Translate(velocity=tuple(SPEED * pull / np.linalg.norm(pull))))
    scene.add_force("rope", (0.0, -HOLD, 0.0), vertices=[0])
    sim = Simulation(scene, dt=1e-3, settings=Settings(contact_distance=DELTA))
    tensions = []
    for k in range(round((DRAWING + READING) / sim.dt)):
        sim.step()
        if k * sim.dt > DRAWING:
            tensions.append(_tensions(sim, points))
    mean = np.mean(tensions, axis=0)
    return float(mean[-1] / HOLD)


def _tensions(sim: Simulation, rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tension of each segment of the rope [N]."""
    length, now = (np.linalg.norm(np.diff(x, axis=0), axis=1) for x in (rest, sim.bodies["rope"].positions))
    return STIFFNESS * (now / length - 1.0)


def run(quick: bool, progress: Progress) -> Measurements:
    """Draw the rope at several angles and coefficients."""
    frictions = (0.3,) if quick else (0.0, 0.1, 0.2, 0.3, 0.5)
    turns = (0.25, 0.75) if quick else (0.25, 0.5, 0.75, 1.0, 1.5)
    jobs = [(mu, turn) for mu in frictions for turn in turns if mu or turn <= 0.5]
    rows = []
    for k, (mu, turn) in enumerate(jobs):
        angle = 2.0 * math.pi * turn
        found = tension_ratio(mu, angle)
        rows.append(Measurement(f"T₂/T₁, μ = {mu:g}, {turn:g} turns", found, math.exp(mu * angle), "", 0.03))
        part_of(progress, k, len(jobs))(1.0)
    series = []
    for mu in frictions:
        drawn = [(job[1], row.measured) for row, job in zip(rows, jobs, strict=True) if job[0] == mu]
        series.append(Series(f"μ = {mu:g}", [turn for turn, _ in drawn], [ratio for _, ratio in drawn]))
        series.append(
            Series(
                "e^(μ θ)" if mu == frictions[0] else "",
                turns,
                [math.exp(mu * 2.0 * math.pi * t) for t in turns],
                theory=True,
            )
        )
    return Measurements(rows, [Curve("Ratio of the tensions", "turns", "T₂/T₁", series, logarithmic=True)], [CORNERS])


CASE = Case(
    name="capstan",
    title="A rope around a drum: the ratio of its tensions",
    theory="A rope that slides around a drum by an angle θ is drawn with T₂ = T₁ e^(μ θ), whatever the radius of the drum.",
    source="Euler 1769, Remarques sur l'effet du frottement dans l'équilibre; Eytelwein 1808",
    run=run,
)
