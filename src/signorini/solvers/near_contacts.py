"""Restriction of a contact problem to the contacts that are nearly closed, with a check of the others afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Floats, Ints, Mlcp, Response, WarmStart
from signorini.solvers import near_contacts_kernels as kernels
from signorini.solvers.iterates import check_start

FEW = 1000
"""Contacts of a problem below which the choice costs more than it saves."""
MOST = 0.8
"""Part of the contacts that are near from which on all are taken: leaving out the rest would save little."""

Solver = Callable[[Mlcp, WarmStart | None], Response]


def solve_near(problem: Mlcp, warm_start: WarmStart | None, solve_all: Solver) -> Response:
    """The response of `solve_all` to the whole problem, found from the contacts that are near.

    Near is a contact that has an impulse, or that opens more slowly than the worst one closes at the start: in the collection
    this leaves out between nothing and 95 %, and hardly ever one that is needed. A contact outside has no impulse, so that the
    answer solves the whole problem if none of them is violated; otherwise those that are near now join, and it is solved
    again from there.
    """
    if warm_start is not None:
        check_start(problem, warm_start)
    if problem.contact_count < FEW:
        return solve_all(problem, warm_start)
    dv = np.zeros((problem.node_count, 3)) if warm_start is None else warm_start.dv
    pushing = np.zeros(problem.contact_count, np.bool_) if warm_start is None else warm_start.impulse.any(axis=1)
    u = _normal_velocities(problem, dv)
    margin = max(0.0, -float(u.min()))
    near = pushing | ~(u > margin)  # also those that are not a number
    outer = inner = 0
    while True:
        if near.mean() >= MOST:
            near[:] = True
        chosen = _pushing_first(near, pushing | (u <= 0.0))
        start = None if warm_start is None else WarmStart(warm_start.dv, warm_start.impulse[chosen])
        response = solve_all(_restricted(problem, chosen), start)
        outer, inner = outer + response.outer_iterations, inner + response.inner_iterations
        impulse = np.zeros((problem.contact_count, 3))
        impulse[chosen] = response.impulse
        u = _normal_velocities(problem, response.dv)
        outside = np.where(near, np.inf, u)
        if response.diverged or outside.min() >= 0.0:
            return replace(
                response,
                impulse=impulse,
                infeasible=chosen[response.infeasible],
                certificate=_spread(response.certificate, chosen, problem.contact_count),
                outer_iterations=outer,
                inner_iterations=inner,
            )
        near |= outside <= max(margin, -float(outside.min()))
        pushing = impulse.any(axis=1)
        warm_start = WarmStart(response.dv, impulse)


def _spread(certificate: Floats | None, chosen: Ints, count: int) -> Floats | None:
    """The certificate of the chosen contacts for all of them."""
    if certificate is None:
        return None
    spread = np.zeros(count)
    spread[chosen] = certificate
    return spread


def _pushing_first(near: NDArray[np.bool_], busy: NDArray[np.bool_]) -> Ints:
    """The near contacts as indices, busy ones first and side by side in memory: the solver visits them far more often."""
    return np.concatenate([np.flatnonzero(near & busy), np.flatnonzero(near & ~busy)]).astype(np.int32)


def _normal_velocities(problem: Mlcp, dv: Floats) -> NDArray[np.float64]:
    """(m,) u_n + gap/dt [m/s]."""
    u = np.empty(problem.contact_count)
    kernels.normal_velocities(
        problem.jacobian_indptr, problem.jacobian_nodes, problem.jacobian_blocks, problem.free_velocity, problem.gap,
        problem.dt, dv, u,
    )  # fmt: skip
    return u


def _restricted(problem: Mlcp, chosen: Ints) -> Mlcp:
    """The problem with the chosen contacts only."""
    indptr = problem.jacobian_indptr
    size = int((indptr[chosen + 1] - indptr[chosen]).sum())
    rows = np.empty(len(chosen) + 1, np.int32), np.empty(size, np.int32), np.empty((size, 3, 3))
    kernels.gather_rows(indptr, problem.jacobian_nodes, problem.jacobian_blocks, chosen, *rows)
    return Mlcp(
        problem.A,
        *rows,
        gap=problem.gap[chosen],
        free_velocity=problem.free_velocity[chosen],
        friction=problem.friction[chosen],
        dt=problem.dt,
        contact_distance=problem.contact_distance,
    )
