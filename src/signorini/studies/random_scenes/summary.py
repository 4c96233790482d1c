"""The table of a study of random scenes: one line per recipe, and what was absurd."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signorini.studies.random_scenes.outcome import Outcome

COLUMNS = (
    "recipe", "scenes", "absurd", "steps", "intersections", "not finite", "tracebacks", "stopped", "left", "energy > 1 %",
    "solves", "unsolved", "of these unnamed", "halvings", "fail-safes", "CPU s", "slowest step / median",
)  # fmt: skip


def table_rows(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """Cells under COLUMNS: one row per recipe, and the sum."""
    recipes = list(dict.fromkeys(outcome.case.recipe for outcome in outcomes))
    rows = [_row(recipe, [o for o in outcomes if o.case.recipe == recipe]) for recipe in recipes]
    return [*rows, _row("all", list(outcomes))]


def absurd_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """One line per absurd scene: number, recipe and what happened."""
    return [f"{o.case.index} {o.case.recipe}: {'; '.join(o.absurd)}" for o in outcomes if o.absurd]


def _row(name: str, outcomes: list[Outcome]) -> list[str]:
    solves, converged = sum(o.solves for o in outcomes), sum(o.converged for o in outcomes)
    numbers = [
        len(outcomes),
        sum(bool(o.absurd) for o in outcomes),
        sum(o.steps for o in outcomes),
        sum(o.intersections > 0 for o in outcomes),
        sum(not o.finite for o in outcomes),
        sum(o.ending == "traceback" for o in outcomes),
        sum(o.ending == "stopped" for o in outcomes),
        sum(o.ending == "limit" for o in outcomes),
        sum(any(phrase.startswith("energy") for phrase in o.absurd) for o in outcomes),
        solves,
        solves - converged,
        sum(o.unnamed for o in outcomes),
        sum(o.halvings for o in outcomes),
        sum(o.failsafes for o in outcomes),
    ]
    cpu = sum(sum(o.cpu) for o in outcomes)
    slowest = max((o.slowest for o in outcomes), default=np.nan)
    return [name, *map(str, numbers), f"{cpu:.0f}", f"{slowest:.0f}"]
