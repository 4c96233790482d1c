"""Kernels of a Newton step on the rows and contacts of one block, which one thread works on.

u = G x + bias is the velocity of the contacts, a = lam - rho (u + s n) the trial impulse with the De Saxcé shift s, p = P_K(a)
its projection onto the cone. Vectors have four numbers a node in the order of the matrix.
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.contact.friction_cone_kernels import OPEN, derivative, project
from signorini.linalg.ssor_kernels import sum_of_lanes, times_block
from signorini.linalg.vector4_kernels import difference, load, plus_product, spread, store
from signorini.solvers.newton.velocity_kernels import find_velocity
from signorini.solvers.relaxation.row_kernels import larger

X, AX, F, G, D, AD = range(6)
"""Rows of `NewtonMatrix.vectors`: x, A x, G' p, the residual G' p - A x, the Newton step d, and A d."""
SQUARES, FORCES, SPEED, MISSING, FARTHEST = 0, 1, 2, 3, 8
"""Columns of `NewtonMatrix.parts`; those between are of the line search."""


@kernel
def rows_of(matrix, b):
    """The first row of block b, and the one behind its last; the last block is what lies between the others."""
    starts = matrix.split.starts
    return starts[b], starts[b + 1] if b < len(starts) - 1 else len(matrix.ordering.order)


@kernel
def listed_of(matrix, group):
    """The contacts of a group that are visited."""
    first = matrix.groups[group]
    return matrix.listed[first : first + matrix.listed_count[group]]


@kernel
def push_rows(problem, matrix, b, rho, lam):
    """p of the contacts of a group, and what they push: f = G' p; a contact with rho = 0 moves nothing and gets no impulse."""
    f, p, u, blocks = matrix.vectors[F], matrix.p, matrix.u, matrix.blocks
    begin, end = rows_of(matrix, b)
    for i in range(4 * begin, 4 * end):
        f[i] = 0.0
    for c in listed_of(matrix, b):
        r = rho[c]
        if r == 0.0:
            p[c, 0] = p[c, 1] = p[c, 2] = 0.0
            continue
        p0, p1, p2, _ = project(
            lam[c, 0] - r * (u[c, 0] + matrix.shift[c]), lam[c, 1] - r * u[c, 1], lam[c, 2] - r * u[c, 2], problem.mu[c]
        )
        p[c, 0], p[c, 1], p[c, 2] = p0, p1, p2
        if p0 == 0.0:
            continue
        v0, v1, v2 = spread(p0), spread(p1), spread(p2)
        for k in range(problem.indptr[c], problem.indptr[c + 1]):
            j = 4 * matrix.places[k]
            s = plus_product(load(f, j), load(blocks, 9 * k), v0)
            s = plus_product(s, load(blocks, 9 * k + 3), v1)
            store(f, j, plus_product(s, load(blocks, 9 * k + 6), v2))


@kernel
def subtract_rows(matrix, b):
    """g = f - A x in the rows of a block: |g|², |f|² and max |D_A^-1 g| [m/s]."""
    vectors, D_inv = matrix.vectors, matrix.A.D_inv
    squares, forces, largest = spread(0.0), spread(0.0), 0.0
    begin, end = rows_of(matrix, b)
    for i in range(begin, end):
        f = load(vectors[F], 4 * i)
        g = difference(f, load(vectors[AX], 4 * i))
        store(vectors[G], 4 * i, g)
        squares, forces = plus_product(squares, g, g), plus_product(forces, f, f)
        largest = larger(largest, times_block(D_inv, i, g))
    part = matrix.parts[b]
    part[SQUARES], part[FORCES], part[SPEED] = sum_of_lanes(squares), sum_of_lanes(forces), largest


@kernel
def differentiate(problem, matrix, group, rho, lam):
    """Which contacts of a group are active, and the derivative of -p with respect to u of these."""
    u = matrix.u
    for c in listed_of(matrix, group):
        matrix.active[c] = 0
        if matrix.p[c, 0] == 0.0:
            continue
        r = rho[c]
        trial = lam[c, 0] - r * (u[c, 0] + matrix.shift[c]), lam[c, 1] - r * u[c, 1], lam[c, 2] - r * u[c, 2]
        matrix.active[c] = derivative(trial[0], trial[1], trial[2], problem.mu[c], r, matrix.H[c]) != OPEN


@kernel
def find_velocities(problem, matrix, group, x, u):
    """u = G x of the contacts of a group that are visited."""
    for c in listed_of(matrix, group):
        find_velocity(problem, matrix, c, x, u)


@kernel
def advance_rows(matrix, b, t):
    """x, A x and u at x + t d, in the rows and contacts of a block."""
    vectors, u, ud = matrix.vectors, matrix.u, matrix.ud
    x, d, Ax, Ad = vectors[X], vectors[D], vectors[AX], vectors[AD]
    begin, end = rows_of(matrix, b)
    for i in range(4 * begin, 4 * end):
        x[i] += t * d[i]
        Ax[i] += t * Ad[i]
    farthest = 0.0
    for c in listed_of(matrix, b):
        farthest = max(farthest, abs(t * ud[c, 0]))
        for a in range(3):
            u[c, a] += t * ud[c, a]
    matrix.parts[b, FARTHEST] = farthest
