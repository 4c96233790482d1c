"""Pictures of the solver bench: performance profiles and error against time; needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from signorini.errors import MissingExtraError
from signorini.solver_bench import Row
from signorini.solver_bench_summary import performance_profile


def draw_plots(rows: Sequence[Row], directory: str | Path) -> list[Path]:
    """Write profile.png and error.png; the paths."""
    pyplot = _pyplot()
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    return [
        _draw_profiles(pyplot, rows, directory / "profile.png"),
        _draw_errors(pyplot, rows, directory / "error.png"),
    ]


def _pyplot() -> Any:
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
    tolerances = sorted({row["tolerance"] for row in feasible}, reverse=True)
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
        mine = [row for row in rows if row["solver"] == solver and row["feasible"] and row["relative_error"] > 0.0]
        axis.scatter([r["cpu_ms"] for r in mine], [r["relative_error"] for r in mine], s=12, alpha=0.6, label=solver)
    axis.set(xscale="log", yscale="log", xlabel="CPU time [ms]", ylabel="relative error of dv (A-norm)")
    axis.legend(fontsize="small")
    return _saved(pyplot, figure, path)


def _saved(pyplot: Any, figure: Any, path: Path) -> Path:
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path
