"""Writes docs/gallery.md from the registry of scenes and what docs/gallery_times.py measured: `python docs/list_gallery.py`."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from signorini.gallery import _MODULES, SCENES

DOCS = Path(__file__).parent
PAGE = DOCS / "gallery.md"
HEAD = """# Gallery

Every built-in scene. `signorini run NAME` runs it, `signorini view runs/NAME` shows it, `signorini render runs/NAME --film` makes
its film, and `signorini scenes NAME --write FILE` writes it out to be changed. Pictures and films were rendered by Signorini.
This page is written by `python docs/list_gallery.py` from the registry of scenes.

**Time** is CPU time on one thread of a shared machine (AMD EPYC), measured by `docs/gallery_times.py` for at most 12 s of CPU
time a scene: for a whole run if it says *all*, otherwise for its first seconds, as given. What comes later may cost more or less.
"""


def page() -> str:
    """The text of the page."""
    times = json.loads((DOCS / "gallery-times.json").read_text(encoding="utf-8"))
    parts = [HEAD]
    for module, entry in zip(_MODULES, SCENES.values(), strict=True):
        source = f"../src/signorini/gallery/{module.replace('.', '/')}.py"
        text = " ".join((inspect.getdoc(entry.build) or "").split())
        pictures = [f"pictures/{entry.name}.png", f"images/{entry.name}.png"]
        picture = next((path for path in pictures if (DOCS / path).exists()), None)
        film = f"films/{entry.name}.webp"
        parts.append(f"## {entry.name}\n\n{entry.title}. {text}\n")
        shown = [f"![{entry.title}]({picture})"] if picture else []
        remark = "There is no film of it here yet; the commands above make one"
        if (DOCS / film).exists():
            shown.append(f"![Film: {entry.title}]({film})")
            remark = _film_remark(times.get(entry.name) or {}, entry.seconds)
        if shown:
            parts.append("\n".join(shown) + "\n")
        if remark:
            parts.append(f"*{remark}.*\n")
        remakes = f"; remakes {entry.figure}" if entry.figure else ""
        link = f"[`{module.rpartition('.')[2]}.py`]({source})"
        facts = f"{entry.seconds:g} s at dt = {1e3 * entry.dt:g} ms{remakes}. Source: {link}."
        parts.append(f"{facts} {_time(times.get(entry.name), entry.seconds)}\n")
    return "\n".join(parts)


def _film_remark(found: dict[str, float], seconds: float) -> str:
    """What a film does not show as it is: only the first seconds, or faster."""
    shown, speed = found.get("film_seconds", seconds), found.get("film_speed", 1.0)
    part = f"the first {shown:.3g} of {seconds:.3g} s" if shown < 0.99 * seconds else ""
    fast = f"{speed:.2g} times as fast" if speed > 1.0 else f"{1.0 / speed:.2g} times as slow" if speed < 1.0 else ""
    told = ", ".join(text for text in (part or (fast and "all of it"), fast) if text)
    return f"The film shows {told}" if told else ""


def _time(found: dict[str, float] | None, seconds: float) -> str:
    if found is None:
        return "Time: not measured."
    each = found["cpu_seconds"] / found["simulated"]
    part = "all" if found["done"] else f"first {found['simulated']:.3g} of {seconds:g} s"
    return (
        f"Time: {each:.3g} CPU s a simulated second, {1e3 * found['cpu_seconds'] / found['steps']:.3g} ms a step ({part}); "
        f"at most {found['contacts']:,} contacts."
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
