"""Kernels of the separations of continuous detection."""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def narrow(contact_vertices, weights, distance, part, separation):
    """Lower the separation of each vertex of a contact to `part` of its distance."""
    for c in range(len(distance)):
        most = part * distance[c]
        for k in range(4):
            i = contact_vertices[c, k]
            if i >= 0 and weights[c, k] != 0.0 and most < separation[i]:
                separation[i] = most


@kernel
def of_vertex_triangle(separation, v, a, b, c):
    """What a vertex and a triangle keep between them."""
    return max(separation[v], min(separation[a], separation[b], separation[c]))


@kernel
def of_edges(separation, a0, a1, b0, b1):
    """What two edges keep between them."""
    return max(min(separation[a0], separation[a1]), min(separation[b0], separation[b1]))
