"""Covering one step of the user by as few sub-steps as possible: halving, and the emergency step as the last resort.

Implements: Otaduy2009 §4 (halving at most twice) and §5.6 (halving when the relaxation diverges).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from signorini.collision.detect import Impacts
from signorini.errors import SimulationStoppedError
from signorini.methods.cmr import attempt_step
from signorini.methods.failsafes.failsafe import failsafe_step
from signorini.methods.moment import Moment, SolvedContacts, Tally, World
from signorini.methods.report import StepReport, StepStatus

FINEST = 10
"""A pinch is declared when scripted bodies cannot be followed with a step of dt / 2^FINEST."""


@dataclass(frozen=True, slots=True)
class CoveredStep:
    """A whole step."""

    moment: Moment
    solved: SolvedContacts | None
    report: StepReport


def cover_step(world: World, start: Moment, end_time: float) -> CoveredStep:
    """Advance to exactly `end_time` [s]; raise `SimulationStoppedError` when that is impossible."""
    dt = end_time - start.state.time
    tally, report = Tally(), StepReport(dt=dt, substeps=0)
    moment, solved = start, None
    level, done, whole = 0, 0, 2**FINEST  # progress in units of dt / 2^FINEST
    max_halvings = min(world.settings.max_halvings, FINEST)
    while done < whole:
        units = whole >> level
        t1 = start.state.time + dt * ((done + units) / whole)
        h = t1 - moment.state.time
        attempt = attempt_step(world, moment, h, tally)
        if attempt.moment is not None and np.isfinite(attempt.moment.state.v).all():
            moment, solved = attempt.moment, attempt.solved
        elif level < max_halvings:
            level += 1
            report.halvings += 1
            continue
        else:
            velocity = attempt.tentative_velocity
            if not np.isfinite(velocity).all():
                velocity = moment.state.v
            after, impacts = failsafe_step(world, moment, h, velocity, tally)
            report.failsafe_substeps += 1
            if after is None:
                level += 1
                if level > FINEST:
                    raise SimulationStoppedError(describe_pinch(world, impacts, moment.state.time))
                continue
            moment, solved = after, None
        done += units
        report.substeps += 1
        tally.collision_interval = max(tally.collision_interval, h)
        # A coarser sub-step may do again once the hard part is behind, if the grid allows it.
        if level > max_halvings and done % (whole >> (level - 1)) == 0:
            level -= 1
    moment = _at_exact_time(moment, end_time)
    fill_report(report, tally, moment, world.model.body_names)
    return CoveredStep(moment, solved, report)


def _at_exact_time(moment: Moment, time: float) -> Moment:
    return replace(moment, state=replace(moment.state, time=time))


def fill_report(report: StepReport, tally: Tally, moment: Moment, names: list[str]) -> None:
    """Complete the report of a step that ended in a moment; `names` are those of the bodies."""
    report.time = moment.state.time
    report.min_distance = moment.near.min_distance
    if report.failsafe_substeps:
        report.status = StepStatus.FAILSAFE
    elif report.halvings:
        report.status = StepStatus.HALVED
    pairs = {" | ".join(sorted((names[a], names[b]))) for a, b in tally.infeasible_bodies}
    report.infeasible_bodies = "; ".join(sorted(pairs))
    for name in (
        "refinements", "outer_iterations", "solves", "solves_converged", "contact_count", "active_count",
        "candidate_count", "infeasible_contacts", "penetration_residual", "complementarity_residual", "momentum_residual",
        "collision_interval", "phase_seconds",
    ):  # fmt: skip
        setattr(report, name, getattr(tally, name))


def describe_pinch(world: World, impacts: Impacts, time: float) -> str:
    """Which bodies leave no room at a time [s], and the remedy."""
    names = world.model.body_names
    pairs = {tuple(sorted((names[a], names[b]))) for a, b in impacts.contacts.bodies.tolist()}
    between = ", ".join(f"{a!r} and {b!r}" for a, b in sorted(pairs)) or "unknown bodies"
    return f"at t = {time:.6g} s there is no room left between {between}. {StepStatus.PINCHED.value}"
