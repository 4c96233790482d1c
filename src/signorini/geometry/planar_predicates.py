"""Exact signs in the plane: on which side of a line, and inside which circle, a point lies.

The sign comes from floating point where it is beyond doubt, and from rational arithmetic where it is not.
"""

from __future__ import annotations

from fractions import Fraction

Point = tuple[float, float]


def orientation(a: Point, b: Point, c: Point) -> int:
    """1 if a, b, c turn left, -1 if they turn right, 0 if they lie on a line."""
    left = (b[0] - a[0]) * (c[1] - a[1])
    right = (b[1] - a[1]) * (c[0] - a[0])
    value = left - right
    if abs(value) <= 4e-16 * (abs(left) + abs(right)):
        ax, ay, bx, by, cx, cy = map(Fraction, (*a, *b, *c))
        exact = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        return (exact > 0) - (exact < 0)
    return 1 if value > 0.0 else -1


def in_circle(a: Point, b: Point, c: Point, d: Point) -> int:
    """1 if d lies inside the circle through a, b, c (which turn left), -1 outside, 0 on it."""
    rows = [(p[0] - d[0], p[1] - d[1]) for p in (a, b, c)]
    value, bound = 0.0, 0.0
    for k in range(3):
        (ux, uy), (vx, vy), (wx, wy) = rows[k], rows[(k + 1) % 3], rows[(k + 2) % 3]
        square = ux * ux + uy * uy
        value += square * (vx * wy - vy * wx)
        bound += square * (abs(vx * wy) + abs(vy * wx))
    if abs(value) <= 2e-15 * bound:
        return _in_circle_exactly(a, b, c, d)
    return 1 if value > 0.0 else -1


def segments_meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the closed segments a-b and c-d have a point in common."""
    if max(a[0], b[0]) < min(c[0], d[0]) or max(c[0], d[0]) < min(a[0], b[0]):
        return False
    if max(a[1], b[1]) < min(c[1], d[1]) or max(c[1], d[1]) < min(a[1], b[1]):
        return False
    c_side, d_side = orientation(a, b, c), orientation(a, b, d)
    a_side, b_side = orientation(c, d, a), orientation(c, d, b)
    # On one line, the boxes decide; they overlap here.
    return c_side * d_side <= 0 and a_side * b_side <= 0


def _in_circle_exactly(a: Point, b: Point, c: Point, d: Point) -> int:
    dx, dy = Fraction(d[0]), Fraction(d[1])
    rows = [(Fraction(p[0]) - dx, Fraction(p[1]) - dy) for p in (a, b, c)]
    value = Fraction(0)
    for k in range(3):
        (ux, uy), (vx, vy), (wx, wy) = rows[k], rows[(k + 1) % 3], rows[(k + 2) % 3]
        value += (ux * ux + uy * uy) * (vx * wy - vy * wx)
    return (value > 0) - (value < 0)
