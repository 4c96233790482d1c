"""Kernels of the step that follows the solution of one update of the multipliers to that of the next.

New multipliers, shifts and penalties change the trial impulse a of a contact by da, and with it what the contact pushes: where
it was, all sliding contacts with a large penalty would open or stick, and Newton's method would have to find all of them again.
The first step of an update takes the derivatives H = rho P' of the last one instead. With these, G' p = A x holds after

    (A + G' H G) d = G' (p + H da / rho) - A x.
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.linalg.vector4_kernels import load, plus_product, spread, store
from signorini.solvers.newton.rows_kernels import F, listed_of, rows_of


@kernel
def begin_jump(lam, rho, u, shift, jump):
    """The trial impulses before an update with the other sign, and the penalties, in jump (m, 4)."""
    for c in range(len(rho)):
        jump[c, 0] = rho[c] * (u[c, 0] + shift[c]) - lam[c, 0]
        jump[c, 1] = rho[c] * u[c, 1] - lam[c, 1]
        jump[c, 2] = rho[c] * u[c, 2] - lam[c, 2]
        jump[c, 3] = rho[c]


@kernel
def end_jump(lam, rho, u, shift, jump):
    """The change of the trial impulses since `begin_jump` over the penalties [m/s], and the factor of these."""
    for c in range(len(rho)):
        if rho[c] > 0.0:
            jump[c, 0] = (jump[c, 0] + lam[c, 0]) / rho[c] - (u[c, 0] + shift[c])
            jump[c, 1] = (jump[c, 1] + lam[c, 1]) / rho[c] - u[c, 1]
            jump[c, 2] = (jump[c, 2] + lam[c, 2]) / rho[c] - u[c, 2]
            jump[c, 3] = rho[c] / jump[c, 3]
        else:
            jump[c, 0] = jump[c, 1] = jump[c, 2] = jump[c, 3] = 0.0


@kernel
def restiffen(matrix, group):
    """The derivatives that K contains of the contacts of a group, with the present penalties, as those of active contacts."""
    for c in listed_of(matrix, group):
        matrix.active[c] = matrix.assembled[c, 0, 0] != 0.0
        for a in range(3):
            for b in range(3):
                matrix.H[c, a, b] = matrix.jump[c, 3] * matrix.assembled[c, a, b]


@kernel
def push_jumps(problem, matrix, group):
    """f = G' (p + H jump) of the contacts of a group, with the H that K contains."""
    f, p, jump, H, blocks = matrix.vectors[F], matrix.p, matrix.jump, matrix.assembled, matrix.blocks
    begin, end = rows_of(matrix, group)
    for i in range(4 * begin, 4 * end):
        f[i] = 0.0
    for c in listed_of(matrix, group):
        if p[c, 0] == 0.0 and H[c, 0, 0] == 0.0:
            continue
        v0 = spread(p[c, 0] + H[c, 0, 0] * jump[c, 0] + H[c, 0, 1] * jump[c, 1] + H[c, 0, 2] * jump[c, 2])
        v1 = spread(p[c, 1] + H[c, 1, 0] * jump[c, 0] + H[c, 1, 1] * jump[c, 1] + H[c, 1, 2] * jump[c, 2])
        v2 = spread(p[c, 2] + H[c, 2, 0] * jump[c, 0] + H[c, 2, 1] * jump[c, 1] + H[c, 2, 2] * jump[c, 2])
        for k in range(problem.indptr[c], problem.indptr[c + 1]):
            j = 4 * matrix.places[k]
            s = plus_product(load(f, j), load(blocks, 9 * k), v0)
            s = plus_product(s, load(blocks, 9 * k + 3), v1)
            store(f, j, plus_product(s, load(blocks, 9 * k + 6), v2))
