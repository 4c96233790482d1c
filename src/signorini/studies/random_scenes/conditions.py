"""Conditions of a random scene: time step, integrator, contact solver and fail-safe, friction, restitution, speeds and loads.

They are drawn from random numbers of their own, so that what a recipe draws does not depend on them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np

from signorini.scene.body import Body
from signorini.scene.half_space import HalfSpace
from signorini.scene.kinematic import Kinematic
from signorini.scene.rigid import Rigid
from signorini.scene.rod import Rod
from signorini.scene.scene import Scene
from signorini.settings import FailsafeName, IntegratorName, Settings, SolverName, SolverSettings
from signorini.simulation.auto_step import LONGEST_AUTO
from signorini.studies.random_scenes.materials import log_uniform

Random = np.random.Generator
Choice = TypeVar("Choice")
FASTEST = 100.0
"""Largest speed of a point of a body at the start [m/s]."""
MOST_FRICTION = 2.0
INTEGRATORS: tuple[tuple[IntegratorName | Literal["auto"], float], ...] = (
    ("euler", 0.55),
    ("bdf2", 0.25),
    ("auto", 0.2),
)
"""Rules of the step, and how often each is drawn."""
SOLVERS: tuple[tuple[SolverName, float], ...] = (
    ("augmented-lagrangian", 0.88),
    ("ica", 0.08),
    ("full-anticipation", 0.02),
    ("rigid-refinement", 0.02),
)
FAILSAFES: tuple[tuple[FailsafeName, float], ...] = (
    ("scale-back", 0.7),
    ("impact-zones", 0.15),
    ("inelastic-projection", 0.15),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Settings of the run of a random scene, and changes after its recipe."""

    auto: bool = False
    """Whether the length of steps is chosen by the error of the motion (dt="auto")."""
    settings: Settings = field(default_factory=Settings)
    fastest: float = 50.0
    """Largest speed of a point of a body at the start [m/s]."""
    friction: float | None = None
    """Of bodies that have none of their own, in place of what the recipe draws."""
    restitution: float = 0.0
    """Of all pairs."""
    loads: int = 0
    """Loads on bodies that can move."""

    def for_joints(self) -> Conditions:
        """The same for a scene with joints, locks or drives, which take steps of first order without restitution only."""
        return replace(self, auto=False, settings=replace(self.settings, integrator="euler"), restitution=0.0)

    @property
    def longest_step(self) -> float | None:
        """The step that is not the scene's own to choose [s]; None if it is."""
        return LONGEST_AUTO if self.auto else None

    def apply(self, scene: Scene, random: Random, size: float) -> None:
        """Give a scene whose typical body has a `size` [m] its restitution and its loads."""
        if self.restitution and len(scene.bodies) > 1:
            scene.set_contact(list(scene.bodies), restitution=self.restitution)
        movable = [b for b in scene.bodies.values() if not isinstance(b, HalfSpace | Kinematic)]
        for _ in range(self.loads if movable else 0):
            add_load(scene, movable[random.integers(len(movable))], random, size)


def random_conditions(random: Random) -> Conditions:
    """Conditions over the whole range of what a user may ask for."""
    integrator = _chosen(random, INTEGRATORS)
    name: SolverName = _chosen(random, SOLVERS)
    return Conditions(
        auto=integrator == "auto",
        settings=Settings(
            integrator="bdf2" if integrator == "bdf2" else "euler",
            solver=SolverSettings(name=name),
            failsafe=_chosen(random, FAILSAFES),
        ),
        fastest=FASTEST,
        friction=0.0 if random.random() < 0.15 else float(random.uniform(0.0, MOST_FRICTION)),
        restitution=float(random.uniform(0.1, 1.0)) if random.random() < 0.15 else 0.0,
        loads=int(random.integers(1, 3)) if random.random() < 0.15 else 0,
    )


def add_load(scene: Scene, body: Body, random: Random, size: float) -> None:
    """Let wind to 50 m/s, a pressure, a force or a torque act on a body of about a `size` [m], at times or all the time."""
    stop = None if random.random() < 0.7 else log_uniform(random, 1e-3, 0.3)
    timed: dict[str, Any] = {} if stop is None else {"stop": stop}
    direction = random.normal(size=3)
    direction /= np.linalg.norm(direction)
    kind = int(random.integers(4))
    if kind == 0 and not isinstance(body, Rod):
        wind = log_uniform(random, 0.5, 50.0) * direction
        scene.add_wind(body, wind.tolist(), **timed)
    elif kind == 1 and not isinstance(body, Rod):
        scene.add_pressure(body, float(random.choice([-1.0, 1.0]) * log_uniform(random, 0.1, 1e3)), **timed)
    elif kind == 2 and isinstance(body, Rigid):
        torque = body.mass * 9.81 * size * log_uniform(random, 0.01, 10.0) * direction
        scene.add_torque(body, torque.tolist(), **timed)
    else:
        force = log_uniform(random, 1e-3, 10.0) * size * direction
        scene.add_force(body, force.tolist(), **timed)


def _chosen(random: Random, table: tuple[tuple[Choice, float], ...]) -> Choice:
    names, shares = zip(*table, strict=True)
    return names[int(np.searchsorted(np.cumsum(shares), random.random() * sum(shares)))]
