"""The random scene of a seed and an index."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from signorini.scene.scene import Scene
from signorini.settings import Settings, SolverSettings
from signorini.studies.random_scenes import recipes, recipes_control, recipes_touch
from signorini.studies.random_scenes.draw import Draw
from signorini.studies.random_scenes.expected import Expected, Recipe

SHORTEST_STEP, LONGEST_STEP = 5e-4, 5e-2
"""Limits of the time step [s]."""
FEWEST_STEPS, MOST_STEPS = 10, 40
RECIPES: dict[str, Recipe] = {
    recipe.__name__: recipe
    for recipe in (
        recipes.pile, recipes.crossfire, recipes.shot, recipes.squeeze, recipes.gripper, recipes.slot, recipes.bore,
        recipes.stack, recipes.rotor, recipes.dragged, recipes.dominoes,
        recipes_control.machine, recipes_control.driven, recipes_control.puppet, recipes_control.tethered,
        recipes_touch.gust, recipes_touch.bounce, recipes_touch.layers, recipes_touch.settle, recipes_touch.anvil,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomScene:
    """A scene with the time step and number of steps that it is to be run with."""

    index: int
    recipe: str
    scene: Scene
    dt: float
    """[s]; the longest step if it is `auto`"""
    auto: bool = False
    """Whether the length of steps is chosen by the error of the motion (dt="auto")."""
    settings: Settings = field(default_factory=Settings)
    rebounds: bool = False
    """Whether some pairs have restitution."""
    steps: int
    expected: Expected

    @property
    def integrator(self) -> str:
        """Rule of its steps in time, or `auto`."""
        return "auto" if self.auto else self.settings.integrator

    @property
    def solver(self) -> str:
        """Name of its contact solver."""
        solver = self.settings.solver
        return solver.name if isinstance(solver, SolverSettings) else "other"


def random_scene(seed: int, index: int, *, recipe: str | None = None, plain: bool = False) -> RandomScene:
    """The scene with this number of the sequence of `seed`: the same on every call.

    The recipe follows from the number, unless it is given: so a scene can be made that had its number when there were fewer.
    A `plain` one has the default settings, cloth of springs, no bad meshes and no loads, as the first scenes had.
    """
    random = np.random.default_rng([seed, index])
    recipe = list(RECIPES)[index % len(RECIPES)] if recipe is None else recipe
    dt = float(np.exp(random.uniform(np.log(SHORTEST_STEP), np.log(LONGEST_STEP))))
    steps = int(random.integers(FEWEST_STEPS, MOST_STEPS + 1))
    more = None if plain else np.random.default_rng([seed, index, 1])
    draw = Draw(random, f"random-{seed}-{index}", more=more)
    conditions = draw.conditions
    dt = conditions.longest_step or dt
    expected = RECIPES[recipe](draw, steps * dt)
    scene = draw.scene
    if scene.joints or scene.locks or scene.drives:
        conditions = conditions.for_joints()
    if more is not None:
        conditions.apply(scene, more, draw.size)
        if conditions.loads or conditions.restitution:
            expected = replace(expected, conserves=False)
    rebounds = any(rule.restitution for rule in scene.pair_rules) or any(
        b.options.restitution for b in scene.bodies.values()
    )
    return RandomScene(
        index=index,
        recipe=recipe,
        scene=scene,
        dt=dt,
        auto=conditions.auto,
        settings=conditions.settings,
        rebounds=rebounds,
        steps=steps,
        expected=expected,
    )
