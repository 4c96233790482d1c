"""Pictures of the solver bench: performance profiles and error against time; needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from signorini.errors import MissingExtraError
from signorini.studies.solver_bench import Row
from signorini.studies.solver_bench_summary import BASELINE, DEFAULT, SHOWN, performance_profile, times_to_error

LEVEL = 1e-3
"""Relative error of the motion at which solvers are compared."""


def draw_plots(rows: Sequence[Row], directory: str | Path) -> list[Path]:
    """Write solver-profile.png, solver-error.png and, with both solvers to compare, solver-speedup.png; the paths."""
    pyplot = load_pyplot()
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    drawn = [
        _draw_profiles(pyplot, rows, directory / "solver-profile.png"),
        _draw_errors(pyplot, rows, directory / "solver-error.png"),
    ]
    if {DEFAULT, BASELINE} <= {row["solver"] for row in rows}:
        drawn.append(_draw_speedup(pyplot, rows, directory / "solver-speedup.png"))
    return drawn


def load_pyplot() -> Any:
    """matplotlib without a window, if the extra is installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise MissingExtraError('plots need matplotlib: pip install "signorini[bench]"') from None
    return pyplot


def _draw_profiles(pyplot: Any, rows: Sequence[Row], path: Path) -> Path:
    feasible = [row for row in rows if row["feasible"]]
    tolerances = [t for t in SHOWN if any(row["tolerance"] == t for row in feasible)]
    figure, axes = pyplot.subplots(1, len(tolerances), figsize=(4.5 * len(tolerances), 4), squeeze=False)
    for axis, tolerance in zip(axes[0], tolerances, strict=True):
        for solver, points in performance_profile(feasible, tolerance).items():
            axis.step([p[0] for p in points], [p[1] for p in points], where="post", label=solver)
        axis.set(xscale="log", ylim=(0, 1.02), xlabel="factor τ of the fastest", title=f"{tolerance:g} m/s")
    axes[0, 0].set_ylabel("fraction of problems solved")
    axes[0, 0].legend(fontsize="small")
    return _saved(pyplot, figure, path)


def _draw_errors(pyplot: Any, rows: Sequence[Row], path: Path) -> Path:
    figure, axis = pyplot.subplots(figsize=(7, 5))
    for solver in dict.fromkeys(row["solver"] for row in rows):
        mine = [r for r in rows if r["solver"] == solver and r["feasible"] and (r["relative_error"] or 0.0) > 0.0]
        axis.scatter([r["cpu_ms"] for r in mine], [r["relative_error"] for r in mine], s=12, alpha=0.6, label=solver)
    axis.set(xscale="log", yscale="log", xlabel="CPU time [ms]", ylabel="relative error of dv (A-norm)")
    axis.legend(fontsize="small")
    return _saved(pyplot, figure, path)


def _draw_speedup(pyplot: Any, rows: Sequence[Row], path: Path) -> Path:
    """Time of the baseline over that of the default to the same error, by problem and start; crosses: only one got there."""
    best = times_to_error((row for row in rows if row["feasible"]), LEVEL)
    default, baseline = best.get(DEFAULT, {}), best.get(BASELINE, {})
    figure, axis = pyplot.subplots(figsize=(7, 5))
    shared, alone = [], []
    for instance, row in default.items():
        other = baseline.get(instance)
        if row is not None and other is not None:
            shared.append((other["cpu_ms"], row["cpu_ms"], other["friction"] > 0.0))
        elif row is not None:
            alone.append(row["cpu_ms"])
    for rough, colour in ((True, "tab:blue"), (False, "tab:orange")):
        chosen = [(x, y) for x, y, r in shared if r == rough]
        label = "with friction" if rough else "without"
        axis.scatter([p[0] for p in chosen], [p[1] for p in chosen], s=14, color=colour, label=label)
    if alone:
        edge = 2.0 * max([x for x, _, _ in shared] + alone)
        axis.scatter([edge] * len(alone), alone, s=20, marker="x", color="tab:red", label=f"{BASELINE} never")
    ends = [0.05, 5000.0]
    for factor, style in ((1.0, "-"), (3.0, "--"), (10.0, ":")):
        name = "equal" if factor == 1.0 else f"{factor:g} times faster"
        axis.plot(ends, [e / factor for e in ends], style, color="gray", lw=1, label=name)
    axis.set(xscale="log", yscale="log", xlabel=f"{BASELINE} [CPU ms]", ylabel="default [CPU ms]")
    axis.set_title(f"time to a relative error of {LEVEL:g}")
    axis.legend(fontsize="small")
    return _saved(pyplot, figure, path)


def _saved(pyplot: Any, figure: Any, path: Path) -> Path:
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path
