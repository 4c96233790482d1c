"""The exceptions that a user can meet, each a single sentence that names the thing, its value and the remedy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

LONGEST = 700
"""Characters of the longest message: a value can have a million, and what to do stands behind it."""
LONGEST_WORD = 120
"""Characters of the longest word in a message that is too long: most are one value without a space."""


def short(value: object) -> str:
    """A value as it stands in a message: at most 60 characters, however large it is."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or an integer of too many digits
        text = f"a {type(value).__name__}"
    text = in_one_line(text)
    return text if len(text) <= 60 else text[:57] + "..."


def suggestion(name: object, names: Iterable[str]) -> str:
    """`did you mean 'cotton'? ` with the name that was probably meant; nothing if none is like the given one."""
    nearest = difflib.get_close_matches(str(name), list(names), n=1, cutoff=0.6)
    return f"did you mean {nearest[0]!r}? " if nearest else ""


def in_one_line(text: str) -> str:
    """`text` without line breaks: arrays print themselves in several lines."""
    return re.sub(r"\s*\n\s*", " ", text)


def shortened(text: str, longest: int = LONGEST) -> str:
    """`text`, or the ends of its long words, and then of itself, if it is longer than `longest` characters."""
    if len(text) <= longest:
        return text
    text = re.sub(rf"\S{{{LONGEST_WORD},}}", lambda word: f"{word[0][:70]}...{word[0][-30:]}", text)
    if len(text) <= longest:
        return text
    mark = f" ... ({len(text):,} characters) ... "
    head = max(2 * (longest - len(mark)) // 3, 1)
    tail = max(longest - len(mark) - head, 1)
    return f"{text[:head]}{mark}{text[-tail:]}"


class _SentenceError(Exception):
    """An error whose message is one line of a readable length."""

    def __init__(self, *arguments: object):
        super().__init__(*(shortened(in_one_line(a)) if isinstance(a, str) else a for a in arguments))


class InputError(_SentenceError, ValueError):
    """Something that the user gave is wrong; the message says what, its value, and what to do."""


class ProblemTooLargeError(InputError):
    """A contact problem is too large for the contact solver; the message says which one to take instead."""


class AttributeInputError(InputError, AttributeError):
    """An attribute does not exist, or can only be read; the message names those that can be set."""


class MissingExtraError(_SentenceError, ImportError):
    """An optional dependency is not installed; the message contains the pip command that installs it."""


class SimulationStoppedError(_SentenceError, RuntimeError):
    """The simulation cannot be continued; everything computed up to here is intact."""


class DiskFullError(SimulationStoppedError):
    """There is no room for the results; what was written before stays readable."""
