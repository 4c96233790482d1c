"""Pictures of a trajectory, drawn by a room above this one that is entered only on request."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any


class Drawable:
    """The part of `Trajectory` that shows itself."""

    def _repr_html_(self) -> str:
        """Pictures of its frames and a slider to go through them, for notebooks."""
        return import_module("signorini.reports.notebook").trajectory_html(self)

    def render(self, path: str | Path, *, frame: int | None = None, **options: Any) -> Path:
        """Write a picture (.png) of a frame, by default the last, or a film (.mp4) of all of them; returns its path.

        Options: `size` (width, height) in pixels; `camera` and `look_at` [m], where the picture is taken from and what is in its
        middle, or `view`, the direction from which everything is seen; `contacts` adds contact forces as arrows; `subdivide`
        draws cloth smoothly; for films `orbit` [degrees], `fps` and `progress`.
        """
        return import_module("signorini.render.pictures").render_trajectory(self, path, frame=frame, **options)
