"""Naive twins of the distance and CCD kernels: exact rationals, enumeration, and roots of the coplanarity cubic.

A batch of n queries is an (8, n, 3) array: the four points at the start (p, a, b, c or ea0, ea1, eb0, eb1), then the
same at the end. `pair` is "point_triangle" or "edge_edge" throughout.
"""

from __future__ import annotations

import csv
import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
PAIRS = ("point_triangle", "edge_edge")


def signed_points(pair: str, x: Array) -> tuple[Array, Array, Array]:
    """Write the difference of the two closest points as base + u e + v f and return base, e, f.

    The domain is u, v >= 0, u + v <= 1 for a triangle and 0 <= u, v <= 1 for two edges.
    """
    if pair == "point_triangle":
        return x[1] - x[0], x[2] - x[1], x[3] - x[1]
    return x[2] - x[0], x[3] - x[2], x[0] - x[1]


def exact_distance2(pair: str, x: Array) -> Fraction:
    """The squared distance of one (4, 3) query in exact arithmetic: the least of the candidates on all features."""
    points = np.array([[Fraction(v) for v in point] for point in x.tolist()], dtype=object)
    base, e, f = signed_points(pair, points)
    ends = (Fraction(0), Fraction(1))
    lines = [(base, e), (base, f)]
    lines += [(base + e, f - e)] if pair == "point_triangle" else [(base + e, f), (base + f, e)]
    corners = [base, base + e, base + f] + ([] if pair == "point_triangle" else [base + e + f])
    best = min(corner @ corner for corner in corners)
    for start, along in lines:
        if along @ along > 0:
            u = -(start @ along) / (along @ along)
            if ends[0] < u < ends[1]:
                best = min(best, (start + u * along) @ (start + u * along))
    det = (e @ e) * (f @ f) - (e @ f) ** 2
    if det > 0:
        u = ((e @ f) * (base @ f) - (f @ f) * (base @ e)) / det
        v = ((e @ f) * (base @ e) - (e @ e) * (base @ f)) / det
        if u > 0 and v > 0 and (u + v < 1 if pair == "point_triangle" else (u < 1 and v < 1)):
            vector = base + u * e + v * f
            best = min(best, vector @ vector)
    return best


def distance(pair: str, x: Array) -> Array:
    """Distances of (4, ..., 3) queries by enumeration. Each candidate is a valid pair of points: an upper bound."""
    base, e, f = signed_points(pair, x)

    def length(v: Array) -> Array:
        return np.sqrt(np.sum(v * v, axis=-1))

    def to_segment(start: Array, along: Array) -> Array:
        length2 = np.sum(along * along, axis=-1)
        u = -np.sum(start * along, axis=-1) / np.where(length2 > 0, length2, 1.0)
        return length(start + np.clip(u, 0.0, 1.0)[..., None] * along)

    candidates = [to_segment(base, e), to_segment(base, f)]
    if pair == "point_triangle":
        candidates.append(to_segment(base + e, f - e))
    else:
        candidates += [to_segment(base + e, f), to_segment(base + f, e)]
    u, v, regular = plane_coordinates(base, e, f)
    inside = regular & (u > 0) & (v > 0) & ((u + v < 1) if pair == "point_triangle" else ((u < 1) & (v < 1)))
    face = length(base + np.where(inside, u, 0.0)[..., None] * e + np.where(inside, v, 0.0)[..., None] * f)
    return np.min([*candidates, face], axis=0)


