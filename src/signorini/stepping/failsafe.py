"""What is done when refinement and halving are not enough, as the settings choose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts
from signorini.stepping.emergency import emergency_step
from signorini.stepping.moment import Moment, Tally, World


def failsafe_step(
    world: World, start: Moment, dt: float, velocity: NDArray[np.float64], tally: Tally
) -> tuple[Moment | None, Impacts]:
    """Advance by dt from the tentative motion `velocity` (n, 3); None and the impacts if even standing still is unsafe."""
    return emergency_step(world, start, dt, velocity, tally)
