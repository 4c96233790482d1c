"""Stable Neo-Hookean material: for large strain, recovers from any inversion (Smith2018)."""

from signorini.elements.laws import stable_neo_hookean_kernels as kernels
from signorini.elements.solid_law import SolidLaw

STABLE_NEO_HOOKEAN = SolidLaw("stable-neo-hookean", kernels.element, kernels.energy_density)
