"""One step of Runge-Kutta 4 with contact forces at every stage, without leaving compiled code."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.linalg.pivoting_kernels import solve
from signorini.methods.hong.forces_kernels import accelerate_at
from signorini.methods.hong.response_kernels import push, rates


@kernel
def copy(source, out):
    """out (n, 3) = source."""
    for n in range(len(out)):
        for i in range(3):
            out[n, i] = source[n, i]


@kernel
def stage(q0, v0, rate_q, rate_v, h, q, v):
    """q, v (n, 3) = q0 + h rate_q, v0 + h rate_v."""
    for n in range(len(q)):
        for i in range(3):
            q[n, i] = q0[n, i] + h * rate_q[n, i]
            v[n, i] = v0[n, i] + h * rate_v[n, i]


@kernel
def combine(q0, v, a, h, q1, v1):
    """The end q1, v1 (n, 3) of the step from the velocities v and accelerations a (5, n, 3) of its first four stages."""
    w = h / 6.0
    for n in range(len(q0)):
        for i in range(3):
            q1[n, i] = q0[n, i] + w * (v[0, n, i] + 2.0 * (v[1, n, i] + v[2, n, i]) + v[3, n, i])
            v1[n, i] = v[0, n, i] + w * (a[0, n, i] + 2.0 * (a[1, n, i] + a[2, n, i]) + a[3, n, i])


@kernel
def error(v4, v5, a4, a5, h):
    """The largest error of a coordinate [m], from the fourth stage and the end; NaN if one is NaN."""
    worst = 0.0
    for n in range(len(v4)):
        for i in range(3):
            here = max(abs(v4[n, i] - v5[n, i]), h * abs(a4[n, i] - a5[n, i]))
            if not here <= worst:
                worst = here
    return h / 6.0 * worst


@kernel
def constrain(indptr, nodes, blocks, inverse_mass, W, unit, Q, bias, active, free, force, a):
    """Fill force (m,) [N] and a (n, 3) = free + M⁻¹ J' force, with force ≥ 0 ⟂ d̈ ≥ 0 (Hong2004 §4).

    `active` (m,) is a guess of the contacts with force, and is replaced by these. Returns the iterations of the
    interior-point method, whether it converged, and the largest |min(W_ii f, d̈)| [m/s²].
    """
    m = len(bias)
    copy(free, a)
    if m == 0:
        return 0, True, 0.0
    b, slack, residual = np.empty(m), np.empty(m), 0.0
    rates(indptr, nodes, blocks, free, b)
    for i in range(m):
        b[i] += bias[i]
    iterations, converged = solve(W, unit, Q, b, active, force, slack)
    for i in range(m):
        residual = max(residual, abs(min(W[i, i] * force[i], slack[i])))
    push(indptr, nodes, blocks, inverse_mass, force, a)
    return iterations, converged, residual


@kernel
def step(
    tet_nodes, order, constants, counts, neo_hookean, damped, inverse_mass, gravity, drag, indptr, nodes, blocks, W, unit, Q,
    bias, active, q0, v0, a0, h, q1, v1, a1, frames, forces, mean,
):  # fmt: skip
    """Fill positions q1, velocities v1, free accelerations a1 (n, 3), frames and forces (t, 3, 3) at the end of h [s].

    a0 (n, 3) are the free accelerations of the start, and mean (m,) becomes the mean contact force [N]. Returns the error [m],
    the largest residual of a stage [m/s²], the iterations of the interior-point method and the stages that converged.
    """
    n, m = len(q0), len(bias)
    v, a, f = np.empty((5, n, 3)), np.empty((5, n, 3)), np.empty((5, m))
    worst, iterations, converged = 0.0, 0, 0
    copy(a0, a1)
    copy(v0, v[0])
    for s in range(5):
        if s == 4:
            combine(q0, v, a, h, q1, v[4])
        elif s > 0:
            stage(q0, v0, v[s - 1], a[s - 1], h if s == 3 else 0.5 * h, q1, v[s])
        if s > 0:
            accelerate_at(
                tet_nodes, order, constants, counts, neo_hookean, damped, q1, v[s], inverse_mass, gravity, drag, s == 4,
                frames, forces, a1,
            )  # fmt: skip
        more, solved, residual = constrain(
            indptr, nodes, blocks, inverse_mass, W, unit, Q, bias, active, a1, f[s], a[s]
        )
        iterations += more
        converged += solved
        worst = max(worst, residual)
    for i in range(m):
        mean[i] = (f[0, i] + 2.0 * (f[1, i] + f[2, i]) + f[3, i]) / 6.0
    copy(v[4], v1)
    return error(v[3], v1, a[3], a[4], h), worst, iterations, converged
