"""The argument SCENE and the options KEY=VALUE of the command line."""

from __future__ import annotations

import inspect
import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from signorini.checks import check_count
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
    given = {key: value for key, value in usual.items() if value is not None}
    known = inspect.signature(entry.build).parameters
    for name, value in given.items():
        if name not in known:
            raise InputError(f"--{name} {value:g}: {scene} has no {name}; it has {', '.join(known)}")
    given |= _own_options(scene, entry.build, options or [])
    if "resolution" in given:
        check_count("resolution", given["resolution"], least=1)
    try:
        built = entry.build(**given)
    except (ArithmeticError, IndexError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        values = ", ".join(f"{key} = {value}" for key, value in given.items())
        raise InputError(f"scene {scene!r} cannot be made with {values} ({error}): choose other values") from error
    return SceneFile(scene=built, dt=entry.dt, seconds=entry.seconds, fps=entry.fps)


def _own_options(scene: str, build: Callable[..., Any], texts: list[str]) -> dict[str, Any]:
    """The options that only this gallery scene has, from texts such as `damping=0` or `bvh=dance.bvh`."""
    known = get_type_hints(build)
    known.pop("return", None)
    options: dict[str, Any] = {}
    for name, text in read_assignments(texts, option="--with", example="damping=0").items():
        if name not in known:
            raise InputError(f"--with {name}={text}: {scene} has no option {name!r}; it has {', '.join(known)}")
        options[name] = _option_value(name, text, known[name])
    return options


def _option_value(name: str, text: str, hint: Any) -> Any:
    """The value of an option of a gallery scene, of the type that its builder asks for."""
    kinds = set(get_args(hint)) or {hint}
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text
    if float in kinds and type(value) is int:
        value = float(value) if abs(value) < 2**1000 else math.inf
    if type(value) in kinds:
        return value
    if kinds & {str, Path}:
        return text
    words = [word for kind, word in _WORDS.items() if kind in kinds]
    if not words:
        raise InputError(f"--with {name}={text}: this option is a Python object: give it to the builder in Python")
    raise InputError(f"--with {name}={text}: expected {' or '.join(words)}, as in {name}={_example(kinds)}")


_WORDS = {int: "an integer", float: "a number", bool: "true or false"}


def _example(kinds: set[Any]) -> str:
    return "20" if int in kinds else "0.5" if float in kinds else "true"


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
