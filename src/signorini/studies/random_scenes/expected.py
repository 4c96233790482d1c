"""What can be said of a random scene beforehand, and what a recipe of scenes is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from signorini.studies.random_scenes.draw import Draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What can be said of a scene beforehand."""

    squeezes: bool = False
    """Whether scripts may leave a body no room: only then may contacts be infeasible, and the simulation stop and say so."""
    conserves: bool = False
    """Whether nothing touches and nothing pulls, so that the energy stays."""


Recipe = Callable[[Draw, float], Expected]
"""recipe(draw, seconds): fill the scene of `draw`, which will run for so long."""
