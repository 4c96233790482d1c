"""summary.json: a run in numbers, computed from the rows of its steps."""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signorini.files.runs.step_table import PHASES

SUMMED = (
    "shared_solves", "script_work", "pin_work", "load_work", "friction_loss", "other_loss", "energy_surplus",
    "energy_retries", "energy_removed", "energy_prevented",
)  # fmt: skip
"""Fields of the report of a step that the summary adds up."""


@dataclass(slots=True)
class RunStatistics:
    """Sums and extremes over the steps of a run. `add` takes rows of steps.csv."""

    steps: int = 0
    halvings: int = 0
    failsafe_steps: int = 0
    refinements: Counter[int] = field(default_factory=Counter)
    contacts: int = 0
    largest: dict[str, float] = field(default_factory=dict)
    solves: int = 0
    solves_converged: int = 0
    outer_iterations: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    """Of the fields in `SUMMED`."""
    unsolved_steps: int = 0
    over_budget_steps: int = 0
    shorter_steps: list[float] = field(default_factory=list)
    """The shortest sub-step of each step that was divided after an attempt had failed [s]."""
    changed_steps: int = 0
    """Steps whose motion a fail-safe or the removal of energy changed."""
    min_distance: float = math.inf
    phases: Counter[str] = field(default_factory=Counter)
    step_seconds: list[float] = field(default_factory=list)
    intersecting_frames: int = 0
    nested_frames: int = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one step."""
        self.steps += 1
        self.halvings += row["halvings"]
        self.failsafe_steps += row["failsafe_substeps"] > 0
        self.refinements[row["refinements"]] += 1
        self.contacts += row["contact_count"]
        self.solves += row["solves"]
        self.solves_converged += row["solves_converged"]
        self.outer_iterations += row["outer_iterations"]
        for name in SUMMED:
            self.sums[name] += row[name]
        self.unsolved_steps += row["unsolved_substeps"] > 0
        self.over_budget_steps += bool(row["over_budget"])
        if row["halvings"] or row["energy_retries"]:
            self.shorter_steps.append(row["shortest_substep"])
        self.changed_steps += row["failsafe_substeps"] > 0 or row["energy_removed"] > 0.0
        for name in ("contact_count", "penetration_residual", "complementarity_residual", "momentum_residual"):
            self.largest[name] = max(self.largest.get(name, 0), row[name])
        self.min_distance = min(self.min_distance, row["min_distance"])
        seconds = {phase: row[f"seconds_{phase}"] for phase in (*PHASES, "other")}
        self.phases.update(seconds)
        self.step_seconds.append(sum(seconds.values()))

    @property
    def advised_dt(self) -> float | None:
        """The median of the shortest sub-steps of the divided steps [s], if these are most or the motion was changed, else None.

        Single events, such as an impact, may be divided: a smaller dt for all steps would cost more than it spares.
        """
        most = 2 * len(self.shorter_steps) > self.steps
        return statistics.median(self.shorter_steps) if self.shorter_steps and (most or self.changed_steps) else None

    def as_dict(self) -> dict[str, Any]:
        """The part of the summary that comes from the steps."""
        return {
            "steps": self.steps,
            "step_halvings": self.halvings,
            "failsafe_steps": self.failsafe_steps,
            "refinement_histogram": {str(k): self.refinements[k] for k in sorted(self.refinements)},
            "max_contacts": int(self.largest.get("contact_count", 0)),
            "mean_contacts": self.contacts / self.steps if self.steps else 0.0,
            "solves": self.solves,
            "solves_converged": self.solves_converged,
            "outer_iterations": self.outer_iterations,
            "unsolved_steps": self.unsolved_steps,
            "over_budget_steps": self.over_budget_steps,
            **{name: self.sums[name] for name in SUMMED},
            "changed_steps": self.changed_steps,
            "advised_dt": self.advised_dt,
            "min_distance": self.min_distance,
            "max_penetration_residual": self.largest.get("penetration_residual", 0.0),
            "max_complementarity_residual": self.largest.get("complementarity_residual", 0.0),
            "max_momentum_residual": self.largest.get("momentum_residual", 0.0),
            "phase_seconds": {
                name: seconds for name, seconds in self.phases.items() if name in PHASES or seconds > 0.0
            },
            "median_step_seconds": statistics.median(self.step_seconds) if self.step_seconds else 0.0,
            "intersecting_frames": self.intersecting_frames,
            "nested_frames": self.nested_frames,
            "intersection_free": self.intersecting_frames + self.nested_frames == 0 and self.min_distance > 0.0,
        }


def read_notes(file: Path) -> dict[str, Any]:
    """What a summary says that cannot be computed again: the options of the scene, and whether it was stepped by hand."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        found = {}
    known = found if isinstance(found, dict) else {}
    options = known.get("options")
    return {"recorded": known.get("recorded") is True, "options": options if isinstance(options, dict) else {}}


def peak_memory_mb() -> float:
    """The largest resident size of this process so far [MB]; NaN where the system does not tell (Windows)."""
    try:
        import resource
    except ImportError:
        return math.nan
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def finite(value: Any) -> Any:
    """`value` with every infinity and NaN replaced by None: JSON has neither."""
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
