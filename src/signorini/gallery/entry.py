"""Entry of the gallery: a built-in scene with its builder and its usual time step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from signorini.scene.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class GalleryScene:
    """A scene with the time step and length that it is meant to be run with."""

    name: str
    title: str
    build: Callable[..., Scene]
    """build(*, friction, stiffness, resolution): friction coefficient, factor on the material, and how fine its meshes are
    (vertices along an edge of a cloth, unless the scene says otherwise). Scenes of rigid bodies have no stiffness; some have
    options of their own."""
    dt: float
    """[s]"""
    seconds: float
    fps: float = 30.0
    figure: str = ""
    """The figure of a paper that it remakes, or an empty string."""
