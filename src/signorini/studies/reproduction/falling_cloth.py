"""Otaduy2009 Fig. 5: a cloth that stacks in folds, with small and large friction; its time and what it is spent on."""

from __future__ import annotations

from typing import Any

from signorini.studies.reproduction.measured_run import MeasuredRun, part, run_gallery, show_picture
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target

FRICTIONS = (0.1, 0.8)
"""Small and large; the paper gives no values."""
PAPER_STEP = 480.0 / 1000.0
"""About 8 minutes for 4 s in steps of 4 ms [s]."""
PAPER_DETECTION = 0.31
GROUPS = (
    ("unconstrained dynamics", ("assembly", "unconstrained")),
    ("contact problem", ("contact",)),
    ("collision detection", ("detection", "check")),
)


def _run(quick: bool, progress: Progress) -> Outcome:
    resolution, seconds = (30, 1.2) if quick else (50, 4.0)
    runs: dict[float, MeasuredRun] = {}
    for k, friction in enumerate(FRICTIONS):
        runs[friction] = run_gallery(
            "falling-cloth",
            part(progress, k / 2, (k + 1) / 2),
            seconds=seconds,
            options={"resolution": resolution, "friction": friction},
            pictures=(seconds,),
            view=(1.0, -1.5, 0.9),
        )
    numbers = [number for friction in FRICTIONS for number in _numbers(friction, runs[friction], quick)]
    growth = max(run.energy_growth for run in runs.values())
    few = min(run.few_refinements for run in runs.values())
    bad = sum(run.intersecting for run in runs.values())
    numbers += [
        Number(
            "the response does not add energy",
            "does not add energy to the cloth",
            f"grows by {growth:.1e} of what is lost, at most",
            "the sum of kinetic, elastic and gravitational energy never rises noticeably",
            growth < 1e-3,
        ),
        Number(
            "non-penetration and stacking folds",
            "robust",
            f"{bad} states with intersections, {sum(run.failsafe_steps for run in runs.values())} fail-safe steps",
            "the statement holds",
            bad == 0 and not any(run.failsafe_steps for run in runs.values()),
        ),
        Number(
            "three refinements or less",
            "more than 90 %",
            f"{few:.1%} in the worse run",
            "the statement holds",
            few > 0.9,
        ),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 3, width_ratios=(1.2, 1.0, 1.0))
        _draw_times(axes[0], runs, quick)
        for axis, friction in zip(axes[1:], FRICTIONS, strict=True):
            show_picture(axis, runs[friction].pictures[-1], f"μ = {friction:g}")

    data = {f"cpu_seconds_{f:g}": run.cpu for f, run in runs.items()}
    setup = (
        f"`falling-cloth`, {resolution}² vertices, mass-spring, {seconds:g} s, dt = 4 ms, μ = 0.1 and 0.8, one thread"
    )
    return Outcome(numbers, draw, (10.5, 3.6), data, setup)


def _numbers(friction: float, run: MeasuredRun, quick: bool) -> list[Number]:
    size = "900 vertices and 1.2 s instead of 2,500 and 4 s; " if quick else ""
    return [
        Number(
            f"CPU time of a step, μ = {friction:g}",
            "0.48 s (8 min for 4 s)",
            f"{1e3 * run.cpu_per_step:.0f} ms",
            f"{size}one core of 2026 against 3.2 GHz of 2009, and another contact solver",
            None,
        ),
        Number(
            f"share of collision detection, μ = {friction:g}",
            "31 %",
            f"{run.detection_share:.0%}",
            f"{size}boxes are refitted and pairs that cannot have come near are left out, so that detection is cheaper here; "
            "the rest is dynamics and contact",
            abs(run.detection_share - PAPER_DETECTION) < 0.1,
        ),
    ]


def _draw_times(axis: Any, runs: dict[float, MeasuredRun], quick: bool) -> None:
    """Bars of one step, the paper's first."""
    axis.bar(
        ["paper"], [100.0 * (1.0 - PAPER_DETECTION)], color="tab:gray", label="paper: solve, not divided", width=0.6
    )
    axis.bar(
        ["paper"], [100.0 * PAPER_DETECTION], bottom=[100.0 * (1.0 - PAPER_DETECTION)], color="tab:green", width=0.6
    )
    steps = [PAPER_STEP]
    for friction, run in runs.items():
        seconds = {p: sum(r.phase_seconds.get(p, 0.0) for r in run.reports[1:]) for _, ps in GROUPS for p in ps}
        steps.append(run.cpu_per_step)
        bottom = 0.0
        for (label, phases), color in zip(GROUPS, ("tab:blue", "tab:orange", "tab:green"), strict=True):
            height = 100.0 * sum(seconds[p] for p in phases) / sum(seconds.values())
            shown = label if friction == FRICTIONS[0] else None
            axis.bar([f"ours,\nμ = {friction:g}"], [height], bottom=[bottom], color=color, label=shown, width=0.6)
            bottom += height
    for k, step in enumerate(steps):
        axis.text(k, 101.0, f"{1e3 * step:.0f} ms", ha="center", fontsize=8)
    axis.set(ylabel="share of a step [%]", ylim=(0, 150), title="time of a step" + (", quick size" if quick else ""))
    axis.legend(fontsize=7, loc="upper right")


TARGETS = (
    Target(
        "otaduy2009-fig-5",
        "Otaduy2009",
        "Fig. 5",
        "A falling cloth stacks in folds with small and large friction; 69 % of the time is the solve, 31 % detection.",
        _run,
        (0.1, 0.5),
    ),
)
