"""Contact problems of a running scene, kept as they were solved, for targets that solve them again by other ways."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.settings import SolverSettings
from signorini.solvers import solve


@dataclass(slots=True)
class Recorder:
    """A contact solver that keeps the last problem of a step with its warm start, and solves it as the default solver does."""

    solver: SolverSettings = field(default_factory=SolverSettings)
    problem: Mlcp | None = None
    start: WarmStart | None = None
    response: Response | None = None
    cpu_seconds: float = 0.0
    """Of all solves so far."""

    def __call__(self, problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None) -> Response:
        """Solve the problem and keep it."""
        self.problem, self.start = problem, warm_start
        begin = time.process_time()
        self.response = solve(problem, self.solver, warm_start)
        self.cpu_seconds += time.process_time() - begin
        return self.response

    def taken(self) -> tuple[Mlcp, WarmStart | None] | None:
        """The problem that was kept last, at most once; None if there was none, or one without contacts."""
        problem, self.problem = self.problem, None
        return None if problem is None or not problem.contact_count else (problem, self.start)
