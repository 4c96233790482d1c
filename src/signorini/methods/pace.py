"""Pace of a step: how long its sub-steps are, by halving where something fails, and by the error with an adaptive step.

A sub-step is dt / 2^level. With a fixed step the level is 0 unless something fails. With an adaptive one
(`Settings.step_error`) dt is the longest sub-step, and the level goes on from step to step: up when the error of a sub-step is
too large, which is taken again, and down when several were easy. Short steps resolve vibrations that longer ones damp, and have
no smaller error then: where halving does not help, sub-steps become longer again, and from time to time that is tried.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, field

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.step_error import mean_changes, step_errors
from signorini.methods.cmr import FARTHEST_SPIN, FARTHEST_TURN
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.settings import Settings

PINCH_LEVEL = 10
"""Halvings of dt down to which a fail-safe tries to follow scripted bodies; what fails even then is pinched."""
TURN_LEVEL = 7
"""Halvings of dt at most that serve to respond to what a spinning body hits, or to follow a soft one that spins: enough for 96
rad, or 64 rad, in a step."""
GRID = 2**PINCH_LEVEL
"""Cells of the grid in time on which sub-steps begin and end, in one step."""
ENERGY_LEVEL = 5
"""Halvings of dt down to which a sub-step whose energy grows unexplained is repeated; then the growth is removed."""
IMPACT_ERROR = 10.0
"""Displacement by an impact in a sub-step, over the size of the body, over that by other errors in a second: 10 % by default."""
DEEPEST = 4
"""Halvings of dt at most that serve the error, unless `Settings.shortest_step` says otherwise: 0.5 ms by default. What an impact
leaves in cloth is magnified so much that shorter sub-steps gain nothing reliable (docs/adaptive-step.md)."""
EASY, EASY_IMPACT = 0.2, 0.4
"""Error over what is allowed below which a sub-step of twice the length, whose error is 4 times and by impacts twice as large,
would have been good enough."""
EASY_STEPS, MOST_EASY_STEPS = 2, 32
"""Such sub-steps after which a longer one is tried; twice as many, at most the second, after each one that failed."""
USEFUL = 0.5
"""Error over that of a sub-step of twice the length above which halving did not help: in smooth motion it is 1/4."""
PROBE = 8
"""Sub-steps with too large an error after which a longer one is tried."""
SMALL_CORRECTION = 0.05
"""What the second linearisation changed, over what an error may be, below which the next sub-steps have one only."""
STRAIGHT = 4
"""Sub-steps with one linearisation until it is found out again what a second one would change."""
FORGET = 32
"""Sub-steps after which that halving did not help is forgotten."""


@dataclass(slots=True)
class Course:
    """What an adaptive step leaves to the next; all 0 with a fixed step."""

    level: int = 0
    """Halvings of dt of the sub-step that is tried now."""
    error_level: int = 0
    """Those that the error asks for if the step is adaptive, or soft solids that spin. Trouble with contact or energy halves from
    there."""
    easy: int = 0
    """Sub-steps in succession whose error was small."""
    hard: int = 0
    """Sub-steps since the level or the trouble changed, with too large an error."""
    longer: int = 0
    """1 if a longer sub-step is tried as soon as the grid allows it."""
    coarser: float = 0.0
    """Error of the sub-step of twice the length that was too large and taken again; 0: none was."""
    finer: float = 0.0
    """Error of the last sub-step of half the length, if it was too large as well; 0: not known."""
    age: int = 0
    """Sub-steps since then."""
    patience: int = EASY_STEPS
    """Easy sub-steps after which a longer one is tried."""
    lengthened: int = 0
    """1 if the sub-step is the first of its length after shorter ones."""
    straight: int = 0
    """Sub-steps of this length that still have one linearisation, because a second one changed little."""


@dataclass(slots=True)
class Pace:
    """The lengths of the sub-steps of one step."""

    settings: Settings
    deepest: int = 0
    """Halvings of dt that serve the error, at most."""
    course: Course = field(default_factory=Course)
    careful: bool = False
    """Whether sub-steps are of first order with several linearisations, because energy grew."""
    torn: bool = False
    """Whether soft solids are computed in frames at rest."""

    @property
    def adaptive(self) -> bool:
        return self.settings.step_error is not None

    @property
    def linearisations(self) -> int | None:
        """Linearisations of the sub-step; None: as many as the settings ask for."""
        return 1 if self.course.straight and self.settings.newton_iterations is None else None

    @property
    def cells(self) -> int:
        """Cells of the grid that the sub-step covers."""
        return GRID >> self.course.level

    @property
    def part(self) -> float:
        """Length of the sub-step over that without any trouble."""
        return min(1.0, 0.5 ** (self.course.level - self.course.error_level))

    @property
    def final_level(self) -> int:
        """Halvings from which on an unsolved contact problem does not end an attempt any more."""
        return min(self.course.error_level + self.settings.max_halvings, PINCH_LEVEL)

    @property
    def final(self) -> bool:
        return self.course.level >= self.final_level

    def halve_for(self, turn: float) -> bool:
        """Halve the sub-step because contact failed or bodies turn too far [rad]; False if it is as short as that helps."""
        level = self.course.level
        deeper = turn_level(level, turn)
        if level >= max(self.final_level, deeper):
            return False
        self._halve(max(level + 1, deeper))
        return True

    @property
    def farthest_spin(self) -> float:
        """Angle beyond which the rotation of a soft solid divides the sub-step [rad]."""
        return FARTHEST_SPIN if self.course.level < TURN_LEVEL else math.inf

    def halve_for_spin(self, spin: float) -> bool:
        """Halve the sub-step until a soft solid that would rotate by `spin` [rad] in it does so slowly enough; False if it does.

        What fails for other reasons is halved from there.
        """
        if spin <= FARTHEST_SPIN:
            return False
        level = self.course.level
        self._halve(max(level + 1, min(level + math.ceil(math.log2(spin / FARTHEST_SPIN)), TURN_LEVEL)))
        self.course.error_level = self.course.level
        return True

    def halve_for_failsafe(self) -> bool:
        """Halve the sub-step because not even a fail-safe could end it; False if something is pinched."""
        self._halve(self.course.level + 1)
        return self.course.level <= PINCH_LEVEL

    def may_halve_for_energy(self) -> bool:
        return self.course.level < min(self.course.error_level + ENERGY_LEVEL, PINCH_LEVEL)

    def halve_for_energy(self, *, torn: bool) -> None:
        """Halve the sub-step because energy grew; more of that where it was careful already tears soft solids apart.

        It grows in impacts: with an adaptive step they are met with the shortest sub-step that serves the error. Halved once, the
        impact of a ball of 20 m/s took 2 ms of first order, whose error no estimate knows.
        """
        self.torn = self.torn or (self.careful and torn)
        self.careful = True
        self._halve(max(self.course.level + 1, self.deepest))

    def halve_for_error(self, error: float) -> bool:
        """Halve the sub-step if its error, over what is allowed, is too large and that helps; False if it is accepted."""
        c = self.course
        c.age += 1
        useless = c.finer > USEFUL * error and c.age < FORGET
        if error > 1.0 and c.level < self.deepest and not useless:
            c.patience = min(2 * c.patience, MOST_EASY_STEPS) if c.lengthened else EASY_STEPS
            self._halve(c.level + 1)
            c.error_level, c.coarser = c.level, error
            return True
        if c.lengthened:
            c.patience, c.lengthened = EASY_STEPS, 0
        c.easy = c.easy + 1 if error < EASY else 0
        c.hard = c.hard + 1 if error > 1.0 else 0
        if c.easy >= c.patience or c.hard >= PROBE or (error > 1.0 and error > USEFUL * c.coarser > 0.0):
            c.longer, c.finer, c.age = 1, error if error > 1.0 else 0.0, 0
        c.coarser = 0.0
        return False

    def error(self, world: World, start: Moment, end: Moment, solved: SolvedContacts | None) -> float:
        """The error of a sub-step over what is allowed, the largest of any body; 0 with a fixed step."""
        if self.settings.step_error is None:
            return 0.0
        found, system = None, None if self.careful or solved is None else solved.system
        if system is not None:
            found = step_errors(world.model, world.parts, start.state, end.state, system, self.settings)
        if found is None:  # a step of first order that begins anew is as short as possible
            return 0.0 if self.careful or self.course.level >= self.deepest else math.inf
        allowed = self.settings.step_error * _sizes(world, start)
        part = np.maximum(found.rate, found.impact / IMPACT_ERROR)
        self._judge_correction(world, start, solved, allowed)
        return _largest(world, part / allowed)

    def _judge_correction(
        self, world: World, start: Moment, solved: SolvedContacts | None, allowed: NDArray[np.float64]
    ) -> None:
        """Find out whether one linearisation is enough for the next sub-steps, with errors (bodies,) that are `allowed` [m/s]."""
        c = self.course
        c.straight = max(0, c.straight - 1)
        if solved is not None and solved.correction is not None:
            changed = mean_changes(world.model, world.parts, start.state, solved.correction)
            c.straight = STRAIGHT if _largest(world, changed / allowed) < SMALL_CORRECTION else 0

    def accept(self, done: int, *, spent: bool) -> None:
        """A sub-step was accepted, `done` cells of the grid are covered: a longer one may do if the grid allows it.

        Where the budget of the step is `spent`, fail-safes end it in few: no error or spin asks for short sub-steps any more.
        """
        c = self.course
        fits = c.level > 0 and done % (GRID >> (c.level - 1)) == 0
        if spent:
            c.level = max(c.level, c.error_level) if done == GRID else c.level - fits
            return
        if not self.adaptive:
            c.level -= c.level > self.final_level and fits
            return
        self.careful = self.torn = False
        if c.longer and fits:
            c.level, c.easy, c.hard, c.longer, c.lengthened, c.straight = c.level - 1, 0, 0, 0, 1, 0
            c.error_level = min(c.error_level, c.level)

    def _halve(self, level: int) -> None:
        c = self.course
        c.level, c.easy, c.hard, c.longer, c.finer, c.lengthened, c.straight = level, 0, 0, 0, 0.0, 0, 0


def pace_of(settings: Settings, dt: float, memory: NDArray[np.float64] | None) -> Pace:
    """The pace at the start of a step of dt [s] after one that ended with `memory` (`course_array`); None: it begins anew."""
    if settings.step_error is None:
        return Pace(settings)
    deepest = DEEPEST
    if settings.shortest_step is not None:
        deepest = min(PINCH_LEVEL, max(0, math.floor(math.log2(dt / settings.shortest_step) + 1e-9)))
    if memory is None:
        return Pace(settings, deepest, Course(deepest, deepest))
    kinds = (type(default) for default in astuple(Course()))
    return Pace(settings, deepest, Course(*(kind(x) for kind, x in zip(kinds, memory.tolist(), strict=True))))


def course_array(pace: Pace) -> NDArray[np.float64] | None:
    """What the next step goes on with; None with a fixed step."""
    return np.array(astuple(pace.course), dtype=np.float64) if pace.adaptive else None


def turn_level(level: int, turn: float) -> int:
    """The halvings of dt after which a turn [rad] that was tried with `level` of them is small enough; 0 if that is too many."""
    needed = level + math.ceil(math.log2(max(turn / FARTHEST_TURN, 1.0)))
    return needed if needed <= TURN_LEVEL else 0


def _largest(world: World, parts: NDArray[np.float64]) -> float:
    """The largest of (bodies,) numbers of movable bodies."""
    return float(np.max(parts, initial=0.0, where=world.parts.movable))


def _sizes(world: World, moment: Moment) -> NDArray[np.float64]:
    """(bodies,) lengths of the diagonals of the boxes around the bodies [m]; infinite for what has no vertices."""
    body, x = world.model.surface.vertex_body, moment.surface_positions
    first = np.flatnonzero(np.diff(body, prepend=-1))
    sizes = np.full(world.parts.body_count, np.inf)
    if len(first):
        sizes[body[first]] = np.linalg.norm(np.maximum.reduceat(x, first) - np.minimum.reduceat(x, first), axis=1)
    return sizes
