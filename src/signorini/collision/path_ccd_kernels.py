"""Times of impact of primitives whose vertices move on bent paths.

Implements: conservative advancement (Mirtich 1996) in pieces of the step. A piece is a straight motion (`ccd_kernels`) that keeps
a larger distance: the two sides deviate from straight lines by at most `pad`. Time advances as far as that is safe, and pieces
get shorter until their pad is a small part of what must be kept.
"""

from __future__ import annotations

import numpy as np

from signorini.collision.ccd_kernels import MAX_ITERATIONS, edge_edge_toi, point_triangle_toi
from signorini.collision.paths_kernels import cut_path
from signorini.compiled import kernel

PAD_PART = 0.25
"""Deviation from a straight line, as a part of the distance to keep, that is simply added to it. A pair keeps at most half of
what it has at the start, so that with this part it never hits at once."""
MOST_PIECES = 400
"""Pieces for one pair: what is not decided then counts as an impact at the time that was reached."""
MANY_PIECES = 50_000
"""Pieces for all pairs of one motion (about 0.1 s); once they are used up, each further pair has only FEW_PIECES. What one piece
decides counts for none: whether a pair that is far apart is tested at all changes nothing for the others."""
FEW_PIECES = 16
SHORTEN = 0.9
"""Of the length that would have the pad wanted."""


@kernel
def pair_pad(bend, i, j, k, m, of_edges):
    """How much nearer than on straight lines two sides can come [m]: edges i-j and k-m, or vertex i and triangle j, k, m."""
    if of_edges:
        return max(bend[i], bend[j]) + max(bend[k], bend[m])
    return bend[i] + max(bend[j], bend[k], bend[m])


@kernel
def shorter(length, pad, wanted):
    """The length of the next piece after one with too large a pad; pads grow with the square of the length."""
    return length * min(0.5, max(0.125, SHORTEN * np.sqrt(wanted / pad)))


@kernel
def pieces_left(work):
    """How many pieces a pair may have; work[0] counts those of all."""
    return MOST_PIECES if work[0] < MANY_PIECES else FEW_PIECES


@kernel
def path_toi(paths, x0, x1, i, j, k, m, of_edges, keep, work):
    """First time in [0, 1] at which two primitives on their paths may be within `keep` [m]; inf for none. Never late."""
    start, end, off = np.empty((4, 3)), np.empty((4, 3)), np.empty(4)
    fixed = pair_pad(paths[8], i, j, k, m, of_edges)  # what shorter pieces do not lessen
    t, length = 0.0, 1.0
    for _ in range(pieces_left(work)):
        until = min(1.0, t + length)
        off[0] = cut_path(paths, x0, x1, i, t, until, start, end, 0)
        off[1] = cut_path(paths, x0, x1, j, t, until, start, end, 1)
        off[2] = cut_path(paths, x0, x1, k, t, until, start, end, 2)
        off[3] = cut_path(paths, x0, x1, m, t, until, start, end, 3)
        pad = pair_pad(off, 0, 1, 2, 3, of_edges)
        if of_edges:
            toi = edge_edge_toi(start, end, 0, 1, 2, 3, keep + pad, MAX_ITERATIONS)
        else:
            toi = point_triangle_toi(start, end, 0, 1, 2, 3, keep + pad, MAX_ITERATIONS)
        if toi > 1.0:
            if until >= 1.0:
                return np.inf
            t = until
            length *= 2.0
        elif pad - fixed <= PAD_PART * keep:
            return t + toi * (until - t)
        else:
            length = shorter(until - t, pad - fixed, PAD_PART * keep)
            t += toi * (until - t)
        work[0] += 1
    return t


@kernel
def plane_toi(paths, x0, x1, v, normal, height, keep, work):
    """First time in [0, 1] at which a vertex on its path may be less than `keep` [m] above a plane; inf for none."""
    start, end = np.empty((1, 3)), np.empty((1, 3))
    fixed = paths[8][v]
    t, length = 0.0, 1.0
    for _ in range(pieces_left(work)):
        until = min(1.0, t + length)
        pad = cut_path(paths, x0, x1, v, t, until, start, end, 0)
        before, after = -height - keep - pad, -height - keep - pad
        for axis in range(3):
            before += normal[axis] * start[0, axis]
            after += normal[axis] * end[0, axis]
        if before >= 0.0 and after >= 0.0:
            if until >= 1.0:
                return np.inf
            t = until
            length *= 2.0
            work[0] += 1
            continue
        toi = before / (before - after) if before > 0.0 else 0.0
        if pad - fixed <= PAD_PART * keep:
            return t + toi * (until - t)
        length = shorter(until - t, pad - fixed, PAD_PART * keep)
        t += toi * (until - t)
        work[0] += 1
    return t


@kernel
def place_at(paths, x0, x1, i, j, k, m, t, x):
    """Write where four vertices are at the fraction t to their rows of x (v, 3)."""
    end = np.empty((1, 3))
    for vertex in (i, j, k, m):
        cut_path(paths, x0, x1, vertex, t, t, x[vertex : vertex + 1], end, 0)
