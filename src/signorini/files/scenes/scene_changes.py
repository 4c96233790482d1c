"""Changes to a scene and its settings that a command line asks for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict

from signorini.errors import InputError
from signorini.files.scenes.scene_file import settings_from
from signorini.files.scenes.scene_schema import SettingsTable, checked, unknown_key
from signorini.scene.scene import Scene
from signorini.settings import Settings


def changed_settings(settings: Settings, assignments: Mapping[str, str]) -> Settings:
    """The settings with changes such as `{"max_refinements": "8", "solver.tolerance": "1e-4"}`; values are TOML."""
    data = asdict(settings)
    for key, text in assignments.items():
        *parents, last = key.split(".")
        table = data
        for parent in parents:
            table = table.get(parent)
            if not isinstance(table, dict):
                raise InputError(f"setting {key!r}: {unknown_key(parents[0], data)}")
        try:
            table[last] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            table[last] = None if text == "none" else text
    return settings_from(checked(SettingsTable, data, where="settings"))


def with_friction(scene: Scene, friction: float) -> Scene:
    """Give every body of the scene this friction coefficient."""
    scene.friction = Scene(friction=friction).friction
    for body in scene.bodies.values():
        body.friction = scene.friction
    return scene


def with_stiffness(scene: Scene, factor: float) -> Scene:
    """Multiply all stiffnesses of all bodies by `factor`."""
    for body in scene.bodies.values():
        body.scale_stiffness(factor)
    return scene
