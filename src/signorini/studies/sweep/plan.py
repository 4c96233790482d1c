"""The plan of a sweep: its runs, each with a number, its parameters, a seed, and an id that is a hash of what it computes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signorini.errors import InputError
from signorini.studies.sweep.scene_source import SceneSource, check_names, code_digest

ID_DIGITS = 16
"""Hexadecimal digits of an id: two of a million runs have the same with a probability below 1e-7."""
MOST_CHECKED = 100
"""Parameter sets that are tried before the sweep begins: one for each value that is no number."""

Metric = str | Callable[..., Any]
"""A built-in name, `module:function`, or a function."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run of a sweep."""

    number: int
    """Place in the plan, from 0."""
    id: str
    """Hash of everything that the run computes from: a finished run is recognised by it."""
    parameters: dict[str, Any]
    seed: int
    """Seed of this run, from the seed of the sweep and the parameters; given to a builder that has an option `seed`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The scene and the runs of a sweep, and what is taken down of each."""

    source: SceneSource
    fixed: dict[str, Any]
    """Parameters that are the same in all runs and no column of the table."""
    runs: list[PlannedRun]
    metrics: tuple[Metric, ...]
    dataset: bool
    """Whether trajectories go into one data set."""
    run: Callable[..., Any] | None = None
    """A function that does the run instead of the usual one."""

    @property
    def names(self) -> list[str]:
        """The varied parameters."""
        return list(self.runs[0].parameters)

    def settings_of(self, planned: PlannedRun) -> dict[str, Any]:
        """Everything that the scene of a run is made with."""
        given = {**self.fixed, **planned.parameters}
        known = self.source.options
        if known is not None and "seed" in known and "seed" not in given:
            given["seed"] = planned.seed
        return given


def make_plan(
    source: SceneSource,
    sets: Sequence[Mapping[str, Any]],
    *,
    fixed: Mapping[str, Any] | None = None,
    metrics: Sequence[Metric] = (),
    dataset: bool = False,
    run: Callable[..., Any] | None = None,
    seed: int = 0,
) -> Plan:
    """Number the runs and name them by what they compute; names and texts that the scene does not have are refused here."""
    given = dict(fixed or {})
    if not sets:
        raise InputError("the sweep is empty: there is no set of parameters")
    names = list(sets[0])
    check_names(source, [*given, *names])
    for name in set(names) & set(given):
        raise InputError(f"parameter {name!r} is varied and also given as {given[name]!r}: choose one")
    common = {
        "source": source.identity,
        "fixed": given,
        "metrics": [metric if isinstance(metric, str) else code_digest(metric) for metric in metrics],
        "dataset": dataset,
        "run": None if run is None else code_digest(run),
        "seed": seed if source.options is not None and "seed" in source.options else None,
    }
    runs, seen = [], {}
    for number, parameters in enumerate(sets):
        if list(parameters) != names:
            raise InputError(f"run {number} has the parameters {', '.join(parameters)}, run 0 has {', '.join(names)}")
        own = _canonical(parameters)
        name = hashlib.sha256(f"{_canonical(common)}|{own}".encode()).hexdigest()[:ID_DIGITS]
        if name in seen:
            raise InputError(f"runs {seen[name]} and {number} have the same parameters {own}: leave one out")
        seen[name] = number
        digest = hashlib.sha256(f"{seed}|{own}".encode()).digest()
        runs.append(PlannedRun(number, name, dict(parameters), int.from_bytes(digest[:4], "little") >> 1))
    plan = Plan(source, given, runs, tuple(metrics), dataset, run)
    _try_scenes(plan)
    return plan


def _try_scenes(plan: Plan) -> None:
    """Make the first scene, and one for each value that is no number: a wrong name is found before anything runs."""
    tried: set[str] = set()
    for planned in plan.runs:
        new = {
            f"{name}={value!r}"
            for name, value in planned.parameters.items()
            if isinstance(value, bool) or not isinstance(value, int | float)
        } - tried
        if (planned.number == 0 or new) and len(tried) <= MOST_CHECKED:
            tried |= new
            plan.source.make(plan.settings_of(planned))


def _canonical(value: Any) -> str:
    """The same text for the same values, whatever their order and their history."""
    try:
        return json.dumps(value, sort_keys=True, allow_nan=True, default=_plain)
    except (TypeError, ValueError):
        raise InputError(f"parameters must be numbers, texts, lists or tables, got {value!r}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return repr(value)
