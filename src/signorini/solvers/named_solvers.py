"""Contact solvers by name, and the check of what solvers from outside of this package return."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from signorini.contact.mlcp import ContactSolver, Mlcp, Response, WarmStart
from signorini.errors import InputError
from signorini.settings import SolverName, SolverSettings, declare_settings, solver_name

NAMED_SOLVERS: dict[str, ContactSolver] = {}


Solver = TypeVar("Solver", bound=ContactSolver)


def named_solver(name: SolverName, *, reads: Iterable[str]) -> Callable[[Solver], Solver]:
    """Register a solver by its name; `reads` are the fields of `SolverSettings` that have an effect on it."""

    def register(solver: Solver) -> Solver:
        NAMED_SOLVERS[name] = solver
        declare_settings(name, reads)
        return solver

    return register


def solve_outside(
    problem: Mlcp, solver: ContactSolver, settings: SolverSettings, warm_start: WarmStart | None
) -> Response:
    """The response of a solver; an error if it is no `Response` to this problem, diverged if it is not finite."""
    response = solver(problem, settings, warm_start)
    if not isinstance(response, Response):
        raise InputError(
            f"contact solver {solver_name(solver)!r} must return a Response, as measured_response makes it, "
            f"got {type(response).__name__}"
        )
    for name, rows in (("dv", problem.node_count), ("impulse", problem.contact_count)):
        array = getattr(response, name)
        if not isinstance(array, np.ndarray) or array.shape != (rows, 3) or array.dtype != np.float64:
            got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise InputError(
                f"contact solver {solver_name(solver)!r} must return {name} with shape ({rows}, 3) and type float64, got {got}"
            )
    if not (np.isfinite(response.dv).all() and np.isfinite(response.impulse).all()):
        return replace(response, converged=False, diverged=True)
    return response
