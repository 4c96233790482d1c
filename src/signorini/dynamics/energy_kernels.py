"""Kernels of the energies and speeds of nodes."""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def sum_energies(node_body, mass, q, v, gravity, kinetic, potential):
    """Add the kinetic energies of all nodes and their potential energies in gravity (n, 3) to those of their bodies [J]."""
    for i in range(len(mass)):
        body, m = node_body[i], mass[i]
        kinetic[body] += 0.5 * m * (v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
        potential[body] += -m * (q[i, 0] * gravity[i, 0] + q[i, 1] * gravity[i, 1] + q[i, 2] * gravity[i, 2])


@kernel
def largest_squares(number, v, largest):
    """Raise the largest squared length of each group to that of its vectors (n, 3); that of nan is nan, and stays so."""
    for i in range(len(v)):
        square = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        if not square <= largest[number[i]] and largest[number[i]] == largest[number[i]]:
            largest[number[i]] = square
