"""Sources of the scenes of a sweep: a gallery scene, a scene file or a Python function, each made anew for a parameter set."""

from __future__ import annotations

import hashlib
import inspect
import tokenize
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol

from signorini.checks import check_positive
from signorini.errors import InputError, short, suggestion
from signorini.files.scenes.loaded_scene import SceneFile
from signorini.files.scenes.scene_changes import changed_settings, with_friction, with_stiffness
from signorini.files.scenes.scene_file import read_tables
from signorini.files.scenes.toml_writer import toml_value
from signorini.gallery import find
from signorini.gallery.options import build_scene, known_options, typed_value
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.sweep.table_keys import SECTIONS, rebuilt_with, scene_with

RUN_KEYS = ("dt", "seconds", "fps")
SETTINGS = tuple(f.name for f in fields(Settings))


class SceneSource(Protocol):
    """Makes the scene of a parameter set."""

    @property
    def name(self) -> str:
        """Name of the scene."""
        ...

    @property
    def identity(self) -> str:
        """Identity of the source: runs of another identity are other runs."""
        ...

    @property
    def options(self) -> tuple[str, ...] | None:
        """Parameters besides dt, seconds, fps, settings and keys of the scene file; None: any name is taken."""
        ...

    @property
    def has_tables(self) -> bool:
        """Whether keys of the scene file can be varied."""
        ...

    def make(self, parameters: Mapping[str, Any]) -> SceneFile | Simulation:
        """The scene with these parameters, or a simulation of it."""
        ...


@dataclass(frozen=True, slots=True)
class GallerySource:
    """A built-in scene."""

    name: str
    has_tables = True

    @property
    def identity(self) -> str:
        return f"gallery:{self.name}"

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(known_options(find(self.name).build))

    def make(self, parameters: Mapping[str, Any]) -> SceneFile:
        entry = find(self.name)
        hints = known_options(entry.build)
        given = {
            key: typed_value(f"parameter {key}={value}", key, value, hints[key], text=str(value))
            for key, value in parameters.items()
            if key in hints
        }
        made = build_scene(entry, given)
        tables = {key: value for key, value in parameters.items() if key not in hints and _is_table_key(key)}
        if tables:
            made = rebuilt_with(made, tables, name=self.name)
        return _with_run_keys(made, {key: value for key, value in parameters.items() if key not in {*hints, *tables}})


@dataclass(frozen=True, slots=True)
class FileSource:
    """A scene file; its text is part of its identity, so that a changed file makes other runs."""

    path: Path
    digest: str
    has_tables = True
    options = ("friction", "stiffness")

    @classmethod
    def of(cls, path: str | Path) -> FileSource:
        """The source of the file at `path`, which must be readable."""
        file = Path(path).absolute()
        read_tables(file)
        return cls(file, hashlib.sha256(file.read_bytes()).hexdigest())

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def identity(self) -> str:
        return f"file:{self.digest}"

    def make(self, parameters: Mapping[str, Any]) -> SceneFile:
        tables = {key: value for key, value in parameters.items() if _is_table_key(key)}
        made = scene_with(read_tables(self.path), self.path, tables)
        for key, change in (("friction", with_friction), ("stiffness", with_stiffness)):
            if key in parameters:
                change(made.scene, parameters[key])
        return _with_run_keys(
            made, {key: value for key, value in parameters.items() if key not in {*self.options, *tables}}
        )


@dataclass(frozen=True, slots=True, eq=False)
class FunctionSource:
    """A Python function `build(**parameters)` that returns a Scene, a SceneFile or a Simulation."""

    build: Callable[..., Any]
    usual: Mapping[str, Any]
    """dt, seconds, fps and settings where neither the parameters nor a SceneFile say otherwise."""
    digest: str
    has_tables = False

    @classmethod
    def of(cls, build: Callable[..., Any], usual: Mapping[str, Any]) -> FunctionSource:
        return cls(build, dict(usual), code_digest(build))

    @property
    def name(self) -> str:
        return getattr(self.build, "__name__", type(self.build).__name__)

    @property
    def identity(self) -> str:
        return f"function:{self.digest}:{sorted((k, repr(v)) for k, v in self.usual.items())}"

    @property
    def options(self) -> tuple[str, ...] | None:
        known = inspect.signature(self.build).parameters.values()
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known):
            return None
        return tuple(p.name for p in known if p.kind is not inspect.Parameter.POSITIONAL_ONLY)

    def make(self, parameters: Mapping[str, Any]) -> SceneFile | Simulation:
        known = self.options
        own = {key: value for key, value in parameters.items() if known is None or key in known}
        further = {key: value for key, value in parameters.items() if key not in own}
        built = self.build(**own)
        if isinstance(built, Simulation):
            if {key for key in further if key not in ("seconds", "fps")}:
                raise InputError(
                    f"{self.name} returns a Simulation, which has its own dt and settings: vary them there"
                )
            return built
        made = built if isinstance(built, SceneFile) else SceneFile(scene=built)
        if not isinstance(made.scene, Scene):
            raise InputError(
                f"{self.name} must return a Scene, a SceneFile or a Simulation, got a {type(built).__name__}"
            )
        made = replace(made, **{key: value for key, value in self.usual.items() if value is not None})
        return _with_run_keys(made, further)


def check_names(source: SceneSource, names: Iterable[str]) -> None:
    """Refuse a parameter that nothing has, with the nearest name that there is."""
    known = source.options
    if known is None:
        return
    for name in names:
        head = name.split(".")[0]
        if name in (*known, *RUN_KEYS) or head in SETTINGS or (source.has_tables and _is_table_key(name)):
            continue
        names_here = [*known, *RUN_KEYS, *SETTINGS, *(SECTIONS if source.has_tables else ())]
        hint = suggestion(name, names_here)
        more = ", a setting such as solver.tolerance"
        more += ", or a key of its file such as cloth.NAME.area_density" if source.has_tables else ""
        raise InputError(
            f"{source.name} has no parameter {name!r}: {hint}It has {', '.join((*known, *RUN_KEYS))}{more}"
        )


def code_digest(function: Callable[..., Any]) -> str:
    """SHA-256 of the name and the text of a function: the same function again is recognised, and a changed one is not."""
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError, SyntaxError, tokenize.TokenError):
        code = getattr(function, "__code__", None)
        text = "" if code is None else f"{code.co_code.hex()} {code.co_names}"
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    return hashlib.sha256(f"{name}\n{text}".encode()).hexdigest()


def _is_table_key(name: str) -> bool:
    head, dot, _ = name.partition(".")
    return bool(dot) and head in SECTIONS


def _with_run_keys(made: SceneFile, parameters: Mapping[str, Any]) -> SceneFile:
    """The scene with other times or settings."""
    times = {key: check_positive(key, value) for key, value in parameters.items() if key in RUN_KEYS}
    settings = {key: value for key, value in parameters.items() if key not in RUN_KEYS}
    for key, value in settings.items():
        if not isinstance(value, str | int | float | bool | list) and value is not None:
            raise InputError(f"setting {key!r} must be a number, a text or a list, got {short(value)}")
    texts = {key: "none" if value in (None, "none") else toml_value(value) for key, value in settings.items()}
    return replace(made, **times, settings=changed_settings(made.settings, texts) if texts else made.settings)
