"""Stop rules of iterative constraint anticipation, for its outer iterations and for the sweeps in each of them.

Implements: Otaduy2009 §5.5, and a rule by residuals
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import contact_residuals

CHANGE = 0.05
"""Relative change below which the rule of the paper takes a residual as settled (Otaduy2009 §5.5: "less than 5 %")."""
NOISE = 1e-3
"""Part of the tolerance below which a residual counts as zero."""
INNER = 3.0
"""Sweeps end when they change velocities by at most this many times the dynamics residual: impulses need not be more exact than
dv is."""
LEAST = 0.3
"""Part of the tolerance that stands for the dynamics residual in the rule of INNER when that is smaller."""
FAR_OFF, NEAR_END = 300.0, 20.0
"""Residuals over tolerances above which a solve that is slow is given up at its first sign of it, or one sign before it would be
near the end: there residuals go up and down."""


@kernel
def may_be_solved(problem, rules, dynamics, change, sums):
    """Whether dynamics and impulses are exact enough; contacts cost more to look at, and mislead while convergence is slow."""
    close = sums[0] <= rules.relative_tolerance**2 * sums[1] or is_noise(problem, rules, sums)
    return dynamics <= rules.tolerance and close and (rules.refresh == 0 or change <= INNER * rules.tolerance)


@kernel
def is_solved(problem, rules, iterations, dynamics, change, sums, dv, p, now, before):
    """Whether the iterate (dv, p) is a solution by the stop rule.

    dynamics: its residual [m/s]; change: by the first sweep of the last iteration [m/s]; sums: |A dv - G' p|² and |G' p|².
    `before` (4,) keeps the residuals from one call to the next for the rule of the paper; now (4,) is work space.
    """
    tolerance = rules.tolerance
    if not (rules.paper or may_be_solved(problem, rules, dynamics, change, sums)):
        return False
    contact_residuals(
        problem.indptr, problem.nodes, problem.blocks, problem.local, problem.bias, problem.mu, rules.cone, dv, p, now
    )
    now[3] = dynamics
    if rules.paper:
        done = iterations > 0 and now[2] <= rules.allowed_penetration
        for a in (0, 1, 3):
            done = done and settled(now[a], before[a], NOISE * tolerance)
    else:
        done = max(now[0], now[1]) <= tolerance
    before[:] = now
    return done


@kernel
def are_swept(problem, rules, change, dynamics, z, p, now, before):
    """Whether the sweeps for fixed dv may end; change [m/s] is that by the last sweep.

    z: the velocity correction that p anticipates; now and before (4,) as in `is_solved`.
    """
    if not rules.paper:
        return change <= INNER * max(dynamics, LEAST * rules.tolerance)
    contact_residuals(
        problem.indptr, problem.nodes, problem.blocks, problem.local, problem.bias, problem.mu, rules.cone, z, p, now
    )
    floor = NOISE * rules.tolerance
    if settled(now[0], before[0], floor) and settled(now[1], before[1], floor) and now[2] <= rules.allowed_penetration:
        return True
    before[:] = now
    return False


@kernel
def settled(now, before, floor):
    """The paper's rule for one residual: it changes by less than 5 %; before the second iteration there is no change to tell."""
    return before < np.inf and abs(now - before) <= max(CHANGE * before, floor)


@kernel
def is_noise(problem, rules, sums):
    """Whether the error of the dynamics is negligible even if it all moves a body as a whole, which no stiffness resists."""
    return sums[0] <= (NOISE * rules.tolerance * problem.mass) ** 2


@kernel
def excess_over_tolerances(problem, rules, merit, sums):
    """The largest ratio of a residual to its tolerance; merit [m/s] is the larger of dynamics residual and impulse change."""
    relative = 0.0
    if not is_noise(problem, rules, sums):
        relative = np.sqrt(sums[0] / max(sums[1], 1e-300)) / rules.relative_tolerance
    return max(merit / rules.tolerance, relative)


@kernel
def iterations_left(rules, before, now):
    """Outer iterations to an excess of 1, if it goes on falling as from `before` to `now`, `look_back` iterations later."""
    if now <= 1.0 or before == np.inf:
        return 0.0
    return rules.look_back * (np.log(now) / np.log(before / now)) if now < before else np.inf


@kernel
def seems_slow(rules, before, now):
    """Whether it seems to need more further outer iterations than are allowed; before, now: as in `iterations_left`."""
    return iterations_left(rules, before, now) > rules.horizon + rules.growth * np.log(max(now, 1.0))


@kernel
def allowed_strikes(rules, excess):
    """How many times a solve may seem to be too slow before it is given up."""
    return 0 if excess > FAR_OFF else rules.strikes - 1 if excess > NEAR_END else rules.strikes
