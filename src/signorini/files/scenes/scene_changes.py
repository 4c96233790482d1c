"""Changes to a scene and its settings that a command line asks for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, replace

from signorini.errors import InputError
from signorini.files.scenes.scene_file import settings_from
from signorini.files.scenes.scene_schema import SettingsTable
from signorini.files.scenes.scene_table import checked, unknown_key
from signorini.scene.scene import Scene
from signorini.settings import Settings, SolverSettings, solver_name


def changed_settings(settings: Settings, assignments: Mapping[str, str]) -> Settings:
    """The settings with changes such as `{"max_refinements": "8", "solver.tolerance": "1e-4"}`; values are TOML."""
    outside = None if isinstance(settings.solver, SolverSettings) else settings.solver
    data = asdict(settings if outside is None else replace(settings, solver=SolverSettings()))
    for key, text in assignments.items():
        if outside is not None and key.split(".")[0] == "solver":
            raise InputError(
                f"setting {key!r}: the contact solver is the Python code {solver_name(outside)!r}, change it there"
            )
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
    changed = settings_from(checked(SettingsTable, data, where="settings"))
    return changed if outside is None else replace(changed, solver=outside)


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
