"""What the steps of all methods share: the world, which is constant, and the moment at which a step begins or ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import BoxTree, Candidates
from signorini.collision.contact_set import ContactSet
from signorini.collision.detect import Proximity, detect_proximity
from signorini.collision.paths import STRAIGHT, Paths
from signorini.collision.separation import Separation
from signorini.contact.mlcp import Mlcp, Response
from signorini.dynamics.assembly import LinearSystem
from signorini.dynamics.body_energies import BodyEnergies, BodyParts, body_energies, split_by_body
from signorini.dynamics.energy import Energies, energies
from signorini.dynamics.joint_forces import JointForces
from signorini.dynamics.reference_frames import ReferenceMotion
from signorini.dynamics.step_rule import StepRule
from signorini.model.model import Model
from signorini.model.state import State
from signorini.settings import Settings

TRACKING_FACTOR, TRACKING_EDGE = 0.8, 0.04
"""Tracking margin over contact distance, and at least over the mean edge of a deformable body. A larger margin spares searches of
slow motions, a smaller one spares pairs of fast ones."""
SEARCH_STEPS = 3.0
"""Steps like the present one for which candidate pairs are searched at once: more spare searches and make more pairs."""
SWERVE_PART, MOST_SWERVE = 2.0, 2.0
"""Vertices that changed their step since the last search may do so again: what a margin grows by over that change, and over the
tracking margin at most. One vertex that leaves its box costs a search."""
SEPARATION_PART = 1.0 / 3.0
"""Separation that continuous detection keeps over the contact distance, and over the distance of what is near already."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """The model of a scene, the settings and the contact distances: all that stays the same from step to step."""

    model: Model
    tree: BoxTree
    """Of the primitives of the surface, for the broad phase."""
    settings: Settings
    contact_distance: float
    """δ: the contact distance of pairs with room for it [m]; the reach of detection is measured in it."""
    body_distances: Floats
    """(bodies,) the contact distance of each body, at most δ [m]; a pair keeps the larger one of its two."""

    @cached_property
    def separation(self) -> Separation:
        """η: what continuous detection keeps between two primitives [m]; a third of the contact distance (decision 0003)."""
        surface = self.model.surface
        return Separation(
            SEPARATION_PART * self.body_distances[surface.vertex_body],
            SEPARATION_PART * self.body_distances[surface.plane_body],
        )

    @cached_property
    def parts(self) -> BodyParts:
        """What belongs to which body."""
        return split_by_body(self.model)

    def pair_distance(self, bodies: NDArray[np.int32]) -> Floats:
        """Contact distances (m,) [m] of pairs of bodies (m, 2)."""
        return np.maximum(self.body_distances[bodies[:, 0]], self.body_distances[bodies[:, 1]])

    @property
    def detection_distance(self) -> float:
        """Pairs closer than this become constraints [m]."""
        return self.settings.detection_factor * self.contact_distance

    @property
    def frame_margin(self) -> float:
        """How far bodies that move as a whole may leave their expected motion before candidates are searched again [m]."""
        return TRACKING_FACTOR * self.contact_distance

    @cached_property
    def tracking_margin(self) -> Floats:
        """(v,) how far vertices may leave the boxes of a motion before candidates are searched again [m].

        Pairs grow by the margin over the edges, searches by the motion over the margin: thin contact does not make it small.
        """
        margin = np.full(len(self.model.surface.vertex_body), self.frame_margin)
        for slot in self.model.bodies.values():
            if slot.deformable and len(edges := slot.edge_lengths):
                margin[slot.vertices] = max(self.frame_margin, TRACKING_EDGE * float(edges.mean()))
        return margin

    def pairs_for(self, x0: Floats, x1: Floats, known: Candidates, paths: Paths = STRAIGHT) -> Candidates:
        """The known pairs, if none is missing for the motion x0 → x1 (v, 3); else those for a few steps like this one."""
        if known.cover_paths(x0, x1, paths):
            return known
        swerve = np.linalg.norm(x1 - x0 - known.motion, axis=1)
        margin, frame_margin = self.tracking_margin, self.frame_margin
        return self.tree.find_candidates(
            x0,
            x1,
            distance=self.detection_distance,
            margin=margin + np.minimum(SWERVE_PART * swerve, MOST_SWERVE * margin),
            frame_margin=frame_margin + min(SWERVE_PART * float(swerve.mean()), MOST_SWERVE * frame_margin),
            steps=SEARCH_STEPS,
            paths=paths,
        )


@dataclass(frozen=True)
class Moment:
    """A state with the contacts near it; the end of one step is the start of the next."""

    state: State
    surface_positions: Floats
    """(v, 3) [m]"""
    near: Proximity
    """Pairs closer than the detection distance."""
    candidates: Candidates
    """Pairs that the last step searched, complete for the next one too while its motion stays in their boxes."""
    memory: object = None
    """What the method keeps from one step to the next (`Method.memory_arrays`), such as contact impulses; None: nothing."""

    def energies(self, model: Model) -> Energies:
        """Energies of the state; their sums over the bodies if these are known."""
        by_body = self.__dict__.get("_body_energies")
        return energies(model, self.state) if by_body is None else by_body.summed()

    def body_energies(self, world: World) -> BodyEnergies:
        """Energies of each body, computed once: the end of one step is the start of the next."""
        known = self.__dict__.get("_body_energies")
        if known is None:
            known = self.__dict__["_body_energies"] = body_energies(world.model, world.parts, self.state)
        return known

    def with_memory(self, memory: object) -> Moment:
        """The same moment with another memory; energies that are known stay known."""
        moment = replace(self, memory=memory)
        if "_body_energies" in self.__dict__:
            moment.__dict__["_body_energies"] = self.__dict__["_body_energies"]
        return moment

    def with_energies(self, known: BodyEnergies) -> Moment:
        """The same moment with energies that are known of each body."""
        moment = replace(self)
        moment.__dict__["_body_energies"] = known
        return moment


@dataclass(frozen=True, slots=True)
class SolvedContacts:
    """The contact problem of an accepted sub-step and its solution, for read-out and study."""

    contacts: ContactSet
    problem: Mlcp
    response: Response
    world_impulse: Floats
    """(m, 3) on side a [N s]"""
    start: State
    """The state that the sub-step began with."""
    velocity: Floats
    """(n, 3) the solution of the sub-step's system with contact [m/s]."""
    reference: ReferenceMotion | None
    """The reference motion of soft solids in that system; None: at rest."""
    linearised_at: Floats | None
    """(n, 3) the velocity about which the forces of that system were linearised [m/s]; None: the reference motion's."""
    rule: StepRule | None = None
    """The rule of the sub-step; None: backward Euler."""
    system: LinearSystem | None = None
    """That system; None for methods without one."""
    joints: JointForces | None = None
    """What joints and drives did; None if there are none."""
    resting: RestingContacts | None = None
    """Contacts of sleeping bodies, the last rows of `contacts` and of `world_impulse`; they are not part of the problem."""
    rebounding: NDArray[np.bool_] | None = None
    """(m,) which contacts rebound by restitution; the impulses include that. None: none does."""
    correction: Floats | None = None
    """(n, 3) what the last linearisation of the motion without contact changed [m/s]; None: it was the only one."""

    @property
    def dt(self) -> float:
        """Length of the (sub-)step, over which impulses are forces [s]."""
        return self.problem.dt

    @property
    def impulse(self) -> Floats:
        """(m, 3) impulses in the frames of the contacts [N s]."""
        own = self.response.impulse
        return own if self.resting is None else np.concatenate([own, self.resting.force * self.dt])

    @property
    def gap(self) -> Floats:
        """(m,) distance minus contact distance [m]."""
        own = self.problem.gap
        return own if self.resting is None else np.concatenate([own, self.resting.gap])

    @property
    def friction(self) -> Floats:
        """(m,) coefficients."""
        own = self.problem.friction
        return own if self.resting is None else np.concatenate([own, self.resting.friction])


