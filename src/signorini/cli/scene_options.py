"""The argument SCENE and the options KEY=VALUE of the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from signorini.errors import InputError

if TYPE_CHECKING:
    from signorini.files.scenes.scene_file import SceneFile


def load_scene_argument(
    scene: str,
    *,
    friction: float | None = None,
    stiffness: float | None = None,
    resolution: int | None = None,
    options: list[str] | None = None,
) -> SceneFile:
    """The scene file or gallery scene, with the changes of the command line."""
    if scene.endswith(".toml"):
        from signorini.files.scenes.scene_changes import with_friction, with_stiffness
        from signorini.files.scenes.scene_file import load_scene

        if resolution is not None:
            raise InputError("--resolution is for gallery scenes: a scene file says itself how fine its meshes are")
        if options:
            raise InputError(f"--with {options[0]} is for gallery scenes: change the scene file itself")
        file = load_scene(scene)
        if friction is not None:
            with_friction(file.scene, friction)
        if stiffness is not None:
            with_stiffness(file.scene, stiffness)
        changes = {"friction": friction, "stiffness": stiffness}
        return replace(file, options={key: value for key, value in changes.items() if value is not None})
    from signorini import gallery
    from signorini.gallery.options import build_scene

    entry = gallery.find(scene)
    usual = {"friction": friction, "stiffness": stiffness, "resolution": resolution}
    given = {key: value for key, value in usual.items() if value is not None}
    known = inspect.signature(entry.build).parameters
    for name, value in given.items():
        if name not in known:
            raise InputError(f"--{name} {value:g}: {scene} has no {name}; it has {', '.join(known)}")
    given |= _own_options(scene, entry.build, options or [])
    return build_scene(entry, given)


def _own_options(scene: str, build: Callable[..., Any], texts: list[str]) -> dict[str, Any]:
    """The options that only this gallery scene has, from texts such as `damping=0` or `bvh=dance.bvh`."""
    from signorini.gallery.options import known_options, option_value

    known = known_options(build)
    options: dict[str, Any] = {}
    for name, text in read_assignments(texts, option="--with", example="damping=0").items():
        if name not in known:
            raise InputError(f"--with {name}={text}: {scene} has no option {name!r}; it has {', '.join(known)}")
        options[name] = option_value(f"--with {name}={text}", name, text, known[name])
    return options


def read_assignments(
    texts: list[str], *, option: str = "--set", example: str = "solver.tolerance=1e-4"
) -> dict[str, str]:
    """KEY=VALUE texts as keys and values."""
    assignments: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise InputError(f"{option} {text!r} must have the form KEY=VALUE, for example {example}")
        assignments[key.strip()] = value.strip()
    return assignments
