"""Intersections and crossings by ipctk: an independent check of a simulation, step by step and sub-step by sub-step.

A step that was halved is a polyline: each accepted leg is checked on its own, because the straight line between its ends
is not what was certified. Kinematic bodies take part with all their pairs, also with each other, so scenes that are
checked must keep them apart. Half-spaces are not meshes; vertices are compared with their planes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ipctk
import numpy as np
from numpy.typing import NDArray

from signorini.methods import substeps
from signorini.methods.collision_loop import collision_loop
from signorini.methods.report import StepReport
from signorini.scene.half_space import HalfSpace
from signorini.simulation.simulation import Simulation

Positions = NDArray[np.float64]
EXACT = ipctk.TightInclusionCCD(conservative_rescaling=1.0)
"""By default ipctk also reports a pair that loses four fifths of its distance without meeting."""


class IpcCheck:
    """Steps a simulation and looks at every accepted state and at every leg between two of them."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        faces, first = [], 0
        for body in sim.bodies.values():
            faces.append(body.triangles + first)
            first += len(body.positions)
        self.faces = np.asfortranarray(np.concatenate(faces), dtype=np.int32)
        edges = np.asfortranarray(ipctk.edges(self.faces), dtype=np.int32)
        self.x = self.positions()
        self.mesh = ipctk.CollisionMesh(self.x, edges, self.faces)
        self.planes = [(b.normal, b.height) for b in sim.scene.bodies.values() if isinstance(b, HalfSpace)]
        self.movable_count = sum(len(b.positions) for b in sim.bodies.values() if b.kind != "kinematic")
        self.steps = 0
        self.intersecting: list[int] = []
        """Steps that ended with an intersection, or with a vertex on or below a plane."""
        self.crossing: list[int] = []
        """Steps with a crossing on the way."""
        if self.intersects(self.x):
            self.intersecting.append(0)

    def positions(self) -> Positions:
        """Where all vertices of all bodies are, as ipctk wants it."""
        return np.asfortranarray(np.concatenate([b.positions for b in self.sim.bodies.values()]))

    def intersects(self, x: Positions) -> bool:
        """Whether an edge passes through a triangle, or a movable vertex is on or below a half-space's plane."""
        below = any((x[: self.movable_count] @ normal <= height).any() for normal, height in self.planes)
        return below or ipctk.has_intersections(self.mesh, x)

    def crosses(self, x0: Positions, x1: Positions) -> bool:
        """Whether two primitives meet on the straight way from x0 to x1."""
        return not ipctk.is_step_collision_free(self.mesh, x0, x1, narrow_phase_ccd=EXACT)

    def step(self) -> StepReport:
        """`sim.step()`, with every accepted leg checked."""
        self.steps += 1
        slept = bool(self.sim.sleeping)
        with recorded_legs() as legs:
            report = self.sim.step()
        if slept or self.sim.sleeping:  # sub-steps are those of a part of the scene: the whole step is checked
            legs = [self.positions()]
        else:
            assert len(legs) == report.substeps, "the recorder missed a sub-step"
        for leg in legs:
            x1 = np.asfortranarray(leg)
            if self.crosses(self.x, x1):
                self.crossing.append(self.steps)
            if self.intersects(x1):
                self.intersecting.append(self.steps)
            self.x = x1
        assert np.array_equal(self.x, self.positions())
        return report

    def assert_clean(self) -> None:
        """Nothing intersected and nothing crossed, in any step so far."""
        assert not self.intersecting, f"intersections after steps {self.intersecting[:10]} ({len(self.intersecting)})"
        assert not self.crossing, f"crossings in steps {self.crossing[:10]} ({len(self.crossing)})"


@contextmanager
def recorded_legs() -> Iterator[list[Positions]]:
    """The surface positions at the end of each sub-step that `cover_step` accepts, whatever the method."""
    legs: list[Positions] = []
    attempt_step, emergency_step = substeps.attempt_step, substeps.failsafe_step
    attempt_collision_step, last_resort = collision_loop.attempt_collision_step, collision_loop.last_resort

    tried: list[tuple[Positions, Positions]] = []  # the last sub-step: from, to

    def begin(start: Any) -> None:
        """A second attempt from the same start: the first one was not accepted after all, because of its energy."""
        if tried and tried[-1][0] is start.surface_positions and legs and legs[-1] is tried[-1][1]:
            legs.pop()

    def end(start: Any, moment: Any) -> None:
        tried[:] = [(start.surface_positions, moment.surface_positions)]
        legs.append(moment.surface_positions)

    def attempt(*args: Any, **options: Any) -> Any:
        begin(args[1])
        result = attempt_step(*args, **options)
        if result.moment is not None and np.isfinite(result.moment.state.v).all():
            end(args[1], result.moment)
        return result

    def emergency(*args: Any) -> Any:
        begin(args[1])
        moment, impacts = emergency_step(*args)
        if moment is not None:
            end(args[1], moment)
        return moment, impacts

    def attempt_collision(*args: Any) -> Any:
        result = attempt_collision_step(*args)
        if result.moment is not None:
            legs.append(result.moment.surface_positions)
        return result

    def resort(*args: Any) -> Any:
        moment = last_resort(*args)
        if moment is not None:
            legs.append(moment.surface_positions)
        return moment

    substeps.attempt_step, substeps.failsafe_step = attempt, emergency
    collision_loop.attempt_collision_step, collision_loop.last_resort = attempt_collision, resort
    try:
        yield legs
    finally:
        substeps.attempt_step, substeps.failsafe_step = attempt_step, emergency_step
        collision_loop.attempt_collision_step, collision_loop.last_resort = attempt_collision_step, last_resort
