"""A motion that a fail-safe tries: where it ends, what it would hit on the straight way there, and the moment it ends in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts, detect_continuous, detect_proximity
from signorini.dynamics.advance import Placement, advance, state_after
from signorini.methods.moment import Moment, World
from signorini.model.rigid_bodies import predict_spin

Floats = NDArray[np.float64]


class Chord:
    """All motions from one moment for dt [s]: scripted vertices and pins arrive where they must, whatever the others do."""

    def __init__(self, world: World, start: Moment, dt: float) -> None:
        self.world, self.start, self.dt = world, start, dt
        model, state = world.model, start.state
        self.end_time = state.time + dt
        self.kinematic = model.kinematic_positions(self.end_time)
        self.pinned, self.targets = model.pinned(self.end_time)
        self.spin = predict_spin(model.rigids, state.rotations, state.v[model.rigids.spins], dt)
        self.candidates = start.candidates

    def prescribed(self, velocity: Floats) -> Floats:
        """A copy of velocities (n, 3) [m/s] in which pins move as prescribed and attached nodes with their bodies."""
        v, state = velocity.copy(), self.start.state
        v[self.pinned] = (self.targets - state.q[self.pinned]) / self.dt
        self.world.model.attachments.carry(v, state.rotations)
        return v

    def place(self, v: Floats) -> Placement:
        """Where velocities (n, 3) [m/s] take everything."""
        return advance(self.world.model, self.start.state, v, self.spin, self.kinematic, self.dt)

    def find_impacts(self, placed: Placement) -> Impacts:
        """What the straight motion to a placement would hit."""
        world, x0, x1 = self.world, self.start.surface_positions, placed.surface_positions
        self.candidates = world.pairs_for(x0, x1, self.candidates)
        return detect_continuous(world.model.surface, self.candidates, x0, x1, separation=world.separation)

    def finish(self, placed: Placement, v: Floats) -> Moment:
        """The moment at a placement that was found free, with velocities (n, 3) [m/s]."""
        world, x1 = self.world, placed.surface_positions
        near = detect_proximity(world.model.surface, self.candidates, x1, distance=world.detection_distance)
        after = state_after(world.model, self.start.state, placed, v, self.spin, self.end_time)
        return Moment(after, x1, near, self.candidates, None)
