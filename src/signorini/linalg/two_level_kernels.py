"""Conjugate gradients for K = L + D + L', preconditioned by symmetric Gauss-Seidel plus a coarse space of rigid motions.

M⁻¹ = (D + L')⁻¹ D (D + L)⁻¹ + Z C⁻¹ Z'. Both parts are symmetric and the sum is positive definite for any coarse space, so that
nothing but the number of iterations depends on the groups. It ends by the norm of Gauss-Seidel alone, as `ssor_kernels` does.

Vectors, blocks and threads are those of `ssor_kernels`.
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.linalg.coarse_space_kernels import prolong, restrict, set_up, solve_coarse
from signorini.linalg.ssor_kernels import add_transpose, row_product, sum_of, sum_of_lanes, times_block, turn_rows
from signorini.linalg.vector4_kernels import difference, lane, load, plus, plus_product, spread, store
from signorini.parallel.crew_kernels import meet


@kernel
def product_rows(K, begin, end, p, q):
    """Add K p to q, which is zero, without what later rows add; p·K p of all pairs of these rows with earlier ones."""
    total = spread(0.0)
    for i in range(begin, end):
        v = load(p, 4 * i)
        own, left = times_block(K.D, i, v), row_product(K, i, p)
        store(q, 4 * i, plus(load(q, 4 * i), plus(own, left)))
        add_transpose(K, i, v, q)
        total = plus_product(total, v, plus(own, plus(left, left)))
    return sum_of_lanes(total)


@kernel
def advance_rows(K, begin, end, alpha, p, q, d, r, y, z):
    """d += α p, r -= α q, y = (D + L)⁻¹ r and z = D y in some rows; q becomes zero. Returns y·z of these rows."""
    total, ahead, back = spread(0.0), spread(alpha), spread(-alpha)
    for i in range(begin, end):
        store(d, 4 * i, plus_product(load(d, 4 * i), ahead, load(p, 4 * i)))
        x = plus_product(load(r, 4 * i), back, load(q, 4 * i))
        store(r, 4 * i, x)
        store(q, 4 * i, spread(0.0))
        s = times_block(K.D_inv, i, difference(x, row_product(K, i, y)))
        w = times_block(K.D, i, s)
        store(y, 4 * i, s)
        store(z, 4 * i, w)
        total = plus_product(total, s, w)
    return sum_of_lanes(total)


@kernel
def upper_rows(K, begin, end, z, below):
    """z = (D + L')⁻¹ z in some rows, last first; `below` collects -L' z and becomes zero where it was read."""
    for i in range(end - 1, begin - 1, -1):
        x = times_block(K.D_inv, i, plus(load(z, 4 * i), load(below, 4 * i)))
        store(z, 4 * i, x)
        store(below, 4 * i, spread(0.0))
        m0, m1, m2 = spread(-lane(x, 0)), spread(-lane(x, 1)), spread(-lane(x, 2))
        for k in range(K.L_indptr[i + 1] - 1, K.L_indptr[i] - 1, -1):
            j = 4 * K.L_indices[k]
            s = plus_product(load(below, j), load(K.L, 9 * k), m0)
            s = plus_product(s, load(K.L, 9 * k + 3), m1)
            store(below, j, plus_product(s, load(K.L, 9 * k + 6), m2))


@kernel
def correct(coarse, last):
    """Sum up the residuals of the blocks and solve for the motion of the groups; its product with the residual."""
    total = 0.0
    for k in range(len(coarse.solution)):
        s = 0.0
        for b in range(last + 1):
            s += coarse.sums[b, k]
            coarse.sums[b, k] = 0.0
        coarse.solution[k] = coarse.sums[last, k] = s
    solve_coarse(coarse.C, coarse.last, coarse.solution)
    for k in range(len(coarse.solution)):
        total += coarse.sums[last, k] * coarse.solution[k]
        coarse.sums[last, k] = 0.0
    return total


@kernel
def two_level_gradients(crew, rank, K, coarse, g, tolerance, floor, max_iterations, d, work):
    """Solve K d = g from d = 0; the iterations, max_iterations + 1 if they were not enough (see `conjugate_gradients`)."""
    starts, n, group, arm = K.starts, len(K.L_indptr) - 1, coarse.group, coarse.arm
    last = len(starts) - 1
    first = starts[last]
    r, z, p, q, y, below = work[0], work[1], work[2], work[3], work[4], work[5]
    parts, coarse_part = work[6, : last + 1], work[7, : last + 2]
    size = meet(crew, rank)
    if size == 0:
        return 0
    for b in range(rank, last + 1, size):
        coarse.sums[b] = 0.0
        for i in range(4 * starts[b], 4 * (starts[b + 1] if b < last else n)):
            r[i], p[i], q[i], below[i], d[i] = g[i], 0.0, 0.0, 0.0, 0.0
    if rank == 0:
        set_up(K, coarse)
    size = meet(crew, rank)
    alpha, rz, error, goal, iteration = 0.0, 0.0, 1.0, 0.0, 0
    for iteration in range(max_iterations + 1):
        if size == 0:
            break
        for b in range(rank, last, size):
            parts[b] = advance_rows(K, starts[b], starts[b + 1], alpha, p, q, d, r, y, z)
            restrict(group, arm, starts[b], starts[b + 1], r, coarse.sums[b])
        size = meet(crew, rank)
        if rank == 0:
            parts[last] = advance_rows(K, first, n, alpha, p, q, d, r, y, z)
            restrict(group, arm, first, n, r, coarse.sums[last])
            coarse_part[last + 1] = correct(coarse, last)
            upper_rows(K, first, n, z, below)
            prolong(group, arm, first, n, coarse.solution, z)
        if size > 0:
            size = meet(crew, rank)
        error, previous = sum_of(parts), rz
        rz = error + coarse_part[last + 1]
        if iteration == 0:
            goal = max(tolerance * tolerance * error, floor)
        if size == 0 or error <= goal or iteration == max_iterations:
            break
        beta = rz / previous if iteration > 0 else 0.0
        for b in range(rank, last, size):
            upper_rows(K, starts[b], starts[b + 1], z, below)
            prolong(group, arm, starts[b], starts[b + 1], coarse.solution, z)
            turn_rows(starts[b], starts[b + 1], beta, z, p)
            coarse_part[b] = product_rows(K, starts[b], starts[b + 1], p, q)
        size = meet(crew, rank)
        if rank == 0:
            turn_rows(first, n, beta, z, p)
            coarse_part[last] = product_rows(K, first, n, p, q)
        if size > 0:
            size = meet(crew, rank)
        curvature = sum_of(coarse_part[: last + 1])
        if not curvature > 0.0:
            break
        alpha = rz / curvature
    return iteration if error <= goal else max_iterations + 1
