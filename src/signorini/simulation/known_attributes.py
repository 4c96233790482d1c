"""Objects whose attributes tell: what does not exist, or can only be read, is answered by a sentence instead of silence."""

from __future__ import annotations

import difflib
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from signorini.errors import AttributeInputError

Floats = NDArray[np.float64]


class KnownAttributes:
    """Base of objects that take no attributes but those that they are made with."""

    _complete = False
    """Set when an object has all its attributes: from then on no others can be set."""

    def _described(self) -> str:
        """What the object is called in messages."""
        return f"a {type(self).__name__}"

    def __setattr__(self, name: str, value: Any) -> None:
        found = getattr(type(self), name, None)
        if isinstance(found, property) and found.fset is None:
            raise AttributeInputError(f"{name} of {self._described()} can only be read; {_settable(type(self))}")
        if self._complete and found is None and name not in self.__dict__:
            self._unknown(name)
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._unknown(name)

    def _unknown(self, name: str) -> NoReturn:
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        known += [each for each in self.__dict__ if not each.startswith("_")]
        nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
        hint = f"did you mean {nearest[0]!r}? " if nearest else ""
        raise AttributeInputError(
            f"{self._described()} has no attribute {name!r}: {hint}There are {', '.join(sorted(known))}"
        )


def _settable(kind: type) -> str:
    """A sentence with the attributes of a class that can be set."""
    names = (name for name in dir(kind) if not name.startswith("_"))
    settable = [name for name in names if getattr(getattr(kind, name), "fset", None) is not None]
    return f"what can be set is {', '.join(settable)}" if settable else "nothing of it can be set"


def read_only(array: Floats) -> Floats:
    """A copy that cannot be written to, so that `body.velocity[2] = 5` is an error and not lost."""
    copy = array.copy()
    copy.setflags(write=False)
    return copy
