"""What iterative constraint anticipation is told: how it goes and when it ends."""

from __future__ import annotations

from typing import NamedTuple


class Rules(NamedTuple):
    """How the iteration goes and when it ends."""

    cone: bool
    """The isotropic friction cone, not the pyramid."""
    paper: bool
    """The stop rule of the paper: residuals change by less than 5 %."""
    tolerance: float
    """[m/s]"""
    relative_tolerance: float
    allowed_penetration: float
    """[m/s], of the paper's rule."""
    max_outer: int
    max_inner: int
    repeats: int
    horizon: int
    """The iteration stops as SLOW when it would need more than this many further iterations if it went on as before,"""
    look_back: int
    """judged by the last so many,"""
    patience: int
    """but not before this many."""
    refresh: int
    """All contacts are visited in every such iteration and when those in between are solved; in between only those that have an
    impulse or came near. 0: all of them in every sweep, as in the paper."""
    period: int
    """After so many iterations their course is extrapolated, if that makes the residual smaller, and sweeps count as work;
    0: never."""