@dataclass(frozen=True, slots=True)
class RestingContacts:
    """Contacts of sleeping bodies, with the forces of the last step before they fell asleep."""

    contacts: ContactSet
    force: Floats
    """(m, 3) in the frames of the contacts: normal, and two tangents [N]."""
    world_force: Floats
    """(m, 3) on side a [N]."""
    gap: Floats
    """(m,) distance minus contact distance [m]."""
    friction: Floats
    """(m,) coefficients."""

    def __len__(self) -> int:
        return len(self.contacts)

    def only(self, rows: NDArray[np.integer]) -> RestingContacts:
        """The contacts of these numbers."""
        arrays = self.force[rows], self.world_force[rows], self.gap[rows], self.friction[rows]
        return RestingContacts(self.contacts.only(rows), *arrays)

    def joined(self, other: RestingContacts) -> RestingContacts:
        """Both sets of contacts."""
        names = ("force", "world_force", "gap", "friction")
        arrays = (np.concatenate([getattr(self, name), getattr(other, name)]) for name in names)
        return RestingContacts(self.contacts.merged_with(other.contacts), *arrays)


def moment_at(world: World, state: State, memory: object = None) -> Moment:
    """The moment of a state that no step led to, such as a start or a checkpoint: its near pairs are searched from nothing."""
    x = world.model.surface_positions(state.q, state.time, state.rotations)
    candidates = world.tree.find_candidates(x, x, distance=world.detection_distance, margin=0.0)
    near = detect_proximity(world.model.surface, candidates, x, distance=world.detection_distance)
    return Moment(state, x, near, candidates, memory)
