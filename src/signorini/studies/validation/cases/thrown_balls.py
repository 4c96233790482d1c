"""Validation case: balls of up to 100 m/s hit cloth, boards and free plates, and pass through none of them."""

from __future__ import annotations

import numpy as np

from signorini.geometry import shapes
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

RADIUS = 0.01
"""Of the ball [m]."""
SECONDS = 0.4


def on_cloth(speed: float, dt: float) -> tuple[int, float, float]:
    """Intersections after any step, the largest energy over that of the start, and how far the ball is beyond the cloth [m].

    The sheet of 1 m is held all around. Beyond: below the lowest point of the cloth; negative above it.
    """
    scene = Scene(friction=0.3)
    mesh = shapes.grid(1.0, 1.0, cells=16)
    sheet = scene.add_cloth(mesh, name="sheet")
    sheet.pin(np.flatnonzero(np.abs(mesh.vertices[:, :2]).max(axis=1) > 0.499))
    ball = shapes.sphere(RADIUS, subdivisions=2)
    scene.add_rigid(ball, density=1000.0, position=(0.013, 0.021, 0.2), velocity=(0.0, 0.0, -speed), name="ball")
    sim = Simulation(scene, dt=dt)
    crossing, beyond, energies = 0, -np.inf, []
    for _ in range(max(6, round(SECONDS / dt))):
        report = sim.step()
        energies.append(report.total_energy)
        crossing += sim.intersections()
        low = sim.bodies["sheet"].positions[:, 2].min() - sim.bodies["ball"].center[2]
        beyond = max(beyond, float(low))
    start = 0.5 * speed**2 * sim.bodies["ball"].mass
    return crossing, float(max(energies) - energies[0]) / start, beyond


def on_board(speed: float, dt: float) -> tuple[int, float]:
    """Intersections after any step, and the lowest centre of the ball above a scripted board of 1 mm [m]."""
    scene = Scene(friction=0.3)
    scene.add_kinematic(shapes.box(1.0, 1.0, 1e-3), position=(0, 0, -5e-4), name="board")
    ball = shapes.sphere(RADIUS, subdivisions=2)
    scene.add_rigid(ball, density=1000.0, position=(0.013, 0.021, 0.2), velocity=(0.3, 0.0, -speed), name="ball")
    sim = Simulation(scene, dt=dt)
    crossing, lowest = 0, np.inf
    for _ in range(max(6, round(0.1 / dt))):
        sim.step()
        crossing += sim.intersections()
        lowest = min(lowest, float(sim.bodies["ball"].center[2]))
    return crossing, lowest


def on_plate(speed: float, dt: float) -> tuple[float, float]:
    """Velocity of a free plate and of the ball that hit it in its middle, over the common velocity of a plastic impact."""
    scene = Scene(gravity=(0.0, 0.0, 0.0), friction=0.3)
    plate = scene.add_rigid(shapes.box(0.2, 0.2, 2e-3), density=2700.0, name="plate")
    ball = shapes.sphere(RADIUS, subdivisions=4)
    body = scene.add_rigid(ball, density=7800.0, position=(0.0, 0.0, 0.2), velocity=(0.0, 0.0, -speed), name="ball")
    sim = Simulation(scene, dt=dt)
    for _ in range(max(4, round(0.3 / speed / dt) + 3)):
        sim.step()
    common = -speed * body.mass / (body.mass + plate.mass)
    return float(sim.bodies["plate"].velocity[2]) / common, float(sim.bodies["ball"].velocity[2]) / common


def run(quick: bool, progress: Progress) -> Measurements:
    """Speeds of 1 to 100 m/s at two time steps."""
    speeds = (10.0, 100.0) if quick else (1.0, 3.0, 10.0, 30.0, 100.0)
    steps = (1.0 / 30.0,) if quick else (4e-3, 1.0 / 30.0)
    jobs, rows, gains = [(v, dt) for dt in steps for v in speeds], [], []
    for k, (speed, dt) in enumerate(jobs):
        at = f"{speed:g} m/s, dt = {1e3 * dt:.0f} ms"
        crossing, gain, beyond = on_cloth(speed, dt)
        rows.append(Measurement(f"edges through triangles, cloth, {at}", crossing, 0.0, "", 0.0, absolute=True))
        rows.append(Measurement(f"ball beyond the cloth, {at}", max(0.0, beyond), 0.0, "m", 0.0, absolute=True))
        rows.append(
            Measurement(f"energy gained over ½ m v², cloth, {at}", max(0.0, gain), 0.0, "", 1e-3, absolute=True)
        )
        gains.append(gain)
        crossing, lowest = on_board(speed, dt)
        rows.append(Measurement(f"edges through triangles, board of 1 mm, {at}", crossing, 0.0, "", 0.0, absolute=True))
        rows.append(Measurement(f"ball below the board, {at}", max(0.0, -lowest), 0.0, "m", 0.0, absolute=True))
        plate, ball = on_plate(speed, dt)
        rows.append(Measurement(f"velocity of a free plate over theory, {at}", plate, 1.0, "", 0.01))
        rows.append(Measurement(f"velocity of its ball over theory, {at}", ball, 1.0, "", 0.01))
        part_of(progress, k, len(jobs))(1.0)
    lines = [
        Series(
            f"dt = {1e3 * dt:.0f} ms",
            [float(np.log10(v)) for v, d in jobs if d == dt],
            [r.measured for r, (_, d) in zip(rows[5::7], jobs, strict=True) if d == dt],
        )
        for dt in steps
    ]
    return Measurements(rows, [Curve("Velocity of the free plate over theory", "log₁₀ of the speed [m/s]", "", lines)])


CASE = Case(
    name="thrown-balls",
    title="Balls thrown at up to 100 m/s",
    theory="A ball of 1 cm that flies up to 3.3 m, 333 radii, in a step passes through neither a sheet nor a board of 1 mm. A "
    "free plate that it hits in the middle moves with it at m v/(m + M), as after any plastic impact.",
    source="nothing passes through anything; conservation of momentum",
    run=run,
)
