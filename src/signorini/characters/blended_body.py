"""One smooth closed surface around capsules: their smooth union, sampled on a grid and meshed by surface nets.

The union is f(x) = -k log Σ exp(-d_i(x) / k) for the distances d_i to the capsules; f is never above the least d_i, so that
the surface f = 0 encloses every capsule, by at most k log(number of capsules).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.geometry.triangle_mesh import TriangleMesh

Floats = NDArray[np.float64]
MAX_SAMPLES = 20_000_000
"""Largest number of samples of the grid: 0.5 GB of points."""
CHUNK = 20_000
"""Points for which the distances to all capsules are held at once."""
RELAXATIONS = 8
"""Rounds that even out the triangles: towards the mean of the neighbours, then back onto the surface."""
INFLUENCES = 4
"""Joints that a point follows at most."""


def blended_surface(
    head: Floats, tail: Floats, radius: Floats, joints: NDArray[np.int64], *, edge: float, blend: float
) -> tuple[TriangleMesh, NDArray[np.int64], Floats]:
    """The surface around capsules from `head` to `tail` (b, 3) [m], and the joints (n, w) and weights (n, w) of its points.

    `edge` [m] is the spacing of the grid and about that of the vertices, `blend` [m] the length k over which creases are
    rounded. Capsule i belongs to `joints[i]`; the weight of a joint falls with the distance of its capsules over `blend`.
    """
    low = (np.minimum(head, tail) - radius[:, None]).min(axis=0) - 3.0 * edge - blend * np.log(len(radius))
    high = (np.maximum(head, tail) + radius[:, None]).max(axis=0) + 3.0 * edge + blend * np.log(len(radius))
    counts = np.ceil((high - low) / edge).astype(int) + 1
    if np.prod(counts, dtype=float) > MAX_SAMPLES:
        raise InputError(
            f"edge of a blended body is too short: {edge:g} m would need {np.prod(counts, dtype=float):.2g} samples, more than "
            f"{MAX_SAMPLES:.0e}"
        )
    axes = [low[a] + edge * np.arange(counts[a]) for a in range(3)]
    samples = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    capsules = (head, tail, radius)
    parts = (_smooth_minimum(_distances(part, capsules)[0], blend)[0] for part in _chunks(samples))
    field = np.concatenate(list(parts)).reshape(counts)
    fill_pinches(field, -0.25 * edge)
    cells, quads = surface_nets(field)
    x = _relaxed(low + edge * cells, quads, capsules, blend, reach=0.6 * edge)
    influences, weights = _influences(x, capsules, joints, blend)
    return TriangleMesh(x, _split(x, quads)), influences, weights


def surface_nets(field: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Vertices (n, 3) in units of the grid and quads (q, 4) of the surface where `field` (a, b, c) changes its sign.

    Every cell of the grid that the surface crosses gets one vertex, the mean of the crossings of its edges; every edge of
    the grid that crosses gives a quad of the four cells around it. Normals point to where `field` is positive. If the border
    of the grid is positive the surface is closed, and after `fill_pinches` every edge has just two quads.
    """
    shape = np.array(field.shape)
    inside = field < 0.0
    crossings: list[Floats] = []
    around: list[NDArray[np.int64]] = []
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        step = np.eye(3, dtype=np.int64)
        lower = np.take(inside, np.arange(shape[a] - 1), axis=a)
        at = np.argwhere(lower != np.take(inside, np.arange(1, shape[a]), axis=a))
        f0, f1 = field[tuple(at.T)], field[tuple((at + step[a]).T)]
        crossings.append(at + (f0 / (f0 - f1))[:, None] * step[a])
        ring = [at - step[b] - step[c], at - step[c], at, at - step[b]]  # counter-clockwise seen from +a
        quad = np.stack([np.ravel_multi_index(tuple(cell.T), field.shape) for cell in ring], axis=1)
        around.append(np.where((f0 < 0.0)[:, None], quad, quad[:, ::-1]))
    quads, points = np.concatenate(around), np.concatenate(crossings)
    cells, number = np.unique(quads, return_inverse=True)
    number = number.reshape(quads.shape)
    vertices = np.zeros((len(cells), 3))
    for corner in range(4):
        np.add.at(vertices, number[:, corner], points)
    return vertices / np.bincount(number.ravel())[:, None], number


def fill_pinches(field: Floats, value: float) -> None:
    """Fill (with `value` < 0, in place) the cells of the grid in which the surface would touch itself.

    The surface in a cell is one disc if and only if its inside corners hang together along edges of the cell, and its
    outside corners too. Filling is repeated until all cells are so; it only closes gaps narrower than about one cell.
    """
    table = _pinched_patterns()
    corner = [np.array([n & 1, n >> 1 & 1, n >> 2 & 1]) for n in range(8)]
    while True:
        inside = (field < 0.0).astype(np.uint8)
        a, b, c = (count - 1 for count in field.shape)
        pattern = np.zeros((a, b, c), dtype=np.uint8)
        for n, (i, j, k) in enumerate(corner):
            pattern |= inside[i : i + a, j : j + b, k : k + c] << np.uint8(n)
        cells = np.argwhere(table[pattern])
        if not len(cells):
            return
        for offset in corner:
            at = tuple((cells + offset).T)
            field[at] = np.minimum(field[at], value)


