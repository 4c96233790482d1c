"""Validation case: tops that precess, and free bodies that tumble, by Euler's equations."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

from signorini.geometry import shapes
from signorini.geometry.mass_properties import mass_properties
from signorini.scene.scene import Scene
from signorini.simulation.body_view import RigidView
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

G = 9.81
RADIUS, HEIGHT, ARM = 0.05, 0.02, 0.08
"""Of the disc, and its distance from the pivot [m]."""


def precession(spin: float, *, tilt: float = 1.0, dt: float = 1e-3, seconds: float = 1.0) -> tuple[float, float, float]:
    """Rate of the slow steady precession of a disc on a stick: measured and expected [rad/s], and its nutation [rad]."""
    mesh = shapes.cylinder(RADIUS, HEIGHT, edge=0.02)
    scene = Scene()
    axis = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    own = mass_properties(mesh, 1.0)
    along = 0.5 / own.mass * float(own.inertia[2, 2])
    across = 0.5 / own.mass * float(own.inertia[0, 0]) + 0.5 * ARM**2
    # Steady precession Ω: across Ω² cos θ − along s Ω + m g l = 0, s being the spin about the axis in space.
    a, b, c = across * math.cos(tilt), along * spin, 0.5 * G * ARM
    rate = 2.0 * c / (b + math.sqrt(b * b - 4.0 * a * c))
    # ω = Ω z + (s − Ω cos θ) axis has the component s along the axis.
    omega = rate * np.array([0.0, 0.0, 1.0]) + (spin - rate * math.cos(tilt)) * axis
    scene.add_rigid(
        mesh, mass=0.5, position=tuple(ARM * axis), rotation=(0.0, tilt, 0.0), angular_velocity=tuple(omega),
        velocity=tuple(np.cross(omega, ARM * axis)), name="disc",
    )  # fmt: skip
    scene.add_joint("ball", "disc", at=(0.0, 0.0, 0.0), name="pivot")
    sim = Simulation(scene, dt=dt)
    headings, tilts = [0.0], [tilt]
    for _ in range(round(seconds / dt)):
        sim.step()
        x = sim.bodies["disc"].center
        headings.append(math.atan2(x[1], x[0]))
        tilts.append(math.acos(x[2] / np.linalg.norm(x)))
    turned = float(np.unwrap(headings)[-1])
    return turned / seconds, rate, float(np.ptp(tilts))


def flip(
    dt: float, *, spin: float = 12.0, seconds: float = 6.0
) -> tuple[float, float, float, list[float], list[float]]:
    """Period of the flips of a free brick about its middle axis [s], measured and expected; energy lost; times and ω."""
    size = (0.02, 0.1, 0.2)
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    start = np.array([0.02, spin, 0.03])
    scene.add_rigid(shapes.box(*size), mass=1.0, angular_velocity=tuple(start), name="brick")
    sim = Simulation(scene, dt=dt)
    squares = np.array(size) ** 2
    inertia = (squares.sum() - squares) / 12.0
    times, middle = [], []
    view = sim.bodies["brick"]
    assert isinstance(view, RigidView)
    for _ in range(round(seconds / dt)):
        sim.step()
        times.append(sim.time)
        middle.append(float((view.pose[:3, :3].T @ view.angular_velocity)[1]))
    w = view.pose[:3, :3].T @ view.angular_velocity
    lost = 1.0 - float(inertia @ w**2) / float(inertia @ start**2)
    x, t = np.array(middle), np.array(times)
    k = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    crossings = t[k] + dt * x[k] / (x[k] - x[k + 1])
    period = 2.0 * float(np.diff(crossings).mean()) if len(crossings) > 1 else math.nan
    return period, _flip_period(inertia, start), lost, times, middle


def _flip_period(inertia: np.ndarray, omega: np.ndarray) -> float:
    """Period of the angular velocity about the middle axis, 4 K(m)/λ (Landau and Lifshitz, § 37)."""
    order = np.argsort(inertia)
    i1, i2, i3 = inertia[order]
    w = omega[order]
    twice, square = float(inertia @ omega**2), float((inertia**2) @ omega**2)
    if square < twice * i2:  # then the first and the third axis change their parts
        i1, i3, w = i3, i1, w[::-1]
    rate = math.sqrt((i3 - i2) * (square - twice * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (twice * i3 - square) / ((i3 - i2) * (square - twice * i1))
    return 4.0 * float(ellipk(m)) / rate


def swinging_top(dt: float) -> tuple[float, float]:
    """Largest distance of a brick on a ball joint from Euler's equations in 0.5 s, over its arm; opening of the joint [m]."""
    size, arm, spin = np.array([0.06, 0.1, 0.4]), np.array([0.0, 0.0, 0.25]), np.array([2.0, 1.0, 6.0])
    start = Rotation.from_rotvec((1.9, 0.3, 0.0))
    place = start.apply(arm)
    scene = Scene()
    scene.add_rigid(
        shapes.box(*size), mass=1.0, position=tuple(place), rotation=tuple(start.as_rotvec()),
        velocity=tuple(np.cross(spin, place)), angular_velocity=tuple(spin), name="top",
    )  # fmt: skip
    scene.add_joint("ball", "top", at=(0, 0, 0), name="pivot")
    sim = Simulation(scene, dt=dt)
    squares = size**2
    inertia = np.diag(squares.sum() - squares) / 12.0 + (arm @ arm) * np.eye(3) - np.outer(arm, arm)

    def rates(_: float, y: np.ndarray) -> list[float]:
        turn, w = Rotation.from_quat(y[:4]), y[4:]  # w in the frame of the body
        torque = np.cross(arm, turn.inv().apply([0.0, 0.0, -G]))
        dq = 0.5 * np.array([*(y[3] * w + np.cross(y[:3], w)), -(y[:3] @ w)])
        return [*dq, *np.linalg.solve(inertia, torque - np.cross(w, inertia @ w))]

    first = [*start.as_quat(), *start.inv().apply(spin)]
    exact = solve_ivp(rates, (0, 0.5), first, rtol=1e-10, atol=1e-10, dense_output=True).sol
    worst = 0.0
    for _ in range(round(0.5 / dt)):
        sim.step()
        there = Rotation.from_quat(exact(sim.time)[:4]).apply(arm)
        worst = max(worst, float(np.linalg.norm(sim.bodies["top"].center - there)))
    return worst / float(np.linalg.norm(arm)), sim.joints["pivot"].error