def plane_coordinates(base: Array, e: Array, f: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """u, v that minimise |base + u e + v f| without bounds, and where they are defined."""
    ee, ff, ef = (np.sum(a * b, axis=-1) for a, b in ((e, e), (f, f), (e, f)))
    be, bf = np.sum(base * e, axis=-1), np.sum(base * f, axis=-1)
    det = ee * ff - ef * ef
    regular = det > 1e-12 * ee * ff
    det = np.where(regular, det, 1.0)
    return (ef * bf - ff * be) / det, (ef * be - ee * bf) / det, regular


def at_time(x: Array, t: Array | float) -> Array:
    """(4, n, 3) positions of the queries at time(s) t."""
    t = np.asarray(t)[..., None]
    return (1.0 - t) * x[:4] + t * x[4:]


def sampled_distances(pair: str, x: Array, times: Array) -> Array:
    """(len(times), n) distances at common times."""
    return np.array([distance(pair, at_time(x, np.full(x.shape[1], t))) for t in times])


def certain_impacts(pair: str, x: Array, clearance: float = 1e-7) -> Array:
    """(n,) the first certain impact by a simple root of the coplanarity cubic (Provot 1997), inf where there is none.

    Only for queries in general position with coordinates near 1: an impact counts when the four points are clearly off
    a common plane on both sides of the root and the contact is inside the primitives by more than `clearance`.
    """
    base0, e0, f0 = signed_points(pair, x[:4])
    base1, e1, f1 = signed_points(pair, x[4:])

    def volume(t: Array) -> Array:
        s = t[:, None]
        lerp = [(1 - s) * a + s * b for a, b in ((base0, base1), (e0, e1), (f0, f1))]
        return np.sum(lerp[0] * np.cross(lerp[1], lerp[2]), axis=-1)

    n = x.shape[1]
    samples = np.array([volume(np.full(n, t)) for t in (0.0, 1 / 3, 2 / 3, 1.0)])
    coefficients = np.linalg.solve(np.vander([0.0, 1 / 3, 2 / 3, 1.0], 4), samples)
    # Between the extrema of the cubic there is at most one root.
    a, b, c = 3 * coefficients[0], 2 * coefficients[1], coefficients[2]
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    a = np.where(np.abs(a) > 1e-14, a, 1e-14)
    cuts = np.sort(np.clip([np.zeros(n), (-b - root) / (2 * a), (-b + root) / (2 * a), np.ones(n)], 0.0, 1.0), axis=0)
    first = np.full(n, np.inf)
    for low, high in itertools.pairwise(cuts):
        sign = np.sign(volume(low))
        clear = np.minimum(np.abs(volume(low)), np.abs(volume(high))) > 1e-11
        clear &= sign * volume(high) < 0
        low, high = low.copy(), high.copy()
        for _ in range(60):
            middle = 0.5 * (low + high)
            same = sign * volume(middle) > 0
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        u, v, regular = plane_coordinates(*signed_points(pair, at_time(x, high)))
        inner = (u > clearance) & (v > clearance)
        inner &= (u + v < 1 - clearance) if pair == "point_triangle" else ((u < 1 - clearance) & (v < 1 - clearance))
        first = np.minimum(first, np.where(clear & regular & inner, high, np.inf))
    return first


def read_queries(path: Path) -> tuple[Array, NDArray[np.bool_]]:
    """The (8, n, 3) queries of a CSV file with rational coordinates, and whether they really collide."""
    with path.open() as stream:
        rows = [[int(field) for field in row] for row in csv.reader(stream)]
    x = np.array([[r[0] / r[1], r[2] / r[3], r[4] / r[5]] for r in rows]).reshape(-1, 8, 3)
    return x.transpose(1, 0, 2), np.array([r[6] == 1 for r in rows]).reshape(-1, 8)[:, 0]


KINDS = ("general", "parallel", "coplanar", "at end", "at start", "collapsed", "sliver", "tiny", "huge", "no motion")


def touching_shapes(pair: str, kind: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """(4, n, 3) points that touch, of size about 1, and their displacements, both of the given kind."""
    x = rng.uniform(-1.0, 1.0, (4, n, 3))
    u = rng.normal(size=(4, n, 3)) * 10.0 ** rng.uniform(-3.0, 0.5, (1, n, 1))
    triangle = pair == "point_triangle"
    if kind == "parallel":  # stays parallel: each side moves as a whole
        u[1 if triangle else 0] = u[1]
        u[2], u[3] = (u[1], u[1]) if triangle else (u[2], u[2])
        if not triangle:
            x[3] = x[2] + rng.uniform(-2.0, 2.0, (n, 1)) * (x[1] - x[0])
    elif kind == "coplanar":
        x[..., 2] = u[..., 2] = 0.0
    elif kind == "collapsed":  # a triangle without area or an edge of length zero; every second one is a point
        x[3], u[3] = x[2], u[2]
        x[1, ::2], u[1, ::2] = (x[2, ::2], u[2, ::2]) if triangle else (x[0, ::2], u[0, ::2])
    elif kind == "sliver":
        noise = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-15.0, -6.0, (n, 1))
        along = rng.uniform(-1.0, 1.0, (n, 1)) * (x[2] - x[1] if triangle else x[1] - x[0])
        x[3] = x[1 if triangle else 2] + along + noise
    elif kind == "no motion":
        u[:] = 0.0
    # Weights with zeros put a third of the contacts on the vertices and edges.
    if triangle:
        w = rng.dirichlet((1.0, 1.0, 1.0), n) * (rng.random((n, 3)) < 0.8)
        w[w.sum(axis=1) == 0.0, 0] = 1.0
        w /= w.sum(axis=1, keepdims=True)
        x[0] = np.einsum("nk,knd->nd", w, x[1:])
    else:
        s, t = np.clip(rng.uniform(-0.2, 1.2, (2, n, 1)), 0.0, 1.0)
        x[2:] += (1 - s) * x[0] + s * x[1] - ((1 - t) * x[2] + t * x[3])
    return x, u


def touching_queries(pair: str, kind: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """n queries that collide by construction, up to the rounding of their input, and the (n,) times of a contact."""
    x, u = touching_shapes(pair, kind, n, rng)
    time = rng.uniform(0.0, 1.0, n)
    if kind in ("at end", "at start"):
        time[:] = 1.0 if kind == "at end" else 0.0
    t = time[:, None]
    return placed(kind, np.concatenate([x - t * u, x + (1.0 - t) * u])), time


def missing_queries(pair: str, kind: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """n queries whose sides slide past each other in two parallel planes, and the (n,) gaps between the planes."""
    x, u = touching_shapes(pair, kind, n, rng)
    x[..., 2] = u[..., 2] = 0.0
    t = rng.uniform(0.0, 1.0, (n, 1))
    gap = 10.0 ** rng.uniform(-6.0, -1.0, n)
    x[: 1 if pair == "point_triangle" else 2, :, 2] = gap
    queries = np.concatenate([x - t * u, x + (1.0 - t) * u])
    return placed(kind, queries), gap * (1e-9 if kind == "tiny" else 1.0)


def placed(kind: str, queries: Array) -> Array:
    """Tiny queries are scaled to 1e-9 m; the first half of the huge ones to 1e9 m, the rest lies 1e9 m away."""
    if kind == "tiny":
        return queries * 1e-9
    if kind == "huge":
        half = queries.shape[1] // 2
        queries[:, :half] *= 1e9
        queries[:, half:] += 1e9
    return queries
