"""Registry of the contact solvers of this package by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from signorini.contact.mlcp import ContactSolver
from signorini.settings import SolverName, declare_settings

NAMED_SOLVERS: dict[str, ContactSolver] = {}


Solver = TypeVar("Solver", bound=ContactSolver)


def named_solver(name: SolverName, *, reads: Iterable[str]) -> Callable[[Solver], Solver]:
    """Register a solver by its name; `reads` are the fields of `SolverSettings` that have an effect on it."""

    def register(solver: Solver) -> Solver:
        NAMED_SOLVERS[name] = solver
        declare_settings(name, reads)
        return solver

    return register
