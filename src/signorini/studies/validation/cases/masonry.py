"""Validation case: voussoir arches stand or fall by their thickness, cards by their friction."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import linprog

from signorini.gallery.mechanisms import arch, card_house
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

HEYMAN = 0.1075
"""Least thickness over radius of a semicircular arch of infinitely many stones."""


def can_stand(thickness: float, stones: int) -> bool:
    """Whether a thrust line fits into the arch: a linear programme over the forces in its joints, without sliding and tension.

    Unknown are the two components of the force and its moment in each joint; each stone is in balance, and each joint takes the
    force inside of its thickness.
    """
    radius, edges = 1.0, np.linspace(-0.5 * math.pi, 0.5 * math.pi, stones + 1)
    half = 0.5 * math.pi / stones
    inner, outer = radius - 0.5 * thickness, radius + 0.5 * thickness
    area = (outer**2 - inner**2) * math.sin(half) * math.cos(half)  # of a wedge with straight sides
    arm = 2.0 / 3.0 * math.cos(half) * (outer**3 - inner**3) / (outer**2 - inner**2)  # of its centre of mass
    # Of joint j: N along the arch, V along the radius, M about the middle of the joint.
    rows, right = [], []
    for k in range(stones):
        balance = np.zeros((3, 3 * (stones + 1)))
        for j, sign in ((k, 1.0), (k + 1, -1.0)):
            along = np.array([math.cos(edges[j]), -math.sin(edges[j])])
            outward = np.array([math.sin(edges[j]), math.cos(edges[j])])
            middle = radius * outward
            balance[:2, 3 * j], balance[:2, 3 * j + 1] = sign * along, sign * outward
            balance[2, 3 * j] = sign * (middle[0] * along[1] - middle[1] * along[0])
            balance[2, 3 * j + 1] = sign * (middle[0] * outward[1] - middle[1] * outward[0])
            balance[2, 3 * j + 2] = sign
        place = arm * math.sin(0.5 * (edges[k] + edges[k + 1]))
        rows.append(balance)
        right += [0.0, area, place * area]
    room = np.zeros((2 * (stones + 1), 3 * (stones + 1)))
    for j in range(stones + 1):
        room[2 * j, 3 * j : 3 * j + 3] = (-0.5 * thickness, 0.0, 1.0)
        room[2 * j + 1, 3 * j : 3 * j + 3] = (-0.5 * thickness, 0.0, -1.0)
    result = linprog(
        np.zeros(3 * (stones + 1)), A_ub=room, b_ub=np.zeros(len(room)), A_eq=np.concatenate(rows), b_eq=right,
        bounds=[(0.0, None), (None, None), (None, None)] * (stones + 1),
    )  # fmt: skip
    return bool(result.success)


def least_thickness(stones: int) -> float:
    """The thinnest arch of this many stones that a thrust line fits into, over its radius."""
    low, high = 0.02, 0.3
    while high - low > 1e-5:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if can_stand(middle, stones) else (middle, high)
    return high


def crown_sinks(thickness: float, *, stones: int, seconds: float, dt: float) -> float:
    """How far the keystone of an arch of radius 1 m is down after so many seconds [m]."""
    sim = Simulation(arch.build(stones=stones, thickness=thickness, friction=0.9), dt=dt)
    crown = sim.bodies[f"stone-{stones // 2 + 1}"]
    start = float(crown.center[2])
    for _ in range(round(seconds / dt)):
        sim.step()
        if start - float(crown.center[2]) > 0.05:
            break
    return start - float(crown.center[2])


def run_arch(quick: bool, progress: Progress) -> Measurements:
    """Bisect the thickness at which an arch begins to fall."""
    stones, seconds, steps = (11, 0.8, 3) if quick else (25, 1.5, 5)
    theory = least_thickness(stones)
    low, high, tried = 0.8 * theory, 1.25 * theory, []
    for k in range(steps):
        middle = 0.5 * (low + high)
        sunk = crown_sinks(middle, stones=stones, seconds=seconds, dt=2e-3)
        tried.append((middle, sunk))
        low, high = (middle, high) if sunk > 2e-3 else (low, middle)
        part_of(progress, k, steps)(1.0)
    tried.sort()
    counts = [7, 11, 15, 25, 35, 51, 75, 101]
    series = [Series("thrust line in n stones", counts, [least_thickness(n) for n in counts])]
    series.append(Series("Heyman, n = ∞", [7, 101], [HEYMAN, HEYMAN], theory=True))
    sinking = Series(f"{stones} stones", [t for t, _ in tried], [1e3 * s for _, s in tried])
    return Measurements(
        [
            Measurement("least t/R by the thrust line, 101 stones", least_thickness(101), HEYMAN, "", 0.02),
            Measurement(f"least t/R simulated, {stones} stones", 0.5 * (low + high), theory, "", 0.05),
        ],
        [
            Curve("Least thickness over radius", "stones n", "t/R", series),
            Curve(f"How far the crown sinks in {seconds:g} s", "t/R", "[mm]", [sinking]),
        ],
        [
            f"An arch counts as falling if its crown sinks by 2 mm in {seconds:g} s: near the limit it falls slowly at first. "
            "Friction is 0.9, so that no stone slides, as the closed form assumes."
        ],
    )


def least_friction() -> float:
    """tan(α)/2 − t/(2 l): the cards stand on the edges of their inner faces, t/2 off their centres of mass."""
    return 0.5 * math.tan(card_house.LEAN) - 0.5 * card_house.THICKNESS / card_house.LENGTH


def frame_sinks(friction: float, *, seconds: float = 0.4) -> float:
    """How far the top of two cards that lean against each other sinks [m]."""
    return _house_sinks(seconds, friction=friction, storeys=1)


def _house_sinks(seconds: float, **options: float) -> float:
    sim = Simulation(card_house.build(**options), dt=card_house.SCENE.dt)  # pyright: ignore[reportArgumentType]

    def top() -> float:
        return max(float(body.positions[:, 2].max()) for body in sim.bodies.values())

    start = top()
    for _ in range(round(seconds / sim.dt)):
        sim.step()
    return start - top()


def run_cards(quick: bool, progress: Progress) -> Measurements:
    """Bisect the least friction of an A-frame; then let a house of three storeys stand."""
    theory = least_friction()
    low, high, tried, steps = 0.7 * theory, 1.4 * theory, [], 5 if quick else 8
    for k in range(steps):
        middle = 0.5 * (low + high)
        sunk = frame_sinks(middle)
        tried.append((middle, sunk))
        low, high = (middle, high) if sunk > 2e-4 else (low, middle)
        part_of(progress, k, steps + 3)(1.0)
    storeys, seconds = (2, 0.5) if quick else (3, 2.0)
    sunk = _house_sinks(seconds, friction=0.5, storeys=storeys)
    progress(1.0)
    tried.sort()
    line = Series("simulated", [mu / theory for mu, _ in tried], [1e3 * s for _, s in tried])
    return Measurements(
        [
            Measurement("least friction of an A-frame", 0.5 * (low + high), theory, "", 0.03),
            Measurement(f"top of {storeys} storeys sinks in {seconds:g} s", sunk, 0.0, "m", 1e-3, absolute=True),
        ],
        [Curve("How far an A-frame sinks in 0.4 s", "μ over the least", "[mm]", [line])],
    )


ARCH = Case(
    name="arch",
    title="A semicircular arch of dry stones: the thickness below which it falls",
    theory="An arch of stones that neither slide nor bear tension stands while a thrust line fits into its thickness: for "
    "infinitely many stones t/R ≥ 0.1075. For the finite number that is simulated the limit is lower, because hinges form "
    "only in joints; a linear programme over the forces in the joints gives it.",
    source="Milankovitch 1907; Heyman 1995, The Stone Skeleton; Livesley 1978 for the linear programme",
    run=run_arch,
)
CARDS = Case(
    name="cards",
    title="An A-frame of two cards and a house of cards",
    theory="Two cards that lean against each other at an angle α from the vertical slide apart on the table below "
    "μ = tan(α)/2 − t/(2 l): each carries its weight on the lower edge of its inner face, and the moment about that gives the "
    "horizontal force; t is the thickness and l the length of a card.",
    source="balance of forces and moments of a leaning card",
    run=run_cards,
)
