"""Ogden material: rubber and soft tissue up to large stretch (Ogden 1972)."""

from signorini.elements.laws import ogden_kernels as kernels
from signorini.elements.solid_law import SolidLaw

SHAPE = tuple(name for p in range(1, kernels.TERMS + 1) for name in (f"μ{p} / μ", f"α{p}"))

OGDEN = SolidLaw("ogden", kernels.element, kernels.energy_density, shape=SHAPE)
