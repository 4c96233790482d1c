"""Mooney-Rivlin material: rubber and soft tissue at moderate stretch."""

from signorini.elements.laws import mooney_rivlin_kernels as kernels
from signorini.elements.solid_law import SolidLaw

MOONEY_RIVLIN = SolidLaw("mooney-rivlin", kernels.element, kernels.energy_density, shape=("C01 / (C10 + C01)",))
