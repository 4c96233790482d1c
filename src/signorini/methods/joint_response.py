"""Contact response of mechanisms: the contact problem in the coordinates that joints leave free, with limits and drives.

A drive whose force would exceed its limit pushes with the limit instead. Which ones do is found by an active set: the problem is
solved again until the drives at their limits are those that the solution asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.contact.frames import FramedProblem
from signorini.contact.joint_coordinates import JointCoordinates
from signorini.contact.mlcp import ContactSolver, Mlcp, Response, WarmStart
from signorini.dynamics.assembly import LinearSystem
from signorini.dynamics.joint_drives import (
    DriveState,
    drive_impulses,
    drive_rows,
    joint_coordinates,
    limit_rows,
    next_state,
)
from signorini.dynamics.joint_forces import JointForces, joint_forces
from signorini.dynamics.joint_step import JointStep
from signorini.methods.contact_response import ContactResponse, Squeeze, respond
from signorini.methods.report import Tally
from signorini.settings import Settings, SolverSettings
from signorini.solvers import solve

Floats = NDArray[np.float64]
MOST_CHANGES = 12
"""Times that the drives at their limits may change in one contact problem."""


class JointResponse:
    """Responses of one (sub-)step with joints."""

    def __init__(self, step: JointStep, v_free: Floats) -> None:
        """`v_free` (n, 3) [m/s] closes the joints, without contact, limits and drives."""
        self.step, self.v_free = step, v_free
        self.rows, self.limits = drive_rows(step, v_free), limit_rows(step, v_free)
        self.state = DriveState((None,) * len(self.rows))
        guess = [row.impulse / (1.0 + row.stiffness * _mobility(step, row)) for row in self.rows]
        self.state, _ = next_state(self.rows, self.state, guess)

    def respond(
        self,
        problem: FramedProblem,
        contacts: ContactSet,
        squeeze: Squeeze,
        impulse: Floats,
        dv: Floats,
        settings: Settings,
        tally: Tally,
        *,
        final: bool,
    ) -> ContactResponse | None:
        """As `contact_response.respond`, with dv (n, 3) [m/s] of the bodies also where joints tie them together."""
        found = None
        for _ in range(MOST_CHANGES):
            own = joint_coordinates(self.step, self.rows, self.state, self.limits)
            still = None if squeeze.still is None else own.coordinates_of(squeeze.still)
            found = respond(
                own.reduced(problem),
                contacts,
                replace(squeeze, still=still),
                impulse,
                own.coordinates_of(dv),
                settings,
                tally,
                final=final,
                solver=_with_limits(own),
            )
            if found is None:
                return None
            dv = own.velocities_of(found.response.dv)
            impulse = found.problem.to_world(found.response.impulse)
            self.state, same = next_state(self.rows, self.state, drive_impulses(self.step, self.rows, self.state, dv))
            found = replace(
                found, response=replace(found.response, dv=dv), squeeze=replace(found.squeeze, still=squeeze.still)
            )
            if same:
                break
        return found

    def forces(self, system: LinearSystem, problem: Mlcp, response: Response, v_end: Floats) -> JointForces:
        """The forces of joints and drives of a step that ended with velocities v_end (n, 3) [m/s]."""
        momentum = system.A.times(v_end) - system.b
        momentum -= (problem.jacobian().T @ response.impulse.ravel()).reshape(-1, 3)
        return joint_forces(self.step, self.rows, self.state, response.dv, v_end, momentum)


def _mobility(step: JointStep, row) -> float:
    """The largest velocity that a unit impulse of a drive gives its own point, 1/kg."""
    F = row.J @ step.eliminations[row.mechanism].free
    return float(np.linalg.norm(F @ F.T, 2)) if F.size else 0.0


def _with_limits(
    own: JointCoordinates,
) -> Callable[[Mlcp, SolverSettings | ContactSolver, WarmStart | None], Response]:
    """A solver of problems in these coordinates that adds the limits of joints."""

    def solve_with_limits(
        problem: Mlcp, settings: SolverSettings | ContactSolver, start: WarmStart | None = None
    ) -> Response:
        response = solve(own.with_limits(problem), settings, own.extended_start(start))
        return own.without_limits(response, problem.contact_count)

    return solve_with_limits
