"""Newton steps on the augmented Lagrangian for fixed multipliers and shifts, by the threads of a crew.

Every thread works on its blocks of nodes and on the contacts of these, thread 0 then on what lies between the blocks, as in
relaxation.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.linalg.block_matrix_kernels import invert_blocks
from signorini.linalg.ssor_kernels import conjugate_gradients, multiply_rows, multiply_split
from signorini.linalg.two_level_kernels import two_level_gradients
from signorini.parallel.crew_kernels import meet
from signorini.solvers.newton.jump_kernels import push_jumps, restiffen
from signorini.solvers.newton.line_search_kernels import choose_length, find_slopes
from signorini.solvers.newton.list_kernels import TOTAL, extend_list, list_contacts, refresh_velocities
from signorini.solvers.newton.matrix_kernels import (
    build_pattern,
    copy_numbers,
    copy_rows_of_A,
    cover_active,
    cover_near,
    renew_group,
)
from signorini.solvers.newton.rows_kernels import (
    AD,
    AX,
    FARTHEST,
    FORCES,
    MISSING,
    SPEED,
    SQUARES,
    D,
    G,
    X,
    advance_rows,
    differentiate,
    find_velocities,
    push_rows,
    rows_of,
    subtract_rows,
)

DISMISSED, RUNNING, CONVERGED, NOT_FINITE, SLOW, OUT_OF_ITERATIONS = range(6)
"""Status of Newton's method; `DISMISSED` is that of a thread without which the others go on."""
START, FOLLOW, FOLLOW_STIFFER = range(3)
"""How an update of the multipliers begins: where it is; with the matrix at hand; with that matrix for other penalties."""
REACH = 2.0
"""Contacts that open at most so many times as fast as the last Newton step changed any: the pattern has places for these too."""
NEWTON_TOLERANCE = 0.2
"""Relative residual of the linear system of a Newton step, which the next step corrects anyway."""
FOLLOW_TOLERANCE = 0.05
"""The same for the step that follows the solution of an update to the next: its matrix is there already."""
MAX_NEWTON = 60
"""Newton steps for one update of the multipliers at most."""
MAX_CG = 400
"""Iterations of conjugate gradients for one Newton step at most."""
SLOW_CG = 250
"""Iterations for one Newton step above which a coarse space pays. With 100, three mats on one another took 1.2 times as long as
without: thousands of contacts couple many groups, and their matrix is made anew in every Newton step."""
ACCURACY = 0.3
"""Part of its first residual, or of the error of the multipliers, to which Newton's method goes."""
NOISE = 1e-3
"""Part of the tolerance: forces that give no body more speed than this are none."""


@kernel
def minimise(crew, rank, size, problem, matrix, rho, rules, lam, counts):
    """Newton steps until both goals are reached; the status on thread 0, zero for a thread that is dismissed.

    x, u = G x + bias and Ax = A x are kept up to date; matrix.p gets the projected impulses, matrix.reached the relative
    residual, the residual as a velocity [m/s], and the length of the last step. counts: see `iterate_multipliers`.
    """
    last = len(matrix.groups) - 2
    for b in range(rank, last + 1, size):
        list_contacts(problem, matrix, b, rho, lam)
    size = meet(crew, rank)
    if size > 0 and matrix.orders[3] != START:
        size = follow(crew, rank, size, problem, matrix, rho, lam, counts)
    for step in range(MAX_NEWTON + 1):
        if size == 0:
            break
        size = find_residual(crew, rank, size, problem, matrix, rho, lam)
        if rank == 0:
            matrix.orders[1] = RUNNING if step < MAX_NEWTON else OUT_OF_ITERATIONS
            judge(problem, matrix, rules, counts)
        size = meet(crew, rank) if size > 0 else 0
        if size == 0 or matrix.orders[1] != RUNNING:
            break
        size = assemble(crew, rank, size, problem, matrix, rho, lam)
        if size == 0:
            break
        iterations = solve_together(crew, rank, matrix, NEWTON_TOLERANCE)
        size = meet(crew, rank)
        if rank == 0:
            counts[2] += iterations
        size = advance(crew, rank, size, problem, matrix, rho, lam)
        if rank == 0 and iterations > SLOW_CG and matrix.coarse.wanted[0]:
            matrix.orders[1] = SLOW
        size = meet(crew, rank) if size > 0 else 0
        if size == 0 or matrix.orders[1] != RUNNING:
            break
    if size > 0:
        for b in range(rank, last + 1, size):
            refresh_velocities(problem, matrix, b)
        size = meet(crew, rank)
    return matrix.orders[1] if size > 0 else DISMISSED


