"""Extrapolation of the iterates of relaxation to their limit, block by block.

Implements: Anderson acceleration applied once in a period (Banerjee et al. 2016), on the residual of the dynamics in the norm
of D_A^-1. As long as no contact changes its state relaxation is linear, and this is what GMRES would make of the same iterates.

Everything but the impulses is linear in the iterates, so that the extrapolated one needs no product with A.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.friction_cone_kernels import limit_impulse
from signorini.linalg.anderson_kernels import solve_normal_equations
from signorini.linalg.ssor_kernels import sum_of_lanes, times_block
from signorini.linalg.vector4_kernels import difference, load, plus, plus_product, spread, store
from signorini.solvers.relaxation.row_kernels import larger

DV, RESIDUAL, UPPER = range(3)
"""What the history keeps of every iterate."""
AT_ONCE = 64
"""Nodes of which all residuals fit into the nearest cache: six rows of 2 kB."""
PRODUCTS = 8
"""Where products begin in the sums of a block."""


@kernel
def remember_rows(history, slot, begin, end, x, z0, upper, root):
    """Row `slot` of the history; the residual is x - z0 = D_A^-1 (A x - f), weighted by root (n,), that of the mass."""
    X, R, U = history[DV, slot], history[RESIDUAL, slot], history[UPPER, slot]
    for i in range(begin, end):
        v = load(x, 4 * i)
        store(X, 4 * i, v)
        store(R, 4 * i, plus_product(spread(0.0), difference(v, load(z0, 4 * i)), spread(root[i])))
        store(U, 4 * i, load(upper, 4 * i))


@kernel
def remember_impulses(history, slot, members, p):
    """The impulses of some contacts in row `slot`."""
    for c in members:
        for a in range(3):
            history[slot, 3 * c + a] = p[c, a]


@kernel
def products(history, last, begin, end, part):
    """Products of the differences of neighbouring residuals with each other and with the last one, over some nodes.

    They go to part[PRODUCTS + a (last + 1) + b] for the differences a <= b, with b = last for the last residual. The differences
    take the place of all residuals but the last. A few nodes at a time: their rows stay in the nearest cache.
    """
    for at in range(PRODUCTS, PRODUCTS + last * (last + 1)):
        part[at] = 0.0
    R = history[RESIDUAL]
    flat, length = R.reshape(-1), R.shape[1]
    for first in range(4 * begin, 4 * end, 4 * AT_ONCE):
        stop = min(first + 4 * AT_ONCE, 4 * end)
        for j in range(last):
            for i in range(j * length + first, j * length + stop):
                flat[i] = flat[i + length] - flat[i]
        for a in range(last):
            for b in range(a, last + 1, 3):  # three sums at once: each must wait for its last addition
                c, d = min(b + 1, last), min(b + 2, last)
                with_b = with_c = with_d = spread(0.0)
                for i in range(first, stop, 4):
                    v = load(flat, a * length + i)
                    with_b = plus_product(with_b, v, load(flat, b * length + i))
                    with_c = plus_product(with_c, v, load(flat, c * length + i))
                    with_d = plus_product(with_d, v, load(flat, d * length + i))
                at = PRODUCTS + a * (last + 1)
                part[at + b] += sum_of_lanes(with_b)
                if b + 1 <= last:
                    part[at + c] += sum_of_lanes(with_c)
                if b + 2 <= last:
                    part[at + d] += sum_of_lanes(with_d)


@kernel
def weights(parts, last):
    """(last,) of the differences in the combination with the least residual."""
    M = np.zeros((last, last + 1))
    for a in range(last):
        for b in range(a, last + 1):
            for part in range(len(parts)):
                M[a, b] += parts[part, PRODUCTS + a * (last + 1) + b]
            if b < last:
                M[b, a] = M[a, b]
    return solve_normal_equations(M, last)


@kernel
def combine_rows(history, last, gamma, begin, end, root, x, upper, z):
    """x, `upper` and D_A^-1 r, in z, of the combination, for some nodes."""
    X, R, U = history[DV].reshape(-1), history[RESIDUAL].reshape(-1), history[UPPER].reshape(-1)
    length = history.shape[2]
    for i in range(4 * begin, 4 * end, 4):
        at = last * length + i
        v, r, u = load(X, at), load(R, at), load(U, at)
        share = 1.0 - gamma[last - 1]
        v, u = plus_product(spread(0.0), v, spread(share)), plus_product(spread(0.0), u, spread(share))
        for j in range(last):
            at = j * length + i
            share = spread(gamma[j] - (gamma[j - 1] if j > 0 else 0.0))
            v = plus_product(v, load(X, at), share)
            u = plus_product(u, load(U, at), share)
            r = plus_product(r, load(R, at), spread(-gamma[j]))
        store(x, i, v)
        store(upper, i, u)
        store(z, i, plus_product(spread(0.0), r, spread(1.0 / root[i // 4])))


@kernel
def combine_impulses(history, last, gamma, members, mu, p, cut):
    """The combination of impulses of some contacts; what sticks out of their friction cones goes to cut (m, 3)."""
    for c in members:
        for a in range(3):
            value = history[last, 3 * c + a]
            for j in range(last):
                value -= gamma[j] * (history[j + 1, 3 * c + a] - history[j, 3 * c + a])
            p[c, a] = cut[c, a] = value
        if p[c, 0] != 0.0 or p[c, 1] != 0.0 or p[c, 2] != 0.0:
            limit_impulse(p[c], mu[c], True)
        for a in range(3):
            cut[c, a] -= p[c, a]


@kernel
def settle_combination(K, begin, end, root, f, lost, x, z, z0, last_residual, part):
    """z = z0 = x - D_A^-1 r for the forces f, which are less than those of the combination by `lost`, in some rows.

    part gets max |D_A^-1 r| in m/s, |r|², |f|², and the squares of the weighted residuals of this iterate and of the last.
    """
    largest, squares, forces, weighted, before = 0.0, spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for i in range(begin, end):
        force = load(f, 4 * i)
        w = plus(load(z, 4 * i), times_block(K.D_inv, i, load(lost, 4 * i)))
        largest = larger(largest, w)
        r = times_block(K.D, i, w)
        v = difference(load(x, 4 * i), w)
        store(z, 4 * i, v)
        store(z0, 4 * i, v)
        squares = plus_product(squares, r, r)
        forces = plus_product(forces, force, force)
        rooted = plus_product(spread(0.0), w, spread(root[i]))
        weighted = plus_product(weighted, rooted, rooted)
        old = load(last_residual, 4 * i)
        before = plus_product(before, old, old)
    part[0], part[1], part[2] = largest, sum_of_lanes(squares), sum_of_lanes(forces)
    part[3], part[4] = sum_of_lanes(weighted), sum_of_lanes(before)


@kernel
def recall_rows(history, last, begin, end, root, x, upper, z, z0):
    """Some rows as they were before the extrapolation."""
    X, R, U = history[DV, last], history[RESIDUAL, last], history[UPPER, last]
    for i in range(begin, end):
        v = load(X, 4 * i)
        store(x, 4 * i, v)
        store(upper, 4 * i, load(U, 4 * i))
        w = plus_product(v, load(R, 4 * i), spread(-1.0 / root[i]))
        store(z, 4 * i, w)
        store(z0, 4 * i, w)


@kernel
def recall_impulses(history, last, members, p):
    """Some impulses as they were before the extrapolation."""
    for c in members:
        for a in range(3):
            p[c, a] = history[last, 3 * c + a]
