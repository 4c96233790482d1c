"""Trial motions: where a velocity leads in one (sub-)step, what it would hit on the way there, and the moment there.

All methods and fail-safes that certify their steps use them. Otaduy2009 §4 calls the end of one a tentative state.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.collision.detect import Impacts, detect_continuous, detect_proximity
from signorini.collision.paths import Paths, ScriptedCurves
from signorini.collision.separation import Separation
from signorini.dynamics.advance import Placement, Taken, advance, paths_of, state_after
from signorini.dynamics.joint_step import TOO_OPEN, JointStep
from signorini.dynamics.pivots import Pivots
from signorini.dynamics.scripted_paths import find_curves
from signorini.methods.moment import SEPARATION_PART, Moment, World
from signorini.model.rigid_bodies import FreeSpin, predict_spin, turned
from signorini.model.state import State

Floats = NDArray[np.float64]
SCRIPT_PART, NEAR_PART = 0.05, 0.1
"""What the path of a script may deviate from it, over the separation and over the least distance of any pair at the start."""

FIRST_ROOM, LEAST_ROOM, ROOM_GROWTH = 3, 0.02, 3.0
"""Refinement from which on contacts of rigid bodies that come back ask for room: this part of the contact distance of the pair,
and so many times as much in each further refinement. In a typical scene it is a few micrometres."""


class TrialMotion:
    """All motions from one moment to one end time; a velocity (n, 3) [m/s] of the nodes names one of them.

    Particles move on straight lines, rigid bodies turn on the way, scripted bodies follow their scripts (decision 0011).

    Scripted vertices and pins arrive where they must, whatever the velocity is. Users differ in three parameters:

    `spin`: the free rotation of rigid bodies, which the velocity of their angular nodes is relative to; predicted if not given.
    `separation`: η, what two primitives must keep between them on the way; `World.separation` if not given, and a third of their
    distance for what is near already.
    `track_pairs`: candidate pairs of the start are used as long as they cover the motion, and found for several steps ahead if
    not. Otherwise they are searched for exactly each motion that is tried: fewer pairs, for motions that shrink in each try.
    """

    def __init__(
        self,
        world: World,
        start: Moment,
        end_time: float,
        *,
        spin: FreeSpin | None = None,
        separation: Separation | None = None,
        track_pairs: bool = True,
    ) -> None:
        self.world, self.start, self.end_time = world, start, end_time
        self.dt = end_time - start.state.time
        self.separation = (
            world.separation.narrowed(start.near.contacts, SEPARATION_PART) if separation is None else separation
        )
        self.track_pairs = track_pairs
        self.kinematic = world.model.kinematic_positions(end_time)
        """(k, 3) where the scripted vertices arrive [m]."""
        self.candidates = start.candidates
        rigids, state = world.model.rigids, start.state
        self.pivots = Pivots()
        self.spin = predict_spin(rigids, state.rotations, state.v[rigids.spins], self.dt) if spin is None else spin

    @cached_property
    def pins(self) -> tuple[NDArray[np.int32], Floats]:
        """The pinned nodes (p,) and where they arrive (p, 3) [m]."""
        return self.world.model.pinned(self.end_time)

    @cached_property
    def movable(self) -> NDArray[np.uint8]:
        """(n,) 0 for pinned nodes, which no impulse moves."""
        movable = np.ones(self.world.model.node_count, dtype=np.uint8)
        movable[self.pins[0]] = 0
        return movable

    @cached_property
    def joints(self) -> JointStep | None:
        """What the joints of rigid bodies allow; None if there are none."""
        model, start = self.world.model, self.start
        if model.joints is None:
            return None
        kinematic = start.surface_positions[model.kinematic_first :], self.kinematic
        return JointStep(model, model.joints, start.state, self.spin, self.dt, kinematic)

    def joined(self, v: Floats) -> Floats:
        """Velocities (n, 3) [m/s] that close the joints at the end of the step, from v on; v itself if there are none."""
        return v if self.joints is None else self.joints.joined(v)

    def joints_open(self, v: Floats) -> bool:
        """Whether velocities (n, 3) [m/s] leave a joint open."""
        return self.joints is not None and not self.joints.openness(v) <= TOO_OPEN

    def prescribed(self, velocity: Floats) -> Floats:
        """A copy of velocities (n, 3) [m/s] in which pins move as prescribed and attached nodes with their bodies."""
        v, state, (pinned, targets) = velocity.copy(), self.start.state, self.pins
        v[pinned] = (targets - state.q[pinned]) / self.dt
        self.world.model.attachments.carry(v, state.rotations)
        return v

    def place(self, v: Floats, *, spin_part: float | Floats = 1.0) -> Placement:
        """Where velocities (n, 3) [m/s] and a part of the free rotation, or of each rigid body's (b, 1), take everything."""
        spin = replace(self.spin, drift=spin_part * self.spin.drift)
        v = v if self.joints is None else self.joints.joined(v, spin.drift)
        return advance(self.world.model, self.start.state, v, spin, self.kinematic, self.dt)

    def turned(self, v: Floats) -> Floats:
        """The orientations (b, 4) of the rigid bodies to which velocities (n, 3) [m/s] take them."""
        rigids, state = self.world.model.rigids, self.start.state
        return (
            turned(state.rotations, self.dt * (v[rigids.spins] + self.spin.drift)) if len(rigids) else state.rotations
        )

    def surface_velocity(self, x1: Floats) -> Floats:
        """Velocities (v, 3) [m/s] of all surface vertices that arrive at x1 (v, 3) [m], scripted ones included."""
        return (x1 - self.start.surface_positions) / self.dt

    @cached_property
    def curves(self) -> ScriptedCurves:
        """The curved paths of scripted vertices and pins."""
        world, start = self.world, self.start
        model = world.model
        prescribed = (*model.prescribed.scripts, *model.prescribed.pins)
        if all(one.motion is None for one in prescribed):
            return ScriptedCurves()
        # What paths may deviate from scripts must not look like an impact of a pair that is near already.
        tolerance = min(SCRIPT_PART * world.separation.least, NEAR_PART * start.near.min_distance)
        x0 = start.surface_positions[model.kinematic_first :]
        return find_curves(model, start.state.time, self.end_time, x0, self.kinematic, tolerance=tolerance)

    @cached_property
    def arms(self) -> Floats:
        """(k, 3) the arms of the surface map at the start [m]."""
        return self.world.model.surface_map.turned(self.start.state.rotations).arms

    def paths(self, placed: Placement) -> Paths:
        """How the surface vertices get to a placement."""
        arms, rotor = self.arms, self.world.model.surface_map.rotor
        if self.pivots:
            turning, centers = rotor >= 0, self.start.state.q[self.world.model.rigids.nodes]
            arms = arms.copy()
            arms[turning] -= (self.pivots.places(centers, placed.turns) - centers)[rotor[turning]]
        return paths_of(self.world.model, arms, placed.turns, self.curves)

    def keep_on_path(self, impacts: ContactSet, known: ContactSet) -> None:
        """Choose the paths of rigid bodies anew that hit on the way what their known contacts keep them from at its end."""
        model = self.world.model
        if len(model.rigids):
            again = impacts.only(np.flatnonzero(np.isin(impacts.key, known.key)))
            self.pivots.add(again, self.start.surface_positions, model.rigid_surface.rotor)

    def asked_room(self, new: ContactSet, known: ContactSet, refinement: int) -> Floats:
        """Distance (k,) [m] that new contacts ask for at the end of the step beyond what they have.

        None, but for contacts of rigid bodies that come back although their pivots were chosen anew: conditions on pivots can
        contradict each other, and normals change from one refinement to the next.
        """
        if refinement < FIRST_ROOM or not len(self.world.model.rigids) or not len(new):
            return np.zeros(len(new))
        turning = (self.world.model.rigid_surface.rotor[new.vertices] >= 0) & (new.vertices >= 0)
        again = np.isin(new.key, known.key) & turning.any(axis=1)
        part = LEAST_ROOM * ROOM_GROWTH ** (refinement - FIRST_ROOM)
        return np.where(again, part * self.world.pair_distance(new.bodies), 0.0)

    def find_candidates(self, placed: Placement, paths: Paths) -> None:
        """Make sure that the candidate pairs are complete for the motion to a placement."""
        world, x0, x1 = self.world, self.start.surface_positions, placed.surface_positions
        if self.track_pairs:
            self.candidates = world.pairs_for(x0, x1, self.candidates, paths)
        else:
            reach = world.detection_distance
            self.candidates = world.tree.find_candidates(x0, x1, distance=reach, margin=0.0, paths=paths)

    def find_impacts(self, placed: Placement) -> Impacts:
        """The pairs that come closer than the separation on the way to a placement."""
        paths = self.paths(placed)
        self.find_candidates(placed, paths)
        x0, surface = self.start.surface_positions, self.world.model.surface
        return detect_continuous(
            surface, self.candidates, x0, placed.surface_positions, separation=self.separation, paths=paths
        )

    def largest_turn(self, placed: Placement, contacts: ContactSet) -> float:
        """The largest angle by which a rigid body that takes part in contacts turns on the way to a placement [rad]."""
        if not len(placed.turns) or not len(contacts):
            return 0.0
        rigid = [
            slot.rigid
            for slot in self.world.model.bodies.values()
            if slot.rigid >= 0 and slot.number in contacts.bodies
        ]
        return float(np.linalg.norm(placed.turns[rigid], axis=1).max(initial=0.0))

    def finish(
        self,
        placed: Placement,
        v: Floats,
        *,
        memory: object = None,
        spin: FreeSpin | None = None,
        integrated: State | None = None,
        taken: Taken | None = None,
    ) -> Moment:
        """The moment at a placement without impacts, with displacements over dt v (n, 3) [m/s] that were `taken` by a rule.

        `spin` has the inertia that the angular velocities belong to, if it is not that of the free rotation. `integrated` is a
        state between start and end whose friction elements have slipped already.
        """
        world, x1 = self.world, placed.surface_positions
        near = detect_proximity(world.model.surface, self.candidates, x1, distance=world.detection_distance)
        before = self.start.state if integrated is None else integrated
        after = state_after(world.model, before, placed, v, self.spin if spin is None else spin, self.end_time, taken)
        return Moment(after, x1, near, self.candidates, memory)
