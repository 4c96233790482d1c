"""A scene and how to run it, as a scene file holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signorini.checks import told_fields
from signorini.scene.scene import Scene
from signorini.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneFile:
    """A loaded scene file: the scene and how to run it."""

    __repr__ = told_fields

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
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the scene was made with, for the summary of a run: the options of a gallery scene, or changes of a scene file."""
