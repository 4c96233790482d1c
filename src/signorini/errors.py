"""The exceptions that a user can meet, each a single sentence that names the thing, its value and the remedy."""

from __future__ import annotations


def short(value: object) -> str:
    """A value as it stands in a message: at most 60 characters, however large it is."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or an integer of too many digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


LONGEST_MESSAGE = 900
"""Characters of a message; what a user gave can be of any length, and the middle of a longer message is left out."""


def _cut(message: object) -> str:
    text = str(message)
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:600]} ... {text[-250:]}"


class InputError(ValueError):
    """Something that the user gave is wrong; the message says what, its value, and what to do."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_cut(message))


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message contains the pip command that installs it."""


class SimulationStoppedError(RuntimeError):
    """The simulation cannot be continued; everything computed up to here is intact."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_cut(message))


class DiskFullError(SimulationStoppedError):
    """There is no room for the results; what was written before stays readable."""
