"""Kernels of relaxation on some rows or some contacts, which one thread works on.

Implements: Otaduy2009 §5.2-5.5, as `ica_kernels`, with vectors of four numbers a node and nodes in the order of `Relaxation`.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import B_11, B_22, B_NN, INV_NN
from signorini.linalg.ssor_kernels import add_transpose, row_product, sum_of_lanes, times_block
from signorini.linalg.vector4_kernels import difference, lane, load, plus, plus_product, spread, store
from signorini.solvers.ica_kernels import solve_contact


@kernel
def group_contacts(indptr, nodes, place, starts, groups, members, places):
    """Sort contacts by the block that all their nodes are in; the last group is that of the others."""
    m, last = len(indptr) - 1, len(starts) - 1
    block = np.empty(len(place), np.int32)
    for b in range(last + 1):
        for at in range(starts[b], starts[b + 1] if b < last else len(place)):
            block[at] = b
    for g in range(last + 2):
        groups[g] = 0
    of = np.empty(m, np.int32)
    for c in range(m):
        g = last if indptr[c] == indptr[c + 1] else block[place[nodes[indptr[c]]]]
        for k in range(indptr[c], indptr[c + 1]):
            places[k] = 4 * place[nodes[k]]
            if block[place[nodes[k]]] != g:
                g = last
        of[c] = g
        groups[g + 1] += 1
    for g in range(last + 1):
        groups[g + 1] += groups[g]
    at = groups.copy()
    for c in range(m):
        members[at[of[c]]] = c
        at[of[c]] += 1


@kernel
def flatten_blocks(blocks, response, flat, push):
    """flat = blocks (k, 3, 3), push = the transposes of response (k, 3, 3), both with a zero behind the last."""
    for k in range(len(blocks)):
        for a in range(3):
            for b in range(3):
                flat[9 * k + 3 * a + b] = blocks[k, a, b]
                push[9 * k + 3 * a + b] = response[k, b, a]
    flat[9 * len(blocks)] = push[9 * len(blocks)] = 0.0


@kernel
def scatter_impulses(problem, relaxation, p, f):
    """f = G' p."""
    for i in range(len(f)):
        f[i] = 0.0
    indptr, nodes, blocks = problem.indptr, relaxation.nodes, relaxation.blocks
    for c in range(len(p)):
        if p[c, 0] == 0.0 and p[c, 1] == 0.0 and p[c, 2] == 0.0:
            continue
        p0, p1, p2 = spread(p[c, 0]), spread(p[c, 1]), spread(p[c, 2])
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            s = plus_product(load(f, j), load(blocks, 9 * k), p0)
            s = plus_product(s, load(blocks, 9 * k + 3), p1)
            store(f, j, plus_product(s, load(blocks, 9 * k + 6), p2))


@kernel
def sweep_group(problem, relaxation, group, rules, near, everything, z, p):
    """One projected Gauss-Seidel sweep over the contacts of a group (Otaduy2009 §5.5, 3.2.1); the largest change in m/s.

    z is the velocity correction that the impulses p anticipate. A sweep over `everything` lists the contacts with an impulse or
    a normal velocity below `near` [m/s]; other sweeps visit those only.
    """
    first = relaxation.groups[group]
    members, listed = relaxation.members[first : relaxation.groups[group + 1]], relaxation.listed[first:]
    visited = members if everything else listed[: relaxation.counts[group]]
    largest, count = 0.0, 0
    for n in range(len(visited)):
        c = visited[n]
        if problem.local[c, INV_NN] == 0.0:  # nothing that this contact pushes can move
            continue
        begin, end = problem.indptr[c], problem.indptr[c + 1]
        total = spread(0.0)
        for k in range(begin, end):
            total = plus_product(total, load(relaxation.blocks, 9 * k), load(z, relaxation.nodes[k]))
        u0 = problem.bias[c, 0] + sum_of_lanes(total)
        is_open = u0 >= 0.0 and p[c, 0] == 0.0 and p[c, 1] == 0.0 and p[c, 2] == 0.0
        if everything and not (is_open and u0 > near):
            listed[count] = c
            count += 1
        if not is_open:
            largest = max(largest, push_contact(problem, relaxation, c, u0, rules, z, p))
    if everything:
        relaxation.counts[group] = count
    return largest


