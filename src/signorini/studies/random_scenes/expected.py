"""Expectations of a random scene, and the protocol of recipes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from signorini.studies.random_scenes.draw import Draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Expectations of a scene before it is run."""

    squeezes: bool = False
    """Whether scripts may leave a body no room: only then may contacts be infeasible, and the simulation stop and say so."""
    conserves: bool = False
    """Whether nothing touches and nothing pulls, so that the energy stays."""


Recipe = Callable[[Draw, float], Expected]
"""recipe(draw, seconds): fill the scene of `draw`, which will run for so long."""
