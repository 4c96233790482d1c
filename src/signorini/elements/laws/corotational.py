"""Co-rotational linear elasticity: linear in the strain, for any rotation (MuellerGross2004)."""

from signorini.elements.laws import corotational_kernels as kernels
from signorini.elements.solid_law import SolidLaw

COROTATIONAL = SolidLaw("corotational", kernels.element, kernels.energy_density)
