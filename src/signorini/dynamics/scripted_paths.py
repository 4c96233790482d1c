"""The curved paths of scripted vertices and pins within a step.

A motion that says how it turns (`Turning`) and truly does so at a constant rate gets arcs, whatever the angle. Any other one that
is not straight is sampled at equal times, as often as its curvature needs; its path is then straight from sample to sample.
What a script deviates from its path is estimated, and kept apart from everything else (`ScriptedCurves.extra`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.paths import ScriptedCurves
from signorini.collision.paths_kernels import swing
from signorini.model.contribution import Motion, Turning, turning_of
from signorini.model.model import Model

Floats = NDArray[np.float64]
CHECKS = (0.381966, 0.723607)
"""Fractions of a step at which a script is compared with a path: irregular, so that no period of a motion fits."""
SAFETY = 2.0
"""Factor on a measured deviation: that between the places where it was measured may be larger."""
MOST_SAMPLES = 256
"""Samples of a script in a step; what is still curved then is kept apart from everything by its deviation."""
MOST_POINTS = 2_000_000
"""Points of all samples of one script in a step (48 MB)."""
FINEST_TURN = 0.5
"""Angle [rad] between two samples to begin with: a motion must not turn unseen."""
ROUNDING = 1e-13
"""Deviation over the largest coordinate that counts as none."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The path of some points: an arc, samples, or a straight line."""

    turning: Turning | None
    offsets: Floats | None
    """(k + 1, p, 3) from the straight line [m]; k is a power of two."""
    extra: float
    """Bound of the deviation [m]."""

    @property
    def straight(self) -> bool:
        return self.turning is None and self.offsets is None and self.extra == 0.0


def find_curves(model: Model, start: float, end: float, x0: Floats, x1: Floats, *, tolerance: float) -> ScriptedCurves:
    """The curves between two times [s] of the kinematic vertices, which go from x0 to x1 (k, 3) [m], and of moving pins.

    `tolerance` [m] is what a path may deviate from its script.
    """
    curves: list[tuple[Curve, Floats]] = []
    of_vertex, of_node = np.full(len(x0), -1, np.int32), np.full(model.node_count, -1, np.int32)
    count, first = 0, 0
    for script in model.prescribed.scripts:
        rows = slice(first, first + len(script.rest))
        first = rows.stop
        if script.motion is not None:
            curve = follow(script.motion, script.rest, start, end, x0[rows], x1[rows], tolerance=tolerance)
            if not curve.straight:
                of_vertex[rows] = np.arange(count, count + len(script.rest))
                curves.append((curve, x0[rows]))
                count += len(script.rest)
    for pin in model.prescribed.pins:
        if pin.motion is not None and end <= pin.release_time * (1.0 + 1e-12):
            p0, p1 = pin.motion.positions(pin.rest, start), pin.motion.positions(pin.rest, end)
            curve = follow(pin.motion, pin.rest, start, end, p0, p1, tolerance=tolerance)
            if not curve.straight:
                of_node[pin.nodes] = np.arange(count, count + len(pin.rest))
                curves.append((curve, p0))
                count += len(pin.rest)
    return _joined(curves, of_node, of_vertex) if curves else ScriptedCurves()


