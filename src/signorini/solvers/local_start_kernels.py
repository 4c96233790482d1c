"""Kernels of local starts: which bodies a start does not satisfy, their neighbours, and the part of a problem that is theirs."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import B_NN, INV_NN, apply_transpose, friction_residual
from signorini.linalg.block_matrix_kernels import multiply


@kernel
def mark_unsolved(A, G, prepared, mu, body, x, p, tolerance, marked):
    """Mark the bodies (b,) of nodes and contacts whose residual is above the tolerance [m/s]; the largest residual.

    A: indptr, indices, data; G: indptr, nodes, blocks; prepared: D_inv, local, bias; body (n,) of every node.
    """
    indptr, nodes, blocks = G
    D_inv, local, bias = prepared
    f, Ax, u, largest = np.empty(x.shape), np.empty(x.shape), np.empty(3), 0.0
    multiply(A[0], A[1], A[2], x, Ax)
    apply_transpose(indptr, nodes, blocks, p, f)
    for i in range(len(x)):
        residual = 0.0
        for a in range(3):
            part = 0.0
            for b in range(3):
                part += D_inv[i, a, b] * (Ax[i, b] - f[i, b])
            residual = max(residual, abs(part))
        largest = max(largest, residual)
        if residual > tolerance:
            marked[body[i]] = 1
    for c in range(len(mu)):
        if local[c, INV_NN] == 0.0:
            continue
        for a in range(3):
            u[a] = bias[c, a]
            for k in range(indptr[c], indptr[c + 1]):
                for b in range(3):
                    u[a] += blocks[k, a, b] * x[nodes[k], b]
        bound = mu[c] * max(p[c, 0], 0.0)
        residual = abs(min(local[c, B_NN] * p[c, 0], u[0]))
        if bound > 0.0 or p[c, 1] != 0.0 or p[c, 2] != 0.0:
            residual = max(residual, friction_residual(u[1], u[2], p[c, 1], p[c, 2], bound, local[c], True))
        largest = max(largest, residual)
        if residual > tolerance:
            for k in range(indptr[c], indptr[c + 1]):
                marked[body[nodes[k]]] = 1
    return largest


@kernel
def mark_neighbours(indptr, nodes, p, body, marked, wider):
    """Mark in `wider` also the bodies that push a marked one."""
    for c in range(len(p)):
        if p[c, 0] <= 0.0:
            continue
        touches = False
        for k in range(indptr[c], indptr[c + 1]):
            touches = touches or marked[body[nodes[k]]] == 1
        if touches:
            for k in range(indptr[c], indptr[c + 1]):
                wider[body[nodes[k]]] = 1


@kernel
def restrict_matrix(indptr, indices, data, chosen, place, new_indptr, new_indices, new_data):
    """The rows of chosen nodes, which are coupled to no others; place (n,) of each node among them."""
    at = 0
    new_indptr[0] = 0
    for s in range(len(chosen)):
        for k in range(indptr[chosen[s]], indptr[chosen[s] + 1]):
            new_indices[at] = place[indices[k]]
            for a in range(3):
                for b in range(3):
                    new_data[at, a, b] = data[k, a, b]
            at += 1
        new_indptr[s + 1] = at


@kernel
def restrict_contacts(indptr, nodes, blocks, place, x, contacts, new_indptr, new_nodes, new_blocks, velocity):
    """The blocks of contacts for nodes with a place; the others, which move by x (n, 3), add to `velocity` (c, 3)."""
    at = 0
    new_indptr[0] = 0
    for s in range(len(contacts)):
        for k in range(indptr[contacts[s]], indptr[contacts[s] + 1]):
            j = nodes[k]
            for a in range(3):
                for b in range(3):
                    if place[j] >= 0:
                        new_blocks[at, a, b] = blocks[k, a, b]
                    else:
                        velocity[s, a] += blocks[k, a, b] * x[j, b]
            if place[j] >= 0:
                new_nodes[at] = place[j]
                at += 1
        new_indptr[s + 1] = at
