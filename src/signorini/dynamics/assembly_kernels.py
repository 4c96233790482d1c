"""The diagonal of a system to be assembled, and prescribed velocities in an assembled one."""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def set_diagonal(entries, values, data):
    """Write values (n,) times the identity to the blocks `entries` (n,)."""
    for i in range(len(entries)):
        for a in range(3):
            data[entries[i], a, a] = values[i]


@kernel
def prescribe(indptr, indices, data, b, free, mass, velocity):
    """Replace rows and columns of prescribed nodes by mass times identity; what they transmit goes to b."""
    for i in range(len(free)):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if free[i] and not free[j]:
                for r in range(3):
                    for c in range(3):
                        b[i, r] -= data[k, r, c] * velocity[j, c]
            if not free[i] or not free[j]:
                for r in range(3):
                    for c in range(3):
                        data[k, r, c] = 0.0
                    if i == j:
                        data[k, r, r] = mass[i]
        if not free[i]:
            for r in range(3):
                b[i, r] = mass[i] * velocity[i, r]
