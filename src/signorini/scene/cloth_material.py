"""Cloth materials in units that can be measured on fabric, and named presets."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Literal

from signorini.checks import LARGEST_NUMBER, check_number, check_positive, told_fields
from signorini.errors import InputError
from signorini.scene.checks import preset_of
from signorini.scene.sheets.fabrics import FABRICS, SPRINGS

ClothModel = Literal["continuum", "mass-spring"]
CLOTH_MODELS: tuple[ClothModel, ...] = ("continuum", "mass-spring")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClothMaterial:
    """What a sheet resists: stretching, shearing and bending, and how fast it loses vibration.

    With `membrane_stiffness`, `poisson_ratio` and `bending_rigidity` alone it is isotropic; the other stiffnesses make it a woven
    or knitted fabric, whose warp (or wale) is the direction 1 and whose weft (or course) is the direction 2.
    """

    __repr__ = told_fields

    membrane_stiffness: float
    """E1·h, tension per unit of strain along the warp [N/m]."""
    weft_stiffness: float | None = None
    """E2·h along the weft [N/m]; by default that of the warp."""
    poisson_ratio: float = 0.0
    """ν12, contraction of the weft per unit of strain of the warp."""
    shear_stiffness: float | None = None
    """G·h, shear force per length and unit of shear [N/m]; by default that of an isotropic sheet, E·h / (2 + 2 ν)."""
    bending_rigidity: float
    """B1, moment per width and unit of curvature of a strip cut along the warp [N·m]."""
    weft_bending_rigidity: float | None = None
    """B2 of a strip cut along the weft [N·m]; by default that of the warp."""
    twisting_rigidity: float | None = None
    """Twisting moment per length and unit of twist [N·m]; by default that of an isotropic plate, √(B1 B2) / (1 + ν)."""
    compression_ratio: float = 0.05
    """Stiffness in compression over that in tension: fabric buckles between the vertices of its mesh (decision 0017)."""
    strain_limit: float | None = None
    """Strain along warp or weft beyond which the fabric locks; by default it does not."""
    locked_ratio: float = 20.0
    """Stiffness of a locked fabric over that of an unlocked one."""
    bending_hysteresis: float = 0.0
    """HB, dry friction in bending: the moment per length below which a fold stays as it is [N·m/m = N]."""
    crease_curvature: float | None = None
    """Curvature beyond which a fold stays as a crease [1/m]; by default none does."""
    damping_time: float
    """Damping of stretching and shearing is its stiffness times this time [s]."""
    bending_damping_time: float
    """Damping of bending is its stiffness times this time [s]: the hysteresis of fabric in bending."""
    area_density: float | None = None
    """Mass per area [kg/m²] of a cloth that is not given another."""
    thickness: float | None = None
    """Distance that contacts keep between the layers of a cloth that is not given another [m]; by default that of the scene."""

    def __post_init__(self) -> None:
        check_positive("membrane_stiffness", self.membrane_stiffness, unit="N/m")
        for field in fields(self):
            if getattr(self, field.name) is not None:
                check_number(field.name, getattr(self, field.name))
        if not 0.0 < self.compression_ratio <= 1.0:
            raise InputError(f"compression_ratio must be above 0 and at most 1, got {self.compression_ratio}")
        if self.bending_hysteresis > 0.0 and self.bending_rigidity == 0.0:
            raise InputError("bending_hysteresis needs a bending_rigidity above 0 N·m to act with")
        for name, unit in _ZERO_OR_POSITIVE.items():
            value = getattr(self, name)
            if value is not None and not 0.0 <= value <= LARGEST_NUMBER:
                raise InputError(
                    f"{name} must be zero or positive, finite and at most {LARGEST_NUMBER:g}, got {value} {unit}"
                )
        for name, unit in _POSITIVE.items():
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name), unit=unit)
        if self.locked_ratio < 1.0:
            raise InputError(f"locked_ratio must be at least 1, got {self.locked_ratio}")
        if not abs(self.poisson_ratio) < (largest := math.sqrt(self.membrane_stiffness / self.weft)):
            raise InputError(
                f"poisson_ratio must be below √(membrane_stiffness / weft_stiffness) = {largest:.3g} in size, or the "
                f"fabric would gain energy from stretching, got {self.poisson_ratio}"
            )
        if self.bending_rigidity > 0.0 and not abs(self.poisson_ratio) < (
            largest := math.sqrt(self.bending_rigidity / self.weft_bending)
        ):
            raise InputError(
                f"poisson_ratio must be below √(bending_rigidity / weft_bending_rigidity) = {largest:.3g} in size, got "
                f"{self.poisson_ratio}"
            )

    @property
    def weft(self) -> float:
        """E2·h [N/m]."""
        return self.membrane_stiffness if self.weft_stiffness is None else self.weft_stiffness

    @property
    def shear(self) -> float:
        """G·h [N/m]."""
        isotropic = math.sqrt(self.membrane_stiffness * self.weft) / (2.0 + 2.0 * self.poisson_ratio)
        return isotropic if self.shear_stiffness is None else self.shear_stiffness

    @property
    def weft_bending(self) -> float:
        """B2 [N·m]."""
        return self.bending_rigidity if self.weft_bending_rigidity is None else self.weft_bending_rigidity

    @property
    def twisting(self) -> float:
        """Twisting moment per length and unit of twist [N·m]."""
        if self.twisting_rigidity is not None:
            return self.twisting_rigidity
        return math.sqrt(self.bending_rigidity * self.weft_bending) / (1.0 + self.poisson_ratio)

    def scaled(self, factor: float) -> ClothMaterial:
        """The same material with all stiffnesses multiplied by `factor`; the damping times stay."""
        check_positive("factor", factor)
        values = {name: getattr(self, name) for name in _STIFFNESSES}
        return replace(self, **{name: value * factor for name, value in values.items() if value is not None})


_STIFFNESSES = (
    "membrane_stiffness", "weft_stiffness", "shear_stiffness", "bending_rigidity", "weft_bending_rigidity",
    "twisting_rigidity", "bending_hysteresis",
)  # fmt: skip
_ZERO_OR_POSITIVE = {
    "shear_stiffness": "N/m",
    "bending_rigidity": "N·m",
    "damping_time": "s",
    "bending_damping_time": "s",
    "bending_hysteresis": "N",
}
_POSITIVE = {
    "weft_stiffness": "N/m",
    "weft_bending_rigidity": "N·m",
    "twisting_rigidity": "N·m",
    "strain_limit": "",
    "crease_curvature": "1/m",
    "area_density": "kg/m²",
    "thickness": "m",
}

PRESETS: dict[str, ClothMaterial] = {name: ClothMaterial(**values) for name, values in FABRICS.items()}
SPRING_PRESETS: dict[str, ClothMaterial] = {name: ClothMaterial(**values) for name, values in SPRINGS.items()}


def cloth_material(material: str | ClothMaterial, model: ClothModel = "continuum") -> ClothMaterial:
    """The material itself, or the preset of that name for a model; an unknown name is answered with the nearest one."""
    if isinstance(material, ClothMaterial):
        if model == "mass-spring":
            _check_for_springs(material)
        return material
    if model == "mass-spring" and material in PRESETS and material not in SPRING_PRESETS:
        raise InputError(
            f"{material} is no material of the mass-spring model, which has {', '.join(SPRING_PRESETS)}: leave out "
            "model='mass-spring', or give a ClothMaterial without directions"
        )
    return preset_of("ClothMaterial", SPRING_PRESETS if model == "mass-spring" else PRESETS, material)


def _check_for_springs(material: ClothMaterial) -> None:
    """Refuse what a mass-spring cloth cannot have: directions, creases, a strain limit."""
    for name in ("weft_stiffness", "weft_bending_rigidity", "twisting_rigidity", "strain_limit", "crease_curvature"):
        if getattr(material, name) is not None:
            raise InputError(f"{name} needs the continuum model: leave it out, or leave out model='mass-spring'")
