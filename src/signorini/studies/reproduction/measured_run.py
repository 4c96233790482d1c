"""A scene run for a target: reports and CPU time of every step, intersections, and pictures on the way."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.gallery import SCENES
from signorini.methods.report import StepReport
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.reproduction.target import Number, Progress

PICTURE = (640, 480)
"""Size of the pictures in plots [pixels]."""
CHECKS = 100
"""How often intersections are counted in a run."""
DETECTION = ("detection", "check")
"""Phases of a step that are collision detection; all others are the dynamics and the contact problem."""


@dataclass(slots=True)
class MeasuredRun:
    """Measurements of one run of a scene."""

    sim: Simulation
    reports: list[StepReport] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """CPU seconds of each step; the first loads kernels and is left out of means."""
    checked: int = 0
    intersecting: int = 0
    """States that were looked at for intersections, and those with one."""
    pictures: list[tuple[float, NDArray[np.uint8]]] = field(default_factory=list)
    """Time [s] and picture (h, w, 3)."""

    @property
    def cpu_per_step(self) -> float:
        """Mean, without the first step [s]."""
        return float(np.mean(self.cpu[1:] or self.cpu))

    @property
    def detection_share(self) -> float:
        """Part of the time of the steps that is collision detection."""
        phases: Counter[str] = Counter()
        for report in self.reports[1:]:
            phases.update(report.phase_seconds)
        return sum(phases[name] for name in DETECTION) / sum(phases.values())

    @property
    def refinements(self) -> Counter[int]:
        """Steps by the number of refinements that they took; those in which all bodies slept took none and are left out."""
        return Counter(r.refinements for r in self.reports if r.refinements)

    @property
    def few_refinements(self) -> float:
        """Part of these steps that took three refinements or less."""
        taken = self.refinements
        return sum(n for k, n in taken.items() if k <= 3) / max(taken.total(), 1)

    @property
    def energy_growth(self) -> float:
        """Highest rise of the total energy above an earlier value, over all that was lost."""
        energy = np.array([r.total_energy for r in self.reports])
        rise = float((energy - np.minimum.accumulate(energy)).max())
        return rise / max(float(np.ptp(energy)), 1e-300)

    @property
    def failsafe_steps(self) -> int:
        """Steps in which a fail-safe was called."""
        return sum(r.failsafe_substeps > 0 for r in self.reports)

    def total(self, name: str) -> int:
        """Sum of a field of the reports."""
        return sum(getattr(r, name) for r in self.reports)


def run_gallery(
    name: str,
    progress: Progress,
    *,
    seconds: float,
    dt: float | None = None,
    settings: Settings | None = None,
    pictures: Sequence[float] = (),
    options: dict[str, Any] | None = None,
    **camera: Any,
) -> MeasuredRun:
    """Run a built-in scene for some time [s] on one thread, with pictures at these times [s]."""
    entry = SCENES[name]
    return run_scene(
        entry.build(**(options or {})),
        progress,
        dt=dt or entry.dt,
        seconds=seconds,
        settings=settings,
        pictures=pictures,
        **camera,
    )


def run_scene(
    scene: Scene,
    progress: Progress,
    *,
    dt: float,
    seconds: float,
    settings: Settings | None = None,
    pictures: Sequence[float] = (),
    each: Callable[[Simulation, StepReport], None] | None = None,
    **camera: Any,
) -> MeasuredRun:
    """Run a scene for some time [s]; `each` is called after every step, outside of the measured time."""
    done = MeasuredRun(Simulation(scene, dt=dt, settings=settings, threads=1))
    sim, steps = done.sim, max(round(seconds / dt), 1)
    wanted = sorted(pictures)
    for step in range(steps):
        if wanted and sim.time >= wanted[0] - 1e-9:
            done.pictures.append((sim.time, _picture(sim, camera)))
            wanted.pop(0)
        begin = time.process_time()
        report = sim.step()
        done.cpu.append(time.process_time() - begin)
        done.reports.append(report)
        if step % max(steps // CHECKS, 1) == 0 or step == steps - 1:
            done.checked += 1
            done.intersecting += sim.intersections() > 0
        if each is not None:
            each(sim, report)
        progress((step + 1) / steps, f"{scene.name}: {report.time:.2f} of {seconds:g} s")
    if wanted:
        done.pictures.append((sim.time, _picture(sim, camera)))
    return done


def stayed_free(run: MeasuredRun, what: str, paper: str, why: str) -> Number:
    """Whether a run stayed free of intersection without fail-safes, as a statement of a paper in its words."""
    return Number(
        what,
        paper,
        f"{run.intersecting} of {run.checked} states with intersections, {run.total('halvings')} halvings, "
        f"{run.failsafe_steps} fail-safe steps",
        why,
        run.intersecting == 0 and run.failsafe_steps == 0,
    )


def solved_problems(run: MeasuredRun) -> Number:
    """How many of the contact problems of a run were solved, of which no paper speaks."""
    return Number(
        "contact problems solved to the tolerance",
        "no number in the text",
        f"{sum(r.solves_converged for r in run.reports)} of {sum(r.solves for r in run.reports)}",
        "the paper stops by a change of 5 %, which is no residual; ours stop by residuals",
        None,
    )


def _picture(sim: Simulation, camera: dict[str, Any]) -> NDArray[np.uint8]:
    picture = sim.render(**{"size": PICTURE, **camera})
    assert isinstance(picture, np.ndarray)
    return picture


def part(progress: Progress, start: float, end: float) -> Progress:
    """The progress of a part of a target, of which start and end are parts of the whole."""
    return lambda done, what: progress(start + done * (end - start), what)


def windows(values: Sequence[float] | NDArray[np.float64], steps: int) -> NDArray[np.float64]:
    """Means over windows of so many steps; what is left at the end makes no window of its own."""
    count = max(len(values) // steps, 1)
    means = [float(np.mean(values[k * steps : (k + 1) * steps])) for k in range(count)]
    return np.array(means, dtype=np.float64)


def exponent(x: Sequence[float] | NDArray[np.float64], y: Sequence[float] | NDArray[np.float64]) -> float:
    """Slope of log y over log x; not a number where x hardly varies."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    keep = (a > 0.0) & (b > 0.0)
    if keep.sum() < 3 or a[keep].max() < 1.5 * a[keep].min():
        return float("nan")
    return float(np.polyfit(np.log(a[keep]), np.log(b[keep]), 1)[0])


def show_picture(axis: Any, picture: tuple[float, NDArray[np.uint8]], title: str = "") -> None:
    """Draw a picture without axes."""
    axis.imshow(picture[1])
    axis.set_axis_off()
    axis.set_title(f"{title}{', ' if title else ''}{picture[0]:.2f} s", fontsize=9)
