"""Contenders of the solver bench: the solvers of this package with the settings they are measured with, and any others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from signorini.contact.mlcp import ContactSolver, Mlcp, Response, WarmStart
from signorini.errors import InputError
from signorini.settings import FrictionCone, SolverSettings, check_solver
from signorini.solvers import solve, solve_outside
from signorini.studies.imported_function import import_function

TOLERANCES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6)
"""Residuals that are asked for [m/s], from loose to tight: so fine that the time to a given error of the motion is fair."""
COARSE_TOLERANCES = (1e-3, 1e-4, 1e-6)
STARTS = ("cold", "warm")


@dataclass(frozen=True, slots=True)
class Contender:
    """A solver with the settings it is measured with."""

    settings: SolverSettings = field(default_factory=SolverSettings)
    outside: ContactSolver | None = None
    """A solver from outside of this package, which gets the settings; None: the solver that they name."""
    tolerances: tuple[float, ...] = TOLERANCES
    largest: int = 1_000_000
    """Contacts beyond which it is not tried."""
    starts: tuple[str, ...] = STARTS
    time_limited: bool = False
    """Its outer iterations all cost the same, so that `max_outer` can stand for a time limit."""

    @property
    def friction_cone(self) -> FrictionCone:
        """The model of friction that it solves, by which its residuals are measured."""
        return self.settings.friction_cone

    def solve(self, problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None) -> Response:
        """Its response to a problem, with settings derived from its own."""
        if self.outside is None:
            return solve(problem, settings, warm_start)
        return solve_outside(problem, self.outside, settings, warm_start)


CONTENDERS: dict[str, Contender] = {
    # Without improvement of good starts, which the others do not attempt either.
    "augmented-lagrangian": Contender(SolverSettings(improve_start=False)),
    "ica-pyramid": Contender(
        SolverSettings(name="ica", friction_cone="pyramid"), tolerances=COARSE_TOLERANCES, time_limited=True
    ),
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


def find_contenders(names: Sequence[str]) -> dict[str, Contender]:
    """The contenders of these names, where `module:function` is a solver to import; all of CONTENDERS without a name."""
    found: dict[str, Contender] = {}
    for name in names or CONTENDERS:
        if ":" in name:
            found[name] = Contender(outside=import_solver(name))
        elif name in CONTENDERS:
            found[name] = CONTENDERS[name]
        else:
            raise InputError(
                f"there is no solver {name!r} to measure; there are {', '.join(CONTENDERS)}, or module:function of your own"
            )
    return found


def import_solver(name: str) -> ContactSolver:
    """The contact solver `module:function`; the module may lie in the current directory."""
    solver = import_function(name, what="solver")
    if isinstance(solver, SolverSettings):
        raise InputError(f"solver {name!r} is a SolverSettings, which names a solver of this package: give a function")
    return check_solver(f"solver {name!r}", solver)
