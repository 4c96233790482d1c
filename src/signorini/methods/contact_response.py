"""Contact response of one refinement: the contact problem solved, and what happens when it cannot be.

Contacts of a squeeze that contradict each other only because each keeps its contact distance give up a part of their distance,
all the same part. A problem that stays unsolved is tried again in a shorter sub-step, and in the shortest one its response is
bounded so that it adds no energy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.contact.bounded_response import bounded_response
from signorini.contact.frames import FramedProblem
from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.methods.report import Tally
from signorini.settings import Settings
from signorini.solvers import solve

Floats = NDArray[np.float64]
LARGEST_SHARE = 0.45
"""Part of its distance that a contact may give up in one sub-step; continuous detection keeps a half of it."""
MOST_SHARES = 6
"""Times that room is shared in one contact problem: other contacts may contradict each other afterwards."""
SPARE = 1.05
"""Room that is given up over the room that is missing: with none to spare the problem has a single solution."""


@dataclass(frozen=True, slots=True)
class ContactResponse:
    """The contact problem as it was solved in the end, and its solution."""

    problem: FramedProblem
    response: Response
    bounded: bool
    """Whether the problem was not solved, and the response is bounded in its stead."""


def respond(
    problem: FramedProblem,
    contacts: ContactSet,
    impulse: Floats,
    dv: Floats,
    settings: Settings,
    tally: Tally,
    *,
    final: bool,
) -> ContactResponse | None:
    """Solve the contact problem from world impulses (m, 3) and dv (n, 3) on; None if a shorter sub-step should be tried.

    `final` tells that there is none: the response is then the best compromise.
    """
    start = WarmStart(dv, problem.to_frames(impulse))
    shares = 0
    while True:
        response = solve(problem.mlcp, settings.solver, start)
        tally.count_iterations(response)
        if response.converged or response.certificate is None or shares == MOST_SHARES:
            break
        part = missing_part(problem.mlcp, contacts, response.certificate)
        if part > LARGEST_SHARE:
            break
        shares += 1
        tally.shared_solves += 1
        gap = problem.mlcp.gap + np.where(response.certificate > 0.0, part * contacts.distance, 0.0)
        problem = replace(problem, mlcp=replace(problem.mlcp, gap=gap))
        start = WarmStart(response.dv, response.impulse)
    tally.count_solve(response)
    if response.converged:
        return ContactResponse(problem, response, bounded=False)
    worst = contacts.bodies[_worst(problem.mlcp, response)]
    tally.unsolved_bodies.add((int(worst[0]), int(worst[1])))
    if response.diverged or not final:
        return None
    if len(response.infeasible):
        return ContactResponse(problem, response, bounded=False)
    return ContactResponse(problem, bounded_response(problem.mlcp, response), bounded=True)


def missing_part(problem: Mlcp, contacts: ContactSet, certificate: Floats) -> float:
    """Part of their distances that contacts must give up in order not to contradict each other, by the certificate (m,)."""
    shortage = -problem.dt * float(certificate @ problem.bias()[:, 0])
    room = float(certificate @ contacts.distance)
    return SPARE * shortage / room if room > 0.0 else np.inf


def _worst(problem: Mlcp, response: Response) -> int:
    """The contact whose normal row is violated most; any if the response is not finite."""
    u = (problem.jacobian() @ response.dv.ravel()).reshape(-1, 3)[:, 0] + problem.bias()[:, 0]
    return int(np.argmin(u))
