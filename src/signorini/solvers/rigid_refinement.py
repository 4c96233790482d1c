"""Rigid response refinement: contact between deformable and rigid bodies at a cost that is linear in the contacts.

Implements: Otaduy2010 §4-5, and its baseline, projected Gauss-Seidel with all of B assembled (§3, Eqs. 3 and 5)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.contact.residuals import build_local_response, empty_response
from signorini.errors import InputError
from signorini.settings import SolverSettings
from signorini.solvers.contact_system import build_contact_system
from signorini.solvers.ica import SETTINGS, solve_from
from signorini.solvers.iterates import start_values
from signorini.solvers.named_solvers import named_solver


@named_solver("rigid-refinement", reads=SETTINGS)
def solve_rigid_refinement(
    problem: Mlcp,
    settings: SolverSettings,
    warm_start: WarmStart | None = None,
    *,
    rigid_nodes: NDArray[np.bool_] | None = None,
) -> Response:
    """Solve the contact problem with the matrix of the deformable nodes assembled and rigid ones refined (§5).

    B = B_s + B_d (§4). B_s, from the deformable nodes, is sparse and assembled. B_d is dense, but of the low rank of the
    rigid bodies' degrees of freedom, and never formed: during the sweeps v2 = D_22^-1 G_2' p is kept up to date, so that a row
    costs O(1) (Eqs. 8, 9). The outer iterations, the stop rules and friction are those of `solve_ica`; the iterates equal
    those of `solve_standard_contact`, which assembles all of B, up to rounding.

    `rigid_nodes` (n,) says which nodes are rigid, by default those of `find_rigid_nodes`. The choice changes the cost only.
    """
    if rigid_nodes is None:
        rigid_nodes = find_rigid_nodes(problem)
    elif rigid_nodes.shape != (problem.node_count,) or rigid_nodes.dtype != np.bool_:
        raise InputError(
            f"rigid_nodes must be {problem.node_count} booleans, one a node, got {rigid_nodes.dtype} {rigid_nodes.shape}"
        )
    return solve_with_system(problem, settings, warm_start, rigid_nodes)


@named_solver("standard-contact", reads=SETTINGS)
def solve_standard_contact(problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None) -> Response:
    """Solve the contact problem with B = G D_A^-1 G' assembled, O(n²) to build and to sweep for n contacts on a rigid body.

    The baseline of rigid response refinement: the same sweeps, outer iterations, stop rules and friction as
    `solve_rigid_refinement`, with the rigid nodes in the matrix.
    """
    return solve_with_system(problem, settings, warm_start, np.zeros(problem.node_count, dtype=np.bool_))


def find_rigid_nodes(problem: Mlcp) -> NDArray[np.bool_]:
    """Which nodes (n,) the problem itself shows to be rigid bodies: they couple in A with one other node at most.

    A rigid body is two nodes, linear and angular, and A has no block between them and anything else; a node of a deformable body
    has several neighbours. A lone particle counts as rigid too, which is as good.
    """
    A = problem.A
    rows = np.repeat(np.arange(A.node_count), np.diff(A.indptr))
    apart = A.indices != rows
    neighbours = np.bincount(rows[apart], minlength=A.node_count)
    few = neighbours <= 1
    few[rows[apart & ~few[A.indices]]] = False  # the end of a chain of springs
    return few


def solve_with_system(
    problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None, rigid_nodes: NDArray[np.bool_]
) -> Response:
    """Iterative constraint anticipation with B assembled from all nodes that are not rigid."""
    if problem.contact_count == 0:
        return empty_response(problem)
    prepared = build_local_response(problem)
    system = build_contact_system(problem, rigid_nodes, prepared=prepared)
    start = start_values(problem, warm_start, settings.friction_cone)
    if not problem.friction.any():
        start[1][:, 1:] = 0.0
    return solve_from(problem, settings, prepared, start, system)
