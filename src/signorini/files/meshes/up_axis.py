"""Rotation from files whose x or y axis points up to ours, where z does."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError

UpAxis = Literal["x", "y", "z"]

_TO_Z_UP = {
    "x": ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),
    "y": ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    "z": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}
"""Rotation matrices by the axis that points up in the file: a quarter turn about one of the other two axes."""


def z_up_rotation(name: str, up: UpAxis) -> NDArray[np.float64]:
    """The rotation matrix (3, 3) that takes coordinates of a file whose axis `up` points up to ours, where z does.

    From y up, (x, y, z) becomes (x, -z, y), as in most programs: what looks along the file's z looks along our -y.
    """
    if not isinstance(up, str) or up not in _TO_Z_UP:
        raise InputError(f"up axis of {name} must be 'x', 'y' or 'z', got {up!r}")
    return np.array(_TO_Z_UP[up])
