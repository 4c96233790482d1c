"""Steps of a simulation under the eyes of ipctk: what `signorini bench random --watch support.watched_steps:watched` takes.

After every step, edges and triangles of all bodies are tested by ipctk. Within every accepted sub-step, some instants of the true
path (`true_path`) are tested for intersections: stored positions before and after do not show what passed through in between.
"""

from __future__ import annotations

from collections.abc import Callable

import ipctk
import numpy as np

from signorini import Simulation, StepReport
from signorini.scene.half_space import HalfSpace
from support.true_path import accepted_motions

INSTANTS = 5
"""Instants of the path of a sub-step that are tested, its ends included."""


def watched(sim: Simulation, *, instants: int = INSTANTS) -> Callable[[], StepReport]:
    """The function that takes the steps of `sim`, and raises an `AssertionError` if something intersects."""
    faces, edges, patches, first = [], [], [], 0
    for body in sim.bodies.values():
        count = len(body.positions)
        faces.append(np.asarray(body.triangles, np.int32).reshape(-1, 3) + first)
        edges.append(np.asarray(body.edges, np.int32).reshape(-1, 2) + first)
        # Scripted bodies may overlap each other and themselves: they are one patch, every other vertex is one of its own.
        patches.append(np.full(count, 0) if body.kind == "kinematic" else 1 + first + np.arange(count))
        first += count
    triangles = np.asfortranarray(np.concatenate(faces), dtype=np.int32)
    # Of no triangles at all, ipctk.edges asks for gigabytes.
    own = [ipctk.edges(triangles).reshape(-1, 2)] if len(triangles) else []
    sides = np.concatenate([*own, *edges])
    sides = np.asfortranarray(np.unique(np.sort(sides, axis=1), axis=0), dtype=np.int32)
    mesh = ipctk.CollisionMesh(_positions(sim), sides, triangles)
    mesh.can_collide = ipctk.make_vertex_patches_filter(np.concatenate(patches).astype(np.int32))
    planes = [(b.normal, b.height) for b in sim.scene.bodies.values() if isinstance(b, HalfSpace)]
    movable = sum(len(b.positions) for b in sim.bodies.values() if b.kind != "kinematic")

    def step() -> StepReport:
        with accepted_motions() as motions:
            report = sim.step()
        x = _positions(sim)
        assert not ipctk.has_intersections(mesh, x), f"ipctk finds an intersection after step {report.index}"
        for normal, height in planes:
            assert (x[:movable] @ normal > height).all(), f"a vertex is below a plane after step {report.index}"
        for motion in motions:
            assert motion.first_intersection(instants) == np.inf, (
                f"something is crossed on the way of step {report.index}"
            )
        return report

    return step


def _positions(sim: Simulation) -> np.ndarray:
    return np.asfortranarray(np.concatenate([body.positions for body in sim.bodies.values()]))
