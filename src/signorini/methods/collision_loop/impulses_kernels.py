"""Gauss-Seidel passes of impulses over contacts, with and without friction, and the shortest connections of pairs."""

from __future__ import annotations

import numpy as np

from signorini.collision.ccd_kernels import row
from signorini.collision.edge_edge_kernels import edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import point_triangle_closest_vectors
from signorini.compiled import kernel


@kernel
def contact_velocity(first, stop, nodes, blocks, row, v, v0):
    """Σ row of the blocks · (v − v0): by how much the response has changed the velocity of a contact along a row."""
    total = 0.0
    for e in range(first, stop):
        i = nodes[e]
        for a in range(3):
            total += blocks[e, row, a] * (v[i, a] - v0[i, a])
    return total


@kernel
def mobility(first, stop, nodes, rows, inverse_mass):
    """g' M⁻¹ g for the direction g = `rows` (k, 3) of a contact [1/kg]."""
    total = 0.0
    for e in range(first, stop):
        W, g = inverse_mass[nodes[e]], rows[e - first]
        for a in range(3):
            total += g[a] * (W[a, 0] * g[0] + W[a, 1] * g[1] + W[a, 2] * g[2])
    return total


@kernel
def push(first, stop, nodes, rows, inverse_mass, impulse, v):
    """v += M⁻¹ g impulse."""
    for e in range(first, stop):
        i = nodes[e]
        W, g = inverse_mass[i], rows[e - first]
        for a in range(3):
            v[i, a] += impulse * (W[a, 0] * g[0] + W[a, 1] * g[1] + W[a, 2] * g[2])


@kernel
def sweep(indptr, nodes, blocks, free_velocity, friction, target, inverse_mass, v0, v):
    """One pass: no contact separates slower than its `target` when it is looked at; friction follows (Bridson2002 §7.2-7.3).

    free_velocity (m, 3) is the velocity of the contacts in their frames (n, t1, t2) for v0 (n, 3); v is changed. Returns how
    many contacts got an impulse.
    """
    widest = 0
    for c in range(len(target)):
        widest = max(widest, indptr[c + 1] - indptr[c])
    rows = np.empty((widest, 3))
    count = 0
    for c in range(len(target)):
        first, stop = indptr[c], indptr[c + 1]
        speed = free_velocity[c, 0] + contact_velocity(first, stop, nodes, blocks, 0, v, v0)
        if not speed < target[c]:
            continue
        for e in range(first, stop):
            for a in range(3):
                rows[e - first, a] = blocks[e, 0, a]
        ease = mobility(first, stop, nodes, rows, inverse_mass)
        if not ease > 0.0:
            continue
        impulse = (target[c] - speed) / ease
        push(first, stop, nodes, rows, inverse_mass, impulse, v)
        count += 1
        if friction[c] > 0.0:
            rub(c, indptr, nodes, blocks, free_velocity, friction[c] * impulse, inverse_mass, v0, v, rows)
    return count


@kernel
def rub(c, indptr, nodes, blocks, free_velocity, limit, inverse_mass, v0, v, rows):
    """Coulomb friction: an impulse of at most `limit` against the sliding velocity of contact c, never beyond rest."""
    first, stop = indptr[c], indptr[c + 1]
    u1 = free_velocity[c, 1] + contact_velocity(first, stop, nodes, blocks, 1, v, v0)
    u2 = free_velocity[c, 2] + contact_velocity(first, stop, nodes, blocks, 2, v, v0)
    sliding = np.sqrt(u1 * u1 + u2 * u2)
    if not sliding > 0.0:
        return
    for e in range(first, stop):
        for a in range(3):
            rows[e - first, a] = (u1 * blocks[e, 1, a] + u2 * blocks[e, 2, a]) / sliding
    ease = mobility(first, stop, nodes, rows, inverse_mass)
    if ease > 0.0:
        push(first, stop, nodes, rows, inverse_mass, -min(limit, sliding / ease), v)


@kernel
def connect(vertices, edges_meet, x, weights, normal, distance):
    """Weights, unit normal and length of the shortest connection of every pair at positions x (v, 3).

    A row of `vertices` (m, 4) is a vertex and a triangle, or two edges where `edges_meet`; weights are negative on side b. A pair
    that touches has no normal: its connection is left zero.
    """
    for c in range(len(distance)):
        i, j, k, m = vertices[c, 0], vertices[c, 1], vertices[c, 2], vertices[c, 3]
        if edges_meet[c]:
            _, r, s, _ = edge_edge_closest_vectors(row(x, i), row(x, j), row(x, k), row(x, m))
            weights[c, 0], weights[c, 1], weights[c, 2], weights[c, 3] = 1.0 - r, r, s - 1.0, -s
        else:
            _, wa, wb, wc, _ = point_triangle_closest_vectors(row(x, i), row(x, j), row(x, k), row(x, m))
            weights[c, 0], weights[c, 1], weights[c, 2], weights[c, 3] = 1.0, -wa, -wb, -wc
        square = 0.0
        for a in range(3):
            normal[c, a] = (
                weights[c, 0] * x[i, a] + weights[c, 1] * x[j, a] + weights[c, 2] * x[k, a] + weights[c, 3] * x[m, a]
            )
            square += normal[c, a] ** 2
        distance[c] = np.sqrt(square)
        for a in range(3):
            normal[c, a] /= max(distance[c], 1e-300)