@kernel
def follow(crew, rank, size, problem, matrix, rho, lam, counts):
    """Go where the solution of the last update goes as multipliers and shifts change (`jump_kernels`); returns the crew."""
    last = len(matrix.groups) - 2
    if matrix.orders[3] == FOLLOW_STIFFER:
        for b in range(rank, last + 1, size):
            restiffen(matrix, b)
        size = renew_matrix(crew, rank, meet(crew, rank), problem, matrix)
        if size == 0:
            return 0
    for b in range(rank, last, size):
        push_jumps(problem, matrix, b)
    size = meet(crew, rank)
    if rank == 0:
        push_jumps(problem, matrix, last)
    size = meet(crew, rank) if size > 0 else 0
    if size == 0:
        return 0
    for b in range(rank, last + 1, size):
        subtract_rows(matrix, b)
    size = meet(crew, rank)
    iterations = solve_together(crew, rank, matrix, FOLLOW_TOLERANCE) if size > 0 else 0
    size = meet(crew, rank) if size > 0 else 0
    if rank == 0:
        counts[2] += iterations
    size = advance(crew, rank, size, problem, matrix, rho, lam)
    return meet(crew, rank) if size > 0 else 0


@kernel
def judge(problem, matrix, rules, counts):
    """How well x is solved for, and whether Newton's method goes on: thread 0, from the sums of all blocks."""
    tolerance, relative_tolerance, max_cg = rules
    parts, goals, reached = matrix.parts, matrix.goals, matrix.reached
    floor = NOISE * tolerance * problem.mass
    reached[0] = np.sqrt(parts[:, SQUARES].sum()) / max(np.sqrt(parts[:, FORCES].sum()), floor)
    reached[1] = parts[:, SPEED].max()
    if not np.isfinite(reached[0]):
        matrix.orders[1] = NOT_FINITE
        return
    if goals[0] == 0.0:
        goals[0] = max(0.5 * relative_tolerance, min(ACCURACY, ACCURACY * reached[0]))
        goals[1] = max(0.5 * tolerance, ACCURACY * reached[1])
    if reached[0] <= goals[0] and reached[1] <= goals[1]:
        matrix.orders[1] = CONVERGED
    elif counts[2] > max_cg:
        matrix.orders[1] = OUT_OF_ITERATIONS
    elif matrix.orders[1] == RUNNING:
        counts[1] += 1


@kernel
def start_velocities(problem, matrix):
    """u = G x + bias, Ax = A x and the De Saxcé shift mu |u_t| at the start x."""
    vectors, u = matrix.vectors, matrix.u
    multiply_split(matrix.A, vectors[X], vectors[AX])
    matrix.is_listed[:] = 0
    matrix.path[TOTAL] = np.inf
    for group in range(len(matrix.groups) - 1):
        refresh_velocities(problem, matrix, group)
    for c in range(len(u)):
        matrix.shift[c] = problem.mu[c] * np.hypot(u[c, 1], u[c, 2])


@kernel
def find_residual(crew, rank, size, problem, matrix, rho, lam):
    """p, f = G' p, and g = f - A x, with its sums in matrix.parts; returns the crew."""
    last = len(matrix.groups) - 2
    for b in range(rank, last, size):
        push_rows(problem, matrix, b, rho, lam)
    size = meet(crew, rank)
    if rank == 0:
        push_rows(problem, matrix, last, rho, lam)
    size = meet(crew, rank) if size > 0 else 0
    if size == 0:
        return 0
    for b in range(rank, last + 1, size):
        subtract_rows(matrix, b)
    return meet(crew, rank)


