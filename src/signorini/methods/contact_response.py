"""Contact response of one refinement: the contact problem solved, and what happens when it cannot be.

Contacts of a squeeze that contradict each other only because each keeps its contact distance give up a part of their distance,
all the same part. A problem that stays unsolved is tried again in a shorter sub-step, and in the shortest one its response is
bounded so that it adds no energy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.contact.bounded_response import bounded_response
from signorini.contact.frames import FramedProblem
from signorini.contact.mlcp import ContactSolver, Mlcp, Response, WarmStart
from signorini.contact.room_sharing import share_room
from signorini.errors import ProblemTooLargeError
from signorini.methods.report import Tally
from signorini.settings import DEFAULT_TOLERANCE, Settings, SolverSettings
from signorini.solvers import solve

Floats = NDArray[np.float64]
Solver = Callable[[Mlcp, SolverSettings | ContactSolver, WarmStart | None], Response]
LARGEST_SHARE = 0.45
"""Part of its distance that a contact may give up in one sub-step; continuous detection keeps a half of it."""
MOST_SHARES = 3
"""Times that room is shared in one contact problem: further contacts may contradict each other afterwards."""
SPARE = 1.3
"""Room that is given up over the room that is missing: with none to spare the problem has a single solution, hard to find."""


@dataclass(frozen=True, slots=True)
class Squeeze:
    """What the contacts of a step have given up because scripted bodies or pins leave them no room."""

    given: Floats
    """(m,) distance that each contact has given up, or less than zero where it asks for more than it has [m]."""
    expected: bool = False
    """Whether the step before was a squeeze: room is then shared first, which saves a solve that fails."""
    still: Floats | None = None
    """(n, 3) the response dv after which everything that is not prescribed stands still [m/s]: where that satisfies all contacts,
    nothing is squeezed, and no room need be shared. None if it is not known."""

    @property
    def any(self) -> bool:
        """Whether a contact has given up something."""
        return bool((self.given > 0.0).any())

    def augmented(self, contacts: ContactSet, new: ContactSet, room: Floats) -> tuple[ContactSet, Squeeze]:
        """The new contacts without those that are there already, and the squeeze after they were added.

        New contacts have given up nothing yet and ask for room (k,) [m]. A constraint that comes back as it was is not added
        again, which would only make the problem harder to solve; it asks for the room instead.
        """
        row = contacts.same_as(new)
        known, added = row >= 0, np.flatnonzero(row < 0)
        given = self.given.copy()
        np.minimum.at(given, row[known & (room > 0.0)], -room[known & (room > 0.0)])
        return new.only(added), replace(self, given=np.concatenate([given, -room[added]]), expected=False)


@dataclass(frozen=True, slots=True)
class ContactResponse:
    """The contact problem as it was solved in the end, and its solution."""

    problem: FramedProblem
    response: Response
    squeeze: Squeeze
    bounded: bool = False
    """Whether the problem was not solved, and the response is bounded in its stead."""


def respond(
    problem: FramedProblem,
    contacts: ContactSet,
    squeeze: Squeeze,
    impulse: Floats,
    dv: Floats,
    settings: Settings,
    tally: Tally,
    *,
    final: bool,
    solver: Solver = solve,
) -> ContactResponse | None:
    """Solve the contact problem from world impulses (m, 3) and dv (n, 3) on; None if a shorter sub-step should be tried.

    `final` tells that there is no shorter sub-step: the response is then the best compromise. `solver` solves the problem by
    the settings. A problem that is too large for it has no response.
    """
    mlcp, given, asked = problem.mlcp, squeeze.given, problem.mlcp.gap
    start, shares = WarmStart(dv, problem.to_frames(impulse)), 0
    if squeeze.expected:
        given = _shared(mlcp, contacts, squeeze, given, settings, tally)
        tally.shared_solves += given is not squeeze.given
    while True:
        mlcp = replace(mlcp, gap=asked + given) if given.any() else mlcp
        limited = limited_solver(settings, tally, mlcp, compromise=False)
        try:
            response = solver(mlcp, limited, start) if tally.work.affords(mlcp) else None
        except ProblemTooLargeError:
            response = None
        if response is None:
            return _unsolvable(contacts, tally)
        tally.count_iterations(response)
        if response.converged or response.diverged or shares == MOST_SHARES:
            break
        if tally.shared_in_vain and response.certificate is None:
            break
        more = _shared(mlcp, contacts, squeeze, given, settings, tally)
        if more is given:
            break
        given, shares = more, shares + 1
        tally.shared_solves += 1
        start = WarmStart(response.dv, response.impulse)
    if final and len(response.infeasible) and not response.converged:
        response = solver(mlcp, limited_solver(settings, tally, mlcp, compromise=True), start)
        tally.count_iterations(response)
    count_solve(mlcp, contacts, response, tally)
    solved = ContactResponse(replace(problem, mlcp=mlcp), response, replace(squeeze, given=given))
    if response.converged:
        return solved
    if response.diverged or not final:
        return None
    if len(response.infeasible):
        return solved
    return replace(solved, response=bounded_response(mlcp, response), bounded=True)


def _unsolvable(contacts: ContactSet, tally: Tally) -> None:
    """Count a contact problem that is too large for the solver, or for the budget, and name all bodies of it."""
    tally.solves += 1
    tally.unsolved_bodies |= {(int(a), int(b)) for a, b in np.unique(contacts.bodies, axis=0)}


def _shared(
    problem: Mlcp, contacts: ContactSet, squeeze: Squeeze, given: Floats, settings: Settings, tally: Tally
) -> Floats:
    """What contacts (m,) have given up [m] after room is shared once more; `given` itself if that is no remedy."""
    if tally.work.is_spent or not len(given):
        return given
    tolerance = settings.solver.residual if isinstance(settings.solver, SolverSettings) else DEFAULT_TOLERANCE
    if squeeze.still is not None and _normal_velocities(problem, squeeze.still).min() >= -tolerance:
        return given
    effort = tally.work.effort_left()
    share = share_room(problem, contacts.distance - np.maximum(given, 0.0), tolerance=tolerance, effort=effort)
    tally.work.count_sharing(effort)
    if share is None or SPARE * share.part > LARGEST_SHARE:
        tally.shared_in_vain = True
        return given
    return given + SPARE * share.distance


def count_solve(problem: Mlcp, contacts: ContactSet, response: Response, tally: Tally) -> None:
    """Count a contact problem, and name the bodies of its worst contact if it was not solved."""
    tally.count_solve(response)
    if not response.converged and len(contacts):
        worst = contacts.bodies[_worst(problem, response)]
        tally.unsolved_bodies.add((int(worst[0]), int(worst[1])))


def limited_solver(
    settings: Settings, tally: Tally, problem: Mlcp, *, compromise: bool
) -> SolverSettings | ContactSolver:
    """The solver with the iterations that the budget of the step leaves; one from outside has its own limits."""
    most = tally.work.iterations_left(problem)
    if not isinstance(settings.solver, SolverSettings):
        return settings.solver
    return settings.solver.adapted(max_iterations=most, compromise=compromise)


def _worst(problem: Mlcp, response: Response) -> int:
    """The contact whose normal row is violated most; any if the response is not finite."""
    return int(np.argmin(_normal_velocities(problem, response.dv)))


def _normal_velocities(problem: Mlcp, dv: Floats) -> Floats:
    """(m,) u_n + gap/dt after a response dv (n, 3) [m/s]."""
    return (problem.jacobian() @ dv.ravel()).reshape(-1, 3)[:, 0] + problem.bias()[:, 0]
