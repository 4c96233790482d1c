"""Every solver on every contact problem: time, residuals measured from the problem alone, and error in the motion."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.errors import InputError
from signorini.problems.collection import StoredProblem
from signorini.problems.references import Reference
from signorini.settings import FrictionCone, SolverSettings
from signorini.solvers import measure, solve

Row = dict[str, Any]
TOLERANCES = (1e-3, 1e-4, 1e-6)
"""Residuals that are asked for [m/s], from loose to tight."""
RELATIVE = 3.0
"""relative_tolerance over tolerance [s/m], as DESIGN §7 pairs them."""
SHORT = 0.05
"""Solves shorter than this are repeated [s]."""
REPEATS = 3
PROBE = 8
"""Outer iterations of the shorter run that tells how long one of them takes."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A solver with the settings it is measured with."""

    settings: SolverSettings
    tolerances: tuple[float, ...] = TOLERANCES
    largest: int = 1_000_000
    """Contacts beyond which it is not tried."""
    starts: tuple[str, ...] = ("cold", "warm")
    time_limited: bool = False
    """Its outer iterations all cost the same, so that `max_outer` can stand for a time limit."""


CONTENDERS: dict[str, Contender] = {
    "augmented-lagrangian": Contender(SolverSettings()),
    "ica-pyramid": Contender(SolverSettings(name="ica", friction_cone="pyramid"), time_limited=True),
    "ica-cone": Contender(SolverSettings(name="ica", friction_cone="cone"), time_limited=True),
    "ica-paper": Contender(
        SolverSettings(name="ica", friction_cone="pyramid", stop="paper"), tolerances=(1e-3,), time_limited=True
    ),
    "full-anticipation": Contender(
        SolverSettings(name="full-anticipation", friction_cone="cone"),
        tolerances=(1e-6,),
        largest=100,
        starts=("cold",),
    ),
}


def run_bench(
    problems: Iterable[StoredProblem],
    *,
    solvers: Sequence[str] = (),
    tolerances: Sequence[float] = TOLERANCES,
    max_seconds: float = 2.0,
    report: Callable[[Row], None] | None = None,
) -> list[Row]:
    """One row for every problem, solver, start and tolerance.

    `max_seconds` bounds one solve of ICA through its iterations. A solver that missed a tolerance in the time limit is not
    asked for a tighter one from the same start: that row repeats the result, with `repeated` set.
    """
    for name in solvers:
        if name not in CONTENDERS:
            raise InputError(f"there is no solver {name!r} to measure; there are {', '.join(CONTENDERS)}")
    chosen = {name: CONTENDERS[name] for name in solvers or CONTENDERS}
    rows: list[Row] = []
    warmed: set[str] = set()
    for stored in problems:
        for name, contender in chosen.items():
            if stored.problem.contact_count > contender.largest:
                continue
            if name not in warmed:  # compilation is not the solver's time
                solve(stored.problem, replace(contender.settings, max_outer=1))
                warmed.add(name)
            for row in _bench_one(stored, name, contender, tolerances, max_seconds):
                rows.append(row)
                if report is not None:
                    report(row)
    return rows


def _bench_one(
    stored: StoredProblem, name: str, contender: Contender, tolerances: Sequence[float], max_seconds: float
) -> list[Row]:
    """The rows of one solver on one problem."""
    cone = cone_of(contender.settings)
    max_outer = contender.settings.max_outer
    if contender.time_limited:
        max_outer = _affordable(stored.problem, contender.settings, max_seconds)
    rows: list[Row] = []
    for start in contender.starts:
        warm = stored.warm if start == "warm" else None
        if start == "warm" and warm is None:
            continue
        missed: Row | None = None
        for tolerance in sorted(contender.tolerances, reverse=True):
            if tolerance not in tolerances and len(contender.tolerances) > 1:
                continue
            if missed is not None:
                rows.append({**missed, "tolerance": tolerance, "repeated": True})
                continue
            settings = replace(
                contender.settings,
                tolerance=tolerance,
                relative_tolerance=RELATIVE * tolerance,
                max_outer=max_outer,
            )
            response, seconds = timed_solve(stored.problem, settings, warm)
            row = _describe(stored, response, cone, tolerance)
            row |= {"solver": name, "start": start, "cpu_ms": 1e3 * seconds}
            rows.append(row)
            if contender.time_limited and response.outer_iterations >= max_outer:
                missed = row
    return rows


def timed_solve(problem: Mlcp, settings: SolverSettings, warm: WarmStart | None) -> tuple[Response, float]:
    """The response and the CPU time of it [s]; the median of three when it is short."""
    times = []
    while True:
        begin = time.process_time()
        response = solve(problem, settings, warm)
        times.append(time.process_time() - begin)
        if times[0] >= SHORT or len(times) == REPEATS:
            return response, float(np.median(times))


def cone_of(settings: SolverSettings) -> FrictionCone:
    """The model of friction that a solver really solves."""
    return "cone" if settings.name == "augmented-lagrangian" else settings.friction_cone


def relative_error(problem: Mlcp, dv: np.ndarray, reference: Reference | None) -> float:
    """|dv - reference| / |reference| in the norm of A; not a number without a reference."""
    if reference is None:
        return math.nan
    d = dv - reference.dv
    size = float(np.vdot(reference.dv, problem.A.times(reference.dv)))
    error = float(np.vdot(d, problem.A.times(d)))
    return math.sqrt(max(error, 0.0) / size) if size > 0.0 else (0.0 if error == 0.0 else math.inf)


def _affordable(problem: Mlcp, settings: SolverSettings, max_seconds: float) -> int:
    """Outer iterations that fit into the time limit, by the difference of two short runs: set-up costs as much as many."""
    spent, done = [], []
    for iterations in (PROBE, 5 * PROBE):
        probe = replace(settings, tolerance=1e-12, relative_tolerance=1e-12, stop="residual", max_outer=iterations)
        begin = time.process_time()
        response = solve(problem, probe)
        spent.append(time.process_time() - begin)
        done.append(response.outer_iterations)
    each = (spent[1] - spent[0]) / max(1, done[1] - done[0])
    return max(5 * PROBE, round(max_seconds / max(each, 1e-6)))


def _describe(stored: StoredProblem, response: Response, cone: FrictionCone, tolerance: float) -> Row:
    """What can be said about a response without trusting the solver."""
    problem = stored.problem
    r = measure(problem, response.dv, response.impulse, cone)
    residual = max(r.normal, r.friction)
    # Small residuals mislead where convergence is slow or A is stiff: forces must balance in proportion as well.
    close = r.dynamics_relative <= RELATIVE * tolerance or r.dynamics <= 1e-3 * tolerance
    return {
        "problem": stored.name,
        "solver": "",
        "start": "",
        "tolerance": tolerance,
        "kind": stored.kind,
        "friction": stored.friction,
        "stiffness_ratio": stored.stiffness_ratio,
        "feasible": stored.feasible,
        "contacts": problem.contact_count,
        "nodes": problem.node_count,
        "residual": residual,
        "dynamics_residual": r.dynamics,
        "dynamics_relative": r.dynamics_relative,
        "penetration_velocity": r.penetration_velocity,
        "relative_error": relative_error(problem, response.dv, stored.references.get(cone)),
        "iterations": response.outer_iterations,
        "inner_iterations": response.inner_iterations,
        "cpu_ms": 0.0,
        "residuals_reached": bool(residual <= tolerance and r.dynamics <= tolerance),
        "converged": bool(max(residual, r.penetration_velocity) <= tolerance and r.dynamics <= tolerance and close),
        "claimed": response.converged,
        "repeated": False,
    }
