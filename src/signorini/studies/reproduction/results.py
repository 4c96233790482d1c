"""Results of targets on disk: plot, numbers and page of each, OUT/NAME/{plot.png, plot.svg, numbers.json, report.html}."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.errors import InputError
from signorini.reports import template
from signorini.studies.reproduction.target import PAPERS, Number, Outcome, Target
from signorini.studies.solver_bench_plots import load_pyplot

HEADINGS = ("what", "paper", "ours", "verdict", "why they differ, or how far they agree")
DPI = 110
"""Of plots in PNG files."""


@dataclass(frozen=True, slots=True)
class Result:
    """A target that was run, as it is stored."""

    target: str
    quick: bool
    setup: str
    cpu_seconds: float
    numbers: list[Number]

    @property
    def size(self) -> str:
        """`quick` or `full`."""
        return "quick" if self.quick else "full"


def write_result(out: Path, target: Target, outcome: Outcome, *, quick: bool, cpu_seconds: float) -> Result:
    """Write plot, numbers and page of a target into the directory OUT/NAME."""
    directory = out / target.name
    directory.mkdir(parents=True, exist_ok=True)
    _draw(directory, outcome)
    result = Result(target.name, quick, outcome.setup, cpu_seconds, outcome.numbers)
    stored = {
        "target": target.name,
        "paper": target.paper,
        "figure": target.figure,
        "claim": target.claim,
        "quick": quick,
        "setup": outcome.setup,
        "cpu_seconds": round(cpu_seconds, 2),
        "load_of_the_machine": round(os.getloadavg()[0], 1),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "numbers": [{**asdict(number), "verdict": number.verdict} for number in outcome.numbers],
        "data": plain(outcome.data),
    }
    _write_page(directory, target, result)
    # Last: a directory with numbers is complete.
    (directory / "numbers.json").write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


def read_result(out: Path, name: str) -> Result | None:
    """Stored result of a target; None if there is none."""
    file = out / name / "numbers.json"
    if not file.exists():
        return None
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        fields = ("what", "paper", "ours", "why", "agrees")
        numbers = [Number(*(row[field] for field in fields)) for row in stored["numbers"]]
        return Result(stored["target"], stored["quick"], stored["setup"], stored["cpu_seconds"], numbers)
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{str(file)!r} is damaged ({error}): remove it and run the target again") from error


def table_rows(numbers: Iterable[Number]) -> list[tuple[str, ...]]:
    """The cells of a table with HEADINGS."""
    return [(n.what, n.paper, n.ours, n.verdict, n.why) for n in numbers]


def plain(value: Any) -> Any:
    """Numbers and lists for JSON; arrays become lists, and what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    if isinstance(value, float | np.floating):
        return float(f"{float(value):.5g}") if np.isfinite(value) else None
    return value


def _draw(directory: Path, outcome: Outcome) -> None:
    pyplot = load_pyplot()
    figure = pyplot.figure(figsize=outcome.size, layout="constrained")
    outcome.draw(figure)
    for ending in ("png", "svg"):
        figure.savefig(directory / f"plot.{ending}", dpi=DPI)
    pyplot.close(figure)


def _write_page(directory: Path, target: Target, result: Result) -> Path:
    rows = [
        (what, paper, ours, "!" + verdict if verdict == "does not hold" else verdict, why)
        for what, paper, ours, verdict, why in table_rows(result.numbers)
    ]
    parts = [
        template.paragraph(f"{PAPERS[target.paper]}. {target.claim}"),
        template.paragraph(
            f"{result.size} size: {result.setup.replace('`', '')}. {result.cpu_seconds:.0f} s of CPU time.", "note"
        ),
        template.picture(directory / "plot.png", f"{target.paper} {target.figure}, remade"),
        template.table(HEADINGS, rows, texts=(0, 1, 2, 4)),
    ]
    return template.write_html(directory / "report.html", f"{target.paper} {target.figure}", parts)