@kernel
def push_contact(problem, relaxation, c, u0, rules, z, p):
    """Solve for the impulse of one contact with normal velocity u0, and move its nodes; the change in m/s."""
    begin, end, local = problem.indptr[c], problem.indptr[c + 1], problem.local[c]
    blocks, push, nodes = relaxation.blocks, relaxation.push, relaxation.nodes
    first = second = spread(0.0)
    for k in range(begin, end):
        x = load(z, nodes[k])
        first = plus_product(first, load(blocks, 9 * k + 3), x)
        second = plus_product(second, load(blocks, 9 * k + 6), x)
    u1, u2 = problem.bias[c, 1] + sum_of_lanes(first), problem.bias[c, 2] + sum_of_lanes(second)
    q0, q1, q2 = solve_contact(
        u0, u1, u2, p[c, 0], p[c, 1], p[c, 2], local, problem.mu[c], rules.cone, rules.repeats
    )  # fmt: skip
    d0, d1, d2 = q0 - p[c, 0], q1 - p[c, 1], q2 - p[c, 2]
    if d0 == 0.0 and d1 == 0.0 and d2 == 0.0:
        return 0.0
    p[c, 0], p[c, 1], p[c, 2] = q0, q1, q2
    v0, v1, v2 = spread(d0), spread(d1), spread(d2)
    for k in range(begin, end):
        j = nodes[k]
        s = plus_product(load(z, j), load(push, 9 * k), v0)
        s = plus_product(s, load(push, 9 * k + 3), v1)
        store(z, j, plus_product(s, load(push, 9 * k + 6), v2))
    return max(abs(d0) * local[B_NN], abs(d1) * local[B_11], abs(d2) * local[B_22])


@kernel
def add_change_rows(K, begin, end, z, z0, f):
    """f = G' p after the sweeps: z - z0 = D_A^-1 (change of f), so that f needs no product with G'."""
    for i in range(begin, end):
        change = times_block(K.D, i, difference(load(z, 4 * i), load(z0, 4 * i)))
        store(f, 4 * i, plus(load(f, 4 * i), change))


@kernel
def relax_rows(K, begin, end, f, upper, x, fresh):
    """Block Gauss-Seidel on A x = f in some rows (Otaduy2009 Eq. 12); `upper` is U_A x before, `fresh` sums up U_A x after it.

    U_A is the transpose of L_A, so that each block below the diagonal is read once for both: what is read decides the time
    when A does not fit into the caches.
    """
    for i in range(begin, end):
        s = difference(difference(load(f, 4 * i), load(upper, 4 * i)), row_product(K, i, x))
        v = times_block(K.D_inv, i, s)
        store(x, 4 * i, v)
        add_transpose(K, i, v, fresh)


@kernel
def start_rows(K, f, x, upper, fresh):
    """From a start x: `fresh` = U_A x, and `upper` such that `settle_rows` finds r = A x - f."""
    n = len(K.L_indptr) - 1
    for i in range(4 * n):
        fresh[i] = 0.0
    for i in range(n):
        v = load(x, 4 * i)
        store(upper, 4 * i, plus(row_product(K, i, x), times_block(K.D, i, v)))
        add_transpose(K, i, v, fresh)
    for i in range(4 * n):
        upper[i] = f[i] - upper[i]  # fresh - (A x - f)


@kernel
def settle_rows(K, begin, end, f, x, fresh, upper, z, z0, part):
    """From `fresh` = U_A x: r = A x - f and z = z0 = x - D_A^-1 r in some rows; `upper` becomes `fresh`, that zero.

    After Gauss-Seidel row i of the residual is just the change of U_A x since row i was solved, so that the iteration and its
    residual together cost one product with A. part gets max |D_A^-1 r| in m/s, |r|² and |f|².
    """
    largest, squares, forces = 0.0, spread(0.0), spread(0.0)
    for i in range(begin, end):
        now = load(fresh, 4 * i)
        r = difference(now, load(upper, 4 * i))
        store(upper, 4 * i, now)
        store(fresh, 4 * i, spread(0.0))
        w = times_block(K.D_inv, i, r)
        largest = larger(largest, w)
        v = difference(load(x, 4 * i), w)
        store(z, 4 * i, v)
        store(z0, 4 * i, v)
        squares = plus_product(squares, r, r)
        force = load(f, 4 * i)
        forces = plus_product(forces, force, force)
    part[0], part[1], part[2] = largest, sum_of_lanes(squares), sum_of_lanes(forces)


@kernel
def larger(largest, w):
    """The largest of a number and the sizes of three lanes; inf if one is not a number."""
    size = max(abs(lane(w, 0)), abs(lane(w, 1)), abs(lane(w, 2)))
    check = lane(w, 0) + lane(w, 1) + lane(w, 2)
    return max(largest, size) if check == check else np.inf
