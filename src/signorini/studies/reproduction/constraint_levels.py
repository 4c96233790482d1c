"""Otaduy2009 §4: constraints on positions against constraints on velocities, in steps of 30 ms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.gallery import SCENES
from signorini.methods.report import StepReport
from signorini.settings import Settings, SolverSettings
from signorini.simulation.simulation import Simulation
from signorini.solvers import solve
from signorini.studies.reproduction.measured_run import MeasuredRun, part, run_scene
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target


@dataclass(slots=True)
class LevelSolver:
    """Solves J v ≥ −g₀/dt, the position at the end of the step, or J v ≥ 0, no approach; keeps the gaps that are left."""

    velocity_level: bool
    gaps: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """(k,) what the contacts of the last problem that carry force leave between them beyond δ at the end of the step [m]."""

    def __call__(self, problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None) -> Response:
        """Solve the problem on the level that was chosen."""
        asked = replace(problem, gap=np.zeros_like(problem.gap)) if self.velocity_level else problem
        response = solve(asked, SolverSettings(tolerance=settings.tolerance), warm_start)
        u = (problem.jacobian() @ response.dv.ravel()).reshape(-1, 3) + problem.free_velocity
        carries = response.impulse[:, 0] > 0.0
        self.gaps = (problem.gap + problem.dt * u[:, 0])[carries]
        return response


@dataclass(slots=True)
class _LevelRun:
    run: MeasuredRun
    largest: list[float]
    mean: list[float]
    """Largest and mean gap of the contacts that carry force, step by step [m]."""

    @property
    def passes(self) -> float:
        """Mean passes of continuous detection of a step with contacts."""
        return float(np.mean([r.refinements for r in self.run.reports if r.contact_count]))


def _run_on_level(velocity_level: bool, resolution: int, seconds: float, progress: Progress) -> _LevelRun:
    solver, largest, mean = LevelSolver(velocity_level), [], []

    def each(sim: Simulation, report: StepReport) -> None:
        largest.append(float(solver.gaps.max(initial=0.0)))
        mean.append(float(solver.gaps.mean()) if len(solver.gaps) else 0.0)

    scene = SCENES["letters"].build(resolution=resolution)
    settings = Settings(solver=solver, sleep=False)
    return _LevelRun(run_scene(scene, progress, dt=0.03, seconds=seconds, settings=settings, each=each), largest, mean)


def _run(quick: bool, progress: Progress) -> Outcome:
    resolution, seconds = (2, 1.8) if quick else (4, 3.0)
    runs = {
        "position": _run_on_level(False, resolution, seconds, part(progress, 0.0, 0.5)),
        "velocity": _run_on_level(True, resolution, seconds, part(progress, 0.5, 1.0)),
    }
    position, velocity = runs["position"], runs["velocity"]
    delta = position.run.sim.contact_distance
    attempts = {k: c.run.total("halvings") for k, c in runs.items()}
    numbers = [
        Number(
            "gaps between touching objects in steps of 30 ms",
            "visible gaps with velocity-level constraints",
            f"largest {1e3 * max(velocity.largest):.1f} mm on the level of velocities, "
            f"{1e3 * max(position.largest):.2f} mm on that "
            f"of positions (δ = {1e3 * delta:.1f} mm)",
            "of the contacts that carry force, beyond the distance δ that is kept on purpose",
            max(velocity.largest) > 10.0 * max(position.largest),
        ),
        Number(
            "passes of collision detection in a step",
            "a decrease when using position constraints",
            f"{position.passes:.2f} with position, {velocity.passes:.2f} with velocity constraints; {attempts['position']} and "
            f"{attempts['velocity']} halvings",
            "a mean over the steps with contacts, of the attempt that was accepted",
            position.passes < velocity.passes,
        ),
        Number(
            "both stay free of intersection",
            "CMR guarantees it",
            f"{position.run.intersecting} and {velocity.run.intersecting} states with intersections",
            "continuous detection accepts no other state on either level",
            position.run.intersecting == 0 and velocity.run.intersecting == 0,
        ),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 2)
        for (name, level_run), color in zip(runs.items(), ("tab:blue", "tab:red"), strict=True):
            times = [r.time for r in level_run.run.reports]
            axes[0].plot(
                times, 1e3 * np.maximum(level_run.largest, 1e-7), color=color, label=f"{name} constraints, largest"
            )
            axes[0].plot(
                times, 1e3 * np.maximum(level_run.mean, 1e-7), color=color, ls=":", label=f"{name} constraints, mean"
            )
            passes = np.bincount([r.refinements for r in level_run.run.reports if r.contact_count], minlength=6)[1:6]
            axes[1].bar(
                np.arange(1, 6) + (-0.2 if name == "position" else 0.2),
                100.0 * passes / passes.sum(),
                0.4,
                color=color,
                label=f"{name} constraints, mean {level_run.passes:.2f}",
            )
        axes[0].set(yscale="log", xlabel="time [s]", ylabel="gap of pressing contacts beyond δ [mm]", ylim=(1e-4, None))
        axes[1].set(xlabel="passes of detection in a step", ylabel="steps with contacts [%]")
        for axis in axes:
            axis.legend(fontsize=7)

    data = {
        name: {"largest_gap": c.largest, "mean_gap": c.mean, "passes": [r.refinements for r in c.run.reports]}
        for name, c in runs.items()
    }
    setup = f"`letters`, resolution {resolution}, {seconds:g} s, dt = 30 ms, μ = 0.4"
    return Outcome(numbers, draw, (9.5, 3.8), data, setup)


TARGETS = (
    Target(
        "otaduy2009-constraint-levels",
        "Otaduy2009",
        "§4",
        "Constraints on positions leave no gaps at large steps and need fewer passes of detection than those on velocities.",
        _run,
        (0.1, 2.0),
    ),
)
