"""Mutants: copies of a kernel module with one fault planted in the source, run as plain Python."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Mutant:
    """A fault: `old` of the source is replaced by `new`, everywhere."""

    name: str
    old: str
    new: str


def planted(module: ModuleType, mutant: Mutant | None) -> ModuleType:
    """The module, without compilation of its own kernels, with the fault in it (None: with no fault)."""
    source = inspect.getsource(module)
    if mutant is not None:
        assert mutant.old in source, f"{mutant.name}: the source has changed, plant the fault anew"
        source = source.replace(mutant.old, mutant.new)
    source = source.replace("@kernel\n", "")
    copy = ModuleType(f"{module.__name__}_mutant")
    exec(compile(source, copy.__name__, "exec"), copy.__dict__)
    return copy
