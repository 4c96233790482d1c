"""Rules of relaxation by iterative constraint anticipation, and the rounds in which the default solver alternates it.

Rules are the model of friction, the stop rule, limits and shortcuts. Rounds say how long relaxation and the augmented Lagrangian
method may take before the other one continues.
"""

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
    """The solve stops as SLOW when it seems to need more than this number of further outer iterations, and `growth` more ..."""
    growth: float
    """... for every factor e of the residuals over their tolerances: what continues then has a longer way, too."""
    strikes: int
    """Times that the solve may seem to be too slow near the end before it stops; farther off fewer are enough."""
    look_back: int
    """The further outer iterations are estimated from the fall of the residuals over this number of them."""
    patience: int
    """The solve does not stop as SLOW within this number of outer iterations."""
    refresh: int
    """Outer iterations from one sweep over all contacts to the next; the sweeps between visit only contacts that have an impulse
    or are nearly closed. With 0 every sweep visits all contacts, as in the paper."""
    period: int
    """Outer iterations from one extrapolation to the next, LONGEST_PERIOD at most, for the cone only; an extrapolation that does
    not reduce the residual is undone, and sweeps count towards `max_outer`. With 0 there is none."""


LONGEST_PERIOD = 6


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
        growth=0.0,
        strikes=never,
        look_back=never,
        patience=0,
        refresh=0,
        period=0,
    )


class Round(NamedTuple):
    """Limits of one round: relaxation, then the augmented Lagrangian method from where relaxation stopped."""

    most: int
    """Outer iterations of relaxation at most."""
    horizon: int
    """Further outer iterations that relaxation may seem to need (`Rules.horizon`): about as many as the augmented Lagrangian
    method costs, which is the sooner done the nearer the solution is."""
    growth: float
    strikes: int
    look_back: int
    """Outer iterations of relaxation between two estimates of how many it still needs."""
    period: int
    """Outer iterations of relaxation between two extrapolations; 0: none, in later rounds, which come where friction does not
    settle: there plain relaxation converges and an extrapolated one does not."""
    max_updates: int
    """Multiplier updates of the augmented Lagrangian method at most."""
    aim: float
    """Part of the tolerance that the augmented Lagrangian method aims at: what a round did not solve needs more accurate Newton
    steps in the next."""


ROUNDS = (
    Round(most=100, horizon=15, growth=10.0, strikes=1, look_back=5, period=6, max_updates=25, aim=1.0),
    Round(most=1000, horizon=1000, growth=0.0, strikes=2, look_back=20, period=0, max_updates=60, aim=0.3),
    Round(most=4000, horizon=4000, growth=0.0, strikes=2, look_back=50, period=0, max_updates=300, aim=0.05),
)
"""The rounds of a solve, as many as it needs."""
FAR_OFF, FEW_NODES = 100.0, 1000
"""Residual over tolerance after a round from which on a problem of up to so many nodes is examined before the next round."""
NEAR, NEARLY, POLISHED_AGAIN = 10.0, 1000.0, 0.5
"""Residual over tolerance below which Newton's method with factorised matrices completes the solution of a problem of up to
FEW_NODES; the same where its factorisations are cheap, as of rigid bodies; and the part of the residual at which it failed below
which it is tried again."""
MOST_SWEEPS = 3
"""Sweeps over contacts at most in an outer iteration of the first round, in problems of more than FEW_NODES: where layers lie on
each other, up to ten were made and took two thirds of relaxation, which was given up all the same. Small problems, such as
piles of boxes, consist of hardly anything but contacts and need them."""
WARM_ROUNDS = 1
"""Rounds from a warm start of a problem of up to FEW_NODES, which is too large for dense matrices, before it starts again from
zero: impulses of the step before that do not lead to a solution soon lead astray. In an arch of 101 stones they take 150,000
iterations, a cold start 10,000 to 40,000."""
RETRY_ROUNDS = 2
"""Rounds of a further start, where one has failed or a compromise is sought: a start that is of any use is so soon."""
PENALTY = 3.0
"""Penalty of a contact times its local compliance, without unit: the geometric mean over its normal and two tangents. Solids,
which are alike in all directions, want 1 to 3; cloth, whose nodes are light across the sheet and stiff within it, wants 10 to 30
over the arithmetic mean. With 2 the time is the same, but a coarse hammock has a problem that takes three times as long."""
LEAST_COMPLIANCE = 1e-3
"""Part of the largest of the three that each of them counts as at least: joints can forbid a direction altogether."""
PATIENCE = 15
"""Outer iterations of relaxation in the first round before it may stop as slow."""
ITERATIONS_PER_CG = 0.33
"""Outer iterations of relaxation that cost as much as an iteration of conjugate gradients. In later rounds relaxation may not
stop as slow before it has cost as much as the augmented Lagrangian method did in the round before."""
CG_PER_NEWTON = 5
"""Iterations of conjugate gradients that cost as much as the assembly of a Newton step."""
REFRESH = 8
"""Outer iterations of relaxation from one sweep over all contacts to the next; those between leave out what stays open."""
START_IMPROVEMENT = 0.1
"""A start within the tolerances must be improved to this part of its residuals: at rest the errors of one step would be the
start of the next, and bodies would creep."""
SMALLEST_GOAL = 1e-4
"""Part of the tolerances below which a start need not be improved."""
POLISHING_UPDATES = 5
"""Multiplier updates at most for a start that is within the tolerances and is to be improved."""
NEGLIGIBLE = 1e-3
"""Part of the tolerance: an error of the dynamics that gives no body more speed than this counts as none."""
MAX_CG = 30_000
"""Iterations of conjugate gradients in one round at most."""
TIGHTENING = 0.3
"""Factor of the aim where the augmented Lagrangian method claims convergence and the measured residuals are still larger than the
tolerance: its own measure depends on its penalties. To tighten it by what is missing only, 0.8 at most, made a stack of layers
8 % cheaper, and cost `grasp` two fail-safe steps."""
SMALLEST_AIM = 0.02
"""Part of the tolerance below which the aim is not tightened any more."""
