"""Options of gallery scenes: which a builder has, values of the types that it asks for, and the scene that they give."""

from __future__ import annotations

import inspect
import math
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

from signorini.checks import check_count
from signorini.errors import InputError
from signorini.files.scenes.loaded_scene import SceneFile
from signorini.gallery.entry import GalleryScene

_WORDS = {int: "an integer", float: "a number", bool: "true or false"}


def known_options(build: Callable[..., Any]) -> dict[str, Any]:
    """The options of a builder with the types that it asks for."""
    known = get_type_hints(build)
    known.pop("return", None)
    return known


def read_value(text: str) -> Any:
    """A value as TOML spells it, or the text itself where it is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def option_value(where: str, name: str, text: str, hint: Any) -> Any:
    """The value that a text stands for; `where` begins the message if it is not of the type that the builder asks for."""
    return typed_value(where, name, read_value(text), hint, text=text)


def typed_value(where: str, name: str, value: Any, hint: Any, *, text: str) -> Any:
    """`value` as the type that the builder asks for, or an `InputError`; an option that is a text takes any `text`."""
    kinds = set(get_args(hint)) or {hint}
    if float in kinds and type(value) is int:
        value = float(value) if abs(value) < 2**1000 else math.inf
    if type(value) in kinds:
        return value
    if kinds & {str, Path}:
        return text
    words = [word for kind, word in _WORDS.items() if kind in kinds]
    if not words:
        raise InputError(f"{where}: this option is a Python object: give it to the builder in Python")
    raise InputError(f"{where}: expected {' or '.join(words)}, as in {name}={_example(kinds)}")


def build_scene(entry: GalleryScene, options: Mapping[str, Any]) -> SceneFile:
    """The scene with these options; values that no scene can be made with are an `InputError`."""
    if "resolution" in options:
        check_count("resolution", options["resolution"], least=1)
    try:
        built = entry.build(**options)
    except (ArithmeticError, IndexError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        values = ", ".join(f"{key} = {value}" for key, value in options.items())
        raise InputError(f"scene {entry.name!r} cannot be made with {values} ({error}): choose other values") from error
    return SceneFile(
        scene=built, dt=entry.dt, seconds=entry.seconds, fps=entry.fps, options=all_options(entry, options)
    )


def all_options(entry: GalleryScene, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every option of a gallery scene with the value that it has: as given, or by default; objects by their names."""
    known = inspect.signature(entry.build).parameters
    values = {name: given.get(name, parameter.default) for name, parameter in known.items()}
    plain = (bool, int, float, str, type(None))
    return {name: value if isinstance(value, plain) else str(value) for name, value in values.items()}


def _example(kinds: set[Any]) -> str:
    return "20" if int in kinds else "0.5" if float in kinds else "true"
