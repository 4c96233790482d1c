"""Coulomb friction cone |p_t| <= mu p_n: projection onto it, the derivative of that, and limits of impulses by it."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

OPEN, STICK, SLIP = 0, 1, 2


@kernel
def project(a0, a1, a2, mu):
    """The point of the cone nearest to a, and whether that is the apex (OPEN), a itself (STICK) or on the side (SLIP)."""
    tau = np.sqrt(a1 * a1 + a2 * a2)
    if tau <= mu * a0 and a0 >= 0.0:  # without friction and slip, 0 <= -0 of a contact that opens
        return a0, a1, a2, STICK
    if mu * tau <= -a0:
        return 0.0, 0.0, 0.0, OPEN
    n = (a0 + mu * tau) / (1.0 + mu * mu)
    return n, mu * n * a1 / tau, mu * n * a2 / tau, SLIP


@kernel
def derivative(a0, a1, a2, mu, scale, H):
    """H = scale times the (symmetric) derivative of the projection at a; returns the state of the contact."""
    n, _, _, state = project(a0, a1, a2, mu)
    if state == STICK:
        for r in range(3):
            for c in range(3):
                H[r, c] = 0.0
            H[r, r] = scale
    elif state == SLIP:
        # v v' / (1 + mu²) + (mu n / tau) q q' with v = n + mu e, e = a_t / tau, q = n × e.
        tau = np.sqrt(a1 * a1 + a2 * a2)
        e1, e2 = a1 / tau, a2 / tau
        along = scale / (1.0 + mu * mu)
        across = scale * mu * n / tau
        H[0, 0] = along
        H[0, 1] = H[1, 0] = along * mu * e1
        H[0, 2] = H[2, 0] = along * mu * e2
        H[1, 1] = along * mu * mu * e1 * e1 + across * e2 * e2
        H[2, 2] = along * mu * mu * e2 * e2 + across * e1 * e1
        H[1, 2] = H[2, 1] = (along * mu * mu - across) * e1 * e2
    return state


@kernel
def limit_impulse(q, mu, cone):
    """Change the impulse q (3,) in place to lam >= 0 and |gam| <= mu lam, or |gam1|, |gam2| <= mu lam for the pyramid.

    Friction outside of the cone keeps its direction. What is not a number stays so.
    """
    if q[0] <= 0.0:
        q[0] = 0.0
    bound = mu * q[0]
    if cone:
        length = np.sqrt(q[1] * q[1] + q[2] * q[2])
        if length > bound:
            q[1] *= bound / length
            q[2] *= bound / length
    else:
        for a in range(1, 3):
            if q[a] > bound:
                q[a] = bound
            elif q[a] < -bound:
                q[a] = -bound


@kernel
def limit_impulses(p, mu, cone):
    """Limit all impulses p (m, 3) with the coefficients of friction mu (m,), in place."""
    for c in range(len(p)):
        limit_impulse(p[c], mu[c], cone)
