"""Whether any velocity satisfies the normal rows of a contact problem: the contacts that contradict one another, with a proof.

Implements: Farkas' lemma. Impulses y ≥ 0 of normals that cancel, J' y = 0, with y·b < 0, b = u_free + gap/dt, prove that no
velocity has J x + b ≥ 0. They are the multipliers of the least violation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from signorini.contact.barrier_method import Effort, Minimum, Rows, minimise
from signorini.contact.mlcp import Floats, Ints, Mlcp
from signorini.contact.residuals import LocalResponse
from signorini.contact.residuals_kernels import B_NN

STIFFNESSES = (1e10, 1e13)
"""Stiffness of the springs that stand for contacts, times the local compliance of a contact, without unit: a satisfied contact
with an impulse λ yields by B λ / stiffness. The second where the first proves nothing: masses that differ by 1e7 and more."""
SHARED_STIFFNESS = 1e8
"""The same of the springs that several contacts share."""
RIGID = 1e4
"""Stiffness of the springs of a single contact over that of the shared one: they hardly yield, and keep the numbers in bounds."""
PROVEN = 1e3
"""How many times the size of the compromise, and of the correction of the worst contact alone, a velocity may be that the
proof excludes, in the norm of A."""
SLIDING, LEAST_SLOPE = 2.0, 1.5
"""Bound of the sliding speed of a contact with friction, in closing speed · max(1/friction, LEAST_SLOPE) + sliding speed, the
largest of the contacts that it is connected with: by the balance of energy, the mean sliding speed of contacts weighted by
their impulses is at most 1 of it."""
ROOM = 0.01
"""Part of its violation that a contradicting contact yields more than it must."""
CALM = 0.02
"""Part of the bound of the sliding speed by which contacts that contradict one another may slide faster than they do."""
NO_PART = 1e-6
"""Part of the largest multiplier below which a contact takes no part in a certificate."""
NAMED = 0.3
"""Part of the tolerance from which on a violated contact is named."""


@dataclass(frozen=True, slots=True)
class Feasibility:
    """What was found about the normal rows of a problem."""

    impulse: Floats
    """(m,) normal impulses of the least motion that satisfies the rows, without friction, or violates them least [N s]."""
    dv: Floats
    """(n, 3) this motion [m/s]."""
    certificate: Floats
    """(m,) y ≥ 0 with sum 1 that proves infeasibility; all zero if there is no proof."""
    yielding: Floats
    """(m,) how much the contacts that contradict one another must be relaxed so that all can be satisfied [m/s]; else 0."""

    @property
    def infeasible(self) -> Ints:
        """The contacts that contradict one another."""
        return np.flatnonzero(self.yielding > 0.0).astype(np.int32)


def relaxed_problem(problem: Mlcp, found: Feasibility, *, tolerance: float) -> Mlcp:
    """The problem in which the contradicting contacts yield as much as they must, and a little more: with room it is easy."""
    free = problem.free_velocity.copy()
    free[:, 0] += np.where(found.yielding > 0.0, (1.0 + ROOM) * found.yielding + tolerance, 0.0)
    return replace(problem, free_velocity=free)


def examine(
    problem: Mlcp,
    prepared: LocalResponse,
    *,
    tolerance: float,
    compromise: bool = True,
    effort: Effort | None = None,
) -> Feasibility | None:
    """Search the velocity that violates the normal rows least; None if the numbers do not allow any answer.

    Without a `compromise` contacts that contradict one another yield by their violation, which is not the least possible.

    Without friction any velocity counts. A contact with friction may slide at a bounded speed only: in a squeeze normals are
    never exactly opposite, and a sheet would be asked to leave at a hundred times the closing speed, which friction prevents.

    No more is spent than the `effort` allows, at most a factorisation beyond.
    """
    m, n = problem.contact_count, problem.node_count
    movable, bias = prepared.movable, prepared.bias
    stuck = ~movable & (bias[:, 0] < -tolerance)
    found = Feasibility(np.zeros(m), np.zeros((n, 3)), np.zeros(m), np.zeros(m))
    if movable.any() and (bias[movable, 0] < 0.0).any():
        part = _examine_movable(problem, prepared, np.flatnonzero(movable), tolerance, compromise, effort)
        if part is None:
            return None
        found = part
    if stuck.any():
        found.yielding[stuck] = -bias[stuck, 0]
        y = found.certificate + np.where(stuck, -bias[:, 0], 0.0) / -bias[stuck, 0].sum()
        found.certificate[:] = y / y.sum()
    return found


def _examine_movable(
    problem: Mlcp,
    prepared: LocalResponse,
    rows: NDArray[np.intp],
    tolerance: float,
    compromise: bool,
    effort: Effort | None,
) -> Feasibility | None:
    G, A = problem.jacobian(), problem.A.to_scipy()
    J, b = G[3 * rows], prepared.bias[rows, 0]
    unit = 1.0 / prepared.local[rows, B_NN]
    sliding = _sliding_rows(problem, prepared, G, tolerance)
    m = problem.contact_count
    impulse, certificate, yielding, found = np.zeros(m), np.zeros(m), np.zeros(m), None
    for stiffness in STIFFNESSES:
        springs, accuracy = Rows(J, b, unit, unit), 0.01 * tolerance
        least = minimise(A, springs, sliding, weight=1.0 / stiffness, accuracy=accuracy, effort=effort)
        y = least.multipliers
        violation = y / unit
        violated = violation > NAMED * tolerance
        if least.accurate:
            found = least
            impulse[rows] = stiffness * y
        if not violated.any():
            break
        if is_proven(A, J, b, least, unit, sliding, stiffness):
            found = least
            certificate[rows] = np.where(y > NO_PART * y.max(), y, 0.0)
            certificate /= certificate.sum()
            named = np.zeros(m, np.bool_)
            named[rows[violated]] = True
            if not compromise:
                yielding[rows[violated]] = violation[violated]
                break
            calm = sliding and _calmed(sliding, problem, prepared, named)
            yielding[named], x = _least_yielding(A, J, b, unit, violation, violated, calm, tolerance, effort)
            u = (G @ x).reshape(-1, 3) + prepared.bias
            # With u_n >= mu |u_t| a solution with friction exists (Cadoux 2009).
            yielding[named] += (problem.friction * np.hypot(u[:, 1], u[:, 2]))[named]
            break
    return None if found is None else Feasibility(impulse, found.x.reshape(-1, 3), certificate, yielding)


def is_proven(
    A: sp.csr_matrix, J: sp.csr_matrix, b: Floats, found: Minimum, unit: Floats, sliding: Rows | None, stiffness: float
) -> bool:
    """Whether the multipliers y ≥ 0 exclude every velocity up to PROVEN times the size of the compromise.

    For any x whose sliding speeds are within their bounds V, y·(J x + b) = y·b + (J' y + T' z)·x - z·T x is at most
    y·b + |z|·V + z·b_t + |J' y + T' z| |x|, the sizes in the norms of A^-1 and A: below a size of x it is negative, so that x
    violates one of the rows.
    """
    y, bound_force = found.multipliers, found.bound_force
    f = J.T @ y
    shortage = -float(y @ b)
    if sliding is not None:
        f = f + sliding.matrix.T @ bound_force
        shortage -= float(np.abs(bound_force) @ sliding.limit + bound_force @ sliding.bias)
    motion = splu(sp.csc_matrix(A)).solve(f)
    size = float(np.sqrt(max(motion @ f, 0.0)))
    natural = float(np.sqrt((np.minimum(b, 0.0) ** 2 * unit).max()))
    return bool(shortage > 0.0 and shortage >= PROVEN * size * max(stiffness * size, natural))


def _sliding_rows(problem: Mlcp, prepared: LocalResponse, G: sp.csr_matrix, tolerance: float) -> Rows | None:
    """Tangential rows of the contacts with friction, with the bounds of their velocities."""
    rough = np.flatnonzero(prepared.movable & (problem.friction > 0.0))
    if not len(rough):
        return None
    bias = prepared.bias
    group = connected_contacts(problem)
    closing, speed = np.zeros(group.max() + 1), np.zeros(group.max() + 1)
    np.maximum.at(closing, group, -bias[:, 0])
    np.maximum.at(speed, group[rough], np.hypot(bias[rough, 1], bias[rough, 2]))
    slope = np.maximum(1.0 / problem.friction[rough], LEAST_SLOPE)
    limit = SLIDING * (slope * closing[group[rough]] + speed[group[rough]]) + tolerance
    index = np.sort(np.concatenate([3 * rough + 1, 3 * rough + 2]))
    unit = 1.0 / prepared.local[rough, B_NN]
    return Rows(G[index], bias.ravel()[index], np.repeat(limit, 2), np.repeat(unit, 2))


def connected_contacts(problem: Mlcp) -> Ints:
    """(m,) a number for each contact, the same for those that act on one another by their nodes alone."""
    owner = np.repeat(np.arange(problem.contact_count), np.diff(problem.jacobian_indptr))
    first = problem.contact_count
    size = first + problem.node_count
    links = sp.csr_matrix((np.ones(len(owner)), (owner, first + problem.jacobian_nodes)), shape=(size, size))
    return connected_components(links, directed=False)[1][:first]


def _calmed(sliding: Rows, problem: Mlcp, prepared: LocalResponse, named: NDArray[np.bool_]) -> Rows:
    """The same rows with bounds that friction can keep: contacts that contradict one another squeeze nothing out sideways."""
    rough = prepared.movable & (problem.friction > 0.0)
    speed = 1.05 * np.abs(sliding.bias) + CALM * sliding.limit
    return sliding._replace(limit=np.where(np.repeat(named[rough], 2), np.minimum(speed, sliding.limit), sliding.limit))


def _least_yielding(
    A: sp.csr_matrix, J: sp.csr_matrix, b: Floats, unit: Floats, violation: Floats, violated: NDArray[np.bool_],
    sliding: Rows | None, tolerance: float, effort: Effort | None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """(k,) how much each violated contact must yield if those that act on common nodes yield alike, and this motion [m/s].

    Alike means that the largest violation is the least; springs of their own would leave most of it to a few.
    """
    S = J[violated]
    touches = abs(S) @ abs(S).T
    count, group = connected_components(touches, directed=False)
    shared = sp.csr_matrix((np.ones(len(group)), (np.flatnonzero(violated), group)), shape=(len(b), count))
    mass = np.bincount(group, weights=unit[violated], minlength=count)
    n = len(A.indptr) - 1
    H = sp.csr_matrix(sp.block_diag([A / SHARED_STIFFNESS, sp.diags(mass)]))
    eased = b + np.where(violated, 0.0, violation)
    rows = Rows(sp.csr_matrix(sp.hstack([J, shared])), eased, np.full(len(b), RIGID * mass.max()), unit)
    bounds = sliding and Rows(
        sp.csr_matrix(sp.hstack([sliding.matrix, sp.csr_matrix((len(sliding.bias), count))])),
        sliding.bias, sliding.limit, sliding.unit,
    )  # fmt: skip
    found = minimise(H, rows, bounds, weight=1.0, accuracy=0.01 * tolerance, effort=effort)
    if not found.accurate:
        return violation[violated], np.zeros(n)
    x, shares = found.x[:n], found.x[n:]
    return np.maximum(shares[group], NAMED * tolerance), x
