"""Cloth materials in units that can be measured on fabric, and named presets.

The presets are rounded from what fabric testing (KES-F tensile, shear and bending tests) reports for such fabrics; real
fabric varies by a factor of two and differs between warp and weft, which this isotropic model does not.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from signorini.checks import LARGEST_NUMBER, check_number, check_positive, told_fields
from signorini.errors import InputError
from signorini.scene.checks import preset_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ClothMaterial:
    """What a sheet resists: stretching, shearing and bending, and how fast it loses vibration."""

    __repr__ = told_fields

    membrane_stiffness: float
    """E·h, tension per unit of strain along an edge of the mesh [N/m]."""
    shear_stiffness: float
    """G·h, shear force per length and unit of shear, carried by the diagonals of (square) quads [N/m]."""
    bending_rigidity: float
    """Moment per length and unit of curvature, carried by hinges along the edges [N·m]."""
    compression_ratio: float = 0.05
    """Stiffness of a spring in compression over that in tension: fabric buckles between the vertices (decision 0002)."""
    bending_hysteresis: float = 0.0
    """HB, dry friction in bending: the moment per length below which a fold stays as it is [N·m/m = N]."""
    damping_time: float
    """Damping along a spring is its stiffness times this time [s]."""
    bending_damping_time: float
    """Damping of a hinge is its stiffness times this time [s]: the hysteresis of fabric in bending."""

    def __post_init__(self) -> None:
        check_positive("membrane_stiffness", self.membrane_stiffness, unit="N/m")
        for field in fields(self):
            check_number(field.name, getattr(self, field.name))
        if not 0.0 < self.compression_ratio <= 1.0:
            raise InputError(f"compression_ratio must be above 0 and at most 1, got {self.compression_ratio}")
        if self.bending_hysteresis > 0.0 and self.bending_rigidity == 0.0:
            raise InputError("bending_hysteresis needs a bending_rigidity above 0 N·m to act with")
        for name, unit in (
            ("shear_stiffness", "N/m"),
            ("bending_rigidity", "N·m"),
            ("damping_time", "s"),
            ("bending_damping_time", "s"),
            ("bending_hysteresis", "N"),
        ):
            value = getattr(self, name)
            if not 0.0 <= value <= LARGEST_NUMBER:
                raise InputError(
                    f"{name} must be zero or positive, finite and at most {LARGEST_NUMBER:g}, got {value} {unit}"
                )

    def scaled(self, factor: float) -> ClothMaterial:
        """The same material with all stiffnesses multiplied by `factor`; the damping time stays."""
        check_positive("factor", factor)
        return ClothMaterial(
            membrane_stiffness=self.membrane_stiffness * factor,
            shear_stiffness=self.shear_stiffness * factor,
            bending_rigidity=self.bending_rigidity * factor,
            compression_ratio=self.compression_ratio,
            bending_hysteresis=self.bending_hysteresis * factor,
            damping_time=self.damping_time,
            bending_damping_time=self.bending_damping_time,
        )


PRESETS: dict[str, ClothMaterial] = {
    "cotton": ClothMaterial(
        membrane_stiffness=1000.0,
        shear_stiffness=100.0,
        bending_rigidity=2e-5,
        bending_hysteresis=4e-4,
        damping_time=1e-3,
        bending_damping_time=2e-2,
    ),
    "silk": ClothMaterial(
        membrane_stiffness=600.0,
        shear_stiffness=40.0,
        bending_rigidity=2e-6,
        bending_hysteresis=2e-5,
        damping_time=5e-4,
        bending_damping_time=2e-2,
    ),
    "denim": ClothMaterial(
        membrane_stiffness=4000.0,
        shear_stiffness=500.0,
        bending_rigidity=1e-4,
        bending_hysteresis=1e-3,
        damping_time=2e-3,
        bending_damping_time=2e-2,
    ),
    "rubber-sheet": ClothMaterial(
        membrane_stiffness=500.0,
        shear_stiffness=170.0,
        bending_rigidity=4e-5,
        compression_ratio=1.0,
        damping_time=5e-3,
        bending_damping_time=2e-2,
    ),
}


def cloth_material(material: str | ClothMaterial) -> ClothMaterial:
    """The material itself, or the preset of that name; an unknown name is answered with the nearest one."""
    return material if isinstance(material, ClothMaterial) else preset_of("ClothMaterial", PRESETS, material)
