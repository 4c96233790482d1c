"""What is done when refinement and halving are not enough, as the settings choose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts
from signorini.methods.failsafes.impact_zones import apply_impact_zones
from signorini.methods.failsafes.inelastic_projection import apply_inelastic_projection
from signorini.methods.failsafes.scale_back import emergency_step
from signorini.methods.moment import Moment, Tally, World


def failsafe_step(
    world: World, start: Moment, dt: float, velocity: NDArray[np.float64], tally: Tally
) -> tuple[Moment | None, Impacts]:
    """Advance by dt from the tentative motion `velocity` (n, 3); None and the impacts if even standing still is unsafe."""
    match world.settings.failsafe:
        case "impact-zones":
            moment, impacts = apply_impact_zones(world, start, dt, velocity, tally)
        case "inelastic-projection":
            moment, impacts = apply_inelastic_projection(world, start, dt, velocity, tally)
        case "scale-back":
            return emergency_step(world, start, dt, velocity, tally)
    if moment is not None:
        return moment, impacts
    # Scaling back is what remains when the others fail: it can always stand still, unless something scripted comes.
    return emergency_step(world, start, dt, velocity, tally)
