"""The page of the viewer: the same for the server and for one file with everything inside."""

from __future__ import annotations

import base64
import html
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from signorini.checks import check_path
from signorini.errors import InputError
from signorini.viewer.recording import Recording

SCRIPTS = ("vectors.js", "source.js", "renderer.js", "plots.js", "viewer.js", "controls.js")
"""Parts of the program of the page, in the order in which they are read."""


def served_page(title: str) -> str:
    """The page that asks the server for its data."""
    return _page(title, "")


def write_page(
    recording: Recording, file: str | Path, *, every: int = 1, tick: Callable[[], None] = lambda: None
) -> Path:
    """Write a page with all frames of a recording inside, or every n-th one; `tick` is called after each frame."""
    target = check_path("file of a page", file)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"file {str(target)!r} must end in .html")
    if not target.parent.is_dir():
        raise InputError(f"directory {str(target.parent)!r} for {target.name!r} does not exist")
    if every < 1:
        raise InputError(f"every must be at least 1, got {every}")
    thinned = _Thinned(recording, every)
    before, after = _page(recording.title, "\0").split("\0")
    partial = target.with_name(f".{target.name}.partial")
    try:
        with partial.open("w", encoding="utf-8") as stream:
            stream.write(before)
            for name, block in thinned.blocks():
                text = base64.b64encode(zlib.compress(block, 6)).decode()
                stream.write(f'<script type="text/plain" id="{name}">{text}</script>\n')
                tick()
            stream.write(after)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return target


class _Thinned:
    """Every n-th frame of a recording, and its last one, as blocks of a page."""

    def __init__(self, recording: Recording, every: int):
        self._recording = recording
        self._frames = sorted({*range(0, len(recording.times), every), len(recording.times) - 1})

    def blocks(self) -> Iterator[tuple[str, bytes]]:
        """Names and contents."""
        yield "scene", self._recording.scene()
        yield "news", self._recording.news(only=self._frames)
        for k, frame in enumerate(self._frames):
            yield f"frame-{k}", self._recording.frame(frame, small=True)


def _page(title: str, data: str) -> str:
    """The page with its style and program; `data` stands before the program."""
    parts = {"TITLE": html.escape(title), "STYLE": _text("style.css"), "DATA": data}
    parts["SCRIPT"] = "\n".join(_text(name) for name in SCRIPTS)
    lines = _text("page.html").splitlines()
    return "\n".join(parts.get(line, line.replace("TITLE", parts["TITLE"])) for line in lines)


@cache
def _text(name: str) -> str:
    return (files("signorini.viewer") / "web" / name).read_text(encoding="utf-8")
