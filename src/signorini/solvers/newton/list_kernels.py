"""Kernels that choose the contacts which Newton's method visits: those that have an impulse, or are near to getting one.

A contact without a multiplier stays open as long as its slack u_n + s - mu |u_t| is positive. No slack falls faster than
`breadth` times the largest change of a node, so that a contact need not be looked at until the nodes have gone far enough: of the
70,000 contacts of a skirt four in five are left out, and the iterates are the same.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.solvers.newton.velocity_kernels import find_velocity

GONE, REACH, TOTAL = 0, 1, 2
"""Places of `NewtonMatrix.path`."""
AHEAD = 2.0
"""How far nodes may go before the other contacts are looked at again, over how far they went in the update before, or in the
step that led too far."""


@kernel
def find_breadths(indptr, blocks, mu, breadth):
    """Sum over the nodes of a contact of the length of its normal row and mu times that of its tangents."""
    for c in range(len(breadth)):
        total = 0.0
        for k in range(indptr[c], indptr[c + 1]):
            normal = tangents = 0.0
            for a in range(3):
                normal += blocks[9 * k + a] ** 2
                tangents += blocks[9 * k + 3 + a] ** 2 + blocks[9 * k + 6 + a] ** 2
            total += np.sqrt(normal) + mu[c] * np.sqrt(tangents)
        breadth[c] = total


@kernel
def expect_path(matrix):
    """How far nodes may go in the next update: by what they did in the last one; in the first one all contacts are visited."""
    path = matrix.path
    path[REACH] = AHEAD * path[TOTAL]
    path[GONE] = path[TOTAL] = 0.0


@kernel
def list_contacts(problem, matrix, group, rho, lam):
    """The contacts of a group that are visited; the velocities of all must be up to date."""
    first, count = matrix.groups[group], 0
    for c in matrix.members[first : matrix.groups[group + 1]]:
        matrix.is_listed[c] = rho[c] > 0.0 and (
            lam[c, 0] != 0.0
            or matrix.assembled[c, 0, 0] != 0.0
            or not slack(problem, matrix, c) > matrix.path[REACH] * matrix.breadth[c]
        )
        if matrix.is_listed[c]:
            matrix.listed[first + count] = c
            count += 1
        else:
            matrix.active[c] = 0
            for a in range(3):
                matrix.p[c, a] = 0.0
                for b in range(3):
                    matrix.assembled[c, a, b] = 0.0
    matrix.listed_count[group] = count


@kernel
def extend_list(problem, matrix, group, rho, d):
    """List further contacts of a group that the nodes can reach from where they are, with their velocities along d."""
    first, count = matrix.groups[group], matrix.listed_count[group]
    refresh_velocities(problem, matrix, group)
    for c in matrix.members[first : matrix.groups[group + 1]]:
        if matrix.is_listed[c] or rho[c] == 0.0:
            continue
        if not slack(problem, matrix, c) > matrix.path[REACH] * matrix.breadth[c]:
            matrix.is_listed[c] = 1
            matrix.listed[first + count] = c
            count += 1
            find_velocity(problem, matrix, c, d, matrix.ud)
    matrix.listed_count[group] = count


@kernel
def refresh_velocities(problem, matrix, group):
    """u = G x + bias of the contacts of a group that were not visited."""
    for c in matrix.members[matrix.groups[group] : matrix.groups[group + 1]]:
        if not matrix.is_listed[c]:
            find_velocity(problem, matrix, c, matrix.vectors[0], matrix.u)
            for a in range(3):
                matrix.u[c, a] += problem.bias[c, a]


@kernel
def slack(problem, matrix, c):
    """How far a contact without a multiplier is from getting an impulse [m/s]."""
    u = matrix.u
    return u[c, 0] + matrix.shift[c] - problem.mu[c] * np.hypot(u[c, 1], u[c, 2])
