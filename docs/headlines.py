"""Numbers of the evidence pages for the start page of the site, read from these pages: they cannot grow old."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent


def headlines() -> dict[str, str]:
    """What the start page says of each page of evidence, by the name of the page."""
    return {"validation": _validation(), "reproduction": _reproduction(), "campaign": _campaign()}


def _validation() -> str:
    (inside,) = re.findall(r": (\d+ of \d+ measurements of \d+ cases are inside their bounds);", _text("validation"))
    return inside


def _reproduction() -> str:
    (sums,) = re.findall(r"^\| \*\*all\*\* .*$", _text("reproduction"), flags=re.MULTILINE)
    hold, fail, _ = re.findall(r"\*\*(\d+)\*\*", sums)
    return f"{hold} statements of four papers hold here, {fail} do not"


def _campaign() -> str:
    text = _text("campaign")
    ((scenes, steps),) = re.findall(r"^([\d,]+) scenes of seed \d+, ([\d,]+) steps", text, flags=re.MULTILINE)
    table = text.split("| failure | scenes |")[1].split("\n\n")[0]
    failures = {kind: int(count) for kind, count in re.findall(r"^\| ([a-z -]+) \| (\d+)", table, flags=re.MULTILINE)}
    crossed = failures.pop("intersection") + failures.pop("pop-through")
    others = ", ".join(f"{kind} {count}" for kind, count in failures.items() if count)
    count = int(scenes.replace(",", ""))
    return f"{count:,} random scenes, {steps} steps, {crossed} intersections; other failures: {others or 'none'}"


def _text(page: str) -> str:
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")
