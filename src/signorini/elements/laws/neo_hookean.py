"""Nearly incompressible Neo-Hookean material: for large strain (Hong2004 §2, with BonetWood)."""

from signorini.elements.laws import neo_hookean_kernels as kernels
from signorini.elements.solid_law import SolidLaw

NEO_HOOKEAN = SolidLaw("neo-hookean", kernels.element, kernels.energy_density)
