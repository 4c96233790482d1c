"""Random materials, over six decades of stiffness."""

from __future__ import annotations

import numpy as np

from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.solid_material import SolidMaterial

Random = np.random.Generator


def log_uniform(random: Random, low: float, high: float) -> float:
    """A number between `low` and `high`, equally likely in each decade."""
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def random_cloth_material(random: Random) -> ClothMaterial:
    """From cobweb to sheet metal."""
    membrane = log_uniform(random, 1.0, 1e6)
    return ClothMaterial(
        membrane_stiffness=membrane,
        shear_stiffness=membrane * log_uniform(random, 0.01, 1.0),
        bending_rigidity=log_uniform(random, 1e-8, 1e-2),
        damping_time=log_uniform(random, 1e-5, 1e-2),
        bending_damping_time=log_uniform(random, 1e-4, 1e-1),
    )


def random_solid_material(random: Random) -> SolidMaterial:
    """From jelly to plastic, with and without damping."""
    return SolidMaterial(
        young=log_uniform(random, 1e3, 1e9),
        poisson=float(random.uniform(0.0, 0.48)),
        density=log_uniform(random, 30.0, 1e4),
        stiffness_damping=0.0 if random.random() < 0.5 else log_uniform(random, 1e-5, 1e-2),
        model="corotational" if random.random() < 0.5 else "neo-hookean",
    )
