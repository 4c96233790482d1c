"""Local starts: a start that fails at a few contacts is mended among the bodies around them, before all bodies are solved for.

A refinement adds some tens of contacts to a problem that was solved: in a pile most bodies do not notice. The bodies with
residuals above the tolerance, and those that push them, are solved for while all others move as they did; then those that noticed
join.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from signorini.contact.mlcp import Ints, Mlcp, WarmStart
from signorini.contact.residuals import LocalResponse, build_local_response
from signorini.linalg.block_matrix import BlockMatrix
from signorini.solvers import local_start_kernels as kernels

FEW_BODIES = 16
"""Bodies, as parts of the matrix that are not coupled, below which a problem has no small part."""
FAR = 10.0
"""Residual over tolerance of a start from which on it is mended. Nearer ones are resting, and must be improved as a whole."""
MOST = 0.6
"""Part of the nodes, or of the contacts, from which on all are solved for at once."""
MOST_ROUNDS = 6
"""Times at most that further bodies join."""

Marks = NDArray[np.uint8]
PartSolver = Callable[[Mlcp, WarmStart], tuple[WarmStart | None, int]]
"""Solves a part of a problem; None if it did not. The second value is the number of inner iterations."""


def mend_start(
    problem: Mlcp, start: WarmStart, tolerance: float, solve_part: PartSolver
) -> tuple[WarmStart | None, int]:
    """A start that is nearer to the solution, and inner iterations of as much work as it took; None if nothing was mended."""
    body, count = _bodies_of(problem.A)
    if count < FEW_BODIES:
        return None, 0
    sizes = np.bincount(body, minlength=count)
    prepared = build_local_response(problem)
    chosen, mended, work = np.zeros(count, np.uint8), None, 0.0
    for _ in range(MOST_ROUNDS):
        unsolved, residual = _unsolved(problem, prepared, body, start, tolerance, count)
        if mended is None and not residual > FAR * tolerance:
            break
        if not unsolved.any():
            break
        chosen |= unsolved
        chosen = _with_neighbours(problem, body, start, chosen)
        part = float(sizes[chosen > 0].sum()) / problem.node_count
        if part > MOST:
            break
        place, contacts, restricted = _part_of(problem, start, chosen[body] > 0)
        if len(contacts) > MOST * problem.contact_count:
            break
        inside = place >= 0
        found, inner = solve_part(restricted, WarmStart(start.dv[inside], start.impulse[contacts]))
        work += part * inner
        if found is None:
            break
        dv, impulse = start.dv.copy(), start.impulse.copy()
        dv[inside], impulse[contacts] = found.dv, found.impulse
        mended = start = WarmStart(dv, impulse)
    return mended, round(work)


def _unsolved(
    problem: Mlcp, prepared: LocalResponse, body: Ints, start: WarmStart, tolerance: float, count: int
) -> tuple[Marks, float]:
    """The bodies (b,) with residuals above the tolerance, and the largest residual [m/s]."""
    A, marked = problem.A, np.zeros(count, np.uint8)
    residual = kernels.mark_unsolved(
        (A.indptr, A.indices, A.data),
        (problem.jacobian_indptr, problem.jacobian_nodes, problem.jacobian_blocks),
        (prepared.D_inv, prepared.local, prepared.bias),
        problem.friction,
        body,
        start.dv,
        start.impulse,
        tolerance,
        marked,
    )
    return marked, float(residual)


def _with_neighbours(problem: Mlcp, body: Ints, start: WarmStart, marked: Marks) -> Marks:
    wider = marked.copy()
    kernels.mark_neighbours(problem.jacobian_indptr, problem.jacobian_nodes, start.impulse, body, marked, wider)
    return wider


def _part_of(problem: Mlcp, start: WarmStart, inside: NDArray[np.bool_]) -> tuple[Ints, Ints, Mlcp]:
    """The place of each node in a part, -1 outside of it; the contacts of the part; the part, with all else as in the start."""
    A, indptr, nodes = problem.A, problem.jacobian_indptr, problem.jacobian_nodes
    chosen = np.flatnonzero(inside).astype(np.int32)
    place = np.full(problem.node_count, -1, np.int32)
    place[chosen] = np.arange(len(chosen), dtype=np.int32)
    size = int((A.indptr[chosen + 1] - A.indptr[chosen]).sum())
    matrix = np.empty(len(chosen) + 1, np.int32), np.empty(size, np.int32), np.empty((size, 3, 3))
    kernels.restrict_matrix(A.indptr, A.indices, A.data, chosen, place, *matrix)
    within = np.concatenate([[0], np.cumsum(inside[nodes])])
    counts = within[indptr[1:]] - within[indptr[:-1]]
    contacts = np.flatnonzero(counts).astype(np.int32)
    entries = int(counts.sum())
    rows = np.empty(len(contacts) + 1, np.int32), np.empty(entries, np.int32), np.empty((entries, 3, 3))
    velocity = problem.free_velocity[contacts]
    kernels.restrict_contacts(indptr, nodes, problem.jacobian_blocks, place, start.dv, contacts, *rows, velocity)
    return place, contacts, Mlcp(
        BlockMatrix(*matrix),
        *rows,
        gap=problem.gap[contacts],
        free_velocity=velocity,
        friction=problem.friction[contacts],
        dt=problem.dt,
        contact_distance=problem.contact_distance,
    )  # fmt: skip


_KNOWN: dict[int, tuple[weakref.ref[Ints], tuple[Ints, int]]] = {}
"""Bodies by the address of the columns of their pattern: all matrices of a simulation share those."""


def _bodies_of(A: BlockMatrix) -> tuple[Ints, int]:
    """The number (n,) of the part of the matrix that each node is coupled to, and how many parts there are."""
    key = id(A.indices)
    known = _KNOWN.get(key)
    if known is not None and known[0]() is A.indices:
        return known[1]
    n = A.node_count
    graph = csr_matrix((np.ones(len(A.indices), np.int8), A.indices, A.indptr), shape=(n, n))
    count, body = connected_components(graph, directed=False)
    found = body.astype(np.int32), int(count)
    _KNOWN[key] = weakref.ref(A.indices, lambda _: _KNOWN.pop(key, None)), found
    return found
