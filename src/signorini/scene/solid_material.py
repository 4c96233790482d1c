"""Materials of soft solids in units that can be measured, and named presets.

The presets are rounded from published measurements; real rubber, foam and tissue vary by a factor of two to ten. Linear
tetrahedra lock, that is, become far too stiff in bending and shear, as Poisson's ratio approaches 0.5; above `LOCKS_ABOVE` a
solid is made of elements that do not (docs/soft-solids.md has numbers).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from signorini.checks import LARGEST_NUMBER, check_choice, check_number, check_positive, told_fields
from signorini.elements.laws.corotational import COROTATIONAL
from signorini.elements.laws.mooney_rivlin import MOONEY_RIVLIN
from signorini.elements.laws.neo_hookean import NEO_HOOKEAN
from signorini.elements.laws.ogden import OGDEN
from signorini.elements.laws.stable_neo_hookean import STABLE_NEO_HOOKEAN
from signorini.elements.solid_law import SolidLaw
from signorini.errors import InputError
from signorini.scene.checks import preset_of
from signorini.scene.solids.law_shapes import check_law_constants, check_ogden, law_shape, shear_modulus

LAWS: dict[str, SolidLaw] = {
    law.name: law for law in (COROTATIONAL, NEO_HOOKEAN, STABLE_NEO_HOOKEAN, MOONEY_RIVLIN, OGDEN)
}
"""The constitutive laws that materials and scene files know by name."""
LOCKS_ABOVE = 0.45
"""Poisson's ratio above which elements are locking-free by themselves: a bar of 651 tetrahedra is 1.5 times as stiff at 0.45 as
at 0, 2.5 times at 0.49 and 5 times at 0.499."""
Element = Literal["automatic", "tetrahedra", "locking-free"]
"""The elements that a solid can be made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolidMaterial:
    """What a soft solid resists, how heavy it is and how fast it loses vibration. Isotropic."""

    __repr__ = told_fields

    young: float | None = None
    """E, Young's modulus [Pa]; left out where constants of the law tell it: c10 and c01, or ogden."""
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
    better. `stable-neo-hookean`: the same for solids that are crushed. `mooney-rivlin`, `ogden`: curves of rubber and tissue.
    Or a `SolidLaw` of your own."""
    element: Element = "automatic"
    """`tetrahedra`: linear ones, which are fast. `locking-free`: bends as it should as poisson approaches 0.5, with two to three
    times as many blocks in the matrix. `automatic`: locking-free if poisson is above 0.45."""
    c10: float | None = None
    """C10 of the law mooney-rivlin [Pa]; its shear modulus is 2 (C10 + C01)."""
    c01: float | None = None
    """C01 of the law mooney-rivlin [Pa]."""
    ogden: tuple[tuple[float, float], ...] | None = None
    """One to three terms (μ_p [Pa], α_p) of the law ogden; its shear modulus is half the sum of μ_p α_p."""

    def __post_init__(self) -> None:
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
        check_choice("element", self.element, get_args(Element))
        if self.ogden is not None:  # lists, as scene files have them
            object.__setattr__(self, "ogden", check_ogden(self.ogden))
        check_law_constants(self.law.name, self.young, self.c10, self.c01, self.ogden)
        if self.young is not None:
            check_positive("young", self.young, unit="Pa")

    @property
    def law(self) -> SolidLaw:
        """The constitutive law that `model` is or names."""
        return self.model if isinstance(self.model, SolidLaw) else LAWS[self.model]

    @property
    def lame_mu(self) -> float:
        """Shear modulus [Pa]: E / (2 (1 + ν)), or that of the constants of the law."""
        if self.young is not None:
            return self.young / (2.0 * (1.0 + self.poisson))
        return shear_modulus(self.c10, self.c01, self.ogden)

    @property
    def lame_lambda(self) -> float:
        """2 μ ν / (1 − 2 ν) [Pa]."""
        return 2.0 * self.lame_mu * self.poisson / (1.0 - 2.0 * self.poisson)

    @property
    def bulk_modulus(self) -> float:
        """λ + 2/3 μ [Pa]."""
        return self.lame_lambda + 2.0 / 3.0 * self.lame_mu

    @property
    def shape(self) -> NDArray[np.float64]:
        """(p,) the numbers of the law's shape beyond μ and λ."""
        return law_shape(self.law, self.c10, self.c01, self.ogden)

    @property
    def locking_free(self) -> bool:
        """Whether solids of it are made of locking-free elements."""
        return self.element == "locking-free" or (self.element == "automatic" and self.poisson > LOCKS_ABOVE)

    @property
    def locks(self) -> bool:
        """Whether solids of it are made of plain tetrahedra although these are too stiff at its Poisson's ratio."""
        return self.poisson > LOCKS_ABOVE and not self.locking_free

    @property
    def element_text(self) -> str:
        """Which elements solids of it are made of, and why, as a person reads it."""
        ratio = f"Poisson's ratio {self.poisson:g}"
        if self.locks:
            return f"plain tetrahedra, as asked for, which lock at {ratio}: too stiff in bending by 2 to 8 times"
        if self.element != "automatic":
            return f"{self.element if self.locking_free else 'plain tetrahedra'}, as asked for"
        if self.locking_free:
            return f"locking-free, because {ratio} is above {LOCKS_ABOVE:g}"
        return f"plain tetrahedra, because {ratio} is not above {LOCKS_ABOVE:g}"

    def to_table(self) -> dict[str, Any]:
        """Its table in a scene file; a law of your own is written by name, which only a program that has it can read."""
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"model": self.law.name}

    def scaled(self, factor: float) -> SolidMaterial:
        """The same material with Young's modulus, or the constants of its law, multiplied by `factor`."""
        check_positive("factor", factor)
        given = {key: getattr(self, key) for key in ("young", "c10", "c01")}
        changes: dict[str, Any] = {key: value * factor for key, value in given.items() if value is not None}
        if self.ogden is not None:
            changes["ogden"] = tuple((mu * factor, alpha) for mu, alpha in self.ogden)
        return replace(self, **changes)