def follow(
    motion: Motion, rest: Floats, start: float, end: float, x0: Floats, x1: Floats, *, tolerance: float
) -> Curve:
    """The path of points `rest` (p, 3) between two times [s], at which the motion has them at x0 and x1 (p, 3) [m]."""
    turning = turning_of(motion, start, end)
    angle = 0.0 if turning is None else turning.angle
    rounding = ROUNDING * max(float(np.abs(x0).max(initial=0.0)), float(np.abs(x1).max(initial=0.0)))
    worst = 0.0
    for t in CHECKS:
        x = motion.positions(rest, start + t * (end - start))
        worst = max(worst, _largest(x - _expected(turning, x0, x1, t)))
    if SAFETY * worst <= max(tolerance, rounding):
        extra = SAFETY * worst if worst > rounding else 0.0
        return Curve(turning if angle > 0.0 else None, None, extra)
    pieces, most = 1, max(8, min(MOST_SAMPLES, MOST_POINTS // max(len(rest), 1)))
    # Deviations fall with the square of the pieces; the first samples must be dense enough that no turn goes unseen.
    curved = 0.5 * np.sqrt(SAFETY * worst / tolerance) if tolerance > 0.0 else np.inf
    while pieces < max(curved, angle / FINEST_TURN) and 2 * pieces < most:
        pieces *= 2
    samples = np.stack(
        [x0, *(motion.positions(rest, start + (end - start) * j / pieces) for j in range(1, pieces)), x1]
    )
    while True:
        between = [start + (end - start) * (j + 0.5) / pieces for j in range(pieces)]
        middle = np.stack([motion.positions(rest, time) for time in between])
        left = 0.25 * SAFETY * _largest(middle - 0.5 * (samples[:-1] + samples[1:]))
        finer = np.empty((2 * pieces + 1, *x0.shape))
        finer[::2], finer[1::2] = samples, middle
        samples, pieces = finer, 2 * pieces
        if left <= tolerance or pieces >= most:
            break
    t = np.linspace(0.0, 1.0, pieces + 1)[:, None, None]
    return Curve(None, samples - (1.0 - t) * x0 - t * x1, left)


def _expected(turning: Turning | None, x0: Floats, x1: Floats, t: float) -> Floats:
    """Where the points are at the fraction t if the motion turns at a constant rate."""
    x = x0 + t * (x1 - x0)
    if turning is None or turning.angle == 0.0:
        return x
    size = float(np.linalg.norm(turning.vector))
    axis = turning.vector / max(size, 1e-300)
    p = np.cross(axis, x0 - turning.centre)
    s, c = swing(t, size)
    return x + s * p + c * np.cross(axis, p)


def _largest(vectors: Floats) -> float:
    return float(np.sqrt((vectors * vectors).sum(axis=-1).max(initial=0.0)))


def _joined(curves: list[tuple[Curve, Floats]], of_node: NDArray, of_vertex: NDArray) -> ScriptedCurves:
    """All curves in one, sampled at the times of the finest."""
    pieces = max((len(c.offsets) - 1 for c, _ in curves if c.offsets is not None), default=0)
    kind, arms, extra, turns, offsets, rows = [], [], [], [], [np.zeros((pieces + 1, 0, 3))], 0
    for curve, x0 in curves:
        count, arm, own = len(x0), np.zeros_like(x0), np.full(len(x0), -1, np.int64)
        if curve.turning is not None:
            own[:] = len(turns)
            arm = x0 - curve.turning.centre
            turns.append(curve.turning.vector)
        elif curve.offsets is not None:
            own -= 1 + rows + np.arange(count)
            rows += count
            offsets.append(_resampled(curve.offsets, pieces))
        kind.append(own)
        arms.append(arm)
        extra.append(np.full(count, curve.extra))
    return ScriptedCurves(
        of_node=of_node if (of_node >= 0).any() else of_node[:0],
        of_vertex=of_vertex if (of_vertex >= 0).any() else of_vertex[:0],
        kind=np.concatenate(kind),
        arm=np.concatenate(arms),
        extra=np.concatenate(extra),
        turns=np.array(turns).reshape(-1, 3),
        offsets=np.ascontiguousarray(np.concatenate(offsets, axis=1)),
    )


def _resampled(offsets: Floats, pieces: int) -> Floats:
    """The same polygon with more samples; both numbers of pieces are powers of two."""
    while len(offsets) - 1 < pieces:
        finer = np.empty((2 * len(offsets) - 1, *offsets.shape[1:]))
        finer[::2], finer[1::2] = offsets, 0.5 * (offsets[:-1] + offsets[1:])
        offsets = finer
    return offsets
