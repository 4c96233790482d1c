"""Fits of smooth patches: the curvature of a surface at a vertex from its neighbours, and of a round rim."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
FLAT = 0.02
"""Angle [rad] that a surface must turn over an edge to count as curved: sampling and rounding stay below."""
MISFIT = 0.1
"""Largest distance of a neighbour from the fit, over the largest height of the neighbours above the tangent plane."""
PASSES = 6
"""Of the fit: the normal and the fourth-order term follow from the pass before."""
WEAK = 1e-10
"""Weight of "no curvature" in the fit, which decides where the neighbours leave something open."""


@dataclass(frozen=True, slots=True)
class Curves:
    """k vertices at which a surface or a rim is convex and curved; see `SmoothPatches` for the names."""

    vertex: NDArray[np.intp]
    outward: Floats
    along: Floats
    radius: Floats
    tube: Floats
    rim: NDArray[np.bool_]
    """(k,) whether the curve is that of a rim between two faces."""

    def joined(self, other: Curves) -> Curves:
        return Curves(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)))

    def only(self, rows: NDArray[np.bool_]) -> Curves:
        return Curves(*(getattr(self, f.name)[rows] for f in fields(self)))


def _no_curves() -> Curves:
    none = np.zeros(0)
    return Curves(np.zeros(0, np.intp), np.zeros((0, 3)), np.zeros((0, 3)), none, none, np.zeros(0, dtype=bool))


def fit_quadrics(x: Floats, at: NDArray[np.intp], starts: Ints, around: Ints, normal: Floats) -> Curves:
    """The curvatures at vertices `at` (k,) of a smooth surface from all their neighbours."""
    found, count = _no_curves(), np.diff(starts)[at]
    for valence in np.unique(count[count >= 4]).tolist():
        rows = at[count == valence]
        steps = x[around[starts[rows][:, None] + np.arange(valence)]] - x[rows][:, None]
        found = found.joined(_fit_rings(rows, steps, normal[rows]))
    return found


def _fit_rings(rows: NDArray[np.intp], steps: Floats, normal: Floats) -> Curves:
    """Least squares of −2 N·d = d'Kd + κ (N·d)², κ the larger curvature, for rings of neighbours d (k, ring, 3).

    This holds exactly on a sphere and on a cylinder. The normal N is fitted too where there are neighbours enough.
    """
    size = np.linalg.norm(steps, axis=2).mean(axis=1)
    N, kappa, spread = normal.copy(), np.zeros(len(rows)), np.zeros(len(rows))
    e, f = np.zeros_like(N), np.zeros_like(N)
    K, misfit = np.zeros((len(rows), 3)), np.zeros(len(rows))
    for _ in range(PASSES):
        e, f = _tangents(N)
        X, Y, Z = (np.einsum("krj,kj->kr", steps, axis) / size[:, None] for axis in (e, f, N))
        columns = [X * X, 2.0 * X * Y, Y * Y]
        if steps.shape[1] >= 5:
            columns += [2.0 * X, 2.0 * Y]
        M, heights = np.stack(columns, axis=2), -2.0 * Z - kappa[:, None] * Z * Z
        square = np.einsum("kri,krj->kij", M, M) + WEAK * np.eye(M.shape[2])
        solution = np.linalg.solve(square, np.einsum("kri,kr->ki", M, heights)[:, :, None])[:, :, 0]
        left = np.abs(heights - np.einsum("kri,ki->kr", M, solution)).max(axis=1)
        misfit = left / np.maximum(np.abs(2.0 * Z).max(axis=1), 1e-300)
        K = solution[:, :3]
        middle, spread = 0.5 * (K[:, 0] + K[:, 2]), np.hypot(0.5 * (K[:, 0] - K[:, 2]), K[:, 1])
        kappa = middle + spread
        if steps.shape[1] >= 5:
            N = N + solution[:, 3:4] * e + solution[:, 4:5] * f
            N /= np.linalg.norm(N, axis=1, keepdims=True)
    e, f = _tangents(N)
    # The direction of the larger curvature; the smaller one is at right angles.
    turn = 0.5 * np.arctan2(2.0 * K[:, 1], K[:, 0] - K[:, 2])[:, None]
    steep, gentle = np.cos(turn) * e + np.sin(turn) * f, np.cos(turn) * f - np.sin(turn) * e
    least = kappa - 2.0 * spread
    good = (misfit < MISFIT) & (kappa > FLAT) & (least > -FLAT) & (np.einsum("ki,ki->k", N, normal) > 0.9)
    round_ = least > FLAT
    with np.errstate(divide="ignore"):
        small, large = size / kappa, size / least
    curves = Curves(
        rows,
        N,
        np.where(round_[:, None], gentle, steep),
        np.where(round_, large, small),
        np.where(round_, small, 0.0),
        np.zeros(len(rows), dtype=bool),
    )
    return curves.only(good)


def fit_rims(
    x: Floats, at: NDArray[np.intp], pairs: NDArray[np.integer], normal: Floats, *, largest_turn: float
) -> Curves:
    """Circles through vertices `at` (k,) and their two neighbours `pairs` (k, 2) along a convex rim."""
    a, b = x[pairs[:, 0]] - x[at], x[pairs[:, 1]] - x[at]
    across = np.cross(a, b)
    square = np.maximum(np.einsum("ki,ki->k", across, across), 1e-300)[:, None]
    aa, bb = (np.einsum("ki,ki->k", v, v)[:, None] for v in (a, b))
    centre = (aa * np.cross(b, across) + bb * np.cross(across, a)) / (2.0 * square)
    radius = np.linalg.norm(centre, axis=1)
    outward = -centre / np.maximum(radius, 1e-300)[:, None]
    along = b - a - np.einsum("ki,ki->k", b - a, outward)[:, None] * outward
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    turn = np.arctan2(np.linalg.norm(across, axis=1), -np.einsum("ki,ki->k", a, b))
    convex = np.einsum("ki,ki->k", outward, normal[at]) > 0.1
    curves = Curves(at, outward, along, radius, np.zeros(len(at)), np.ones(len(at), dtype=bool))
    return curves.only((turn > FLAT) & (turn < largest_turn) & convex)


def _tangents(N: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors at right angles to N (k, 3) and to each other."""
    axis = np.eye(3)[np.argmin(np.abs(N), axis=1)]
    e = np.cross(N, axis)
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    f: Floats = np.cross(N, e).astype(np.float64, copy=False)
    return e, f
