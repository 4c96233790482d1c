"""The argument SCENE and the options KEY=VALUE of the command line."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
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
    from signorini.files.scenes.scene_file import SceneFile, load_scene

    if scene.endswith(".toml"):
        from signorini.files.scenes.scene_changes import with_friction, with_stiffness

        if resolution is not None:
            raise InputError("--resolution is for gallery scenes: a scene file says itself how fine its meshes are")
        if options:
            raise InputError(f"--with {options[0]} is for gallery scenes: change the scene file itself")
        file = load_scene(scene)
        if friction is not None:
            with_friction(file.scene, friction)
        if stiffness is not None:
            with_stiffness(file.scene, stiffness)
        return file
    from signorini import gallery

    entry = gallery.find(scene)
    usual = {"friction": friction, "stiffness": stiffness, "resolution": resolution}
    changes = {key: value for key, value in usual.items() if value is not None}
    known = inspect.signature(entry.build).parameters
    for name, value in changes.items():
        if name not in known:
            raise InputError(f"--{name} {value:g}: {scene} has no {name}; it has {', '.join(known)}")
    built = entry.build(**changes | _own_options(scene, entry.build, options or []))
    return SceneFile(scene=built, dt=entry.dt, seconds=entry.seconds, fps=entry.fps)


def _own_options(scene: str, build: Callable[..., Any], texts: list[str]) -> dict[str, Any]:
    """The options that only this gallery scene has, from texts such as `damping=0` or `bvh=dance.bvh`."""
    known = inspect.signature(build).parameters
    options: dict[str, Any] = {}
    for name, text in read_assignments(texts, option="--with", example="damping=0").items():
        if name not in known:
            raise InputError(f"--with {name}={text}: {scene} has no option {name!r}; it has {', '.join(known)}")
        try:
            options[name] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            options[name] = text
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
