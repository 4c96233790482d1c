"""Validation case: the speed at which a row of dominoes falls, by a model with one degree of freedom."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.geometry import shapes
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

G = 9.81
HEIGHT, THICKNESS, WIDTH = 0.048, 0.0075, 0.024
"""A domino [m]."""


def leaning(front: float, gap: float) -> tuple[float, float]:
    """Angle of a domino that leans on the one before it, which is at the angle `front`, and the rate between the two.

    h sin(θ − φ) = (s + d) cos φ − d for the angles θ behind and φ in front, both from the vertical [rad].
    """
    share = ((gap + THICKNESS) * math.cos(front) - THICKNESS) / HEIGHT
    angle = front + math.asin(share)
    rate = 1.0 - (gap + THICKNESS) * math.sin(front) / (HEIGHT * math.cos(angle - front))
    return angle, rate


def chain(front: float, count: int, gap: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Angles of the front domino and of those behind it, and their rates over that of the front one."""
    angles, rates = [front], [1.0]
    for _ in range(count - 1):
        angle, rate = leaning(angles[-1], gap)
        angles.append(angle)
        rates.append(rates[-1] * rate)
    return np.array(angles), np.array(rates)


def theoretical_times(count: int, gap: float, *, push: float) -> list[float]:
    """Times at which the front passes from one domino to the next [s], after the first is pushed to `push` [rad/s].

    All dominoes behind the front one lean on each other without friction, turn about their front edges, and conserve
    energy between impacts; an impact is plastic: the momentum along the motion of the chain is shared with one more domino.
    """
    inertia = (HEIGHT**2 + THICKNESS**2) / 3.0
    end, rate, time, times = math.asin(gap / HEIGHT), push, 0.0, []

    def potential(angles: NDArray[np.float64]) -> float:
        return float(0.5 * G * (HEIGHT * np.cos(angles) + THICKNESS * np.sin(angles)).sum())

    for number in range(1, count + 1):
        angles, rates = chain(0.0, number, gap)
        energy = 0.5 * inertia * float(rates @ rates) * rate**2 + potential(angles)
        for front in (np.arange(200) + 0.5) * end / 200:
            angles, rates = chain(float(front), number, gap)
            kinetic = energy - potential(angles)
            if kinetic <= 0.0:
                return times  # the push does not reach the next one
            time += end / 200 / math.sqrt(2.0 * kinetic / (inertia * float(rates @ rates)))
        times.append(time)
        angles, rates = chain(end, number, gap)
        moving = float(rates @ rates)
        speed = math.sqrt(2.0 * (energy - potential(angles)) / (inertia * moving))
        rate = speed * moving / (1.0 + moving)
    return times


def simulated_times(
    count: int, gap: float, *, push: float, dt: float, friction: float = 0.0
) -> tuple[list[float], int]:
    """Times at which each domino begins to fall, but the first [s], and how many are down at the end."""
    scene = Scene(friction=1.0)
    scene.add_ground()
    box = shapes.box(THICKNESS, WIDTH, HEIGHT)
    names = [f"domino {k + 1}" for k in range(count)]
    for k, name in enumerate(names):
        place = (k * (gap + THICKNESS), 0.0, 0.5 * HEIGHT + 2e-6)
        start: dict[str, Any] = {}
        if k == 0:  # it turns about its lower front edge
            start = {"angular_velocity": (0, push, 0), "velocity": (0.5 * HEIGHT * push, 0, 0.5 * THICKNESS * push)}
        scene.add_rigid(box, density=1400.0, position=place, name=name, **start)
    for one, other in itertools.pairwise(names):
        scene.set_contact(one, other, friction=friction)
    sim = Simulation(scene, dt=dt)
    begun: dict[int, float] = {}
    while sim.time < 0.04 * count + 0.3:
        sim.step()
        for k, name in enumerate(names):
            if k and k not in begun and abs(float(sim.bodies[name].rotation[1])) > 2e-3:
                begun[k] = sim.time
    down = sum(float(sim.bodies[name].center[2]) < 0.42 * HEIGHT for name in names)
    return [begun[k] for k in sorted(begun)], down


def run(quick: bool, progress: Progress) -> Measurements:
    """Let rows of dominoes fall at several gaps; the mean time of a domino once the row has its speed."""
    count = 12 if quick else 20
    gaps = (0.02,) if quick else (0.01, 0.02, 0.03)
    rows, curves = [], []
    for k, gap in enumerate(gaps):
        theory = theoretical_times(count - 1, gap, push=4.0)
        times, down = simulated_times(count, gap, push=4.0, dt=1e-3)
        pitch, first = gap + THICKNESS, count // 3
        at = f"gap {1e3 * gap:g} mm"
        rows.append(Measurement(f"dominoes that fall, {at}", down, count, "", 0.0, absolute=True))
        if len(times) == len(theory):
            speeds = [(count - 2 - first) * pitch / (t[-1] - t[first]) for t in (times, theory)]
            rows.append(Measurement(f"speed of the front, {at}", speeds[0], speeds[1], "m/s", 0.03))
            numbers = list(range(2, count + 1))
            lines = [Series("simulated", numbers, times), Series("theory", numbers, theory, theory=True)]
            curves.append(Curve(f"Time at which a domino is hit, {at}", "number", "[s]", lines))
        part_of(progress, k, len(gaps))(1.0)
    return Measurements(rows, curves)


CASE = Case(
    name="dominoes",
    title="A row of dominoes: all fall, and the front has the speed of theory",
    theory="Dominoes turn about their front edges and lean on each other without friction, so that the angle of the front one "
    "gives all others: h sin(θ − φ) = (s + d) cos φ − d for neighbours. Energy is conserved between impacts; an impact is "
    "plastic, and conserves the momentum along the motion of the chain. Integrated domino by domino.",
    source="van Leeuwen 2010, The domino effect, Am. J. Phys. 78; its model without friction",
    run=run,
)
