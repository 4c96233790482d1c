"""Internal forces of tetrahedra without their stiffness, element by element.

P is the first Piola-Kirchhoff stress; the forces on the nodes 1, 2, 3 of an element are the rows of −V G P', with the
gradients of the shape functions as rows of G, and node 0 takes the opposite of their sum. 3×3 matrices are tuples of nine by
rows: the compiler keeps them in registers.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from signorini.bodies.neo_hookean_kernels import _distortion, _size
from signorini.bodies.rotation_kernels import decompose


@njit(cache=True, error_model="numpy")
def deformation(nodes, e, G, q):
    """F = [q1 − q0, q2 − q0, q3 − q0] G of element e as a tuple by rows; its rate, if q are velocities."""
    n0, n1, n2, n3 = nodes[e, 0], nodes[e, 1], nodes[e, 2], nodes[e, 3]
    x1, x2, x3 = q[n1, 0] - q[n0, 0], q[n2, 0] - q[n0, 0], q[n3, 0] - q[n0, 0]
    y1, y2, y3 = q[n1, 1] - q[n0, 1], q[n2, 1] - q[n0, 1], q[n3, 1] - q[n0, 1]
    z1, z2, z3 = q[n1, 2] - q[n0, 2], q[n2, 2] - q[n0, 2], q[n3, 2] - q[n0, 2]
    return (
        x1 * G[0] + x2 * G[3] + x3 * G[6], x1 * G[1] + x2 * G[4] + x3 * G[7], x1 * G[2] + x2 * G[5] + x3 * G[8],
        y1 * G[0] + y2 * G[3] + y3 * G[6], y1 * G[1] + y2 * G[4] + y3 * G[7], y1 * G[2] + y2 * G[5] + y3 * G[8],
        z1 * G[0] + z2 * G[3] + z3 * G[6], z1 * G[1] + z2 * G[4] + z3 * G[7], z1 * G[2] + z2 * G[5] + z3 * G[8],
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def unpacked(matrices, e):
    """Matrix e of (t, 3, 3) as a tuple by rows."""
    return (
        matrices[e, 0, 0], matrices[e, 0, 1], matrices[e, 0, 2],
        matrices[e, 1, 0], matrices[e, 1, 1], matrices[e, 1, 2],
        matrices[e, 2, 0], matrices[e, 2, 1], matrices[e, 2, 2],
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def neo_hookean_stress(F, mu, lam):
    """P = ∂Ψ/∂F = 2 Ψ_I F + Ψ_J cof F with I = |F|² and J = det F: no singular values are needed."""
    a, b, c, d, e, f, g, h, i = F
    square = a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i
    c0, c1, c2 = e * i - f * h, f * g - d * i, d * h - e * g
    J = a * c0 + b * c1 + c * c2
    distortion, slope, _ = _distortion(J)
    size, growth, _ = _size(square)
    s = mu * growth * distortion
    t = 0.5 * mu * size * slope + (lam + 2.0 / 3.0 * mu) * (J - 1.0)
    return (
        s * a + t * c0, s * b + t * c1, s * c + t * c2,
        s * d + t * (h * c - i * b), s * e + t * (i * a - g * c), s * f + t * (g * b - h * a),
        s * g + t * (b * f - c * e), s * h + t * (c * d - a * f), s * i + t * (a * e - b * d),
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def corotational_stress(F, R, mu, lam):
    """P = 2μ (F − R) + λ (tr(R'F) − 3) R."""
    trace = -3.0
    for k in range(9):
        trace += R[k] * F[k]
    m, s = 2.0 * mu, lam * trace - 2.0 * mu
    return (
        m * F[0] + s * R[0], m * F[1] + s * R[1], m * F[2] + s * R[2],
        m * F[3] + s * R[3], m * F[4] + s * R[4], m * F[5] + s * R[5],
        m * F[6] + s * R[6], m * F[7] + s * R[7], m * F[8] + s * R[8],
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def viscous_stress(S, rate, mu, lam):
    """P = S (2μ sym(S'Ḟ) + λ tr(S'Ḟ) I) with S = R or F and the rate Ḟ; μ and λ times β."""
    a, b, c, d, e, f, g, h, i = S
    p, q, r, s, t, u, v, w, x = rate
    xx, yy, zz = a * p + d * s + g * v, b * q + e * t + h * w, c * r + f * u + i * x
    pressure = lam * (xx + yy + zz)
    xx, yy, zz = 2.0 * mu * xx + pressure, 2.0 * mu * yy + pressure, 2.0 * mu * zz + pressure
    xy = mu * (a * q + d * t + g * w + b * p + e * s + h * v)
    xz = mu * (a * r + d * u + g * x + c * p + f * s + i * v)
    yz = mu * (b * r + e * u + h * x + c * q + f * t + i * w)
    return (
        a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz,
        d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, d * xz + e * yz + f * zz,
        g * xx + h * xy + i * xz, g * xy + h * yy + i * yz, g * xz + h * yz + i * zz,
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def forces_of(P, G, volume):
    """The forces on the nodes 1, 2, 3 of an element, one after the other, as a tuple."""
    a, b, c, d, e, f, g, h, i = P
    w = -volume
    return (
        w * (a * G[0] + b * G[1] + c * G[2]), w * (d * G[0] + e * G[1] + f * G[2]), w * (g * G[0] + h * G[1] + i * G[2]),
        w * (a * G[3] + b * G[4] + c * G[5]), w * (d * G[3] + e * G[4] + f * G[5]), w * (g * G[3] + h * G[4] + i * G[5]),
        w * (a * G[6] + b * G[7] + c * G[8]), w * (d * G[6] + e * G[7] + f * G[8]), w * (g * G[6] + h * G[7] + i * G[8]),
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def scatter(nodes, e, forces, f):
    """Add the forces on the nodes 1, 2, 3 of element e, and their reaction on node 0, to f (n, 3)."""
    n0, n1, n2, n3 = nodes[e, 0], nodes[e, 1], nodes[e, 2], nodes[e, 3]
    for i in range(3):
        f[n1, i] += forces[i]
        f[n2, i] += forces[i + 3]
        f[n3, i] += forces[i + 6]
        f[n0, i] -= forces[i] + forces[i + 3] + forces[i + 6]


@njit(cache=True, error_model="numpy")
def frame_and_stress(F, neo_hookean, mu, lam, work):
    """F or R, as the material has it, and the elastic stress; work (6, 3, 3) is used by co-rotational elements."""
    if neo_hookean:
        return F, neo_hookean_stress(F, mu, lam)
    for k in range(9):
        work[0, k // 3, k % 3] = F[k]
    decompose(work[0], True, work[1], work[2], work[3, 0], work[4], work[5])
    R = unpacked(work, 5)
    return R, corotational_stress(F, R, mu, lam)


@njit(cache=True, error_model="numpy")
def elastic(nodes, rest_inverse, volume, lame_mu, lame_lambda, neo_hookean, q, frames, forces):
    """Fill frames (t, 3, 3): F, or R of co-rotational elements; and forces (t, 3, 3) on the nodes 1, 2, 3 [N]."""
    work = np.empty((6, 3, 3))
    for e in range(len(volume)):
        G = unpacked(rest_inverse, e)
        F = deformation(nodes, e, G, q)
        S, P = frame_and_stress(F, neo_hookean[e], lame_mu[e], lame_lambda[e], work)
        out = forces_of(P, G, volume[e])
        for k in range(9):
            frames[e, k // 3, k % 3] = S[k]
            forces[e, k // 3, k % 3] = out[k]


@njit(cache=True, error_model="numpy")
def finish(v, inverse_mass, gravity, drag, a):
    """Turn forces a (n, 3) into accelerations, with gravity and drag; 0 for pinned nodes."""
    for n in range(len(a)):
        for i in range(3):
            a[n, i] = a[n, i] * inverse_mass[n] + gravity[i] - drag[n] * v[n, i] if inverse_mass[n] > 0.0 else 0.0


@njit(cache=True, error_model="numpy")
def accelerate(
    nodes,
    rest_inverse,
    volume,
    lame_mu,
    lame_lambda,
    stiffness_damping,
    frames,
    forces,
    v,
    inverse_mass,
    gravity,
    drag,
    a,
):
    """Fill a (n, 3) [m/s²] from elastic forces, the damping of velocities v (n, 3), gravity and drag; 0 for pinned nodes."""
    a[:] = 0.0
    for e in range(len(volume)):
        scatter(nodes, e, unpacked(forces, e), a)
        beta = stiffness_damping[e]
        if beta > 0.0:
            G = unpacked(rest_inverse, e)
            rate = deformation(nodes, e, G, v)
            P = viscous_stress(unpacked(frames, e), rate, beta * lame_mu[e], beta * lame_lambda[e])
            scatter(nodes, e, forces_of(P, G, volume[e]), a)
    finish(v, inverse_mass, gravity, drag, a)


@njit(cache=True, error_model="numpy")
def accelerate_at(
    nodes,
    rest_inverse,
    volume,
    lame_mu,
    lame_lambda,
    stiffness_damping,
    neo_hookean,
    q,
    v,
    inverse_mass,
    gravity,
    drag,
    a,
):
    """`elastic` and `accelerate` in one pass that keeps nothing."""
    work = np.empty((6, 3, 3))
    a[:] = 0.0
    for e in range(len(volume)):
        G = unpacked(rest_inverse, e)
        F = deformation(nodes, e, G, q)
        S, P = frame_and_stress(F, neo_hookean[e], lame_mu[e], lame_lambda[e], work)
        beta = stiffness_damping[e]
        if beta > 0.0:
            Q = viscous_stress(S, deformation(nodes, e, G, v), beta * lame_mu[e], beta * lame_lambda[e])
            P = (
                P[0] + Q[0], P[1] + Q[1], P[2] + Q[2], P[3] + Q[3], P[4] + Q[4], P[5] + Q[5], P[6] + Q[6], P[7] + Q[7],
                P[8] + Q[8],
            )  # fmt: skip
        scatter(nodes, e, forces_of(P, G, volume[e]), a)
    finish(v, inverse_mass, gravity, drag, a)


@njit(cache=True)
def interpolate(nodes, share, before, after):
    """Change the forces `after` (t, 3, 3) of elements with a node of share (n,) s > 0 to (1 − s) after + s before."""
    for e in range(len(nodes)):
        s = max(share[nodes[e, 0]], share[nodes[e, 1]], share[nodes[e, 2]], share[nodes[e, 3]])
        if s > 0.0:
            for a in range(3):
                for i in range(3):
                    after[e, a, i] += s * (before[e, a, i] - after[e, a, i])
