"""Internal forces of tetrahedra without their stiffness, block by block of elements."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.methods.hong.blocks_kernels import (
    EDGES,
    FORCES,
    FRAME,
    LANES,
    RATES,
    ROWS,
    STRESS,
    add_viscous_stress,
    corotational_stress,
    forces_of_stress,
    gather,
    load,
    neo_hookean_stress,
    scatter,
    store,
)


@kernel
def elastic(nodes, order, constants, counts, neo_hookean, q, frames, forces):
    """Fill frames (t, 3, 3): F, or R of co-rotational elements; and forces (t, 3, 3) on the nodes 1, 2, 3 [N]."""
    W, work = np.zeros(ROWS * LANES), np.empty((6, 3, 3))
    for block in range(len(counts)):
        first, K, count = block * LANES, constants[block], counts[block]
        gather(nodes, first, q, EDGES, W)
        if neo_hookean[block]:
            neo_hookean_stress(K, W)
        else:
            corotational_stress(count, K, W, work)
        forces_of_stress(K, W)
        store(order, first, count, FRAME, W, frames)
        store(order, first, count, FORCES, W, forces)


@kernel
def finish(v, inverse_mass, gravity, drag, a):
    """Turn forces a (n, 3) into accelerations, with gravity and drag; 0 for pinned nodes."""
    for n in range(len(a)):
        for i in range(3):
            a[n, i] = a[n, i] * inverse_mass[n] + gravity[i] - drag[n] * v[n, i] if inverse_mass[n] > 0.0 else 0.0


@kernel
def accelerate(nodes, order, constants, counts, damped, frames, forces, v, inverse_mass, gravity, drag, a):
    """Fill a (n, 3) [m/s²] from elastic forces, the damping of velocities v (n, 3), gravity and drag; 0 for pinned nodes."""
    W = np.zeros(ROWS * LANES)
    a[:] = 0.0
    for block in range(len(counts)):
        first, K, count = block * LANES, constants[block], counts[block]
        if damped[block]:
            load(order, first, count, frames, FRAME, W)
            gather(nodes, first, v, RATES, W)
            for k in range(9 * LANES):
                W[STRESS * LANES + k] = 0.0
            add_viscous_stress(K, W)
            forces_of_stress(K, W)
            for k in range(count):
                for i in range(9):
                    W[(FORCES + i) * LANES + k] += forces[order[first + k], i // 3, i % 3]
        else:
            load(order, first, count, forces, FORCES, W)
        scatter(nodes, first, count, W, a)
    finish(v, inverse_mass, gravity, drag, a)


@kernel
def accelerate_at(
    nodes, order, constants, counts, neo_hookean, damped, q, v, inverse_mass, gravity, drag, keep, frames, forces, a
):  # fmt: skip
    """`elastic` and `accelerate` in one pass; frames and forces (t, 3, 3) are filled only if `keep`."""
    W, work = np.zeros(ROWS * LANES), np.empty((6, 3, 3))
    a[:] = 0.0
    for block in range(len(counts)):
        first, K, count = block * LANES, constants[block], counts[block]
        gather(nodes, first, q, EDGES, W)
        if neo_hookean[block]:
            neo_hookean_stress(K, W)
        else:
            corotational_stress(count, K, W, work)
        if keep or not damped[block]:
            forces_of_stress(K, W)
        if keep:
            store(order, first, count, FRAME, W, frames)
            store(order, first, count, FORCES, W, forces)
        if damped[block]:
            gather(nodes, first, v, RATES, W)
            add_viscous_stress(K, W)
            forces_of_stress(K, W)
        scatter(nodes, first, count, W, a)
    finish(v, inverse_mass, gravity, drag, a)


@kernel
def interpolate(nodes, share, before, after):
    """Change the forces `after` (t, 3, 3) of elements with a node of share (n,) s > 0 to (1 − s) after + s before."""
    for e in range(len(nodes)):
        s = max(share[nodes[e, 0]], share[nodes[e, 1]], share[nodes[e, 2]], share[nodes[e, 3]])
        if s > 0.0:
            for a in range(3):
                for i in range(3):
                    after[e, a, i] += s * (before[e, a, i] - after[e, a, i])
