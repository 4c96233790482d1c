"""Registry of export formats: from the ending of a file to the function that writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from signorini.errors import InputError
from signorini.files.exports.selection import FrameSelection

Exporter = Callable[[FrameSelection, Path], Sequence[Path]]
"""Writes the selected frames to the given file, or to several files named after it, and returns what it wrote."""

_EXPORTERS: dict[str, Exporter] = {}


def exporter(*endings: str) -> Callable[[Exporter], Exporter]:
    """Register the decorated function as the writer of files with these endings, such as "obj".

    The function takes the selected frames (a `FrameSelection`) and the path of the file, and returns the paths that it
    wrote. An ending that is registered again is written by the later function.
    """
    names = [_plain(ending) for ending in endings]
    if not names or not all(names):
        raise InputError(f'exporter needs at least one ending, as in @exporter("obj"), got {endings!r}')

    def register(function: Exporter) -> Exporter:
        _EXPORTERS.update(dict.fromkeys(names, function))
        return function

    return register


def find_exporter(file: Path) -> Exporter:
    """The function that writes a file with this ending, or an `InputError` that lists the known endings."""
    ending = _plain(file.suffix)
    if ending not in _EXPORTERS:
        what = f"has the unknown format {ending!r}" if ending else "has no ending"
        raise InputError(f"export file {str(file)!r} {what}: use one of {', '.join(sorted(_EXPORTERS))}")
    return _EXPORTERS[ending]


def _plain(ending: str) -> str:
    return ending.lower().removeprefix(".")
