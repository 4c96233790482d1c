"""Limits of contact impulses: no pulling, and friction within its cone or pyramid."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


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
