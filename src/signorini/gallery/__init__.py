"""The built-in scenes: `SCENES[name].build()` returns a Scene, `signorini run name` runs it."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from signorini.errors import InputError
from signorini.gallery import curtain, drape, falling_cloth, layers
from signorini.scene import Scene


@dataclass(frozen=True, slots=True)
class GalleryScene:
    """A scene with the time step and length that it is meant to be run with."""

    name: str
    title: str
    build: Callable[..., Scene]
    """build(*, friction, stiffness, resolution): friction coefficient, factor on the material, vertices along an edge."""
    dt: float
    """[s]"""
    seconds: float
    fps: float
    figure: str
    """The figure of a paper that it remakes, or an empty string."""


SCENES: dict[str, GalleryScene] = {
    scene.name: scene
    for scene in (
        GalleryScene(
            "falling-cloth",
            "A hanging cloth is let go and stacks in folds on the ground",
            falling_cloth.build,
            dt=4e-3,
            seconds=4.0,
            fps=30.0,
            figure="Otaduy2009 Fig. 5",
        ),
        GalleryScene(
            "drape",
            "A cloth falls over a sphere, which then turns and drags it along",
            drape.build,
            dt=4e-3,
            seconds=4.0,
            fps=30.0,
            figure="",
        ),
        GalleryScene(
            "layers",
            "Five sheets fall on each other",
            layers.build,
            dt=4e-3,
            seconds=2.0,
            fps=30.0,
            figure="",
        ),
        GalleryScene(
            "curtain",
            "A curtain, pinned along its top, is hit by a moving sphere",
            curtain.build,
            dt=4e-3,
            seconds=3.0,
            fps=30.0,
            figure="",
        ),
    )
}


def find(name: str) -> GalleryScene:
    """The scene of that name; an unknown name is answered with the nearest one."""
    if name in SCENES:
        return SCENES[name]
    nearest = difflib.get_close_matches(name, SCENES, n=1, cutoff=0.0)[0]
    raise InputError(f"there is no scene {name!r}: did you mean {nearest!r}? There are {', '.join(SCENES)}")
