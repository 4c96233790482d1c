"""Force, stiffness and energy of axial springs.

The stiffness is K = k [d d' + max(0, 1 − L/l) (I − d d')]: without the clamp a compressed spring would make the system
matrix indefinite (Choi and Ko 2002 argue the same for buckling cloth).
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import inlined_kernel, kernel
from signorini.elements.shared_rows_kernels import first_row
from signorini.parallel.crew_kernels import meet


@inlined_kernel
def add_symmetric(data, entry, block):
    """Add the six numbers of a symmetric block, row by row of its upper triangle."""
    xx, xy, xz, yy, yz, zz = block
    data[entry, 0, 0] += xx
    data[entry, 0, 1] += xy
    data[entry, 0, 2] += xz
    data[entry, 1, 0] += xy
    data[entry, 1, 1] += yy
    data[entry, 1, 2] += yz
    data[entry, 2, 0] += xz
    data[entry, 2, 1] += yz
    data[entry, 2, 2] += zz


@inlined_kernel
def subtract_symmetric(data, entry, block):
    """Subtract them."""
    xx, xy, xz, yy, yz, zz = block
    data[entry, 0, 0] -= xx
    data[entry, 0, 1] -= xy
    data[entry, 0, 2] -= xz
    data[entry, 1, 0] -= xy
    data[entry, 1, 1] -= yy
    data[entry, 1, 2] -= yz
    data[entry, 2, 0] -= xz
    data[entry, 2, 1] -= yz
    data[entry, 2, 2] -= zz


@kernel
def assemble(
    crew, rank, nodes, rest_length, stiffness, compression, damping, entries, q, v_lin, w_force, w_C, w_K, data, b
):  # fmt: skip
    """Add w_C C + w_K K to the matrix and w_force F + w_K K v_lin to the right-hand side (Otaduy2009 Eq. 3).

    entries (s, 2, 2): the place of the block of each pair of a spring's nodes in `data`. Threads share the rows
    (`shared_rows_kernels`).
    """
    size = meet(crew, rank)
    if size == 0:
        return
    first, end = first_row(rank, size, len(b)), first_row(rank + 1, size, len(b))
    for s in range(len(rest_length)):
        i, j = nodes[s, 0], nodes[s, 1]
        here, there = first <= i < end, first <= j < end
        if not (here or there):
            continue
        x, y, z = q[j, 0] - q[i, 0], q[j, 1] - q[i, 1], q[j, 2] - q[i, 2]
        length = np.sqrt(x * x + y * y + z * z)
        inverse = 1.0 / max(length, 1e-12 * rest_length[s])
        x, y, z = x * inverse, y * inverse, z * inverse
        k = stiffness[s] if length >= rest_length[s] else compression[s]
        pull = w_force * k * (length - rest_length[s])
        across = k * max(0.0, 1.0 - rest_length[s] * inverse)
        along_K, across_K, along_C = w_K * (k - across), w_K * across, w_C * damping[s]
        u, v, w = v_lin[i, 0] - v_lin[j, 0], v_lin[i, 1] - v_lin[j, 1], v_lin[i, 2] - v_lin[j, 2]
        along = pull + along_K * (x * u + y * v + z * w)
        fx, fy, fz = along * x + across_K * u, along * y + across_K * v, along * z + across_K * w
        along = along_K + along_C
        block = (
            along * x * x + across_K, along * x * y, along * x * z, along * y * y + across_K, along * y * z,
            along * z * z + across_K,
        )  # fmt: skip
        if here:
            b[i, 0] += fx
            b[i, 1] += fy
            b[i, 2] += fz
            add_symmetric(data, entries[s, 0, 0], block)
            subtract_symmetric(data, entries[s, 0, 1], block)
        if there:
            b[j, 0] -= fx
            b[j, 1] -= fy
            b[j, 2] -= fz
            subtract_symmetric(data, entries[s, 1, 0], block)
            add_symmetric(data, entries[s, 1, 1], block)
    meet(crew, rank)


@kernel
def energy(nodes, rest_length, stiffness, compression, q):
    """Σ ½ k (l − L)² [J], with the stiffness of tension or of compression."""
    total = 0.0
    for s in range(len(rest_length)):
        i, j = nodes[s, 0], nodes[s, 1]
        length2 = 0.0
        for a in range(3):
            length2 += (q[j, a] - q[i, a]) ** 2
        stretch = np.sqrt(length2) - rest_length[s]
        total += 0.5 * (stiffness[s] if stretch >= 0.0 else compression[s]) * stretch**2
    return total
