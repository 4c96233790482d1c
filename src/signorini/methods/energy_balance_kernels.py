"""Kernels of the energy balance. Documentation is in `energy_balance.py`."""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def contact_work(
    vertices, weights, normal, bodies, impulse, moving, shift, spins, v, prescribed, movable, scripts, friction
):
    """Add the work of prescribed vertices through contacts, and the loss by friction, to the bodies that move.

    The surface moves with `moving` (vertices, 3), and impulses act at (m, 2, 3) `shift` from its points, on bodies that turn with
    the velocities v (n, 3) of their angular nodes `spins` (m, 2). prescribed (vertices, 3) are the velocities of scripted
    vertices, empty if there are none. Contacts without impulse do no work.
    """
    for c in range(len(bodies)):
        p0, p1, p2 = impulse[c, 0], impulse[c, 1], impulse[c, 2]
        if p0 == 0.0 and p1 == 0.0 and p2 == 0.0:
            continue
        u0 = u1 = u2 = s0 = s1 = s2 = 0.0
        for k in range(4):
            i, w = vertices[c, k], weights[c, k]
            if i < 0:
                continue
            u0, u1, u2 = u0 + w * moving[i, 0], u1 + w * moving[i, 1], u2 + w * moving[i, 2]
            if len(prescribed):
                s0, s1, s2 = s0 + w * prescribed[i, 0], s1 + w * prescribed[i, 1], s2 + w * prescribed[i, 2]
        for side in range(2 if len(spins) else 0):
            j = spins[c, side]
            if j < 0:
                continue
            sign = 1.0 if side == 0 else -1.0
            r0, r1, r2 = shift[c, side, 0], shift[c, side, 1], shift[c, side, 2]
            u0 += sign * (v[j, 1] * r2 - v[j, 2] * r1)
            u1 += sign * (v[j, 2] * r0 - v[j, 0] * r2)
            u2 += sign * (v[j, 0] * r1 - v[j, 1] * r0)
        n0, n1, n2 = normal[c, 0], normal[c, 1], normal[c, 2]
        along = p0 * n0 + p1 * n1 + p2 * n2
        t0, t1, t2 = p0 - along * n0, p1 - along * n1, p2 - along * n2
        body = bodies[c, 0] if movable[bodies[c, 0]] else bodies[c, 1]
        friction[body] -= t0 * u0 + t1 * u1 + t2 * u2
        if len(prescribed):
            scripts[body] -= p0 * s0 + p1 * s1 + p2 * s2
