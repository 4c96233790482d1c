"""An oracle for the paths of a step: dense samples of the motion that every accepted sub-step stands for.

Rigid bodies are turned by scipy about their moving centres or pivots, scripts and pins are asked at every instant, all else is
linear.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from scipy.spatial.transform import Rotation

from signorini import Simulation, StepReport
from signorini.collision.intersections import find_intersections
from signorini.methods.trial_motion import TrialMotion


class AcceptedMotion:
    """The motion of one accepted sub-step."""

    def __init__(self, motion: TrialMotion, placed) -> None:
        self.world, self.start, self.placed = motion.world, motion.start, placed
        self.end_time = motion.end_time
        centers = motion.start.state.q[motion.world.model.rigids.nodes]
        self.pivots = motion.pivots.places(centers, placed.turns) if len(centers) else centers

    def at(self, t: float) -> np.ndarray:
        """Where the surface is at the fraction t, without anything from `collision/paths`."""
        model, state = self.world.model, self.start.state
        q = state.q + t * (self.placed.q - state.q)
        rotations = state.rotations
        if len(model.rigids):
            part, whole = (Rotation.from_rotvec(s * self.placed.turns) for s in (t, 1.0))
            rotations = (part * Rotation.from_quat(rotations)).as_quat()
            nodes = model.rigids.nodes
            arm = state.q[nodes] - self.pivots
            q[nodes] = self.pivots + t * (self.placed.q[nodes] - self.pivots - whole.apply(arm)) + part.apply(arm)
            q[model.rigids.spins] = 0.0
        time = state.time + t * (self.end_time - state.time)
        held, places = model.pinned(time)
        stay = np.isin(held, model.pinned(self.end_time)[0])  # a pin that is released on the way is no script any more
        q[held[stay]] = places[stay]
        return model.surface_positions(q, time, np.ascontiguousarray(rotations))

    def first_intersection(self, instants: int) -> float:
        """The first of equally spaced fractions at which something intersects; inf for none."""
        for t in np.linspace(0.0, 1.0, instants):
            if len(find_intersections(self.world.tree, self.at(float(t)))):
                return float(t)
        return np.inf


@contextmanager
def accepted_motions() -> Iterator[list[AcceptedMotion]]:
    """Collects the motion of every sub-step that is accepted meanwhile, by whatever method."""
    found: list[AcceptedMotion] = []
    finish = TrialMotion.finish

    def note(self, placed, *args, **kwargs):
        found.append(AcceptedMotion(self, placed))
        return finish(self, placed, *args, **kwargs)

    with patch.object(TrialMotion, "finish", note):
        yield found


def check_steps(sim: Simulation, steps: int, *, instants: int = 400) -> tuple[list[AcceptedMotion], list[StepReport]]:
    """Step, and assert that no instant of any accepted motion intersects; `instants` are those of one step."""
    everything, reports = [], []
    for _ in range(steps):
        before = sim.time
        with accepted_motions() as motions:
            reports.append(sim.step())
        assert motions
        for motion in motions:
            part = (motion.end_time - motion.start.state.time) / (sim.time - before)
            assert motion.first_intersection(max(int(instants * part), 8)) == np.inf
        everything += motions
    return everything, reports
