"""Fields over the vertices of a body at a frame, for programs that show them as colours or arrows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.files.exports.selection import FrameSelection

Floats = NDArray[np.float64]
FIELD_NAMES = ("displacement", "velocity")
"""Names of the vector fields that every export has."""


def stored_field_names(selection: FrameSelection) -> dict[str, int]:
    """The fields of vertices that the run stored for any of the bodies (`--fields`), with how many numbers each has a vertex."""
    trajectory, found = selection.trajectory, {}
    for body in selection.bodies:
        for name in trajectory.field_names(body).get("vertices", []):
            found[name] = 3 if name == "contact_force" else 1
    return dict(sorted(found.items()))


def stored_fields(selection: FrameSelection, body: str, index: int) -> dict[str, Floats]:
    """Every field of `stored_field_names` of a body at the selected frame of that index, (n,) or (n, 3), in SI units.

    Where a body has none of a field it is NaN, which other programs leave blank. Forces have the axes of what is written.
    """
    trajectory, count = selection.trajectory, selection.bodies[body].vertex_count
    own, found = trajectory.field_names(body).get("vertices", []), {}
    for name, width in stored_field_names(selection).items():
        shape = (count,) if width == 1 else (count, width)
        values = np.full(shape, np.nan)
        if name in own:
            values = np.asarray(trajectory.field(body, name, selection.frames[index]), dtype=np.float64)
            values = values if width == 1 else selection.turned(values)
        found[name] = values
    return found


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
