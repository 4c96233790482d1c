"""Kernels of the augmented Lagrangian method: contact velocities, projections, line search, penalties, signs of infeasibility.

u = G x + bias is the velocity of the contacts, bias their free velocity with gap/dt on the normal; a = lam - rho (u + s n) is
the trial impulse with the De Saxcé shift s, p = P_K(a) its projection onto the cone.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.friction_cone_kernels import OPEN, derivative, project
from signorini.linalg.block_matrix_kernels import multiply

CANCELS = 0.1
"""Part of the sum of their sizes to which growing impulses must cancel to raise suspicion; it proves nothing."""
GROWS = 0.1
"""Growth of the multiplier of a contact, as a part of the fastest growth [m/s], from which it is looked at."""
SUFFICIENT = 0.3
"""Part of the first slope at which the line search ends: Newton steps that are corrected anyway need no exact minimum."""
LONGEST = 1e6
"""Length of step, in Newton steps, beyond which the line search takes what it has."""
BISECTIONS = 30
"""Halvings of the interval by the line search at most."""


@kernel
def start_velocities(problem, x, u, Ax, shift):
    """u = G x + bias, Ax = A x and the De Saxcé shift mu |u_t| at the start x."""
    multiply(problem.A_indptr, problem.A_indices, problem.A_data, x, Ax)
    contact_velocity(problem, x, u)
    for c in range(len(shift)):
        for a in range(3):
            u[c, a] += problem.bias[c, a]
        shift[c] = problem.mu[c] * np.hypot(u[c, 1], u[c, 2])


@kernel
def contact_velocity(problem, x, u):
    """u = G x."""
    indptr, nodes, blocks = problem.indptr, problem.nodes, problem.blocks
    for c in range(len(indptr) - 1):
        u0 = u1 = u2 = 0.0
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            x0, x1, x2 = x[j, 0], x[j, 1], x[j, 2]
            u0 += blocks[k, 0, 0] * x0 + blocks[k, 0, 1] * x1 + blocks[k, 0, 2] * x2
            u1 += blocks[k, 1, 0] * x0 + blocks[k, 1, 1] * x1 + blocks[k, 1, 2] * x2
            u2 += blocks[k, 2, 0] * x0 + blocks[k, 2, 1] * x1 + blocks[k, 2, 2] * x2
        u[c, 0], u[c, 1], u[c, 2] = u0, u1, u2


@kernel
def project_all(lam, rho, u, shift, mu, p):
    """p = P_K(lam - rho (u + s n)) of every contact; a contact with rho = 0 moves nothing and gets no impulse."""
    for c in range(len(rho)):
        r = rho[c]
        if r == 0.0:
            p[c, 0] = p[c, 1] = p[c, 2] = 0.0
            continue
        p0, p1, p2, _ = project(
            lam[c, 0] - r * (u[c, 0] + shift[c]), lam[c, 1] - r * u[c, 1], lam[c, 2] - r * u[c, 2], mu[c]
        )
        p[c, 0], p[c, 1], p[c, 2] = p0, p1, p2


@kernel
def newton_blocks(lam, rho, u, shift, mu, p, active, H):
    """The derivative of -p with respect to u, one 3x3 block per contact with an impulse; returns their number."""
    count = 0
    for c in range(len(rho)):
        if p[c, 0] == 0.0:
            continue
        r = rho[c]
        state = derivative(
            lam[c, 0] - r * (u[c, 0] + shift[c]), lam[c, 1] - r * u[c, 1], lam[c, 2] - r * u[c, 2], mu[c], r, H[count]
        )
        if state != OPEN:
            active[count] = c
            count += 1
    return count


@kernel
def inner_product(x, y):
    """x·y over all nodes."""
    total = 0.0
    for i in range(len(x)):
        total += x[i, 0] * y[i, 0] + x[i, 1] * y[i, 1] + x[i, 2] * y[i, 2]
    return total


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
def search_line(Ax_d, d_Ad, lam, rho, u, ud, shift, mu, touched):
    """A step t with |φ'(t)| <= SUFFICIENT |φ'(0)|, by doubling and then bisecting towards the root of the monotone φ'.

    A contact that is open at both ends of an interval is open inside it (the polar cone is convex), so that after the first
    two slopes only the others are looked at; `touched` (m,) is work space for them.
    """
    low, high = 0.0, 1.0
    first = slope = goal = 0.0
    while True:
        count = 0
        first, slope = Ax_d + low * d_Ad, Ax_d + high * d_Ad
        for c in range(len(rho)):
            if rho[c] > 0.0:
                at_low, open_low = contact_slope(c, low, lam, rho, u, ud, shift, mu)
                at_high, open_high = contact_slope(c, high, lam, rho, u, ud, shift, mu)
                first += at_low
                slope += at_high
                if not (open_low and open_high):
                    touched[count] = c
                    count += 1
        if low == 0.0:
            goal = SUFFICIENT * abs(first)
        if abs(slope) <= goal or high > LONGEST:
            return high
        if slope > 0.0:
            break
        low, high = high, 2.0 * high
    t = high
    for _ in range(BISECTIONS):
        t = 0.5 * (low + high)
        slope = Ax_d + t * d_Ad
        for k in range(count):
            slope += contact_slope(touched[k], t, lam, rho, u, ud, shift, mu)[0]
        if abs(slope) <= goal:
            break
        if slope > 0.0:
            high = t
        else:
            low = t
    return t


@kernel
def largest_velocity(D_inv, g):
    """max |D_A^-1 g| [m/s]."""
    largest = 0.0
    for i in range(len(g)):
        for a in range(3):
            v = D_inv[i, a, 0] * g[i, 0] + D_inv[i, a, 1] * g[i, 1] + D_inv[i, a, 2] * g[i, 2]
            largest = max(largest, abs(v))
    return largest


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
def seems_infeasible(problem, lam, p, rho, change, f):
    """Whether impulses that grow cancel one another, as they do where contacts contradict one another.

    The multipliers of an infeasible problem grow without bound, and their growth tends to a certificate of infeasibility
    (Farkas). A slow feasible problem may look alike: this is a reason to look for a proof and none itself. f is work space.
    """
    indptr, nodes, blocks = problem.indptr, problem.nodes, problem.blocks
    apart = 0.0
    for i in range(len(f)):
        for a in range(3):
            f[i, a] = 0.0
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
