"""Kernels of the restriction to near contacts: normal velocities, and the Jacobian rows of chosen contacts."""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def normal_velocities(indptr, nodes, blocks, free_velocity, gap, dt, x, u):
    """u (m,): u_n + gap/dt of every contact [m/s] at the velocity correction x (n, 3)."""
    for c in range(len(u)):
        total = free_velocity[c, 0] + gap[c] / dt
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            total += blocks[k, 0, 0] * x[j, 0] + blocks[k, 0, 1] * x[j, 1] + blocks[k, 0, 2] * x[j, 2]
        u[c] = total


@kernel
def gather_rows(indptr, nodes, blocks, chosen, new_indptr, new_nodes, new_blocks):
    """The Jacobian rows of the chosen contacts."""
    at = 0
    new_indptr[0] = 0
    for s in range(len(chosen)):
        for k in range(indptr[chosen[s]], indptr[chosen[s] + 1]):
            new_nodes[at] = nodes[k]
            for a in range(3):
                for b in range(3):
                    new_blocks[at, a, b] = blocks[k, a, b]
            at += 1
        new_indptr[s + 1] = at