PRESETS: dict[str, SolidMaterial] = {
    # None slows the body as a whole: a solid in free flight keeps its momentum. Air is `Scene(air_drag=...)`.
    # Soft natural rubber: 1 to 5 MPa at small strain, 1100 kg/m³ (material tables); truly ν = 0.4999.
    "rubber": SolidMaterial(young=1e6, poisson=0.47, density=1100.0, stiffness_damping=1e-3, model="neo-hookean"),
    # 10 % gelatine as in tissue phantoms: 10 to 100 kPa, rising with concentration; nearly water.
    "gelatine": SolidMaterial(young=2e4, poisson=0.47, density=1030.0, stiffness_damping=2e-3, model="neo-hookean"),
    # Open-cell polyurethane cushion foam: 20 to 100 kPa before its cells buckle, ν about 0.3 (Gibson and Ashby 1997).
    "foam": SolidMaterial(young=5e4, poisson=0.3, density=40.0, stiffness_damping=5e-3, model="corotational"),
    # Relaxed skeletal muscle across the fibres: 10 to 60 kPa, 1060 kg/m³ (Mendez and Keys 1960 for the density).
    "muscle": SolidMaterial(young=3e4, poisson=0.47, density=1060.0, stiffness_damping=5e-3, model="neo-hookean"),
    # Intervertebral disc: the ground substance of the annulus, 4.2 MPa and ν = 0.45 (Shirazi-Adl et al. 1984).
    "disc": SolidMaterial(young=4.2e6, poisson=0.45, density=1100.0, stiffness_damping=1e-3, model="neo-hookean"),
}


def solid_material(material: str | SolidMaterial) -> SolidMaterial:
    """The material itself, or the preset of that name; an unknown name is answered with the nearest one."""
    return material if isinstance(material, SolidMaterial) else preset_of("SolidMaterial", PRESETS, material)
