"""Solver bench: time, residuals and error of the motion of every solver on every contact problem."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.settings import FrictionCone, SolverSettings
from signorini.solvers import measure
from signorini.studies.problems.collection import StoredProblem
from signorini.studies.problems.references import Reference
from signorini.studies.solver_bench_contenders import STARTS, TOLERANCES, Contender, find_contenders

Row = dict[str, Any]
QUICK_TOLERANCES = (1e-3, 1e-4)
RELATIVE = 3.0
"""relative_tolerance over tolerance [s/m], as DESIGN §7 pairs them."""
REPEATS = 3
ENOUGH = 0.1
"""Solves are repeated until they took this long altogether [s]."""
PROBE = 8
"""Outer iterations of the shorter run that tells how long one of them takes."""


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
    chosen = find_contenders(solvers)
    rows: list[Row] = []
    warmed: set[str] = set()
    for stored in problems:
        able = {name: c for name, c in chosen.items() if stored.problem.contact_count <= c.largest}
        for name in set(able) - warmed:  # compilation is not the solver's time
            able[name].solve(stored.problem, able[name].settings.adapted(max_outer=1))
            warmed.add(name)
        limited = {name: _limited(stored.problem, c, max_seconds) for name, c in able.items()}
        for start in STARTS if stored.warm is not None else STARTS[:1]:
            for row in _bench_start(stored, start, able, limited, tolerances):
                rows.append(row)
                if report is not None:
                    report(row)
    return rows


def _limited(problem: Mlcp, contender: Contender, max_seconds: float) -> SolverSettings:
    """The settings of a contender, with as many outer iterations as fit into the time limit."""
    if not contender.time_limited:
        return contender.settings
    return replace(contender.settings, max_outer=_affordable(problem, contender, max_seconds))


def _bench_start(
    stored: StoredProblem,
    start: str,
    contenders: dict[str, Contender],
    limited: dict[str, SolverSettings],
    tolerances: Sequence[float],
) -> list[Row]:
    """The rows of one problem from one start, from loose to tight."""
    rows: list[Row] = []
    missed: dict[str, Row] = {}
    present = [c for c in contenders.values() if start in c.starts]
    for tolerance in sorted({t for c in present for t in _wanted(c, tolerances)}, reverse=True):
        asked = {n: c for n, c in contenders.items() if start in c.starts and tolerance in _wanted(c, tolerances)}
        settings = {
            name: limited[name].adapted(tolerance=tolerance, relative_tolerance=RELATIVE * tolerance)
            for name in asked
            if name not in missed
        }
        solved = time_in_turns(stored.problem, contenders, settings, stored.warm if start == "warm" else None)
        for name in asked:
            if name in missed:
                rows.append({**missed[name], "tolerance": tolerance, "repeated": True})
                continue
            response, seconds = solved[name]
            row = _describe(stored, response, asked[name].friction_cone, tolerance)
            row |= {"solver": name, "start": start, "cpu_ms": 1e3 * seconds}
            rows.append(row)
            if asked[name].time_limited and response.outer_iterations >= settings[name].max_outer:
                missed[name] = row
    return rows


def _wanted(contender: Contender, tolerances: Sequence[float]) -> tuple[float, ...]:
    """The tolerances that a contender is asked for; one that knows a single tolerance is always asked for that."""
    if len(contender.tolerances) == 1:
        return contender.tolerances
    return tuple(t for t in contender.tolerances if t in tolerances)


def time_in_turns(
    problem: Mlcp, contenders: dict[str, Contender], settings: dict[str, SolverSettings], warm: WarmStart | None
) -> dict[str, tuple[Response, float]]:
    """Responses and CPU times [s]: solvers take turns, so that a busy moment hits all of them; each one's shortest counts."""
    responses: dict[str, Response] = {}
    times: dict[str, list[float]] = {name: [] for name in settings}
    for _ in range(REPEATS):
        for name, chosen in settings.items():
            if sum(times[name]) >= ENOUGH:
                continue
            begin = time.process_time()
            responses[name] = contenders[name].solve(problem, chosen, warm)
            times[name].append(time.process_time() - begin)
    return {name: (responses[name], min(times[name])) for name in settings}


def relative_error(problem: Mlcp, dv: np.ndarray, reference: Reference | None) -> float:
    """|dv - reference| / |reference| in the norm of A; not a number without a reference."""
    if reference is None:
        return math.nan
    d = dv - reference.dv
    size = float(np.vdot(reference.dv, problem.A.times(reference.dv)))
    error = float(np.vdot(d, problem.A.times(d)))
    return math.sqrt(max(error, 0.0) / size) if size > 0.0 else (0.0 if error == 0.0 else math.inf)


def _affordable(problem: Mlcp, contender: Contender, max_seconds: float) -> int:
    """Outer iterations that fit into the time limit, by the difference of two short runs: set-up costs as much as many."""
    spent, done = [], []
    for iterations in (PROBE, 5 * PROBE):
        probe = replace(
            contender.settings, tolerance=1e-12, relative_tolerance=1e-12, stop="residual", max_outer=iterations
        )
        begin = time.process_time()
        response = contender.solve(problem, probe)
        spent.append(time.process_time() - begin)
        done.append(response.outer_iterations)
    each = (spent[1] - spent[0]) / max(1, done[1] - done[0])
    return max(5 * PROBE, round(max_seconds / max(each, 1e-6)))


def _describe(stored: StoredProblem, response: Response, cone: FrictionCone, tolerance: float) -> Row:
    """Residuals of a response, computed without the solver."""
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
