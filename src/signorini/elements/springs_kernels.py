"""Force, stiffness and energy of axial springs.

The stiffness is K = k [d d' + max(0, 1 − L/l) (I − d d')]: without the clamp a compressed spring would make the system
matrix indefinite (Choi and Ko 2002 argue the same for buckling cloth).
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def assemble(nodes, rest_length, stiffness, compression, damping, entries, q, v_lin, w_force, w_C, w_K, data, b):
    """Add w_C C + w_K K to the matrix and w_force F + w_K K v_lin to the right-hand side (Otaduy2009 Eq. 3).

    entries (s, 2, 2): the place of the block of each pair of a spring's nodes in `data`.
    """
    d = np.empty(3)
    K = np.empty((3, 3))
    for s in range(len(rest_length)):
        i, j = nodes[s, 0], nodes[s, 1]
        length2 = 0.0
        for a in range(3):
            d[a] = q[j, a] - q[i, a]
            length2 += d[a] * d[a]
        length = np.sqrt(length2)
        inverse = 1.0 / max(length, 1e-12 * rest_length[s])
        for a in range(3):
            d[a] *= inverse
        k = stiffness[s] if length >= rest_length[s] else compression[s]
        pull = k * (length - rest_length[s])
        across = k * max(0.0, 1.0 - rest_length[s] * inverse)
        along_K = w_K * (k - across)
        across_K = w_K * across
        along_C = w_C * damping[s]
        for a in range(3):
            for c in range(3):
                K[a, c] = along_K * d[a] * d[c]
            K[a, a] += across_K
        for a in range(3):
            implicit = 0.0
            for c in range(3):
                implicit += K[a, c] * (v_lin[i, c] - v_lin[j, c])
            b[i, a] += w_force * pull * d[a] + implicit
            b[j, a] -= w_force * pull * d[a] + implicit
        for a in range(3):
            for c in range(3):
                block = K[a, c] + along_C * d[a] * d[c]
                data[entries[s, 0, 0], a, c] += block
                data[entries[s, 0, 1], a, c] -= block
                data[entries[s, 1, 0], a, c] -= block
                data[entries[s, 1, 1], a, c] += block


@kernel
def energy(nodes, rest_length, stiffness, compression, q):
    """Σ ½ k (l − L)² [J], with the stiffness of tension or of compression."""
    total = 0.0
    for s in range(len(rest_length)):
        i, j = nodes[s, 0], nodes[s, 1]
        length2 = 0.0
        for a in range(3):
            length2 += (q[j, a] - q[i, a]) ** 2
        stretch = np.sqrt(length2) - rest_length[s]
        total += 0.5 * (stiffness[s] if stretch >= 0.0 else compression[s]) * stretch**2
    return total