def _pinched_patterns() -> NDArray[np.bool_]:
    """(256,) whether the inside or the outside corners of a cell fall apart; bit n is corner (n & 1, n >> 1 & 1, n >> 2)."""

    def falls_apart(corners: set[int]) -> bool:
        reached, waiting = set(), list(corners)[:1]
        while waiting:
            n = waiting.pop()
            reached.add(n)
            waiting += [n ^ bit for bit in (1, 2, 4) if n ^ bit in corners - reached]
        return reached != corners

    sides = [({n for n in range(8) if p >> n & 1}, {n for n in range(8) if not p >> n & 1}) for p in range(256)]
    return np.array([falls_apart(one) or falls_apart(other) for one, other in sides])


def _relaxed(
    x: Floats, quads: NDArray[np.int64], capsules: tuple[Floats, ...], blend: float, *, reach: float
) -> Floats:
    """The vertices evened out and on the surface f = 0, each coordinate within `reach` [m] of where it was."""
    first = x
    pairs = np.concatenate([quads[:, [0, 1]], quads[:, [1, 2]], quads[:, [2, 3]], quads[:, [3, 0]]])
    valence = np.bincount(pairs[:, 0], minlength=len(x))[:, None]
    for _ in range(RELAXATIONS):
        mean = np.zeros_like(x)
        np.add.at(mean, pairs[:, 0], x[pairs[:, 1]])
        x = 0.5 * (x + mean / valence)
        for _ in range(3):  # Newton's method along the gradient
            f, gradient = _union(x, capsules, blend)
            x = x - f[:, None] * gradient / np.maximum((gradient * gradient).sum(axis=1), 0.1)[:, None]
            x = np.clip(x, first - reach, first + reach)
    return x


def _union(x: Floats, capsules: tuple[Floats, ...], blend: float) -> tuple[Floats, Floats]:
    """f (n,) and its gradient (n, 3) at points x (n, 3)."""
    d, away = _distances(x, capsules)
    f, share = _smooth_minimum(d, blend)
    return f, np.einsum("nb,nbi->ni", share / np.maximum(d + capsules[2], 1e-12), away)


def _distances(x: Floats, capsules: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    """Distances to every capsule (n, b) [m], and the vectors (n, b, 3) from the nearest points of their axes."""
    d, away = np.empty((len(x), len(capsules[2]))), np.empty((len(x), len(capsules[2]), 3))
    for k, (head, tail, radius) in enumerate(zip(*capsules, strict=True)):
        axis = tail - head
        part = np.clip((x - head) @ (axis / (axis @ axis)), 0.0, 1.0)
        away[:, k] = x - head - part[:, None] * axis
        d[:, k] = np.sqrt(np.einsum("ni,ni->n", away[:, k], away[:, k])) - radius
    return d, away


def _smooth_minimum(d: Floats, blend: float) -> tuple[Floats, Floats]:
    """-blend log Σ exp(-d / blend) (n,) of the rows of d (n, b), and the share (n, b) of each entry in it."""
    least = d.min(axis=1, keepdims=True)
    share = np.exp((least - d) / blend)
    total = share.sum(axis=1, keepdims=True)
    return (least - blend * np.log(total))[:, 0], share / total


def _chunks(points: Floats) -> list[Floats]:
    return [points[first : first + CHUNK] for first in range(0, len(points), CHUNK)]


def _influences(
    x: Floats, capsules: tuple[Floats, ...], joints: NDArray[np.int64], blend: float
) -> tuple[NDArray[np.int64], Floats]:
    """The joints of the largest weights (n, w), and these weights with the sum 1."""
    share = np.concatenate([_smooth_minimum(_distances(part, capsules)[0], blend)[1] for part in _chunks(x)])
    used, column = np.unique(joints, return_inverse=True)
    weights = np.zeros((len(x), len(used)))
    np.add.at(weights.T, column.ravel(), share.T)
    best = np.argsort(-weights, axis=1, kind="stable")[:, : min(INFLUENCES, len(used))]
    chosen = np.take_along_axis(weights, best, axis=1)
    return used[best], chosen / chosen.sum(axis=1, keepdims=True)


def _split(x: Floats, quads: NDArray[np.int64]) -> NDArray[np.int32]:
    """Two triangles a quad, along its shorter diagonal."""
    a, b, c, d = x[quads].transpose(1, 0, 2)
    short = np.linalg.norm(a - c, axis=1) <= np.linalg.norm(b - d, axis=1)
    one = np.where(short[:, None], quads[:, [0, 1, 2]], quads[:, [0, 1, 3]])
    two = np.where(short[:, None], quads[:, [0, 2, 3]], quads[:, [1, 2, 3]])
    return np.concatenate([one, two]).astype(np.int32)
