"""The exceptions that a user can meet, each a single sentence that names the thing, its value and the remedy."""

from __future__ import annotations

LONGEST = 900
"""Characters of the longest message: a value can have a million, and what to do stands behind it."""


def shortened(text: str, longest: int = LONGEST) -> str:
    """`text`, or both its ends if it is longer than `longest` characters."""
    if len(text) <= longest:
        return text
    mark = f" ... ({len(text):,} characters) ... "
    head = max(2 * (longest - len(mark)) // 3, 1)
    tail = max(longest - len(mark) - head, 1)
    return f"{text[:head]}{mark}{text[-tail:]}"


class _SentenceError(Exception):
    """An error whose message has a readable length."""

    def __init__(self, *arguments: object):
        super().__init__(*(shortened(a) if isinstance(a, str) else a for a in arguments))


class InputError(_SentenceError, ValueError):
    """Something that the user gave is wrong; the message says what, its value, and what to do."""


class MissingExtraError(_SentenceError, ImportError):
    """An optional dependency is not installed; the message contains the pip command that installs it."""


class SimulationStoppedError(_SentenceError, RuntimeError):
    """The simulation cannot be continued; everything computed up to here is intact."""


class DiskFullError(SimulationStoppedError):
    """There is no room for the results; what was written before stays readable."""
