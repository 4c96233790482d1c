"""Contacts as small dense problems: Jacobians, the matrix W = J M⁻¹ J', and what brings contacts to rest."""

from __future__ import annotations

import numpy as np

from signorini.collision.point_triangle_kernels import cross, dot, subtract
from signorini.compiled import kernel
from signorini.contact import frames_kernels
from signorini.linalg.interior_point_kernels import factorise, substitute
from signorini.linalg.pivoting_kernels import scale, solve
from signorini.methods.hong.contacts_kernels import corner
from signorini.model.surface_map_kernels import velocities

REGULARISATION = 1e-10
"""Part of the diagonal that is added to it where contacts may follow from each other."""


@kernel
def normal_rate_bias(vertices, weights, normal, x, v, bias):
    """Fill bias (m,) = 2 ṅ·(Ṗa − Ṗb) [m/s²], n the normal of the triangle or of both edges (Hong2004 §3); 0 for planes."""
    rate = np.empty(3)
    for c in range(len(vertices)):
        bias[c] = 0.0
        if vertices[c, 1] < 0:
            continue
        if weights[c, 1] > 0.0:
            a0, a1, b0, b1 = vertices[c, 0], vertices[c, 1], vertices[c, 2], vertices[c, 3]
        else:
            a0, a1, b0, b1 = vertices[c, 1], vertices[c, 2], vertices[c, 1], vertices[c, 3]
        e, f = subtract(corner(x, a1), corner(x, a0)), subtract(corner(x, b1), corner(x, b0))
        de, df = subtract(corner(v, a1), corner(v, a0)), subtract(corner(v, b1), corner(v, b0))
        n, p, q = cross(e, f), cross(de, f), cross(e, df)
        square = dot(n, n)
        if not square > 0.0:
            continue
        along = (dot(n, p) + dot(n, q)) / square
        length = np.sqrt(square)
        if n[0] * normal[c, 0] + n[1] * normal[c, 1] + n[2] * normal[c, 2] < 0.0:
            length = -length
        for i in range(3):
            rate[i] = (p[i] + q[i] - along * n[i]) / length
        moving = 0.0
        for i in range(3):
            relative = 0.0
            for k in range(4):
                relative += weights[c, k] * v[vertices[c, k], i]
            moving += rate[i] * relative
        bias[c] = 2.0 * moving


@kernel
def mobility(indptr, nodes, blocks, inverse_mass, W):
    """Fill W (m, m) = J M⁻¹ J' [1/kg] from the first rows of the blocks (k, 3, 3) of the contacts' nodes."""
    row = np.zeros((len(inverse_mass), 3))
    for i in range(len(W)):
        for k in range(indptr[i], indptr[i + 1]):
            for a in range(3):
                row[nodes[k], a] = blocks[k, 0, a] * inverse_mass[nodes[k]]
        for j in range(i + 1):
            total = 0.0
            for k in range(indptr[j], indptr[j + 1]):
                at = nodes[k]
                total += blocks[k, 0, 0] * row[at, 0] + blocks[k, 0, 1] * row[at, 1] + blocks[k, 0, 2] * row[at, 2]
            W[i, j] = W[j, i] = total
        for k in range(indptr[i], indptr[i + 1]):
            for a in range(3):
                row[nodes[k], a] = 0.0


@kernel
def rates(indptr, nodes, blocks, v, out):
    """out (m,) = J v for v (n, 3)."""
    for c in range(len(out)):
        out[c] = 0.0
        for k in range(indptr[c], indptr[c + 1]):
            for a in range(3):
                out[c] += blocks[k, 0, a] * v[nodes[k], a]


@kernel
def push(indptr, nodes, blocks, inverse_mass, strength, v):
    """v (n, 3) += M⁻¹ J' strength (m,)."""
    for c in range(len(strength)):
        if strength[c] != 0.0:
            for k in range(indptr[c], indptr[c + 1]):
                scaled = strength[c] * inverse_mass[nodes[k]]
                for a in range(3):
                    v[nodes[k], a] += scaled * blocks[k, 0, a]


