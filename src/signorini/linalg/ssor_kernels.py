"""Conjugate gradients for K = L + D + L' with the symmetric Gauss-Seidel preconditioner (D + L) D⁻¹ (D + L').

Implements: Eisenstat 1981. In the variables of the preconditioner a product with K costs one solve with D + L and one with
D + L', so that preconditioning is almost free; only the lower triangle is stored.

K is a `SplitMatrix`: the threads of a crew work on its blocks at the same time, and thread 0 on the nodes between them. Vectors
are flat with four numbers a node, in the order of K; the fourth is never read. Sums are taken block by block and then over the
blocks, in that order for any number of threads.
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.linalg.vector4_kernels import difference, lane, load, minus, plus, plus_product, row_sums, spread, store
from signorini.parallel.crew_kernels import meet


@kernel
def times_block(blocks, i, x):
    """Symmetric block i times x."""
    y = plus_product(spread(0.0), load(blocks, 9 * i), spread(lane(x, 0)))
    y = plus_product(y, load(blocks, 9 * i + 3), spread(lane(x, 1)))
    return plus_product(y, load(blocks, 9 * i + 6), spread(lane(x, 2)))


@kernel
def row_product(K, i, y):
    """Row i of L times y."""
    a = b = c = spread(0.0)
    for k in range(K.L_indptr[i], K.L_indptr[i + 1]):
        x = load(y, 4 * K.L_indices[k])
        a = plus_product(a, load(K.L, 9 * k), x)
        b = plus_product(b, load(K.L, 9 * k + 3), x)
        c = plus_product(c, load(K.L, 9 * k + 6), x)
    return row_sums(a, b, c)


@kernel
def multiply_split(K, x, y):
    """y = K x; every block below the diagonal is read once."""
    multiply_rows(K, 0, len(K.L_indptr) - 1, x, y)


@kernel
def multiply_rows(K, begin, end, x, y):
    """y = K x in some rows, from their couplings to rows before them, and what these add to y in the rows before."""
    for i in range(begin, end):
        v = load(x, 4 * i)
        store(y, 4 * i, plus(row_product(K, i, x), times_block(K.D, i, v)))
        add_transpose(K, i, v, y)


@kernel
def add_transpose(K, i, v, y):
    """y += column i of L' times v."""
    v0, v1, v2 = spread(lane(v, 0)), spread(lane(v, 1)), spread(lane(v, 2))
    for k in range(K.L_indptr[i], K.L_indptr[i + 1]):
        j = 4 * K.L_indices[k]
        s = plus_product(load(y, j), load(K.L, 9 * k), v0)
        s = plus_product(s, load(K.L, 9 * k + 3), v1)
        store(y, j, plus_product(s, load(K.L, 9 * k + 6), v2))


@kernel
def sum_of_lanes(total):
    """The sum of the first three lanes."""
    return lane(total, 0) + lane(total, 1) + lane(total, 2)


@kernel
def start_rows(K, begin, end, g, r, z):
    """r = (D + L)⁻¹ g and z = D r in some rows; r·z of these."""
    total = spread(0.0)
    for i in range(begin, end):
        x = times_block(K.D_inv, i, difference(load(g, 4 * i), row_product(K, i, r)))
        y = times_block(K.D, i, x)
        store(r, 4 * i, x)
        store(z, 4 * i, y)
        total = plus_product(total, x, y)
    return sum_of_lanes(total)


@kernel
def upper_rows(K, begin, end, p, below, t):
    """t = (D + L')⁻¹ p in some rows, last first; `below` sums up -L' t of the rows that were done."""
    for i in range(end - 1, begin - 1, -1):
        x = times_block(K.D_inv, i, plus(load(p, 4 * i), load(below, 4 * i)))
        store(t, 4 * i, x)
        m0, m1, m2 = spread(-lane(x, 0)), spread(-lane(x, 1)), spread(-lane(x, 2))
        # Backwards all the way: a processor that cannot foresee the next block waits for the memory at each of them.
        for k in range(K.L_indptr[i + 1] - 1, K.L_indptr[i] - 1, -1):
            j = 4 * K.L_indices[k]
            s = plus_product(load(below, j), load(K.L, 9 * k), m0)
            s = plus_product(s, load(K.L, 9 * k + 3), m1)
            store(below, j, plus_product(s, load(K.L, 9 * k + 6), m2))


@kernel
def lower_rows(K, begin, end, p, below, t, y):
    """y = (D + L)⁻¹ (p - D t) in some rows; p·(t + y) of these. p - D t is -`below`, which becomes zero."""
    total = spread(0.0)
    for i in range(begin, end):
        x = times_block(K.D_inv, i, minus(plus(load(below, 4 * i), row_product(K, i, y))))
        store(y, 4 * i, x)
        store(below, 4 * i, spread(0.0))
        total = plus_product(total, load(p, 4 * i), plus(load(t, 4 * i), x))
    return sum_of_lanes(total)


