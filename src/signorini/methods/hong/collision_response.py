"""Collision response at the end of a step of Hong2004: penetrating nodes are moved back on the surface and stop approaching.

Implements: Hong2004 §2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import Candidates
from signorini.collision.contact_set import ContactSet
from signorini.methods.hong.contacts import (
    PairGroups,
    Touching,
    build_touching,
    come_to_rest,
    detect_signed,
    group_pairs,
    move_back,
    responding,
    select,
)
from signorini.methods.hong.contacts_kernels import fastest
from signorini.methods.hong.forces import elastic_forces, free_accelerations, interpolated
from signorini.methods.hong.runge_kutta import STAGES, Motion, Trial
from signorini.methods.hong.step_data import StepData
from signorini.methods.moment import World
from signorini.methods.report import Tally

Floats = NDArray[np.float64]

LEGAL = 0.1
"""Part of the penetration tolerance below which nodes are left where they are (most of Hong2004 Fig. 5)."""
STILL = 1e-5
"""A contact that opens or closes by less than this part of the tolerance in a step is at rest without an impulse."""
MOVES = 5
"""How often penetrating nodes are moved back at most; moving one may press another in."""
MARGIN = 2.0
"""Tracking margins by which surfaces may leave the boxes of the candidates: more of them spare searches, and pairs are few."""
STRIDE = 0.5
"""Part of the detection distance by which surfaces may approach in a step, so that no vertex passes unseen."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A motion after collisions were treated."""

    motion: Motion
    touching: Touching
    """The resting contacts, which the next step must not let approach."""
    distance: float
    """The least signed distance of a vertex from another body [m], if it is below the tolerance; else inf."""
    approach: float
    """The largest speed at which a contact still closes [m/s]."""


class Collisions:
    """Treats the collisions of one step of the user; remembers the candidates and which vertices carried force."""

    def __init__(self, world: World, step: StepData, candidates: Candidates, tally: Tally) -> None:
        self.world, self.step, self.tally = world, step, tally
        self.groups: PairGroups = self._grouped(candidates)
        self.tolerance = world.settings.hong.tolerance * step.data.element_size
        """Legal penetration [m]."""
        self._script_speed = fastest(step.kinematic_velocity)
        self._carrying = np.ones(world.model.surface.vertex_count, dtype=np.bool_)

    def carrying(self, touching: Touching) -> NDArray[np.bool_]:
        """Which contacts (m,) are likely to carry force."""
        return self._carrying[touching.contacts.vertices[:, 0]]

    def remember(self, touching: Touching, trial: Trial, h: float) -> None:
        """Count an accepted step of h [s], and keep which contacts carried force: the next step begins with this guess."""
        if len(touching):
            self.tally.solves += STAGES
            self.tally.solves_converged += trial.converged
            self.tally.outer_iterations += trial.iterations
            self.tally.complementarity_residual = max(self.tally.complementarity_residual, h * trial.residual)
        self._carrying[:] = True
        self._carrying[touching.contacts.vertices[trial.contact_force == 0.0, 0]] = False

    def longest_step(self, motion: Motion) -> float:
        """The step [s] in which two surfaces approach by no more than half of the detection distance."""
        if len(self.world.model.body_names) == 1:
            return np.inf
        speed = max(fastest(motion.v), self._script_speed, 1e-300)
        return STRIDE * self.world.detection_distance / (2.0 * speed)

    def settle(self, before: Motion, after: Motion, h: float) -> Settled:
        """`after` with penetrating nodes moved back and contacts brought to rest; `before` is one step of h [s] earlier.

        A motion without a past is its own `before`.
        """
        step = self.step
        with self.tally.phase("detection"):
            moved, contacts, x = self._moved_back(before, after)
        if moved is not after.q:
            tets = step.data.solids
            if before is after:
                force = elastic_forces(tets, moved, blocks=step.blocks)
            else:
                force = interpolated(tets, before.force, after.force, _part_moved_back(before.q, after.q, moved))
            after = replace(after, q=moved, force=force, acceleration=None)
        least = float(contacts.distance.min(initial=np.inf))
        with self.tally.phase("check"):
            after, touching = self._at_rest(after, contacts, x, h)
        approach = max(0.0, -float(touching.speed.min(initial=0.0)))
        return Settled(after, touching, least, approach)

    def _at_rest(self, after: Motion, contacts: ContactSet, x: Floats, h: float) -> tuple[Motion, Touching]:
        """The motion with no relative velocity at contacts that approach, or press in the next h [s]; and these contacts."""
        step = self.step
        touching = build_touching(step, contacts, x, after.v)
        if not len(touching):
            return after, touching
        if after.acceleration is None:
            after = replace(after, acceleration=free_accelerations(step, after.force, after.v))
        assert after.acceleration is not None
        still, guess = STILL * self.tolerance / h, self.carrying(touching)
        resting, impulse = come_to_rest(touching, after.acceleration, h, still=still, guess=guess)
        every = resting.all()
        if impulse is not None:
            v = after.v.copy()
            touching.push(step, impulse, v)
            after = replace(after, v=v, acceleration=None)
        elif every:
            return after, touching
        return after, build_touching(step, contacts if every else select(contacts, resting), x, after.v)

    def _moved_back(self, before: Motion, after: Motion) -> tuple[Floats, ContactSet, Floats]:
        """Positions (n, 3) of the nodes without illegal penetration, the contacts there, and the surface (v, 3)."""
        step, q = self.step, after.q
        edges = self.world.settings.hong.edge_contacts
        came_from = step.surface_positions(before.q, before.time) if edges else None
        moves = 0
        while True:
            x = step.surface_positions(q, after.time)
            pairs = self._pairs(x, after)
            contacts = detect_signed(self.world, pairs, x if came_from is None else came_from, x, self.tolerance)
            contacts = responding(step, contacts)
            if moves == MOVES or contacts.distance.min(initial=np.inf) >= -LEGAL * self.tolerance:
                return q, contacts, x
            q = q.copy()
            touching = build_touching(step, contacts, x, after.v)
            touching.push(step, move_back(touching).x, q)
            moves += 1

    def _pairs(self, x: Floats, motion: Motion) -> PairGroups:
        """Candidate pairs for the surface x (v, 3), searched again when it left their boxes."""
        candidates = self.groups.candidates
        if not candidates.cover(x):
            world, left = self.world, self.step.end_time - motion.time
            ahead = x + left * self.step.surface_velocities(motion.v)
            found = world.tree.find_candidates(
                x, ahead, distance=world.detection_distance, margin=MARGIN * world.frame_margin
            )
            self.groups = self._grouped(found)
            self.tally.candidate_count = len(found)
        return self.groups

    def _grouped(self, candidates: Candidates) -> PairGroups:
        return group_pairs(self.world.model.surface, candidates, edges=self.world.settings.hong.edge_contacts)


def _part_moved_back(q0: Floats, q1: Floats, moved: Floats) -> Floats:
    """(n,) part of its displacement q0 → q1 by which each node was moved back, from 0 to 1."""
    displacement, back = q0 - q1, moved - q1
    square = (displacement**2).sum(axis=1)
    part = np.divide((displacement * back).sum(axis=1), square, out=np.zeros(len(q0)), where=square > 0.0)
    return np.clip(part, 0.0, 1.0)