def run(quick: bool, progress: Progress) -> Measurements:
    """Steady precession at several spins, flips of a free brick, and a brick that swings in space."""
    spins = (100.0, 200.0) if quick else (90.0, 100.0, 150.0, 200.0, 400.0)
    rows, measured, expected = [], [], []
    for k, spin in enumerate(spins):
        found, theory, nutation = precession(spin, seconds=0.5 if quick else 2.0)
        rows.append(Measurement(f"precession, spin {spin:g} rad/s", found, theory, "rad/s", 0.01))
        rows.append(Measurement(f"nutation of the same, {spin:g} rad/s", nutation, 0.0, "rad", 0.01, absolute=True))
        measured.append(found)
        expected.append(theory)
        part_of(progress, k, len(spins) + 2)(1.0)
    period, exact, lost, times, middle = flip(4e-3, seconds=3.0 if quick else 10.0)
    rows.append(Measurement("period of the flips of a free brick", period, exact, "s", 0.01))
    rows.append(Measurement("energy that it lost", lost, 0.0, "", 1e-3, absolute=True))
    part_of(progress, len(spins), len(spins) + 2)(1.0)
    rows.append(
        Measurement(
            "distance from Euler's equations in 0.5 s, over the arm",
            swinging_top(2e-3)[0],
            0.0,
            "",
            0.01,
            absolute=True,
        )
    )
    return Measurements(
        rows,
        [
            Curve(
                "Rate of the precession",
                "spin [rad/s]",
                "[rad/s]",
                [Series("simulated", spins, measured), Series("theory", spins, expected, theory=True)],
            ),
            Curve(
                "A brick that flips about its middle axis",
                "time [s]",
                "ω₂ [rad/s]",
                [Series("simulated", times, middle)],
            ),
        ],
    )


CASE = Case(
    name="gyroscope",
    title="Gyroscope, spinning brick and swinging top",
    theory="A top with spin s about its axis, at an angle θ from the vertical, precesses steadily at the smaller root of "
    "I₁ Ω² cos θ − I₃ s Ω + m g l = 0, without nutation. A free brick that spins about its middle axis flips over with the "
    "period 4 K(m)/λ of Euler's equations. A brick on a ball joint is compared with Euler's equations, integrated to 1e-10.",
    source="Landau and Lifshitz, Mechanics, §§ 35 to 37; Goldstein, Classical Mechanics, 5.7",
    run=run,
)
