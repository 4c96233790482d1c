"""Random materials, over six decades of stiffness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.scene.cloth_material import PRESETS, ClothMaterial
from signorini.scene.solid_material import LAWS, SolidMaterial

Random = np.random.Generator


def log_uniform(random: Random, low: float, high: float) -> float:
    """A number between `low` and `high`, equally likely in each decade."""
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def random_cloth_material(random: Random) -> ClothMaterial:
    """From cobweb to sheet metal; the same in all directions."""
    membrane = log_uniform(random, 1.0, 1e6)
    return ClothMaterial(
        membrane_stiffness=membrane,
        shear_stiffness=membrane * log_uniform(random, 0.01, 1.0),
        bending_rigidity=log_uniform(random, 1e-8, 1e-2),
        damping_time=log_uniform(random, 1e-5, 1e-2),
        bending_damping_time=log_uniform(random, 1e-4, 1e-1),
    )


def woven(random: Random, material: ClothMaterial) -> ClothMaterial:
    """The material with a warp and a weft, and now and then with a strain limit, dry friction or creases; or a fabric."""
    if random.random() < 0.25:
        return list(PRESETS.values())[random.integers(len(PRESETS))]
    weft = log_uniform(random, 0.1, 1.0)
    bending = log_uniform(random, 0.2, 1.0)
    return replace(
        material,
        weft_stiffness=weft * material.membrane_stiffness,
        weft_bending_rigidity=bending * material.bending_rigidity,
        poisson_ratio=float(random.uniform(0.0, 0.45)),
        compression_ratio=log_uniform(random, 0.01, 1.0),
        strain_limit=log_uniform(random, 0.02, 0.5) if random.random() < 0.2 else None,
        bending_hysteresis=log_uniform(random, 1e-6, 1e-3) if random.random() < 0.2 else 0.0,
        crease_curvature=log_uniform(random, 10.0, 1e3) if random.random() < 0.1 else None,
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


def of_any_law(random: Random, material: SolidMaterial) -> SolidMaterial:
    """The material with one of all laws and elements, and now and then nearly incompressible or with mass damping."""
    law = list(LAWS)[random.integers(len(LAWS))]
    young = material.young or 1e6
    poisson = float(random.uniform(0.45, 0.495)) if random.random() < 0.3 else material.poisson
    shear = young / (2.0 + 2.0 * poisson)
    constants: dict[str, object] = {"young": young}
    if law == "mooney-rivlin":
        part = random.uniform(0.0, 0.5)
        constants = {"young": None, "c10": 0.5 * (1.0 - part) * shear, "c01": 0.5 * part * shear}
    elif law == "ogden":
        alpha = random.uniform(1.5, 4.0)
        constants = {"young": None, "ogden": ((2.0 * shear / alpha, alpha),)}
    return replace(
        material,
        **constants,
        model=law,
        poisson=poisson,
        element=("automatic", "tetrahedra", "locking-free")[random.integers(3)],
        mass_damping=log_uniform(random, 1e-2, 10.0) if random.random() < 0.2 else 0.0,
    )