@kernel
def advance_rows(K, begin, end, alpha, t, y, d, r, z):
    """d += α t, r -= α (t + y) and z = D r in some rows; r·z of these."""
    total, ahead, back = spread(0.0), spread(alpha), spread(-alpha)
    for i in range(begin, end):
        s = load(t, 4 * i)
        store(d, 4 * i, plus_product(load(d, 4 * i), ahead, s))
        x = plus_product(load(r, 4 * i), back, plus(s, load(y, 4 * i)))
        v = times_block(K.D, i, x)
        store(r, 4 * i, x)
        store(z, 4 * i, v)
        total = plus_product(total, x, v)
    return sum_of_lanes(total)


@kernel
def turn_rows(begin, end, beta, z, p):
    """p = z + β p in some rows."""
    for i in range(4 * begin, 4 * end):
        p[i] = z[i] + beta * p[i]


@kernel
def sum_of(parts):
    """The sum over the blocks."""
    total = 0.0
    for part in parts:
        total += part
    return total


@kernel
def squared_norm(crew, rank, size, K, g, r, z, parts):
    """|g|² in the norm of the inverse preconditioner; r = (D + L)⁻¹ g, z = D r. The second value is the crew, 0 if dismissed."""
    starts = K.starts
    last = len(starts) - 1
    for b in range(rank, last, size):
        parts[b] = start_rows(K, starts[b], starts[b + 1], g, r, z)
    size = meet(crew, rank)
    if rank == 0:
        parts[last] = start_rows(K, starts[last], len(K.L_indptr) - 1, g, r, z)
    if size > 0:
        size = meet(crew, rank)
    return sum_of(parts), size


@kernel
def solve_system(crew, rank, K, right, tolerance, rounding, max_iterations, goal, d, work):
    """Solve K d = right[0] until the residual is `tolerance` of the smaller one of right[1] and right[2]; the iterations.

    Norms are those of the inverse preconditioner; the second counts as at least `rounding` times the first. goal (1,) gets the
    square of the norm at which it ends.
    """
    size = meet(crew, rank)
    if size == 0:
        return 0
    whole, size = squared_norm(crew, rank, size, K, right[1], work[0], work[1], work[6, : len(K.starts)])
    if size == 0:
        return 0
    change, size = squared_norm(crew, rank, size, K, right[2], work[0], work[1], work[7, : len(K.starts)])
    if size == 0:
        return 0
    floor = tolerance * tolerance * max(min(whole, change), rounding * rounding * whole)
    if rank == 0:
        goal[0] = floor
    return conjugate_gradients(crew, rank, K, right[0], 0.0, floor, max_iterations, d, work)


@kernel
def conjugate_gradients(crew, rank, K, g, tolerance, floor, max_iterations, d, work):
    """Solve K d = g from d = 0; the iterations, max_iterations + 1 if they were not enough.

    It ends when |r|² in the norm of the inverse preconditioner is at most tolerance² of its start, or `floor`. work (8, 4n): the
    first seven rows are vectors, the last has the sums of the blocks.

    With E = D + L: K E⁻ᵀ p in the variables of E is t + E⁻¹ (p - D t) for t = E⁻ᵀ p, and d moves along t.
    """
    starts, n = K.starts, len(K.L_indptr) - 1
    last = len(starts) - 1
    first = starts[last]
    r, z, p, t, y, below = work[0], work[1], work[2], work[3], work[4], work[5]
    parts, curvatures = work[6, : last + 1], work[7, : last + 1]
    size = meet(crew, rank)
    if size == 0:
        return 0
    rz, size = squared_norm(crew, rank, size, K, g, r, z, parts)
    if size == 0:
        return 0
    for b in range(rank, last + 1, size):
        end = starts[b + 1] if b < last else n
        for i in range(4 * starts[b], 4 * end):
            p[i], below[i], d[i] = z[i], 0.0, 0.0
    size = meet(crew, rank)
    goal, iteration = max(tolerance * tolerance * rz, floor), 0
    for iteration in range(max_iterations + 1):
        if size == 0 or rz <= goal or iteration == max_iterations:
            break
        if rank == 0:
            upper_rows(K, first, n, p, below, t)
        size = meet(crew, rank)
        if size == 0:
            break
        for b in range(rank, last, size):
            upper_rows(K, starts[b], starts[b + 1], p, below, t)
            curvatures[b] = lower_rows(K, starts[b], starts[b + 1], p, below, t, y)
        size = meet(crew, rank)
        if rank == 0:
            curvatures[last] = lower_rows(K, first, n, p, below, t, y)
        if size > 0:
            size = meet(crew, rank)
        curvature = sum_of(curvatures)
        if size == 0 or not curvature > 0.0:
            break
        alpha = rz / curvature
        for b in range(rank, last + 1, size):
            end = starts[b + 1] if b < last else n
            parts[b] = advance_rows(K, starts[b], end, alpha, t, y, d, r, z)
        size = meet(crew, rank)
        if size == 0:
            break
        previous = rz
        rz = sum_of(parts)
        beta = rz / previous
        # Thread 0 turns the rows between the blocks and goes on with them; nobody else reads those.
        for b in range(rank, last, size):
            turn_rows(starts[b], starts[b + 1], beta, z, p)
        if rank == 0:
            turn_rows(first, n, beta, z, p)
    return iteration if rz <= goal else max_iterations + 1