@kernel
def build(
    vertices, weights, normal, x, v, first_scripted, scripted_velocity, map_indptr, map_nodes, map_weights, map_arms, turned,
    movable, inverse_mass, frames, speeds, indptr, nodes, blocks, W, unit, Q, bias,
):  # fmt: skip
    """Fill frames, Jacobian, W with its scaled form and bias of contacts; returns the number of blocks of the Jacobian.

    x (v, 3) is the surface and v (n, 3) the velocity of the nodes; surface vertices from `first_scripted` on have velocities
    of their own. The layout of the Jacobian is that of `Mlcp`. The impulses act at the contact points of the meshes: no arms are
    shifted, for the method has no rigid bodies.
    """
    no_spins, no_shift, no_velocities = np.empty((0, 2), np.int32), np.empty((0, 2, 3)), np.empty((0, 3))
    moving = np.empty_like(x)
    velocities(map_indptr, map_nodes, map_weights, map_arms, v, moving)
    for i in range(len(scripted_velocity)):
        for k in range(3):
            moving[first_scripted + i, k] = scripted_velocity[i, k]
    count = frames_kernels.build(
        vertices, weights, normal, moving, map_indptr, map_nodes, map_weights, map_arms, turned, movable,
        no_spins, no_shift, no_velocities, frames, speeds, indptr, nodes, blocks,
    )  # fmt: skip
    mobility(indptr, nodes, blocks, inverse_mass, W)
    scale(W, unit, Q)
    normal_rate_bias(vertices, weights, normal, x, moving, bias)
    return count


@kernel
def bring_to_rest(W, speed, resting, impulse):
    """Fill impulse (m,) [N s], after which the resting contacts have no relative velocity (Hong2004 §3).

    A contact that would approach because of them rests too: resting (m,) is changed. Not finite if there is no solution.
    """
    m = len(speed)
    K, right, members = np.empty((m, m)), np.empty(m), np.empty(m, np.int64)
    negligible = 0.0
    for i in range(m):
        negligible = max(negligible, REGULARISATION * abs(speed[i]))
        impulse[i] = 0.0
    while True:
        k = 0
        for i in range(m):
            if resting[i]:
                members[k], right[k] = i, -speed[i]
                k += 1
        if k == 0:
            return
        for a in range(k):
            for b in range(a + 1):
                K[a, b] = W[members[a], members[b]]
            K[a, a] *= 1.0 + REGULARISATION
        if not factorise(K, k, 0.0):
            for i in range(m):
                impulse[i] = np.nan
            return
        substitute(K, k, right)
        for a in range(k):
            impulse[members[a]] = right[a]
        more = False
        for i in range(m):
            if not resting[i]:
                after = speed[i]
                for a in range(k):
                    after += W[i, members[a]] * right[a]
                if after < -negligible:
                    resting[i] = more = True
        if not more:
            return


@kernel
def come_to_rest(indptr, nodes, blocks, W, unit, Q, bias, speed, a, h, still, pressing, impulse, resting):
    """Find which contacts rest in the next h [s]: those that approach, and those that push if the free accelerations a last.

    `pressing` (m,) is a guess of the latter. Fills resting (m,) and, if one of them moves faster than `still` [m/s], impulses
    (m,) that stop them; returns whether there are any.
    """
    m = len(speed)
    ahead, x, slack = np.empty(m), np.empty(m), np.empty(m)
    rates(indptr, nodes, blocks, a, ahead)
    for i in range(m):
        ahead[i] = speed[i] + h * (ahead[i] + bias[i])
    solve(W, unit, Q, ahead, pressing, x, slack)
    largest = 0.0
    for i in range(m):
        resting[i] = pressing[i] or speed[i] < 0.0
        if resting[i]:
            largest = max(largest, abs(speed[i]))
    if not largest > still:
        return False
    bring_to_rest(W, speed, resting, impulse)
    return True
