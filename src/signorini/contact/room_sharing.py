"""Room of a squeeze, shared by its contacts: the least part of their distances that they must give up, all the same part.

Layers between closing plates cannot all keep the distance that they have. The contacts then give up the least part s for which
some velocity x satisfies J x + b + s d/dt ≥ 0, with b = u_free + gap/dt and d the distances.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.contact.barrier_method import Effort, Rows, minimise
from signorini.contact.feasibility import connected_contacts
from signorini.contact.mlcp import Floats, Mlcp
from signorini.contact.residuals import build_local_response
from signorini.contact.residuals_kernels import B_NN

STIFFNESS = 1e5
"""Stiffness of the springs that stand for what contacts give up, times the local compliance, without unit: the energy of the
motion counts for little beside them, so that no more is given up than must be."""
RIGID = 1e4
"""Stiffness of the springs of single contacts over that of what they give up together: they hardly yield."""
CALM = 1.5
"""Bound of the tangential speed of a contact over the largest closing speed of those it is connected with, beyond the speed it
has: a squeezed layer gives up distance rather than being shot out sideways."""
TAKES_PART = 0.01
"""Part of the largest violation from which on a contact takes part in the squeeze."""


class Share(NamedTuple):
    """What the contacts of a squeeze give up."""

    part: float
    """The largest part of its distance that a contact must give up."""
    distance: Floats
    """(m,) what each contact must give up [m]."""


def share_room(problem: Mlcp, distance: Floats, *, tolerance: float, effort: Effort | None = None) -> Share | None:
    """The least share of contacts that have distances (m,) [m]; None if nothing need be given up, or nothing can be said.

    Springs in place of all contacts tell first which of them cannot all be satisfied. These and the contacts that act on one of
    their nodes then give up the same part of their distances, those of each connected group alike. Nothing can be said where
    that would take more than the `effort` allows.
    """
    G, prepared = problem.jacobian(), build_local_response(problem)
    movable, compliance = prepared.movable, prepared.local[:, B_NN]
    unit = 1.0 / np.where(movable, compliance, np.median(compliance[movable]) if movable.any() else 1.0)
    group, normals = connected_contacts(problem), Rows(G[::3], prepared.bias[:, 0], unit, unit)
    calm = _calm_rows(G, prepared.bias, unit, group, tolerance)
    A, accuracy = problem.A.to_scipy(), 0.01 * tolerance
    alone = minimise(A, normals, calm, weight=1.0 / STIFFNESS, accuracy=accuracy, effort=effort)
    violation = alone.multipliers / unit
    if not alone.accurate or violation.max() <= tolerance:
        return None
    gives = _neighbours(problem, violation > TAKES_PART * violation.max())
    _, column = np.unique(group[gives], return_inverse=True)
    mean = np.bincount(column, weights=distance[gives]) / np.bincount(column)
    mass = np.bincount(column, weights=unit[gives])
    # The further unknown of each group is the velocity that a contact of mean distance gains.
    shape = problem.contact_count, len(mean)
    given = sp.csr_matrix((distance[gives] / mean[column], (np.flatnonzero(gives), column)), shape=shape)
    H = sp.csr_matrix(sp.block_diag([A / STIFFNESS, sp.diags(mass)]))
    normals = Rows(sp.csr_matrix(sp.hstack([G[::3], given])), normals.bias, np.full(shape[0], RIGID * mass.max()), unit)
    padded = sp.csr_matrix(sp.hstack([calm.matrix, sp.csr_matrix((len(calm.bias), shape[1]))]))
    found = minimise(H, normals, calm._replace(matrix=padded), weight=1.0, accuracy=accuracy, effort=effort)
    if not found.accurate:
        return None
    part = problem.dt * np.maximum(found.x[3 * problem.node_count :], 0.0) / mean
    given_up = np.zeros(shape[0])
    given_up[gives] = part[column] * distance[gives]
    return Share(float(part.max()), given_up)


def _neighbours(problem: Mlcp, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(m,) the chosen contacts, and those that act on one of their nodes."""
    owner = np.repeat(np.arange(problem.contact_count), np.diff(problem.jacobian_indptr))
    touched = np.zeros(problem.node_count, np.bool_)
    touched[problem.jacobian_nodes[chosen[owner]]] = True
    near = chosen.copy()
    near[owner[touched[problem.jacobian_nodes]]] = True
    return near


def _calm_rows(G: sp.csr_matrix, bias: Floats, unit: Floats, group: NDArray[np.int32], tolerance: float) -> Rows:
    """Tangential rows of all contacts, with the bounds of their velocities."""
    closing = np.zeros(group.max() + 1)
    np.maximum.at(closing, group, -bias[:, 0])
    tangential = np.arange(len(G.indptr) - 1) % 3 > 0
    free = bias[:, 1:].ravel()
    limit = 1.05 * np.abs(free) + np.repeat(CALM * closing[group] + tolerance, 2)
    return Rows(G[tangential], free, limit, np.repeat(unit, 2))
