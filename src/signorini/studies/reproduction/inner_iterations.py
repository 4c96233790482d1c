"""Otaduy2009 §5.3: how many sweeps over the contacts an outer iteration of ICA needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.contact.residuals import build_local_response
from signorini.gallery import SCENES
from signorini.methods.report import StepReport
from signorini.settings import DEFAULT_TOLERANCE, Settings, SolverSettings
from signorini.simulation.simulation import Simulation
from signorini.solvers import ica_loop_kernels
from signorini.solvers.iterates import start_values
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.relaxation_rules import paper_rules
from signorini.solvers.stop_rule_kernels import NOISE
from signorini.studies.reproduction.measured_run import part, run_scene
from signorini.studies.reproduction.recorded_problems import Recorder
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target

PAPER = SolverSettings(name="ica", stop="paper", friction_cone="pyramid", max_inner=100, max_outer=2000)
"""The rules of §5.5, with room to see sweeps beyond 10."""
SCENES_OF = (
    ("falling-cloth", {"resolution": 25}, 0.8, {"resolution": 50}, 3.0),
    ("letters", {"resolution": 2}, 1.2, {"resolution": 3}, 3.0),
)
"""Scene, options and time [s] of the quick size, and of the full one."""


MOST = 20
"""Inner iterations of the last bar of the plot, which holds those with more, too."""
FLOORS = (DEFAULT_TOLERANCE, 5e-5, 5e-6, 5e-7)
"""Residuals below which a change counts as none [m/s]; the paper gives no such floor. The first is where our solvers stop."""
Counts = NDArray[np.int64]


def sweeps_of_iterations(problem: Mlcp, start: WarmStart | None, floor: float) -> Counts:
    """(k,) sweeps over the contacts in each of the k outer iterations of a solve; `floor` as in FLOORS [m/s]."""
    arrays = problem_arrays(problem, build_local_response(problem))
    rules = paper_rules(problem, PAPER)._replace(tolerance=floor / NOISE)
    most, counts = np.iinfo(np.int64).max, np.zeros(2, dtype=np.int64)
    ica_loop_kernels.iterate(arrays, rules, None, most, *start_values(problem, start, PAPER.friction_cone), counts)
    outer, sweeps, one = int(counts[0]), [], rules._replace(max_outer=1)
    dv, impulse = start_values(problem, start, PAPER.friction_cone)
    for _ in range(outer):  # one by one, each from where the last one ended
        ica_loop_kernels.iterate(arrays, one, None, most, dv, impulse, counts)
        sweeps.append(int(counts[1]))
    return np.array(sweeps, dtype=np.int64)


@dataclass(slots=True)
class Course:
    """What the contact problems of one scene showed."""

    problems: int = 0
    allowed: float = 0.0
    """Violation that the rule of the paper allows, half of the contact distance in a step [m/s]."""
    sweeps: dict[float, list[Counts]] = field(default_factory=lambda: {floor: [] for floor in FLOORS})

    def add(self, problem: Mlcp, start: WarmStart | None) -> None:
        """Solve a problem by the rule of the paper, with each floor."""
        self.problems += 1
        self.allowed = paper_rules(problem, PAPER).allowed_penetration
        for floor, found in self.sweeps.items():
            found.append(sweeps_of_iterations(problem, start, floor))

    def at(self, floor: float) -> Counts:
        """Sweeps of all outer iterations, with a floor [m/s]."""
        return np.concatenate(self.sweeps[floor])

    def few(self, floor: float) -> float:
        """Part of the outer iterations with less than 10 sweeps, with a floor [m/s]."""
        return float((self.at(floor) < 10).mean())


def watch(name: str, options: dict[str, Any], seconds: float, progress: Progress) -> Course:
    """About 20 contact problems of a running scene, which the default solver solves."""
    recorder, course, entry = Recorder(), Course(), SCENES[name]
    every = max(round(seconds / entry.dt) // 20, 1)

    def each(sim: Simulation, report: StepReport) -> None:
        taken = recorder.taken()
        if taken is not None and sim.step_index % every == 0:
            course.add(*taken)

    settings = Settings(solver=recorder, sleep=False)
    run_scene(entry.build(**options), progress, dt=entry.dt, seconds=seconds, settings=settings, each=each)
    return course


def _number(name: str, course: Course) -> Number:
    sweeps, (floor, *lower) = course.at(FLOORS[0]), FLOORS
    shares = ", ".join(f"{course.few(below):.1%}" for below in lower)
    return Number(
        f"inner iterations below 10, `{name}`",
        "in 90 % of the cases",
        f"{course.few(floor):.1%} of {len(sweeps)} outer iterations (median {np.median(sweeps):.0f}, most {sweeps.max()})",
        f"{course.problems} problems of a running scene with their warm starts, and the rules of §5.5. A residual that falls by "
        "the same factor in every sweep changes by more than 5 % for ever, so that the rule needs a floor below which a change "
        f"counts as none, and the paper names none. Here it is {floor:g} m/s, where our solvers stop, "
        f"{course.allowed / floor:.0f} times less than the penetration that the rule allows; with "
        f"{', '.join(f'{below:g}' for below in lower)} m/s the share is {shares}",
        course.few(floor) >= 0.9,
    )


def _run(quick: bool, progress: Progress) -> Outcome:
    found: dict[str, Course] = {}
    for k, (name, small, short, large, long) in enumerate(SCENES_OF):
        options, seconds = (small, short) if quick else (large, long)
        found[name] = watch(name, options, seconds, part(progress, k / 2, (k + 1) / 2))

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1.6, 1.0))
        for k, (name, course) in enumerate(found.items()):
            sweeps = course.at(FLOORS[0])
            share = 100.0 * np.bincount(np.minimum(sweeps, MOST), minlength=MOST + 1)[1:] / len(sweeps)
            left.bar(np.arange(1, MOST + 1) + 0.4 * (k - 0.5), share, 0.4, label=name)
            right.semilogx(FLOORS, [100.0 * course.few(floor) for floor in FLOORS], "o-", ms=4, label=name)
        left.axvspan(0.5, 9.5, color="tab:red", alpha=0.07, label="paper: 90 % in here")
        left.set(xlabel="inner iterations of an outer one", ylabel="outer iterations [%]", xlim=(0.4, MOST + 0.6))
        left.set_xticks(range(2, MOST + 1, 2))
        left.set_title(f"changes below {FLOORS[0]:g} m/s count as none", fontsize=9)
        right.axhline(90.0, color="tab:red", lw=0.8, ls="--")
        right.set(
            xlabel="change that counts as none [m/s]", ylabel="outer iterations with less than 10 [%]", ylim=(0, 102)
        )
        left.legend(fontsize=8)
        right.legend(fontsize=8, loc="lower right")

    data = {name: {f"{floor:g}": np.bincount(course.at(floor)) for floor in FLOORS} for name, course in found.items()}
    setup = "; ".join(f"`{name}`, {course.problems} contact problems" for name, course in found.items())
    return Outcome([_number(*item) for item in found.items()], draw, (9.5, 3.8), data, setup)


TARGETS = (
    Target(
        "otaduy2009-inner-iterations",
        "Otaduy2009",
        "§5.3",
        "The inner problem of ICA converges in less than 10 iterations in 90 % of the cases.",
        _run,
        (0.1, 0.4),
    ),
)
