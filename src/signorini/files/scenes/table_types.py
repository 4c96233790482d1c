"""Types of the keys of a scene file, from the types of the Python parameters and fields that they stand for."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema

from signorini.elements.solid_law import SolidLaw
from signorini.files.scenes.scene_table import Vector
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.body import Body
from signorini.scene.solid_material import LAWS

LEFT_OUT = object()
"""Type of a parameter that a scene file cannot give."""
Law: Any = Literal[tuple(LAWS)]  # pyright: ignore[reportInvalidTypeForm]
"""Name of a constitutive law."""


class Role:
    """Mark of a key whose value is checked after its table: "surface" or "volume", "material" or "preset" of a class.

    The JSON Schema that pydantic makes has the mark in this place; `json_schema` replaces it by the right schema.
    """

    materials: ClassVar[dict[str, type]] = {}
    """Classes of materials by name."""

    def __init__(self, name: str, of: type | None = None):
        self.mark = {"role": name}
        if of is not None:
            self.mark["of"] = of.__name__
            self.materials[of.__name__] = of

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return dict(self.mark)


_WHOLE: list[tuple[Any, Any]] = [
    (ArrayLike | None, LEFT_OUT),  # arrays that may be left out are in the files of meshes
    (ArrayLike, list[Vector]),
    (NDArray[np.float64], LEFT_OUT),  # the lists of numbers beside it stand for it
    (Sequence[Sequence[float]], list[Vector]),
    (str | SolidLaw, Law),
    (str | SolidLaw | None, Law | None),
    (Sequence[float], Vector),
    (tuple[float, float, float], Vector),
    (tuple[tuple[float, float], ...], list[list[float]]),
    (Sequence[int], list[int]),
    (TriangleMesh, Annotated[dict[str, Any], Role("surface")]),
    (TetMesh, Annotated[dict[str, Any], Role("volume")]),
]
"""Python types and what stands for them in a file."""


def stands_for(python: Any, table: Any) -> None:
    """Enter what stands for a Python type in a file."""
    _WHOLE.append((python, table))


def table_type(hint: Any) -> Any:
    """The type of a key that stands for a Python value of the type `hint`, or `LEFT_OUT`."""
    for python, table in _WHOLE:
        if hint == python:
            return table
    if get_origin(hint) in (Union, types.UnionType):
        return _union([*get_args(hint)])
    if hint in (float, int, bool, str, type(None)) or get_origin(hint) is Literal:
        return hint
    if hint is Path or get_origin(hint) is Callable or (isinstance(hint, type) and issubclass(hint, Body)):
        return LEFT_OUT
    if is_dataclass(hint):
        return Annotated[dict[str, Any], Role("material", hint)]  # pyright: ignore[reportArgumentType]
    raise TypeError(f"{hint} has no type in scene files: add one to table_types")


def presets(material: type) -> Iterable[str]:
    """The names of the presets of a material: the keys of PRESETS in its module."""
    return getattr(sys.modules[material.__module__], "PRESETS", {})


def _union(members: list[Any]) -> Any:
    """Members that a file cannot give are left out; a string beside a material is the name of a preset."""
    materials: list[type] = [m for m in members if isinstance(m, type) and is_dataclass(m) and not issubclass(m, Body)]
    if str in members and materials:
        members[members.index(str)] = Annotated[str, Role("preset", materials[0])]
    found = [member if get_origin(member) is Annotated else table_type(member) for member in members]
    return Union[tuple(member for member in found if member is not LEFT_OUT)]  # noqa: UP007 (made at run time)
