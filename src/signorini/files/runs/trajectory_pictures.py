"""Pictures of a trajectory, drawn by a room above this one that is entered only on request."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import named_list
from signorini.files.runs.trajectory_arrays import TrajectoryBody


class Drawable:
    """The part of `Trajectory` that shows itself."""

    times: NDArray[np.float64]
    bodies: dict[str, TrajectoryBody]
    frame_count: Any
    has_contacts: Any
    has_fields: Any

    def __repr__(self) -> str:
        span = f" from {self.times[0]:.6g} to {self.times[-1]:.6g} s" if len(self.times) else ""
        more = [what for what, stored in (("contacts", self.has_contacts), ("fields", self.has_fields)) if stored]
        kept = f", with {' and '.join(more)}" if more else ""
        return (
            f"Trajectory of {self.frame_count} frames{span}: {len(self.bodies)} bodies {named_list(self.bodies)}{kept}"
        )

    def _repr_html_(self) -> str:
        """Pictures of its frames, to play and to scrub, for notebooks."""
        return import_module("signorini.reports.notebook").trajectory_html(self)

    def render(self, path: str | Path, *, frame: int | None = None, **options: Any) -> Path:
        """Write a picture (.png) of a frame, by default the last, or a film (.mp4) of all of them; returns its path.

        Options: `size` (width, height) in pixels; `camera` and `look_at` [m], where the picture is taken from and what is in its
        middle, or `view`, the direction from which everything is seen; `contacts` adds contact forces as arrows; `subdivide`
        draws cloth smoothly; for films `orbit` [degrees], `fps` and `progress`.
        """
        return import_module("signorini.render.pictures").render_trajectory(self, path, frame=frame, **options)
