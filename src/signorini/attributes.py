"""Objects with known attributes: setting one that does not exist, or that can only be read, is an `InputError`."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.errors import AttributeInputError, InputError, suggestion


class KnownAttributes:
    """Base of objects that take no attributes but those that they are made with."""

    _complete = False
    """Set when an object has all its attributes: from then on no others can be set."""
    _replaceable: ClassVar[frozenset[str] | None] = None
    """Names of the attributes that can be given another value then; None: all."""
    _remedies: ClassVar[dict[str, str]] = {}
    """What to do instead of setting an attribute that can only be read, by its name."""

    def _described(self) -> str:
        """Name of the object in messages."""
        return f"a {type(self).__name__}"

    def __setattr__(self, name: str, value: Any) -> None:
        found = getattr(type(self), name, None)
        if isinstance(found, property) and found.fset is None:
            self._only_read(name)
        # A class that a user derives from one of ours may have what it likes.
        if self._complete and not name.startswith("_") and type(self).__module__.startswith("signorini."):
            if found is None and name not in self.__dict__:
                self._unknown(name)
            if self._replaceable is not None and name in self.__dict__ and name not in self._replaceable:
                self._only_read(name)
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._unknown(name)

    def _only_read(self, name: str) -> NoReturn:
        settable = [n for n in dir(type(self)) if getattr(getattr(type(self), n), "fset", None) is not None]
        settable = sorted({*settable, *(self._replaceable or ())})
        what = f"what can be set is {', '.join(settable)}" if settable else "nothing of it can be set"
        what = self._remedies.get(name, what)
        raise AttributeInputError(f"{name} of {self._described()} can only be read; {what}")

    def _unknown(self, name: str) -> NoReturn:
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        known += [each for each in self.__dict__ if not each.startswith("_")]
        hint = suggestion(name, known)
        raise AttributeInputError(
            f"{self._described()} has no attribute {name!r}: {hint}There are {', '.join(sorted(known))}"
        )


class CopiedArray(np.ndarray):
    """Array of numbers that is a copy: its entries cannot be set, because that would be lost.

    What is computed from it is a plain array, so that `body.velocity += (0, 0, 1)` sets the velocity and `body.velocity.copy()`
    can be written to.
    """

    def __setitem__(self, key: Any, value: Any) -> None:
        raise InputError(
            "this array is a copy of the state, so that writing to it would be lost: change x = array.copy() and set the whole "
            "attribute to x"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if any(one is self for one in options.get("out", ())):  # `+=` and the like: the attribute is set to the result
            options.pop("out")
        return getattr(ufunc, method)(*(_plain(one) for one in inputs), **options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return func(*(_plain(one) for one in args), **{key: _plain(one) for key, one in kwargs.items()})

    def copy(self, order: Any = "C") -> NDArray[Any]:
        """A plain array that can be written to."""
        return np.array(self, order=order)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def read_only(array: ArrayLike, *, flagged: bool = True) -> NDArray[np.float64]:
    """A copy that cannot be written to, so that `body.velocity[2] = 5` is an error and not lost.

    Without the flag of NumPy that says so, for rotations: those of SciPy refuse arrays that have it.
    """
    copy = np.array(array, dtype=np.float64).view(CopiedArray)
    if flagged:
        copy.setflags(write=False)
    return copy


def _plain(value: Any) -> Any:
    """Copied arrays in an argument as arrays of NumPy."""
    if isinstance(value, CopiedArray):
        return value.view(np.ndarray)
    if type(value) in (list, tuple):
        return type(value)(_plain(one) for one in value)
    return value
