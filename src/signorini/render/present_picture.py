"""Picture of a simulation as it is now: what `Simulation.render` draws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from signorini.render.camera import Camera, make_camera
from signorini.render.frame_source import NOW, PresentState
from signorini.render.pictures import DEFAULT_SIZE, DEFAULT_VIEW, checked_size, checked_target, frame_bounds
from signorini.render.stage import Stage

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation


class Photographer:
    """Takes pictures of a simulation from one place, so that what pictures have in common is prepared once."""

    def __init__(
        self,
        sim: Simulation,
        *,
        size: tuple[int, int] = DEFAULT_SIZE,
        view: Sequence[float] = DEFAULT_VIEW,
        camera: Sequence[float] | None = None,
        look_at: Sequence[float] | None = None,
        subdivide: bool = True,
        contacts: bool = False,
        box: NDArray[np.float64] | None = None,
    ):
        """`box` (2, 3) [m] is what the camera frames; by default the bodies as they are now."""
        source = PresentState(sim)
        box = frame_bounds(source, [NOW]) if box is None else box
        self._camera: Camera = make_camera(box, checked_size(size), view=view, camera=camera, look_at=look_at)
        options: dict[str, Any] = {"subdivide": subdivide, "contacts": contacts}
        self._stage = Stage(source, box, size=size, view=self._camera.backward, **options)

    def picture(self) -> NDArray[np.uint8]:
        """The present state, (height, width, 3)."""
        return self._stage.show(NOW, self._camera)


def render_simulation(sim: Simulation, path: str | Path | None, **options: Any) -> Path | NDArray[np.uint8]:
    """Write a PNG of the present state, or return the picture (height, width, 3) without a path."""
    if path is None:
        return Photographer(sim, **options).picture()
    from PIL import Image

    target = checked_target(path, ".png")
    Image.fromarray(Photographer(sim, **options).picture()).save(target, compress_level=3)
    return target
