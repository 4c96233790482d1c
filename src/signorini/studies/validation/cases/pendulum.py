"""Validation case: pendulums on hinges and on a pin with play, and the double pendulum."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from signorini.gallery.mechanisms import pendulum as bar_on_pin
from signorini.geometry import shapes
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

G = 9.81
SIDE = 0.04
"""Of the section of the rods [m]."""


def rod_scene(angle: float, length: float = 0.5) -> Scene:
    """A rod of 1 kg whose upper end is at the origin, `angle` [rad] off the vertical."""
    scene, half = Scene(), 0.5 * length
    place = (half * math.sin(angle), 0.0, -half * math.cos(angle))
    scene.add_rigid(shapes.box(SIDE, SIDE, length), mass=1.0, position=place, rotation=(0.0, -angle, 0.0), name="rod")
    return scene


def rod_period(angle: float) -> float:
    """Of a rod of 0.5 m on a hinge at its end, let go at `angle` [rad]: 4 √(I/(m g l)) K(sin²(θ/2)) [s]."""
    inertia = (SIDE**2 + 0.5**2) / 12.0 + 0.25**2
    return 4.0 * math.sqrt(inertia / (G * 0.25)) * float(ellipk(math.sin(0.5 * angle) ** 2))


def hinge_period(angle: float, *, dt: float = 4e-3, swings: int = 2) -> tuple[float, float]:
    """Mean period of a rod on a hinge [s], and how far the hinge was open at most [m]."""
    scene = rod_scene(angle)
    scene.add_joint("hinge", "rod", at=(0, 0, 0), axis=(0, 1, 0), name="pivot")
    sim = Simulation(scene, dt=dt)
    times, angles, open_by = [], [], 0.0
    while sim.time < (swings + 1) * rod_period(angle):
        sim.step()
        times.append(sim.time)
        x = sim.bodies["rod"].center
        angles.append(math.atan2(x[0], -x[2]))
        open_by = max(open_by, sim.joints["pivot"].error)
    t, x = np.array(times), np.array(angles)
    up = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0) & (x[1:] - x[:-1] < 3.0))
    crossings = t[up] - x[up] * (t[up + 1] - t[up]) / (x[up + 1] - x[up])
    return float(np.diff(crossings).mean()), open_by


def pin_period(swings: float, dt: float) -> float:
    """Mean period of a bar on a pin with play [s]."""
    sim = Simulation(bar_on_pin.build(), dt=dt)
    times, angles = [], []
    while sim.time < swings * bar_on_pin.period():
        sim.step()
        times.append(sim.time)
        angles.append(float(sim.bodies["bar"].rotation[1]))  # pyright: ignore[reportAttributeAccessIssue]
    t, x = np.array(times), np.array(angles)
    k = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    passed = t[k] + dt * x[k] / (x[k] - x[k + 1])
    return 2.0 * float(np.diff(passed).mean())


def double_pendulum(dt: float) -> tuple[float, float]:
    """Largest distance of two rods from Lagrange's equations in 1 s, over the length of a rod; opening of the joints [m]."""
    length, a, b = 0.4, 1.2, 0.3
    half, scene = 0.5 * length, rod_scene(a, length)
    end = length * np.array([math.sin(a), 0.0, -math.cos(a)])
    # Side by side, so that the rods do not overlap: the motion stays in the plane.
    place = end + half * np.array([math.sin(b), 0.0, -math.cos(b)]) + np.array([0.0, 1.5 * SIDE, 0.0])
    rod = shapes.box(SIDE, SIDE, length)
    scene.add_rigid(rod, mass=1.0, position=tuple(place), rotation=(0.0, -b, 0.0), name="lower")
    scene.add_joint("hinge", "rod", at=(0, 0, 0), axis=(0, 1, 0), name="upper")
    elbow = end + np.array([0.0, 0.75 * SIDE, 0.0])
    scene.add_joint("hinge", "lower", to="rod", at=tuple(elbow), axis=(0, 1, 0), name="elbow")
    sim = Simulation(scene, dt=dt)
    own = (SIDE**2 + length**2) / 12.0

    def rates(_: float, y: np.ndarray) -> list[float]:
        p, q, dp, dq = y
        c, s = math.cos(p - q), math.sin(p - q)
        M = np.array([[own + half**2 + length**2, length * half * c], [length * half * c, own + half**2]])
        f = [
            -length * half * s * dq**2 - G * (half + length) * math.sin(p),
            length * half * s * dp**2 - G * half * math.sin(q),
        ]
        return [dp, dq, *np.linalg.solve(M, f)]

    exact = solve_ivp(rates, (0, 1.0), [a, b, 0, 0], rtol=1e-10, atol=1e-10, dense_output=True).sol
    worst = 0.0
    for _ in range(round(1.0 / dt)):
        sim.step()
        p, q = exact(sim.time)[:2]
        upper = np.array([half * math.sin(p), -half * math.cos(p)])
        lower = 2.0 * upper + np.array([half * math.sin(q), -half * math.cos(q)])
        for name, there in (("rod", upper), ("lower", lower)):
            worst = max(worst, float(np.abs(sim.bodies[name].center[[0, 2]] - there).max()))
    return worst / length, max(joint.error for joint in sim.joints.values())


def run(quick: bool, progress: Progress) -> Measurements:
    """Periods over the amplitude, the same on a pin in a bore, and the double pendulum."""
    amplitudes = (0.3, 2.0) if quick else (0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 2.5, 3.0)
    rows, ratios, widest = [], [], 0.0
    for k, angle in enumerate(amplitudes):
        period, open_by = hinge_period(angle, swings=1 if quick else 3)
        rows.append(Measurement(f"period of a rod on a hinge, {angle:g} rad", period, rod_period(angle), "s", 0.002))
        ratios.append(period / rod_period(1e-3))
        widest = max(widest, open_by)
        part_of(progress, k, len(amplitudes) + 2)(1.0)
    found = pin_period(1.3 if quick else 5.3, 2e-3)
    part_of(progress, len(amplitudes), len(amplitudes) + 2)(1.0)
    rows.append(Measurement("period of a bar on a pin with 0.25 mm of play", found, bar_on_pin.period(), "s", 0.01))
    off, open_by = double_pendulum(2e-3)
    rows.append(
        Measurement("double pendulum off Lagrange's equations in 1 s, over a rod", off, 0.0, "", 0.01, absolute=True)
    )
    widest = max(widest, open_by)
    rows.append(Measurement("largest opening of a hinge", widest, 0.0, "m", 1e-9, absolute=True))
    dense = np.linspace(0.05, 3.0, 60)
    theory = Series("K(sin²(θ/2)) 2/π", list(dense), [rod_period(a) / rod_period(1e-3) for a in dense], theory=True)
    curve = Curve(
        "Period over that of small swings",
        "amplitude [rad]",
        "",
        [Series("rod on a hinge", amplitudes, ratios), theory],
    )
    return Measurements(rows, [curve])


CASE = Case(
    name="pendulum",
    title="Pendulums on a hinge and on a pin with play, and the double pendulum",
    theory="A compound pendulum let go at θ has the period 4 √(I/(m g l)) K(sin²(θ/2)), K being the complete elliptic integral. "
    "Two rods follow Lagrange's equations, integrated to 1e-10.",
    source="Landau and Lifshitz, Mechanics, § 11; Goldstein, Classical Mechanics",
    run=run,
)
