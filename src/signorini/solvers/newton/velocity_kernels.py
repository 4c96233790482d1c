"""The velocity of one contact, from vectors with four numbers a node in the order of the Newton matrix."""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.linalg.ssor_kernels import sum_of_lanes
from signorini.linalg.vector4_kernels import load, plus_product, spread


@kernel
def find_velocity(problem, matrix, c, x, u):
    """u[c] = G_c x."""
    blocks = matrix.blocks
    first = second = third = spread(0.0)
    for k in range(problem.indptr[c], problem.indptr[c + 1]):
        v = load(x, 4 * matrix.places[k])
        first = plus_product(first, load(blocks, 9 * k), v)
        second = plus_product(second, load(blocks, 9 * k + 3), v)
        third = plus_product(third, load(blocks, 9 * k + 6), v)
    u[c, 0], u[c, 1], u[c, 2] = sum_of_lanes(first), sum_of_lanes(second), sum_of_lanes(third)
