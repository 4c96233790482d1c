"""The random scene of a seed and an index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.scene.scene import Scene
from signorini.studies.random_scenes.draw import Draw
from signorini.studies.random_scenes.recipes import RECIPES, Expected

SHORTEST_STEP, LONGEST_STEP = 5e-4, 5e-2
"""Limits of the time step [s]."""
FEWEST_STEPS, MOST_STEPS = 10, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomScene:
    """A scene with the time step and number of steps that it is to be run with."""

    index: int
    recipe: str
    scene: Scene
    dt: float
    """[s]"""
    steps: int
    expected: Expected


def random_scene(seed: int, index: int, *, recipe: str | None = None) -> RandomScene:
    """The scene with this number of the sequence of `seed`: the same on every call.

    The recipe follows from the number, unless it is given: so a scene can be made that had its number when there were fewer.
    """
    random = np.random.default_rng([seed, index])
    recipe = list(RECIPES)[index % len(RECIPES)] if recipe is None else recipe
    dt = float(np.exp(random.uniform(np.log(SHORTEST_STEP), np.log(LONGEST_STEP))))
    steps = int(random.integers(FEWEST_STEPS, MOST_STEPS + 1))
    draw = Draw(random, f"random-{seed}-{index}")
    expected = RECIPES[recipe](draw, steps * dt)
    return RandomScene(index=index, recipe=recipe, scene=draw.scene, dt=dt, steps=steps, expected=expected)
