"""Sums over the stages of Runge-Kutta 4."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def stage(q0, v0, rate_q, rate_v, h, q, v):
    """q, v (n, 3) = q0 + h rate_q, v0 + h rate_v."""
    for n in range(len(q)):
        for i in range(3):
            q[n, i] = q0[n, i] + h * rate_q[n, i]
            v[n, i] = v0[n, i] + h * rate_v[n, i]


@njit(cache=True)
def combine(q0, v0, v2, v3, v4, a1, a2, a3, a4, h, q, v):
    """The end of the step from the velocities and accelerations of its four stages."""
    w = h / 6.0
    for n in range(len(q)):
        for i in range(3):
            q[n, i] = q0[n, i] + w * (v0[n, i] + 2.0 * (v2[n, i] + v3[n, i]) + v4[n, i])
            v[n, i] = v0[n, i] + w * (a1[n, i] + 2.0 * (a2[n, i] + a3[n, i]) + a4[n, i])


@njit(cache=True)
def error(v4, v5, a4, a5, h):
    """The largest error of a coordinate [m], from the fourth stage and the end; NaN if one is NaN."""
    worst = 0.0
    for n in range(len(v4)):
        for i in range(3):
            here = max(abs(v4[n, i] - v5[n, i]), h * abs(a4[n, i] - a5[n, i]))
            if not here <= worst:
                worst = here
    return h / 6.0 * worst
