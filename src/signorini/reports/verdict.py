"""A run in one sentence, and its worst steps with reason and remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signorini.files.runs.step_table import PHASES
from signorini.methods.step_status import StepStatus
from signorini.reports.numbers import plain, quantity, share

GOOD, WARN, FAIL = "good", "warn", "fail"
MOST_WORST = 10
"""Steps in the table of the worst ones."""
Row = Mapping[str, Any]


def verdict(summary: Mapping[str, Any]) -> tuple[str, str]:
    """GOOD, WARN or FAIL, and the sentence."""
    simulated, steps = quantity(summary["simulated_seconds"], "s"), _steps(summary["steps"])
    done, wanted = f"{simulated} in {steps}", quantity(summary["requested_seconds"], "s")
    reason = str(summary.get("end_reason", "")).rstrip(".")
    if summary["intersecting_frames"] or summary["nested_frames"]:
        count = summary["intersecting_frames"] + summary["nested_frames"]
        return FAIL, f"NOT free of intersection: {count} of {summary['frames']} frames after {done}."
    if summary["status"] == "stopped":
        return FAIL, f"Stopped after {done}, free of intersection until then: {reason}."
    clean = f"free of intersection in every {'' if summary.get('method') == 'cmr' else 'stored '}frame"
    troubles = _troubles(summary)
    begin = {
        "completed": f"Completed: {done}, {clean}",
        "interrupted": f"Interrupted by the user after {simulated} of {wanted}, in {steps}, {clean}",
    }.get(summary["status"], f"Not finished (running, or killed) after {simulated} of {wanted}, in {steps}, {clean}")
    if troubles:
        return WARN, f"{begin}, but {', and '.join(troubles)}."
    shorter = f"; {words}" if (words := advice(summary)) else ""
    if not summary["solves"]:
        return GOOD, f"{begin}; nothing touched{shorter}."
    level = GOOD if summary["status"] == "completed" else WARN
    solved = f"all {plain(summary['solves'])} contact problems were solved to the tolerance, without any fail-safe"
    return level, f"{begin}; {solved}{shorter}."


def advice(summary: Mapping[str, Any]) -> str:
    """Advice about dt from the steps, as the table of `docs/one-time-step.md` explains it; nothing if dt is small enough."""
    found = []
    if summary["advised_dt"] is not None:
        repeated = summary["step_halvings"] + summary["energy_retries"]
        found.append(
            f"dt = {quantity(summary['advised_dt'], 's')} would have spared {plain(repeated)} repeated attempts"
        )
    if summary.get("changed_steps"):
        found.append(f"compare two values of dt: the motion was changed in {_steps(summary['changed_steps'])}")
    return "; ".join(found)


def _troubles(summary: Mapping[str, Any]) -> list[str]:
    found = []
    if summary["failsafe_steps"]:
        found.append(f"{_steps(summary['failsafe_steps'])} needed a fail-safe")
    if summary["unsolved_steps"]:
        found.append(
            f"{_steps(summary['unsolved_steps'])} ended with a contact problem that was not solved to the tolerance"
        )
    if summary["energy_removed"] > 0.0:
        found.append(f"{quantity(summary['energy_removed'], 'J')} of unexplained energy were removed")
    if found and summary["advised_dt"] is not None:
        found[-1] += f" (dt = {quantity(summary['advised_dt'], 's')} may avoid it)"
    return found


def _steps(count: int) -> str:
    return f"{plain(count)} step{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class WorstStep:
    """A step that stands out, and what can be done."""

    row: Row
    reason: str
    remedy: str
    bad: bool
    """Whether the motion was changed, or a problem not solved; else it was only slow."""


def worst_steps(rows: Sequence[Row]) -> list[WorstStep]:
    """At most `MOST_WORST` steps: those with faults, the worst first, then the slowest ones."""
    faults = [(severity, step) for row in rows if (found := _fault(row)) for severity, step in [found]]
    faults.sort(key=lambda pair: -pair[0])
    chosen = [step for _, step in faults[:MOST_WORST]]
    known = {step.row["index"] for step in chosen}
    slowest = sorted((row for row in rows if row["index"] not in known), key=lambda row: -step_seconds(row))
    for row in slowest[: max(0, min(5, MOST_WORST - len(chosen)))]:
        phases = {phase: row[f"seconds_{phase}"] for phase in (*PHASES, "other")}
        name = max(phases, key=lambda phase: phases[phase])
        part = share(phases[name], step_seconds(row))
        reason = f"slow: {quantity(step_seconds(row), 's')}, {part} of it {name}"
        again = [("halvings", ""), ("energy_retries", ": energy had grown unexplained")]
        for column, why in again:
            if count := row[column]:
                reason += f", {count} attempt{'' if count == 1 else 's'} repeated with smaller sub-steps{why}"
        shorter = f"a dt of {quantity(row['shortest_substep'], 's')} would have spared that"
        advice = shorter if any(row[column] for column, _ in again) else "none needed"
        chosen.append(WorstStep(row, reason, advice, bad=False))
    return chosen


def step_seconds(row: Row) -> float:
    """The wall time of a step [s]."""
    return sum(row[f"seconds_{phase}"] for phase in (*PHASES, "other"))


def _fault(row: Row) -> tuple[float, WorstStep] | None:
    """Severity of the fault of a step, and its reason."""
    shorter = f"a dt below {quantity(row['shortest_substep'], 's')}"
    squeeze = _pairs(row["infeasible_bodies"])
    if row["infeasible_contacts"]:
        reason = f"{row['infeasible_contacts']} contacts contradict each other: {squeeze} is squeezed"
        remedy = "leave more room between scripted bodies or pins, or use a smaller contact_distance"
        return 4.0 + row["infeasible_contacts"] * 1e-6, WorstStep(row, reason, remedy, bad=True)
    if row["over_budget"]:
        reason = "the step used up its budget of work and was ended by the fail-safe"
        return 3.5, WorstStep(row, reason, f"{shorter}, or a larger step_budget", bad=True)
    if row["failsafe_substeps"]:
        reason = f"a fail-safe changed the motion in {row['failsafe_substeps']} of {row['substeps']} sub-steps"
        return 3.0 + 1e-3 * row["failsafe_substeps"], WorstStep(row, reason, shorter, bad=True)
    if row["unsolved_substeps"]:
        residual = max(row["complementarity_residual"], row["momentum_residual"])
        reason = f"a contact problem of {_pairs(row['unsolved_bodies'])} was not solved: residual {quantity(residual, 'm/s')}"
        return 2.0 + residual * 1e-3, WorstStep(
            row, reason, f"{shorter}, or more max_iterations of the solver", bad=True
        )
    if row["status"] == StepStatus.DAMPED.name.lower() or row["energy_removed"] > 0.0:
        grown, taken = (quantity(row[name], "J") for name in ("energy_surplus", "energy_removed"))
        reason = f"{grown} of energy grew unexplained, {taken} of it removed"
        return 1.0 + row["energy_surplus"] * 1e-6, WorstStep(row, reason, shorter, bad=True)
    return None


def _pairs(text: str) -> str:
    return re.sub(r"\s*\|\s*", " and ", text) or "bodies that are not named"
