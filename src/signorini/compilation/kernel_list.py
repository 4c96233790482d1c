"""The list of the kernels that simulations call, with the types of their arguments: what `signorini warmup` compiles.

`make kernels` records it while all tests run (`tests/support/kernel_recorder`); the group "others" is still from the index files
of Numba's cache after such a run. A list that is out of date does no harm: what
is missing is compiled when it is needed, and what no longer exists is left out.
"""

# Numba's attributes are made at run time:
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false, reportGeneralTypeIssues=false

from __future__ import annotations

import functools
import json
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from numba.core import types

FILE = Path(__file__).parent / "kernels.json"
CONTACT = "contact"
"""The group of what every simulation with a cloth in contact needs."""


class Entry(NamedTuple):
    """A kernel and the types of its arguments."""

    kernel: str
    """Module and name, as in "signorini.collision.detect_kernels:impacts"."""
    size: int
    """Size of the compiled kernel [kB], by which the largest are compiled first."""
    arguments: list[Any]
    """The types of the arguments, see `encoded`."""

    @property
    def signature(self) -> tuple[Any, ...]:
        """The types of the arguments as Numba's."""
        return tuple(decoded(kind) for kind in self.arguments)


@functools.cache
def kernel_list() -> dict[str, tuple[Entry, ...]]:
    """The recorded kernels by groups; empty if there is no list."""
    if not FILE.is_file():
        return {}
    return {group: tuple(Entry(*row) for row in rows) for group, rows in json.loads(FILE.read_text("utf-8")).items()}


def write_kernel_list(groups: dict[str, list[Entry]], file: Path = FILE) -> None:
    """Write the list, one kernel a line."""
    parts = []
    for group, entries in groups.items():
        rows = ",\n".join("  " + json.dumps(list(entry)) for entry in sorted(entries))
        parts.append(f" {json.dumps(group)}: [\n{rows}\n ]")
    file.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def encoded(kind: Any) -> Any:
    """A type in JSON: a name, or a list of the name of a tuple and its items. None if it cannot be told by names."""
    if isinstance(kind, types.Array):
        if not kind.aligned or not isinstance(kind.dtype, (types.Number, types.Boolean)):
            return None
        return f"{'' if kind.mutable else 'readonly '}{kind.dtype}[{kind.ndim}{kind.layout}]"
    if isinstance(kind, types.BaseTuple):
        named = getattr(kind, "instance_class", None)
        items = [encoded(item) for item in kind]
        if any(item is None for item in items):
            return None
        return [f"{named.__module__}:{named.__qualname__}" if named else "tuple", *items]
    if isinstance(kind, (types.Number, types.Boolean, types.NoneType)) and not isinstance(kind, types.Literal):
        return str(kind)
    return None


def decoded(text: Any) -> Any:
    """The type that `encoded` has written."""
    if isinstance(text, list):
        items = tuple(decoded(item) for item in text[1:])
        if text[0] == "tuple":
            return types.BaseTuple.from_types(items)
        module, name = text[0].split(":")
        made = getattr(import_module(module), name)
        same = len(set(items)) == 1
        return types.NamedUniTuple(items[0], len(items), made) if same else types.NamedTuple(items, made)
    if text.endswith("]"):
        dtype, form = text.removeprefix("readonly ")[:-1].split("[")
        return types.Array(getattr(types, dtype), int(form[:-1]), form[-1], readonly=text.startswith("readonly "))
    return types.none if text == "none" else getattr(types, text)
