"""Pace of a step: how long its sub-steps are, by halving where something fails, and by the error with an adaptive step.

A sub-step is dt / 2^level. With a fixed step the level is 0 unless something fails. With an adaptive one
(`Settings.step_error`) dt is the longest sub-step, and the level goes on from step to step: up as soon as the error of a sub-step
is too large, which is taken again, and down when several were easy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.step_error import step_errors
from signorini.methods.cmr import FARTHEST_TURN
from signorini.methods.moment import Moment, World
from signorini.settings import Settings

PINCH_LEVEL = 10
"""Halvings of dt down to which a fail-safe tries to follow scripted bodies; what fails even then is pinched."""
TURN_LEVEL = 7
"""Halvings of dt at most that serve to respond to what a spinning body hits: enough for 96 rad in a step."""
GRID = 2**PINCH_LEVEL
"""Cells of the grid in time on which sub-steps begin and end, in one step."""
ENERGY_LEVEL = 5
"""Halvings of dt down to which a sub-step whose energy grows unexplained is repeated; then the growth is removed."""
IMPACT_ERROR = 10.0
"""Displacement by an impact in a sub-step, over the size of the body, over that by other errors in a second: 1 % by default."""
DEEPEST = 6
"""Halvings of dt at most that serve the error, unless `Settings.shortest_step` says otherwise."""
EASY_STEPS = 2
"""Sub-steps without any trouble after which a longer one is tried."""
EASY, EASY_IMPACT = 0.2, 0.4
"""Error over what is allowed below which a sub-step of twice the length, whose error is 4 times and by impacts twice as large,
would have been good enough."""


@dataclass(slots=True)
class Pace:
    """The lengths of the sub-steps of one step."""

    settings: Settings
    deepest: int = 0
    """Halvings of dt that serve the error, at most."""
    level: int = 0
    """Halvings of dt of the sub-step that is tried now."""
    accepted_level: int = 0
    """Those of the last accepted sub-step if the step is adaptive; 0 if not."""
    easy: int = 0
    """Sub-steps since the last trouble."""
    careful: bool = False
    """Whether sub-steps are of first order with several linearisations, because energy grew."""
    torn: bool = False
    """Whether soft solids are computed in frames at rest."""

    @property
    def adaptive(self) -> bool:
        return self.settings.step_error is not None

    @property
    def memory(self) -> tuple[int, int] | None:
        """What the next step goes on with if the step is adaptive: the level, and how many sub-steps were easy."""
        return (self.level, self.easy) if self.adaptive else None

    @property
    def cells(self) -> int:
        """Cells of the grid that the sub-step covers."""
        return GRID >> self.level

    @property
    def length(self) -> float:
        """Of the sub-step over dt."""
        return self.cells / GRID

    @property
    def final_level(self) -> int:
        """Halvings from which on an unsolved contact problem does not end an attempt any more."""
        return min(self.accepted_level + self.settings.max_halvings, PINCH_LEVEL)

    @property
    def final(self) -> bool:
        return self.level >= self.final_level

    def halve_for(self, turn: float) -> bool:
        """Halve the sub-step because contact failed or bodies turn too far [rad]; False if it is as short as that helps."""
        deeper = turn_level(self.level, turn)
        if self.level >= max(self.final_level, deeper):
            return False
        self._halve(max(self.level + 1, deeper))
        return True

    def halve_for_failsafe(self) -> bool:
        """Halve the sub-step because not even a fail-safe could end it; False if something is pinched."""
        self._halve(self.level + 1)
        return self.level <= PINCH_LEVEL

    def may_halve_for_energy(self) -> bool:
        return self.level < min(self.accepted_level + ENERGY_LEVEL, PINCH_LEVEL)

    def halve_for_energy(self, *, torn: bool) -> None:
        """Halve the sub-step because energy grew; more of that where it was careful already tears soft solids apart."""
        self.torn = self.torn or (self.careful and torn)
        self.careful = True
        self._halve(self.level + 1)

    def halve_for_error(self, error: float) -> bool:
        """Halve the sub-step if its error, over what is allowed, is too large; False if it is accepted."""
        if error <= 1.0 or self.level >= self.deepest:
            self.easy = self.easy + 1 if error < EASY else 0
            return False
        self._halve(self.level + 1)
        return True

    def error(self, world: World, start: Moment, end: Moment) -> float:
        """The error of a sub-step over what is allowed, the largest of any body; 0 with a fixed step."""
        if self.settings.step_error is None:
            return 0.0
        found = None if self.careful else step_errors(world.model, world.parts, start.state, end.state)
        if found is None:  # a step of first order that begins anew is as short as possible
            return 0.0 if self.careful or self.level >= self.deepest else math.inf
        allowed = self.settings.step_error * _sizes(world, start)
        part = np.maximum(found.rate, EASY / EASY_IMPACT * found.impact / IMPACT_ERROR)
        return float(np.max(part / allowed, initial=0.0, where=world.parts.movable))

    def accept(self, done: int) -> None:
        """A sub-step was accepted, `done` cells of the grid are covered: a longer one may do if the grid allows it."""
        if not self.adaptive:
            if self.level > self.final_level and done % (GRID >> (self.level - 1)) == 0:
                self.level -= 1
            return
        self.careful = self.torn = False
        if self.easy >= EASY_STEPS and self.level and done % (GRID >> (self.level - 1)) == 0:
            self.level, self.easy = self.level - 1, 0
        self.accepted_level = self.level

    def _halve(self, level: int) -> None:
        self.level, self.easy = level, 0


def pace_of(settings: Settings, dt: float, memory: tuple[int, int] | None) -> Pace:
    """The pace at the start of a step of dt [s] after one that ended with `memory` (`Pace.memory`); None: it begins anew."""
    if settings.step_error is None:
        return Pace(settings)
    deepest = DEEPEST
    if settings.shortest_step is not None:
        deepest = min(PINCH_LEVEL, max(0, math.floor(math.log2(dt / settings.shortest_step) + 1e-9)))
    level, easy = (deepest, 0) if memory is None else memory
    return Pace(settings, deepest, level, level, easy)


def turn_level(level: int, turn: float) -> int:
    """The halvings of dt after which a turn [rad] that was tried with `level` of them is small enough; 0 if that is too many."""
    needed = level + math.ceil(math.log2(max(turn / FARTHEST_TURN, 1.0)))
    return needed if needed <= TURN_LEVEL else 0


def _sizes(world: World, moment: Moment) -> NDArray[np.float64]:
    """(bodies,) lengths of the diagonals of the boxes around the bodies [m]; infinite for what has no vertices."""
    body, x = world.model.surface.vertex_body, moment.surface_positions
    first = np.flatnonzero(np.diff(body, prepend=-1))
    sizes = np.full(world.parts.body_count, np.inf)
    if len(first):
        sizes[body[first]] = np.linalg.norm(np.maximum.reduceat(x, first) - np.minimum.reduceat(x, first), axis=1)
    return sizes
