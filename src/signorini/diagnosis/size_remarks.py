"""Remarks on sizes, masses and axes that look like those of another unit or program."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from signorini.diagnosis.fault import Fault
from signorini.files.meshes.units import METRES
from signorini.scene.body import Body
from signorini.scene.sizes import BodySize
from signorini.scene.soft_solid import SoftSolid

LARGEST, SMALLEST = 30.0, 1e-3
"""Sizes of a body [m] beyond which the unit is doubted: what is simulated is mostly between a button and a room."""
USUAL = (0.05, 5.0)
"""Sizes [m] that a doubted unit is likely to have meant."""
DENSITIES = (5.0, 25_000.0)
"""Mass over volume [kg/m³] beyond which it is doubted: from foam to platinum."""
AREA_DENSITIES = (0.005, 10.0)
"""Mass over area of a cloth [kg/m²] beyond which it is doubted: from tulle to a rubber mat."""
ON_FLOOR, CENTRED = 0.02, 0.15
"""Parts of an extent within which a body stands on a plane, and within which it is centred about one."""


def unit_remark(size: BodySize, *, from_file: bool) -> Fault | None:
    """A body that is a hundred or a thousand times larger or smaller than things usually are."""
    extent = max(size.size)
    if SMALLEST <= extent <= LARGEST or extent == 0.0:
        return None
    meant = [unit for unit in ("mm", "cm", "in") if USUAL[0] <= extent * METRES[unit] <= USUAL[1]]
    if extent < SMALLEST:
        meant = [unit for unit in ("mm", "cm") if USUAL[0] <= extent / METRES[unit] <= USUAL[1]]
    where = "when the mesh is loaded" if from_file else "of its mesh"
    if not meant:
        remedy = "check the unit of its mesh (unit= of the loader)"
    elif extent > LARGEST:
        likely = extent * METRES[meant[-1] if "cm" not in meant else "cm"]
        unit = "cm" if "cm" in meant else meant[-1]
        remedy = f'say unit="{unit}" {where}: it is then {likely:.3g} m'
    else:
        remedy = f'leave out unit="{meant[0]}" {where}: it is then {extent / METRES[meant[0]]:.3g} m'
    what = f"it is {extent:.3g} m large, which looks like another unit"
    return Fault("size", "remark", (size.name,), 1, what, remedy)


def mass_remark(size: BodySize, *, volume: float, area: float) -> Fault | None:
    """A body whose mass does not fit its size: a car of three grams."""
    if size.mass is None:
        return None
    if size.kind == "cloth" and area > 0.0:
        density, (low, high), unit, of = size.mass / area, AREA_DENSITIES, "kg/m²", "area"
    elif size.kind in ("rigid", "soft_solid") and volume > 0.0:
        density, (low, high), unit, of = size.mass / volume, DENSITIES, "kg/m³", "volume"
    else:
        return None
    if low <= density <= high:
        return None
    what = f"its mass is {size.mass_text} at a size of {size.size_text}: {density:.3g} {unit} of its {of}"
    remedy = f"check its mass or density, and the unit of its mesh: most materials have {low:g} to {high:g} {unit}"
    return Fault("mass", "remark", (size.name,), 1, what, remedy)


def locking_remarks(bodies: Mapping[str, Body]) -> list[Fault]:
    """Soft solids of plain tetrahedra, which are too stiff at their Poisson's ratio."""
    remedy = 'leave out element="tetrahedra" for elements that do not lock, or use a Poisson\'s ratio of at most 0.45'
    locking = [body for body in bodies.values() if isinstance(body, SoftSolid) and body.material.locks]
    return [Fault("locking", "remark", (body.name,), 1, f"it has {body.element_text}", remedy) for body in locking]


def up_remark(name: str, points: NDArray[np.float64]) -> Fault | None:
    """A body of a file that stands on the plane y = 0 and is centred about z = 0: most programs have y up."""
    finite = points[np.isfinite(points).all(axis=1)]
    if len(finite) < 4:
        return None
    low, high = finite.min(axis=0), finite.max(axis=0)
    extent = high - low
    if extent[1] < 0.3 * extent.max() or extent[2] == 0.0:
        return None
    stands_on_y = abs(low[1]) <= ON_FLOOR * extent[1]
    stands_on_z = abs(low[2]) <= ON_FLOOR * extent[2]
    centred_in_z = abs(low[2] + high[2]) <= 2.0 * CENTRED * extent[2]
    if not stands_on_y or stands_on_z or not centred_in_z:
        return None
    what = "it stands on the plane y = 0 and is centred about z = 0, which looks like a file with y up"
    return Fault("up axis", "remark", (name,), 1, what, 'say up="y" when the mesh is loaded if it lies on its back')
