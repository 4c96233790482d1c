"""Rules of iterative constraint anticipation: its model of friction, stop rule, limits and shortcuts."""

from __future__ import annotations

from typing import NamedTuple

from signorini.contact.mlcp import Mlcp
from signorini.settings import SolverSettings


class Rules(NamedTuple):
    """Rules of one solve, as the kernels take them."""

    cone: bool
    """Friction is limited by the isotropic cone; otherwise by the pyramid."""
    paper: bool
    """The stop rule is that of Otaduy2009 §5.5, residuals that change by less than 5 %; otherwise residuals below tolerances."""
    tolerance: float
    """Largest residual of a solution [m/s]."""
    relative_tolerance: float
    """Largest |A dv - G' p| / |G' p| of a solution; the rule of the paper does not read it."""
    allowed_penetration: float
    """Largest violation -(u_n + gap/dt) of a solution by the rule of the paper [m/s]."""
    max_outer: int
    """Outer iterations at most."""
    max_inner: int
    """Sweeps over the contacts at most in an outer iteration."""
    repeats: int
    """Times that normal and friction of one contact are iterated in a sweep."""
    horizon: int
    """The solve stops as SLOW when it seems to need more than this number of further outer iterations."""
    look_back: int
    """The further outer iterations are estimated from the fall of the residuals over this number of them."""
    patience: int
    """The solve does not stop as SLOW within this number of outer iterations."""
    refresh: int
    """Outer iterations from one sweep over all contacts to the next; the sweeps between visit only contacts that have an impulse
    or are nearly closed. With 0 every sweep visits all contacts, as in the paper."""
    period: int
    """Outer iterations from one extrapolation to the next, for the cone only; an extrapolation that does not reduce the residual
    is undone, and sweeps count towards `max_outer`. With 0 there is none."""


def paper_rules(problem: Mlcp, settings: SolverSettings) -> Rules:
    """The algorithm of Otaduy2009 §5.5 without shortcuts: sweeps visit all contacts, and only `max_outer` ends a slow solve.

    Half of the detection tolerance, which the rule of the paper allows as penetration, is half of `problem.contact_distance`:
    as a velocity contact_distance / (2 dt), at least the tolerance.
    """
    never = settings.max_outer + 1
    return Rules(
        cone=settings.friction_cone == "cone",
        paper=settings.stop == "paper",
        tolerance=settings.residual,
        relative_tolerance=settings.relative_tolerance,
        allowed_penetration=max(0.5 * problem.contact_distance / problem.dt, settings.residual),
        max_outer=settings.max_outer,
        max_inner=settings.max_inner,
        repeats=settings.contact_repeats,
        horizon=never,
        look_back=never,
        patience=0,
        refresh=0,
        period=0,
    )
