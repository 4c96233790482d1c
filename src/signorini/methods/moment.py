"""What goes into a step and comes out of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import BoxTree, Candidates
from signorini.collision.contact_set import ContactMemory, ContactSet
from signorini.collision.detect import Proximity, detect_proximity
from signorini.contact.mlcp import Mlcp, Response
from signorini.dynamics.reference_frames import Turning
from signorini.model.model import Model
from signorini.model.state import State
from signorini.settings import Settings

TRACKING = 0.4
"""More of it spares searches while things are slow, less of it spares pairs when they are fast."""
STEPS_AHEAD = 4.0
"""Pairs are searched for this many steps at the velocity of the first: more of it spares searches and makes more pairs."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class World:
    """What is constant from step to step."""

    model: Model
    tree: BoxTree
    settings: Settings
    contact_distance: float
    """δ [m]"""
    prepared: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What a method computed at its first step and needs in all others, by name."""

    @property
    def detection_distance(self) -> float:
        """Pairs closer than this become constraints [m]."""
        return self.settings.detection_factor * self.contact_distance

    @property
    def tracking_margin(self) -> float:
        """How far vertices may leave the boxes of a motion before candidates are searched again [m]."""
        return TRACKING * self.contact_distance

    @property
    def separation(self) -> float:
        """η: what continuous detection keeps between two primitives [m]; a third of δ (decision 0003)."""
        return self.contact_distance / 3.0

    def pairs_for(self, x0: Floats, x1: Floats, known: Candidates) -> Candidates:
        """The known pairs, if none is missing for the motion x0 → x1 (v, 3); else those for a few steps like this one."""
        if known.cover(x1):
            return known
        ahead = x0 + STEPS_AHEAD * (x1 - x0)
        return self.tree.find_candidates(x0, ahead, distance=self.detection_distance, margin=self.tracking_margin)


@dataclass(frozen=True, slots=True)
class Moment:
    """A state with what is known about its contacts; the end of one step is the start of the next."""

    state: State
    surface_positions: NDArray[np.float64]
    near: Proximity
    candidates: Candidates
    """Pairs that the last step looked at; good for this one too while its motion stays in their boxes."""
    memory: ContactMemory | None
    collision_loops: int = 0
    """Steps of the integrator that the collision loop tries next between two treatments of collisions; 0: not known yet."""


@dataclass(slots=True)
class Tally:
    """What happened during the attempts of one step."""

    refinements: int = 0
    outer_iterations: int = 0
    solves: int = 0
    solves_converged: int = 0
    contact_count: int = 0
    active_count: int = 0
    candidate_count: int = 0
    infeasible_contacts: int = 0
    infeasible_bodies: set[tuple[int, int]] = field(default_factory=set)
    penetration_residual: float = 0.0
    complementarity_residual: float = 0.0
    momentum_residual: float = 0.0
    collision_interval: float = 0.0
    phase_seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the wall time of a block to the phase."""
        start = perf_counter()
        try:
            yield
        finally:
            self.phase_seconds[name] = self.phase_seconds.get(name, 0.0) + perf_counter() - start

    def count_solve(self, response: Response, contacts: ContactSet) -> None:
        """Add the work of a contact solve, and the pairs of bodies whose contacts contradict each other."""
        self.infeasible_contacts = max(self.infeasible_contacts, len(response.infeasible))
        self.infeasible_bodies |= {(int(a), int(b)) for a, b in contacts.bodies[response.infeasible]}
        self.solves += 1
        self.solves_converged += response.converged
        self.outer_iterations += response.outer_iterations

    def take_residuals(self, response: Response) -> None:
        """Keep the residuals of an accepted response (the largest over the sub-steps)."""
        self.contact_count = len(response.impulse)
        self.active_count = int(np.count_nonzero(response.impulse[:, 0] > 0.0))
        self.penetration_residual = max(self.penetration_residual, response.penetration_velocity)
        self.complementarity_residual = max(
            self.complementarity_residual, response.normal_residual, response.friction_residual
        )
        self.momentum_residual = max(self.momentum_residual, response.dynamics_residual)


@dataclass(frozen=True, slots=True)
class SolvedContacts:
    """The contact problem of an accepted sub-step and its answer, for read-out and study."""

    contacts: ContactSet
    problem: Mlcp
    response: Response
    world_impulse: NDArray[np.float64]
    """(m, 3) on side a [N s]"""
    start: State
    """The state that the sub-step began with."""
    velocity: NDArray[np.float64]
    """(n, 3) the solution of the sub-step's system with contact [m/s]."""
    turning: Turning | None
    """What soft solids do as rigid bodies in that system; None: nothing."""
    linearised_at: NDArray[np.float64] | None
    """Where the forces of that system were linearised, if not about that."""


def look_around(world: World, state: State, memory: ContactMemory | None = None) -> Moment:
    """The moment of a state that comes from nowhere: detect what is near it."""
    x = world.model.surface_positions(state.q, state.time, state.rotations)
    candidates = world.tree.find_candidates(x, x, distance=world.detection_distance, margin=0.0)
    near = detect_proximity(world.model.surface, candidates, x, distance=world.detection_distance)
    return Moment(state, x, near, candidates, memory)
