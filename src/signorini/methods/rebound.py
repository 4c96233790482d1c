"""Restitution: Newton's law of impact, as a second contact problem for the velocities at the end of a (sub-)step.

The first problem (`methods/cmr`) takes bodies to where they touch, and leaves those that have arrived without approach speed. The
second one changes velocities only: contacts that were closed by an impact separate with e times the speed of the approach at the
moment of the impact, and all others do not approach faster than their gap allows. Friction acts in both.

Speeds of the law are those at the place of the impact. The velocities of a state are those of the step before it, on average
half a step old: under gravity a falling ball arrives faster by ½ g dt than its state says, and leaves slower by as much than the
velocity with which the next step starts. Without these two halves a ball that falls from 0.25 m at dt = 4 ms rebounds 3.6 %
too low at e = 1 and 5.3 % at e = 0.5.

Newton's law with friction can add energy (Kane's paradox); the energy balance of the step removes whatever grows in an island
with a rebound, beyond what backward Euler took from the falling bodies (`energy_balance`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.contact.frames import FramedProblem
from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.methods.contact_response import count_solve, limited_solver
from signorini.methods.moment import World
from signorini.methods.report import Tally
from signorini.settings import DEFAULT_TOLERANCE, SolverSettings
from signorini.solvers import solve

Floats = NDArray[np.float64]
LEAST_APPROACH = 5.0
"""Approach speed over the tolerance of the contact solver below which a contact does not rebound: it rests."""


@dataclass(frozen=True, slots=True)
class Rebound:
    """What restitution adds to the response of a (sub-)step."""

    dv: Floats
    """(n, 3) [m/s]"""
    impulse: Floats
    """(m, 3) in the frames of the contacts [N s]."""
    contacts: NDArray[np.bool_]
    """(m,) which contacts rebound."""


def with_rebound(
    world: World,
    problem: FramedProblem,
    contacts: ContactSet,
    response: Response,
    before: Floats,
    free: Floats,
    after: Floats,
    tally: Tally,
) -> tuple[Response, Floats, NDArray[np.bool_] | None]:
    """The response of both problems together, the velocities (n, 3) [m/s] that it leads to, and which contacts rebound (m,).

    Together they solve the equations of motion of the step. Without a rebound the velocities are those `after` the first problem.
    """
    found = find_rebound(world, problem, contacts, response, before, free, tally)
    if found is None:
        return response, after, None
    both = replace(response, dv=response.dv + found.dv, impulse=response.impulse + found.impulse)
    return both, free + both.dv, found.contacts


def find_rebound(
    world: World,
    problem: FramedProblem,
    contacts: ContactSet,
    response: Response,
    before: Floats,
    free: Floats,
    tally: Tally,
) -> Rebound | None:
    """The rebound at the end of a step that began with velocities `before` and without contact ends with `free` (n, 3) [m/s].

    None if nothing rebounds, or the second problem is not solved: the bodies then stay together as without restitution.
    """
    rules, mlcp = world.model.contact_rules, problem.mlcp
    if not len(contacts) or not rules.bounces:
        return None
    e = rules.restitutions(contacts.bodies)
    closed = (e > 0.0) & (response.impulse[:, 0] > 0.0)
    if not closed.any():
        return None
    G = mlcp.jacobian()
    approach = _approach_speeds(mlcp, (G @ (before - free).ravel()).reshape(-1, 3)[:, 0])
    half = -0.5 * mlcp.dt * (G @ world.model.node_gravity.ravel()).reshape(-1, 3)[:, 0]  # by gravity in half a step
    parting = e * (approach + half)
    leaving = np.minimum(
        parting + half, np.sqrt(np.maximum(0.0, approach * (approach + 2.0 * half)))
    )  # no gain at e = 1
    solver = world.settings.solver
    tolerance = solver.residual if isinstance(solver, SolverSettings) else DEFAULT_TOLERANCE
    # What would come back within the next step does not leave.
    rebounding = closed & (approach > LEAST_APPROACH * tolerance) & (parting > np.maximum(half, 0.0))
    if not rebounding.any():
        return None
    u = (G @ response.dv.ravel()).reshape(-1, 3) + mlcp.free_velocity
    gap = np.maximum(mlcp.gap + mlcp.dt * u[:, 0], 0.0)
    gap[rebounding] = 0.0
    u[rebounding, 0] -= leaving[rebounding]
    second = replace(mlcp, gap=gap, free_velocity=u)
    nothing = WarmStart(np.zeros_like(response.dv), np.zeros_like(response.impulse))
    found = solve(second, limited_solver(world.settings, tally, second, compromise=False), nothing)
    tally.count_iterations(found)
    count_solve(second, contacts, found, tally)
    return Rebound(found.dv, found.impulse, rebounding) if found.converged else None


def _approach_speeds(mlcp: Mlcp, change: Floats) -> Floats:
    """(m,) speed of approach of each contact when it closes [m/s], negative if it opens.

    `change` (m,) is the normal velocity at the start of the step less that of the motion without contact at its end. In between,
    the velocity grows linearly in time; the gap closes after the part gap / (dt u) of a step of backward Euler, which moves at u.
    """
    u = mlcp.free_velocity[:, 0]
    part = np.clip(mlcp.gap / np.maximum(-u * mlcp.dt, 1e-300), 0.0, 1.0)
    return -(u + (1.0 - part) * change)
