"""Otaduy2009 §6: the histogram of the refinements that a step needs, in four scenes."""

from __future__ import annotations

from typing import Any

from signorini.studies.reproduction.measured_run import MeasuredRun, part, run_gallery
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target

SCENES = (
    ("letters", {"resolution": 3}, 1.8, {"resolution": 5}, 6.0),
    ("falling-cloth", {"resolution": 25}, 0.8, {"resolution": 50}, 4.0),
    ("mixed-pile", {"resolution": 13}, 0.5, {"resolution": 31}, 2.0),
    ("layers", {"resolution": 16}, 0.6, {}, 2.0),
)
"""Scene, options and time [s] of the quick size, and of the full one."""
SHARE = 0.9


def _run(quick: bool, progress: Progress) -> Outcome:
    runs: dict[str, MeasuredRun] = {}
    for k, (name, small, short, large, long) in enumerate(SCENES):
        share = part(progress, k / len(SCENES), (k + 1) / len(SCENES))
        runs[name] = run_gallery(name, share, seconds=short if quick else long, options=small if quick else large)
    parts = {name: _shares(run) for name, run in runs.items()}
    numbers = [
        Number(
            f"three refinements or less, `{name}`",
            "more than 90 %",
            f"{run.few_refinements:.1%} (one is enough in {parts[name][0]:.0%})",
            "constraints begin with all pairs closer than twice δ instead of δ, so that most steps need no second search "
            "(decision 0003)",
            run.few_refinements > SHARE,
        )
        for name, run in runs.items()
    ]
    halvings = sum(run.total("halvings") for run in runs.values())
    numbers.append(
        Number(
            "steps halved after five refinements",
            "at most twice, all resolved",
            f"{halvings} halvings, {sum(run.failsafe_steps for run in runs.values())} fail-safe steps in "
            f"{sum(len(run.reports) for run in runs.values())} steps",
            "the same limits: five refinements, two halvings",
            not any(run.failsafe_steps for run in runs.values()),
        )
    )

    def draw(figure: Any) -> None:
        axis = figure.subplots()
        width = 0.8 / len(parts)
        for k, (name, shares) in enumerate(parts.items()):
            axis.bar([n + 1 + (k - 1.5) * width for n in range(5)], [100 * s for s in shares], width, label=name)
        axis.axvspan(0.5, 3.5, color="tab:red", alpha=0.07, label="paper: more than 90 % in here")
        axis.set(xlabel="refinements of a step", ylabel="steps [%]", xticks=range(1, 6), ylim=(0, 105))
        axis.legend(fontsize=8)

    setup = ", ".join(f"`{name}` {_steps(run)}" for name, run in runs.items())
    return Outcome(numbers, draw, (7.0, 3.8), {"shares": parts}, setup)


def _steps(run: MeasuredRun) -> str:
    """How many steps a run took, and in how many of them everything slept."""
    asleep = len(run.reports) - run.refinements.total()
    return f"{len(run.reports)} steps" + (f" ({asleep} asleep, not counted)" if asleep else "")


def _shares(run: MeasuredRun) -> list[float]:
    """Parts of the steps with one to five refinements."""
    taken = run.refinements
    return [taken[n] / max(taken.total(), 1) for n in range(1, 6)]


TARGETS = (
    Target(
        "otaduy2009-refinements",
        "Otaduy2009",
        "§6, histogram",
        "CMR finds a valid state in three refinements or less in more than 90 % of the steps.",
        _run,
        (0.3, 5.0),
    ),
)
