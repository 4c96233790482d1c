"""Summary of the solver bench: fractions solved, performance profiles (Dolan and Moré 2002), ratios of time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from signorini.studies.solver_bench import Row

FACTORS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""τ of the performance profile."""
DEFAULT = "augmented-lagrangian"
EASY = 50
"""A problem is easy when some ICA solves it within so many outer iterations."""
ERRORS = (1e-2, 1e-3)
"""Relative errors of the motion at which times are compared."""
BASELINE = "ica-cone"
"""The same model of friction as the default's: errors and problems compare one to one."""
SHOWN = (1e-3, 1e-4, 1e-6)
"""Tolerances that the summary looks at [m/s]; the others serve the comparison at equal error."""
Instance = tuple[str, str]


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """Per tolerance: the fraction of the feasible problems that each solver reached, profiles and ratios of time."""
    tolerances = [t for t in SHOWN if any(row["tolerance"] == t for row in rows)]
    feasible = [row for row in rows if row["feasible"]]
    return {
        "solved": {f"{t:g}": _fractions(feasible, t) for t in tolerances},
        "profile": {f"{t:g}": performance_profile(feasible, t) for t in tolerances},
        "ratio": {f"{t:g}": time_ratios(feasible, t) for t in tolerances},
        "error_ratio": {f"{level:g}": error_ratios(feasible, level) for level in ERRORS},
        "infeasible": [_short(row) for row in rows if not row["feasible"] and row["tolerance"] in tolerances],
        "default_missed": [
            _short(row)
            for row in feasible
            if row["solver"] == DEFAULT and row["tolerance"] in tolerances
            if not row["converged"] or row["cpu_ms"] > 500.0
        ],
    }


def performance_profile(rows: Iterable[Row], tolerance: float) -> dict[str, list[tuple[float, float]]]:
    """For each solver the fraction of instances that it solves within the factor τ of the fastest, for all of FACTORS.

    An instance is a problem with a start; all that any of the solvers tried count, also those that none solved.
    """
    times = _times(rows, tolerance)
    instances = {instance for solved in times.values() for instance in solved}
    best = {i: min(solved.get(i, math.inf) for solved in times.values()) for i in instances}
    return {
        solver: [
            (tau, _count(solved, best, tau) / max(1, len(instances)))
            for tau in FACTORS
        ]
        for solver, solved in times.items()
    }  # fmt: skip


def time_ratios(rows: Iterable[Row], tolerance: float) -> dict[str, dict[str, float]]:
    """CPU time of each ICA over that of the default solver, where both reached the tolerance."""
    rows = list(rows)
    times = _times(rows, tolerance)
    default = times.get(DEFAULT, {})
    easy = {
        (row["problem"], row["start"])
        for row in rows
        if row["solver"].startswith("ica-") and row["tolerance"] == tolerance and row["converged"]
        if row["iterations"] <= EASY
    }
    found = {}
    for solver, solved in times.items():
        if not solver.startswith("ica-"):
            continue
        reached = [i for i, t in solved.items() if math.isfinite(t)]
        both = [i for i in reached if math.isfinite(default.get(i, math.inf))]
        ratios = {i: max(solved[i], 1e-3) / max(default[i], 1e-3) for i in both}
        slowest = max((1.0 / ratios[i] for i in both if i in easy), default=math.nan)
        found[solver] = {
            "reached": len(reached),
            "both": len(both),
            "geometric_mean": _geometric_mean(list(ratios.values())),
            "easy": len([i for i in both if i in easy]),
            "easy_geometric_mean": _geometric_mean([ratios[i] for i in both if i in easy]),
            "easy_worst_slowdown": slowest,
        }
    return found


def error_ratios(rows: Iterable[Row], level: float) -> dict[str, dict[str, Any]]:
    """Time of each solver over that of the default to a relative error of the motion, whatever tolerance it takes.

    Where the motion is not unique (rigid boxes with friction) hardly anyone comes near the reference, and neither counts.
    """
    best = times_to_error(rows, level)
    default = best.get(DEFAULT, {})
    easy = {i for i, row in best.get(BASELINE, {}).items() if row is not None and row["iterations"] <= EASY}
    found = {}
    for solver, mine in best.items():
        reached = [i for i, row in mine.items() if row is not None]
        ratios = {i: _ratio(mine[i], default[i]) for i in reached if default.get(i) is not None}
        slowest = min((i for i in ratios if i in easy), key=lambda i: ratios[i], default=None)
        found[solver] = {
            "tried": len(mine),
            "reached": len(reached),
            "both": len(ratios),
            "geometric_mean": _geometric_mean(list(ratios.values())),
            "easy": sum(i in easy for i in ratios),
            "easy_geometric_mean": _geometric_mean([r for i, r in ratios.items() if i in easy]),
            "easy_worst_slowdown": math.nan if slowest is None else 1.0 / ratios[slowest],
            "easy_slowest": "" if slowest is None else " ".join(slowest),
        }
    return found


def times_to_error(rows: Iterable[Row], level: float) -> dict[str, dict[Instance, Row | None]]:
    """By solver and instance the fastest row whose error is at most `level`; None where it is never reached.

    Instances without a reference are left out.
    """
    best: dict[str, dict[Instance, Row | None]] = defaultdict(dict)
    for row in rows:
        error = row["relative_error"]
        if error is None or math.isnan(error):
            continue
        mine, instance = best[row["solver"]], (row["problem"], row["start"])
        before = mine.setdefault(instance, None)
        if error <= level and not row.get("repeated") and (before is None or row["cpu_ms"] < before["cpu_ms"]):
            mine[instance] = row
    return dict(best)


def _ratio(mine: Row | None, default: Row | None) -> float:
    assert mine is not None and default is not None
    return max(mine["cpu_ms"], 1e-3) / max(default["cpu_ms"], 1e-3)


def _fractions(rows: Iterable[Row], tolerance: float) -> dict[str, dict[str, float]]:
    tried: dict[str, int] = defaultdict(int)
    reached: dict[str, int] = defaultdict(int)
    by_residual: dict[str, int] = defaultdict(int)
    for row in rows:
        if row["tolerance"] == tolerance:
            tried[row["solver"]] += 1
            reached[row["solver"]] += row["converged"]
            by_residual[row["solver"]] += row["residuals_reached"]
    return {
        s: {
            "tried": n,
            "converged": reached[s],
            "fraction": reached[s] / n,
            "residual_fraction": by_residual[s] / n,
        }
        for s, n in tried.items()
    }


def _times(rows: Iterable[Row], tolerance: float) -> dict[str, dict[Instance, float]]:
    """CPU ms by solver and instance; infinite where the tolerance was not reached."""
    times: dict[str, dict[Instance, float]] = defaultdict(dict)
    for row in rows:
        if row["tolerance"] == tolerance:
            reached = row["cpu_ms"] if row["converged"] else math.inf
            times[row["solver"]][(row["problem"], row["start"])] = reached
    return dict(times)


def _count(solved: dict[Instance, float], best: dict[Instance, float], tau: float) -> int:
    # Times below a hundredth of a millisecond are noise.
    return sum(math.isfinite(t) and t <= tau * max(best[i], 1e-2) for i, t in solved.items())


def _geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def _short(row: Row) -> Row:
    names = (
        "problem", "solver", "start", "tolerance", "residual", "dynamics_residual", "dynamics_relative", "relative_error",
        "iterations", "inner_iterations", "cpu_ms", "converged", "residuals_reached", "claimed",
    )  # fmt: skip
    return {name: row[name] for name in names}
