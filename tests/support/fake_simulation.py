"""A stand-in for `signorini.Simulation` whose steps cost nothing: bodies fall, reports are made up, state is exact."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from signorini.checks import check_positive
from signorini.errors import SimulationStoppedError
from signorini.methods.report import StepReport, StepStatus
from signorini.scene.half_space import HalfSpace
from signorini.scene.scene import Scene
from signorini.settings import Settings


class FakeSimulation:
    """The interface that the runner uses, with a chaotic but reproducible motion."""

    def __init__(self, scene: Scene, *, dt: float = 4e-3, settings: Settings | None = None, stop_at: int | None = None):
        self.scene = scene
        self.dt = check_positive("dt", dt, unit="s")
        self.settings = settings or Settings()
        self.contact_distance = 1e-3
        self.contact_tolerance = 5e-4
        self.time = 0.0
        self.step_index = 0
        self.stop_at = stop_at
        self.intersecting_at: int | None = None
        self.ignored_contacts: list[tuple[str, str]] = []
        self.on_step: Any = None
        self.bodies: dict[str, Any] = {}
        for name, body in scene.bodies.items():
            if not isinstance(body, HalfSpace):
                self.bodies[name] = SimpleNamespace(
                    edges=np.zeros((0, 2), np.int32),
                    name=name,
                    kind="cloth" if hasattr(body, "pins") else "kinematic",
                    positions=body.positions.copy(),
                    velocities=np.zeros_like(body.positions),
                    triangles=body.mesh.triangles,
                )

    def step(self) -> StepReport:
        if self.stop_at is not None and self.step_index >= self.stop_at:
            raise SimulationStoppedError("the fake cannot go on: reduce dt")
        self.step_index += 1
        self.time += self.dt
        for body in self.bodies.values():
            body.velocities = body.velocities + self.dt * self.scene.gravity
            body.positions = body.positions + self.dt * body.velocities + 1e-3 * np.sin(1e3 * body.positions)
        if self.on_step is not None:
            self.on_step(self)
        k = self.step_index
        return StepReport(
            index=k,
            time=self.time,
            dt=self.dt,
            status=StepStatus.FAILSAFE if k == 7 else StepStatus.ACCEPTED,
            failsafe_substeps=int(k == 7),
            halvings=int(k == 7) * 2,
            contact_count=10 * k,
            refinements=1 + k % 3,
            solves=2,
            solves_converged=2 - (k == 7),
            min_distance=1.0 / k,
            momentum_residual=1e-4 * k,
            phase_seconds={"assembly": 0.25, "contact": 0.5, "new phase": 0.125},
        )

    def intersections(self) -> int:
        return int(self.step_index == self.intersecting_at)

    def nested(self) -> list[tuple[str, str]]:
        return []

    def checkpoint(self) -> dict[str, np.ndarray]:
        arrays = {"time": np.array(self.time), "step_index": np.array(self.step_index)}
        for name, body in self.bodies.items():
            arrays |= {f"q/{name}": body.positions.copy(), f"v/{name}": body.velocities.copy()}
        return arrays

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.time, self.step_index = float(arrays["time"]), int(arrays["step_index"])
        for name, body in self.bodies.items():
            body.positions, body.velocities = arrays[f"q/{name}"], arrays[f"v/{name}"]


def small_scene() -> Scene:
    """A sheet of nine vertices, a tetrahedral obstacle that turns, and the ground."""
    from signorini.geometry import shapes
    from signorini.scene import motions

    scene = Scene(name="small")
    scene.add_kinematic(shapes.box(0.1, 0.1, 0.1), name="block", position=(0, 0, 0.2), motion=motions.Rotate(rate=1.0))
    scene.add_cloth(shapes.grid(0.4, 0.4, cells=2), name="sheet", position=(0, 0, 0.5))
    scene.add_ground(name="floor")
    return scene
