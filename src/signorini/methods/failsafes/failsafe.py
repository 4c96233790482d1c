"""The fail-safe that the settings name: a motion without intersection when refinement and halving are not enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts
from signorini.methods.failsafes.impact_zones import apply_impact_zones
from signorini.methods.failsafes.inelastic_projection import apply_inelastic_projection
from signorini.methods.failsafes.scale_back import scale_back
from signorini.methods.islands import NOBODY
from signorini.methods.moment import Moment, World
from signorini.methods.report import Tally


def failsafe_step(
    world: World,
    start: Moment,
    end_time: float,
    velocity: NDArray[np.float64],
    tally: Tally,
    pushing: NDArray[np.integer] = NOBODY,
) -> tuple[Moment | None, Impacts]:
    """Advance to `end_time` [s] from the tentative motion `velocity` (n, 3) [m/s].

    In it, pairs of bodies `pushing` (m, 2) gave momentum to each other. Returns the end and the impacts of the full motion; None
    and the impacts that are left if even standing still is unsafe.
    """
    match world.settings.failsafe if tally.work.may_go_on_in_failsafe else "scale-back":
        case "impact-zones":
            moment, impacts = apply_impact_zones(world, start, end_time, velocity, tally)
        case "inelastic-projection":
            moment, impacts = apply_inelastic_projection(world, start, end_time, velocity, tally)
        case "scale-back":
            return scale_back(world, start, end_time, velocity, tally, pushing)
    if moment is not None:
        return moment, impacts
    # Scaling back is what remains when the others fail: it can always stand still, unless something scripted comes.
    return scale_back(world, start, end_time, velocity, tally, pushing)
