"""Appearance of bodies in a picture: colours, gloss and patterns, by kind or as the scene says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.files.runs.trajectory import TrajectoryBody

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Appearance of all bodies of one kind."""

    colors: tuple[tuple[str, str], ...]
    """Colours of the outer and the inner side; several bodies of the kind take them in turn."""
    crease: float | None = None
    """Angle between triangles [rad] above which their edge looks sharp; None makes all edges look smooth."""
    gloss: float = 0.0
    """Brightness of the highlight of the sun, 0 to 1."""
    sharpness: float = 1.0
    """Exponent of the highlight; a larger exponent makes it smaller."""
    glow: float = 0.0
    """Extra brightness where the surface is seen at a grazing angle, as of a translucent material."""


# Cloth: the colour-blind-safe palette of Okabe and Ito, softened, and a lighter tone of each. Soft solids: fruit jelly. Rigid
# bodies: slate, wood, brass and other hard things. What is only scripted is pale and matt.
LOOKS: dict[str, Look] = {
    "cloth": Look(
        colors=(
            ("#2f7fb8", "#8fc1e3"),
            ("#e0a021", "#f3d48c"),
            ("#1f9a78", "#8ad0ba"),
            ("#c4669c", "#e6b5d1"),
            ("#d2602a", "#efac8a"),
            ("#8a7fc2", "#c5bfe4"),
        )
    ),
    "soft_solid": Look(
        colors=(
            ("#d9482b", "#a83a24"),
            ("#6fae3c", "#578a30"),
            ("#e8a12c", "#b67f24"),
            ("#a8509a", "#823f78"),
            ("#2fa39b", "#267f79"),
            ("#e0728c", "#ad596d"),
        ),
        crease=0.95,
        gloss=0.20,
        sharpness=14.0,
        glow=0.16,
    ),
    "rigid": Look(
        colors=(
            ("#56687a", "#445261"),
            ("#9a6f47", "#7a5939"),
            ("#b39a52", "#8e7a42"),
            ("#6d7f63", "#57654f"),
            ("#7b5f78", "#624c60"),
        ),
        crease=0.95,
        gloss=0.40,
        sharpness=60.0,
    ),
    "kinematic": Look(
        colors=(("#c9c4ba", "#b9b4ab"), ("#aab4bf", "#9aa3ad"), ("#b7c0a8", "#a8b09a")),
        crease=0.95,
    ),
}


FINISHES: dict[str, dict[str, float]] = {
    "matt": {"gloss": 0.0, "glow": 0.0},
    "glossy": {"gloss": 0.45, "sharpness": 60.0, "glow": 0.0},
    "jelly": {"gloss": 0.20, "sharpness": 14.0, "glow": 0.16},
    "woven": {},
    "checks": {},
    "stripes": {},
}
"""Finishes of surfaces, and what they change of the look of a kind; the last three are patterns."""


def look_of(body: TrajectoryBody) -> Look:
    """The look of a body: that of its kind, with its finish. A kind that is not known is drawn like a kinematic one."""
    look = LOOKS.get(body.kind, LOOKS["kinematic"])
    return replace(look, **FINISHES[body.finish]) if body.finish in FINISHES else look


def body_finish(body: TrajectoryBody) -> str:
    """The finish of a body: cloth is woven unless the scene says otherwise."""
    return body.finish or ("woven" if body.kind == "cloth" else "")


def body_colors(bodies: Mapping[str, TrajectoryBody]) -> dict[str, tuple[str, str]]:
    """The colours of the outer and the inner side of each body: its own, or those of its kind in turn."""
    seen: Counter[str] = Counter()
    colors: dict[str, tuple[str, str]] = {}
    for name, body in bodies.items():
        own = LOOKS.get(body.kind, LOOKS["kinematic"]).colors
        if body.color:
            colors[name] = body.color, _lighter(body.color) if body.kind == "cloth" else body.color
            continue
        colors[name] = own[seen[body.kind] % len(own)]
        seen[body.kind] += 1
    return colors


def _lighter(color: str) -> str:
    """A colour half way to white, for the inner side of cloth."""
    return "#" + "".join(f"{(int(color[k : k + 2], 16) + 255) // 2:02x}" for k in (1, 3, 5))


def painted(
    look: Look,
    color: NDArray[np.float32],
    bright: Floats,
    normals: Floats,
    *,
    sunlit: Floats,
    sun: Floats,
    view: Floats,
) -> NDArray[np.uint8]:
    """Colours (n, 3) of vertices with these normals (n, 3), `bright` (n,) by all light and `sunlit` (n,) from 0 to 1."""
    half = (sun + view) / np.linalg.norm(sun + view)
    shine = look.gloss * sunlit * np.maximum(normals @ half, 0.0) ** look.sharpness
    rim = look.glow * (1.0 - np.clip(normals @ view, 0.0, 1.0)) ** 2
    mixed = (bright + rim)[:, None] * color + shine[:, None]
    return np.clip(255.0 * mixed, 0.0, 255.0).astype(np.uint8)
