"""Otaduy2009 §5.3: how many sweeps over the contacts an outer iteration of ICA needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.gallery import SCENES
from signorini.methods.report import StepReport
from signorini.settings import Settings, SolverSettings
from signorini.simulation.simulation import Simulation
from signorini.solvers import solve_ica
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


def sweeps_of_iterations(problem: Mlcp, start: WarmStart | None, settings: SolverSettings = PAPER) -> NDArray[np.int64]:
    """(k,) sweeps over the contacts in each of the k outer iterations of a solve, which are done one by one."""
    outer = solve_ica(problem, settings, start).outer_iterations
    one, counts = replace(settings, max_outer=1), []
    for _ in range(outer):
        response = solve_ica(problem, one, start)
        counts.append(response.inner_iterations)
        start = WarmStart(response.dv, response.impulse)
    return np.array(counts, dtype=np.int64)


def _run(quick: bool, progress: Progress) -> Outcome:
    found: dict[str, NDArray[np.int64]] = {}
    problems: dict[str, int] = {}
    for k, (name, small, short, large, long) in enumerate(SCENES_OF):
        recorder, counts, seconds = Recorder(), [], short if quick else long
        entry = SCENES[name]
        every = max(round(seconds / entry.dt) // 20, 1)

        def each(
            sim: Simulation,
            report: StepReport,
            recorder: Recorder = recorder,
            counts: list[NDArray[np.int64]] = counts,
            every: int = every,
        ) -> None:
            taken = recorder.taken()
            if taken is not None and sim.step_index % every == 0:
                counts.append(sweeps_of_iterations(*taken))

        scene = entry.build(**(small if quick else large))
        run_scene(
            scene,
            part(progress, k / 2, (k + 1) / 2),
            dt=entry.dt,
            seconds=seconds,
            settings=Settings(solver=recorder, sleep=False),
            each=each,
        )
        found[name], problems[name] = np.concatenate(counts), len(counts)
    numbers = [
        Number(
            f"inner iterations below 10, `{name}`",
            "in 90 % of the cases",
            f"{(n < 10).mean():.1%} of {len(n)} outer iterations (median {np.median(n):.0f}, most {n.max()})",
            f"{problems[name]} problems of a running scene, warm started, with the rules of §5.5; a residual that falls by more "
            "than 5 % a sweep goes on falling, here to a floor of 5·10⁻⁷ m/s, and the paper does not say where its floor is",
            bool((n < 10).mean() >= 0.9),
        )
        for name, n in found.items()
    ]

    def draw(figure: Any) -> None:
        axis = figure.subplots()
        most = max(20, *(int(np.quantile(n, 0.995)) for n in found.values()))
        for k, (name, n) in enumerate(found.items()):
            share = 100.0 * np.bincount(np.minimum(n, most), minlength=most + 1)[1:] / len(n)
            axis.bar(np.arange(1, most + 1) + 0.4 * (k - 0.5), share, 0.4, label=name)
        axis.axvspan(0.5, 9.5, color="tab:red", alpha=0.07, label="paper: 90 % in here")
        axis.set(xlabel="inner iterations of an outer one", ylabel="outer iterations [%]", xlim=(0.4, most + 0.6))
        axis.legend(fontsize=8)

    data = {name: np.bincount(n) for name, n in found.items()}
    setup = "; ".join(f"`{name}`, {problems[name]} contact problems" for name in found)
    return Outcome(numbers, draw, (7.0, 3.8), data, setup)


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
