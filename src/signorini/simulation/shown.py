"""Display of a simulation: in words, as a picture, in a notebook and in the browser."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from signorini.methods.moment import SolvedContacts
from signorini.scene.scene import Scene
from signorini.simulation.readout import carrying

if TYPE_CHECKING:
    from signorini.settings import Settings
    from signorini.simulation.body_view import BodyViews


class Shown:
    """The part of `Simulation` that shows it. What draws are rooms above this one, which are entered only on request."""

    scene: Scene
    settings: Settings
    bodies: BodyViews
    dt: float
    _solved: SolvedContacts | None

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        raise NotImplementedError

    @property
    def step_index(self) -> int:
        """Steps that have been taken."""
        raise NotImplementedError

    def __repr__(self) -> str:
        contacts = 0 if self._solved is None else len(carrying(self._solved))
        when = f"t = {self.time:.6g} s (step {self.step_index}, dt = {self.dt:g} s)"
        what = f"{len(self.bodies)} bodies, {contacts} contacts with force"
        return f"Simulation of {self.scene.name!r} at {when}: {what}, method {self.settings.method}"

    def _repr_html_(self) -> str:
        """Pictures of the present state and of earlier ones, to play and to scrub, with its numbers, for notebooks."""
        return import_module("signorini.reports.notebook").simulation_html(self)

    def view(self, *, fps: float = 30.0, host: str = "127.0.0.1", port: int = 0, browser: bool = True) -> Any:
        """Show the simulation in the browser while it steps, `fps` states a simulated second, until `close()` of the result."""
        viewer = import_module("signorini.viewer.live")
        return viewer.view_simulation(self, fps=fps, host=host, port=port, browser=browser)

    def render(self, path: str | Path | None = None, **options: Any) -> Path | NDArray[np.uint8]:
        """Write a picture of the present state to a .png file; without a path, return it as an array (height, width, 3).

        Options are those of `Trajectory.render`: `size` (width, height) in pixels, `camera` and `look_at` [m], or the direction
        `view` from which everything is seen; `contacts` adds contact forces as arrows, `subdivide` draws cloth smoothly.
        """
        return import_module("signorini.render.present_picture").render_simulation(self, path, **options)
