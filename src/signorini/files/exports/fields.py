"""Fields over the vertices of a body at a frame, for programs that show them as colours or arrows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.files.exports.selection import FrameSelection

Floats = NDArray[np.float64]
FIELD_NAMES = ("displacement", "velocity")
"""Names of the vector fields, in the order of `vertex_fields`."""


def vertex_fields(selection: FrameSelection, body: str, index: int) -> dict[str, Floats]:
    """Vector fields (n, 3) of a body at the selected frame of that index, in the units and axes of what is written.

    `displacement` is since the first selected frame; `velocity` [1/s] is the mean since the selected frame before, zero at the
    first: the trajectory holds positions only.
    """
    frame = selection.frames[index]
    now, first = selection.positions(body, frame), selection.positions(body, selection.frames[0])
    velocity = np.zeros_like(now)
    if index:
        before = selection.positions(body, selection.frames[index - 1])
        velocity = (now - before) / (selection.times[index] - selection.times[index - 1])
    return {"displacement": now - first, "velocity": velocity}
