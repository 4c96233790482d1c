"""Kernels of projected Gauss-Seidel on a dense symmetric B, with u = B p + c kept up to date.

Implements: Otaduy2009 Eq. 11
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import B_11, B_22, B_NN, INV_NN
from signorini.solvers.ica_kernels import solve_contact


@kernel
def sweep_contacts(B, local, mu, cone, repeats, least, max_sweeps, u, p):
    """Sweep over contacts of three rows until velocities change by at most `least`; the sweeps done."""
    for sweep in range(max_sweeps):
        largest = 0.0
        for c in range(len(p)):
            if local[c, INV_NN] == 0.0:
                continue
            q0, q1, q2 = solve_contact(
                u[c, 0], u[c, 1], u[c, 2], p[c, 0], p[c, 1], p[c, 2], local[c], mu[c], cone, repeats
            )
            d0, d1, d2 = q0 - p[c, 0], q1 - p[c, 1], q2 - p[c, 2]
            if d0 == 0.0 and d1 == 0.0 and d2 == 0.0:
                continue
            p[c, 0], p[c, 1], p[c, 2] = q0, q1, q2
            largest = max(largest, abs(d0) * local[c, B_NN], abs(d1) * local[c, B_11], abs(d2) * local[c, B_22])
            b0, b1, b2 = B[3 * c], B[3 * c + 1], B[3 * c + 2]
            for e in range(len(p)):
                for a in range(3):
                    u[e, a] += b0[3 * e + a] * d0 + b1[3 * e + a] * d1 + b2[3 * e + a] * d2
        if largest <= least:
            return sweep + 1
    return max_sweeps


@kernel
def sweep_normals(B, least, max_sweeps, u, lam):
    """The same for one row a contact, without friction."""
    for sweep in range(max_sweeps):
        largest = 0.0
        for c in range(len(lam)):
            b = B[c, c]
            if b <= 0.0:
                continue
            d = max(-lam[c], -u[c] / b)
            if d == 0.0:
                continue
            lam[c] += d
            largest = max(largest, abs(d) * b)
            row = B[c]
            for e in range(len(lam)):
                u[e] += row[e] * d
        if largest <= least:
            return sweep + 1
    return max_sweeps
