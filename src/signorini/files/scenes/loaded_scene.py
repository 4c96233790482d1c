"""A scene and how to run it, as a scene file holds them."""

from __future__ import annotations

from dataclasses import dataclass, field

from signorini.scene.scene import Scene
from signorini.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneFile:
    """A loaded scene file: the scene and how to run it."""

    scene: Scene
    """The bodies and their environment."""
    dt: float = 4e-3
    """Time step [s]; in a file also "auto", to choose it by the error of the motion."""
    seconds: float = 4.0
    """Simulated time of a run [s]."""
    fps: float = 30.0
    """Frames that a run stores per simulated second."""
    settings: Settings = field(default_factory=Settings)
    """How a step is computed."""
