"""Materials of soft solids in units that can be measured, and named presets.

The presets are rounded from published measurements; real rubber, foam and tissue vary by a factor of two to ten. Where the
material is almost incompressible, Poisson's ratio is kept below 0.5 by as much as linear tetrahedra need: they lock, that
is, become far too stiff in bending and shear, as it approaches 0.5 (docs/soft-solids.md has numbers).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from signorini.checks import LARGEST_NUMBER, check_number, check_positive
from signorini.elements.corotational import COROTATIONAL
from signorini.elements.neo_hookean import NEO_HOOKEAN
from signorini.elements.solid_law import SolidLaw
from signorini.errors import InputError
from signorini.scene.checks import preset_of

LAWS: dict[str, SolidLaw] = {law.name: law for law in (COROTATIONAL, NEO_HOOKEAN)}
"""The constitutive laws that materials and scene files know by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolidMaterial:
    """What a soft solid resists, how heavy it is and how fast it loses vibration. Isotropic."""

    young: float
    """E, Young's modulus [Pa]."""
    poisson: float
    """ν, Poisson's ratio, above -1 and below 0.5."""
    density: float
    """Mass per volume [kg/m³]."""
    mass_damping: float = 0.0
    """α of Rayleigh damping α M + β K [1/s]: slows all motion, also of the body as a whole, like a viscous medium."""
    stiffness_damping: float = 0.0
    """β of Rayleigh damping α M + β K [s]: slows deformation only."""
    model: str | SolidLaw = "corotational"
    """Constitutive law. `corotational`: linear in the strain, for any rotation. `neo-hookean`: for large strain, keeps volume
    better. Or a `SolidLaw` of your own."""

    def __post_init__(self) -> None:
        check_positive("young", self.young, unit="Pa")
        check_positive("density", self.density, unit="kg/m³")
        poisson = check_number("poisson", self.poisson)
        if not -1.0 < poisson < 0.5:
            raise InputError(
                f"poisson must be above -1 and below 0.5, got {poisson:g}; for a nearly incompressible solid use 0.45 to 0.49"
            )
        for name, value, unit in (
            ("mass_damping", self.mass_damping, "1/s"),
            ("stiffness_damping", self.stiffness_damping, "s"),
        ):
            if not 0.0 <= check_number(name, value) <= LARGEST_NUMBER:
                raise InputError(
                    f"{name} must be zero or positive, finite and at most {LARGEST_NUMBER:g}, got {value} {unit}"
                )
        if not isinstance(self.model, SolidLaw) and (not isinstance(self.model, str) or self.model not in LAWS):
            raise InputError(f"model must be one of {', '.join(LAWS)}, or a SolidLaw, got {self.model!r}")

    @property
    def law(self) -> SolidLaw:
        """The constitutive law that `model` is or names."""
        return self.model if isinstance(self.model, SolidLaw) else LAWS[self.model]

    @property
    def lame_mu(self) -> float:
        """Shear modulus E / (2 (1 + ν)) [Pa]."""
        return self.young / (2.0 * (1.0 + self.poisson))

    @property
    def lame_lambda(self) -> float:
        """E ν / ((1 + ν) (1 − 2 ν)) [Pa]."""
        return self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))

    @property
    def bulk_modulus(self) -> float:
        """E / (3 (1 − 2 ν)) [Pa]."""
        return self.young / (3.0 * (1.0 - 2.0 * self.poisson))

    def to_table(self) -> dict[str, Any]:
        """Its table in a scene file; a law of your own is written by name, which only a program that has it can read."""
        return asdict(replace(self, model="corotational")) | {"model": self.law.name}

    def scaled(self, factor: float) -> SolidMaterial:
        """The same material with Young's modulus multiplied by `factor`."""
        return replace(self, young=self.young * check_positive("factor", factor))


PRESETS: dict[str, SolidMaterial] = {
    # Soft natural rubber: 1 to 5 MPa at small strain, 1100 kg/m³ (material tables); truly ν = 0.4999.
    "rubber": SolidMaterial(
        young=1e6, poisson=0.47, density=1100.0, mass_damping=0.1, stiffness_damping=1e-3, model="neo-hookean"
    ),
    # 10 % gelatine as in tissue phantoms: 10 to 100 kPa, rising with concentration; nearly water.
    "gelatine": SolidMaterial(
        young=2e4, poisson=0.47, density=1030.0, mass_damping=0.1, stiffness_damping=2e-3, model="neo-hookean"
    ),
    # Open-cell polyurethane cushion foam: 20 to 100 kPa before its cells buckle, ν about 0.3 (Gibson and Ashby 1997).
    "foam": SolidMaterial(
        young=5e4, poisson=0.3, density=40.0, mass_damping=1.0, stiffness_damping=5e-3, model="corotational"
    ),
    # Relaxed skeletal muscle across the fibres: 10 to 60 kPa, 1060 kg/m³ (Mendez and Keys 1960 for the density).
    "muscle": SolidMaterial(
        young=3e4, poisson=0.47, density=1060.0, mass_damping=0.5, stiffness_damping=5e-3, model="neo-hookean"
    ),
    # Intervertebral disc: the ground substance of the annulus, 4.2 MPa and ν = 0.45 (Shirazi-Adl et al. 1984).
    "disc": SolidMaterial(
        young=4.2e6, poisson=0.45, density=1100.0, mass_damping=0.5, stiffness_damping=1e-3, model="neo-hookean"
    ),
}


def solid_material(material: str | SolidMaterial) -> SolidMaterial:
    """The material itself, or the preset of that name; an unknown name is answered with the nearest one."""
    return material if isinstance(material, SolidMaterial) else preset_of("SolidMaterial", PRESETS, material)
