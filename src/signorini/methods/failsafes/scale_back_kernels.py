"""Gauss-Seidel sweeps of inelastic impulses, contact by contact."""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def stop_approach(indptr, nodes, normals, inverse_mass, approach, sweeps, v, dv):
    """Add impulses along the normals until no contact approaches, in so many sweeps; v (n, 3) is overwritten.

    normals (k, 3) are the normal rows of the Jacobian, inverse_mass (n, 3, 3) that of the nodes, approach (m,) the normal
    velocities of the start [m/s], dv (n, 3) what the impulses have changed.
    """
    for _ in range(sweeps):
        for c in range(len(approach)):
            velocity, mobility = approach[c], 0.0
            for k in range(indptr[c], indptr[c + 1]):
                i = nodes[k]
                for a in range(3):
                    velocity += normals[k, a] * dv[i, a]
                    for b in range(3):
                        mobility += normals[k, a] * inverse_mass[i, a, b] * normals[k, b]
            if velocity >= 0.0 or mobility <= 0.0:
                continue
            impulse = -velocity / mobility
            for k in range(indptr[c], indptr[c + 1]):
                i = nodes[k]
                for a in range(3):
                    for b in range(3):
                        dv[i, a] += impulse * inverse_mass[i, a, b] * normals[k, b]
    for i in range(len(v)):
        for a in range(3):
            v[i, a] += dv[i, a]
