"""Units and axes of mesh files: from the file's own to metres with z up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_positive
from signorini.errors import InputError, short
from signorini.files.meshes.up_axis import UpAxis, z_up_rotation

Unit = Literal["um", "mm", "cm", "m", "km", "in", "ft"]
METRES: dict[str, float] = {"um": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048}
"""Length of each unit [m]."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """Conversion of the coordinates of a file to metres with z up."""

    factor: float = 1.0
    """Metres per unit of the file, times the user's scale."""
    up: UpAxis = "z"
    """The axis that points up in the file."""

    @property
    def is_none(self) -> bool:
        """Whether coordinates stay as they are."""
        return self.factor == 1.0 and self.up == "z"

    def apply(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Points (n, 3) of the file in metres with z up; an `InputError` if they are no numbers."""
        try:
            with np.errstate(over="ignore"):  # what becomes infinite is named by the mesh
                scaled = np.asarray(points, dtype=np.float64) * self.factor
        except (TypeError, ValueError):
            raise InputError(f"vertices must be numbers, got an array of {points.dtype}") from None
        return scaled if self.up == "z" or scaled.ndim != 2 else scaled @ z_up_rotation("a mesh", self.up).T


def conversion(
    name: str,
    *,
    up: UpAxis | None,
    scale: float,
    unit: Unit | None,
    own_up: UpAxis = "z",
    own_metres: float = 1.0,
) -> Conversion:
    """The conversion that the user asks for; where he does not, the file's `own_up` and `own_metres` per unit count.

    `name` stands in messages.
    """
    factor = check_positive(f"scale of {name}", scale)
    if unit is not None and (not isinstance(unit, str) or unit not in METRES):
        raise InputError(f"unit of {name} must be one of {', '.join(METRES)}, got {short(unit)}")
    if up is not None:
        z_up_rotation(name, up)  # refuses what is no axis
    return Conversion(factor * (own_metres if unit is None else METRES[unit]), own_up if up is None else up)
