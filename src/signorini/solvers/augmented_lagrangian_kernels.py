"""Kernels of the augmented Lagrangian method on contacts: slopes, multipliers, penalties, signs of infeasibility.

u = G x + bias is the velocity of the contacts, bias their free velocity with gap/dt on the normal; a = lam - rho (u + s n) is
the trial impulse with the De Saxcé shift s, p = P_K(a) its projection onto the cone.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.friction_cone_kernels import OPEN, project

CANCELS = 0.1
"""Part of the sum of their sizes to which growing impulses must cancel to raise suspicion; it proves nothing."""
GROWS = 0.1
"""Growth of the multiplier of a contact, as a part of the fastest growth [m/s], from which it is looked at."""


@kernel
def contact_slope(c, t, lam, rho, u, ud, shift, mu):
    """-P_K(a)·G d of one contact at x + t d, and whether it is open there."""
    r = rho[c]
    p0, p1, p2, state = project(
        lam[c, 0] - r * (u[c, 0] + t * ud[c, 0] + shift[c]),
        lam[c, 1] - r * (u[c, 1] + t * ud[c, 1]),
        lam[c, 2] - r * (u[c, 2] + t * ud[c, 2]),
        mu[c],
    )
    return -(p0 * ud[c, 0] + p1 * ud[c, 1] + p2 * ud[c, 2]), state == OPEN


@kernel
def scale(rho, factor):
    """rho *= factor."""
    for c in range(len(rho)):
        rho[c] *= factor


@kernel
def stiffen(rho, residual, least, factor):
    """rho *= factor where the multiplier changes by `least` [m/s] or more; residual (m, 4) of `fixed_point`.

    All of them would make the Newton systems of a pile as hard as its worst contact is.
    """
    for c in range(len(rho)):
        if residual[c, 0] ** 2 + residual[c, 1] ** 2 + residual[c, 2] ** 2 >= least * least:
            rho[c] *= factor


@kernel
def fixed_point(lam, p, rho, u, shift, mu, mapped, residual):
    """y = (lam / rho, s) → T(y) = (p / rho, mu |u_t|), both in m/s; the largest change of lam / rho and of s.

    The shift of an open contact has no effect: it does not count.
    """
    change = 0.0
    drift = 0.0
    for c in range(len(rho)):
        if rho[c] == 0.0:
            for a in range(4):
                mapped[c, a] = residual[c, a] = 0.0
            continue
        moved = 0.0
        for a in range(3):
            mapped[c, a] = p[c, a] / rho[c]
            residual[c, a] = (p[c, a] - lam[c, a]) / rho[c]
            moved += residual[c, a] ** 2
        mapped[c, 3] = mu[c] * np.hypot(u[c, 1], u[c, 2])
        residual[c, 3] = mapped[c, 3] - shift[c]
        change = max(change, np.sqrt(moved))
        if p[c, 0] > 0.0:
            drift = max(drift, abs(residual[c, 3]))
        else:
            residual[c, 3] = 0.0
    return change, drift


@kernel
def alignment(residual, last):
    """Cosine between the present and the last change of y, both (m, 4); `last` is renewed."""
    product = now = before = 0.0
    for c in range(len(last)):
        for a in range(4):
            product += residual[c, a] * last[c, a]
            now += residual[c, a] ** 2
            before += last[c, a] ** 2
            last[c, a] = residual[c, a]
    return product / np.sqrt(now * before) if now * before > 0.0 else 0.0


@kernel
def lengthen(mapped, residual, stride):
    """y + stride (T(y) - y) in place of T(y)."""
    for c in range(len(mapped)):
        for a in range(4):
            mapped[c, a] += (stride - 1.0) * residual[c, a]


@kernel
def take(mapped, rho, mu, lam, shift):
    """lam and shift from y; an extrapolated lam is projected onto its cone."""
    for c in range(len(rho)):
        lam[c, 0], lam[c, 1], lam[c, 2], _ = project(
            rho[c] * mapped[c, 0], rho[c] * mapped[c, 1], rho[c] * mapped[c, 2], mu[c]
        )
        shift[c] = max(mapped[c, 3], 0.0)


@kernel
def seems_infeasible(problem, lam, p, rho, change):
    """Whether impulses that grow cancel one another, as they do where contacts contradict one another.

    The multipliers of an infeasible problem grow without bound, and their growth tends to a certificate of infeasibility
    (Farkas). A slow feasible problem may look alike: this is a reason to look for a proof and none itself.
    """
    indptr, nodes, blocks = problem.indptr, problem.nodes, problem.blocks
    apart, f = 0.0, np.zeros((len(problem.A_indptr) - 1, 3))
    for c in range(len(rho)):
        if rho[c] > 0.0 and p[c, 0] - lam[c, 0] > GROWS * change * rho[c]:
            for k in range(indptr[c], indptr[c + 1]):
                size = 0.0
                for a in range(3):
                    part = 0.0
                    for b in range(3):
                        part += blocks[k, b, a] * (p[c, b] - lam[c, b])
                    f[nodes[k], a] += part
                    size += part * part
                apart += np.sqrt(size)
    together = 0.0
    for i in range(len(f)):
        together += np.sqrt(f[i, 0] ** 2 + f[i, 1] ** 2 + f[i, 2] ** 2)
    return apart > 0.0 and together <= CANCELS * apart