@kernel
def assemble(crew, rank, size, problem, matrix, rho, lam):
    """K = A + G' H G over the active contacts, and the inverse of its diagonal; returns the crew."""
    last, parts, K = len(matrix.groups) - 2, matrix.parts, matrix.split
    for b in range(rank, last + 1, size):
        differentiate(problem, matrix, b, rho, lam)
        parts[b, MISSING] = cover_active(matrix, b)
    size = meet(crew, rank)
    if rank == 0 and (parts[:, MISSING].any() or K.L_indptr[len(matrix.ordering.order)] < 0):
        cover_near(matrix.u, REACH * parts[:, FARTHEST].max(), matrix.covered)
        build_pattern(problem, matrix)
    size = meet(crew, rank) if size > 0 else 0
    if size == 0:
        return 0
    return renew_matrix(crew, rank, size, problem, matrix)


@kernel
def renew_matrix(crew, rank, size, problem, matrix):
    """Bring K and the inverse of its diagonal up to date with the derivatives of the active contacts; returns the crew."""
    last, K = len(matrix.groups) - 2, matrix.split
    for b in range(rank, last, size):
        renew_rows(problem, matrix, b)
    size = meet(crew, rank)
    if rank == 0:
        renew_rows(problem, matrix, last)
        matrix.fresh[0] = 0
    size = meet(crew, rank) if size > 0 else 0
    if size == 0:
        return 0
    for b in range(rank, last + 1, size):
        begin, end = rows_of(matrix, b)
        copy_numbers(K.D, 9 * begin, 9 * end, K.D_inv)
        invert_blocks(K.D_inv[9 * begin : 9 * end].reshape(end - begin, 3, 3))
    return size


@kernel
def renew_rows(problem, matrix, b):
    """The rows of K of a block, and what the contacts of its group add to others."""
    if matrix.fresh[0]:
        begin, end = rows_of(matrix, b)
        copy_rows_of_A(matrix, begin, end)
    renew_group(problem, matrix, b)


@kernel
def solve_together(crew, rank, matrix, tolerance):
    """Solve K d = g with all threads; the iterations."""
    K, coarse, right, d = matrix.split, matrix.coarse, matrix.vectors[G], matrix.vectors[D]
    if len(coarse.group) > 0:
        return two_level_gradients(crew, rank, K, coarse, right, tolerance, 0.0, MAX_CG, d, matrix.work)
    return conjugate_gradients(crew, rank, K, right, tolerance, 0.0, MAX_CG, d, matrix.work)


@kernel
def advance(crew, rank, size, problem, matrix, rho, lam):
    """Go along d as far as the line search says; returns the crew."""
    if size == 0:
        return 0
    last, vectors = len(matrix.groups) - 2, matrix.vectors
    for b in range(rank, last, size):
        begin, end = rows_of(matrix, b)
        multiply_rows(matrix.A, begin, end, vectors[D], vectors[AD])
    size = meet(crew, rank)
    if rank == 0:
        begin, end = rows_of(matrix, last)
        multiply_rows(matrix.A, begin, end, vectors[D], vectors[AD])
    size = meet(crew, rank) if size > 0 else 0
    if size == 0:
        return 0
    for b in range(rank, last + 1, size):
        find_velocities(problem, matrix, b, vectors[D], matrix.ud)
    while True:
        for b in range(rank, last + 1, size):
            begin, end = rows_of(matrix, b)
            find_slopes(problem, matrix, b, begin, end, vectors[AX], vectors[D], vectors[AD], rho, lam)
        size = meet(crew, rank)
        if rank == 0:
            choose_length(problem, matrix, rho, lam)
        size = meet(crew, rank) if size > 0 else 0
        if size == 0:
            return 0
        if not matrix.orders[2]:
            break
        for b in range(rank, last + 1, size):
            extend_list(problem, matrix, b, rho, vectors[D])
    for b in range(rank, last + 1, size):
        advance_rows(matrix, b, matrix.reached[2])
    return size
