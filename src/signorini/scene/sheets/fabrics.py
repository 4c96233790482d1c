"""Fabrics: the numbers of the presets of cloth materials, in SI units.

Direction 1 is the warp (wale of a knit, machine direction of paper). Sources, and what is measured and what is typical, are in
docs/cloth.md. Numbers of fabric testing are converted: bending rigidity 1 gf·cm²/cm = 98.1 µN·m, bending hysteresis 2HB of
1 gf·cm/cm = 4.9 mN of HB, shear stiffness 1 gf/(cm·degree) = 56.2 N/m, extension of FAST at 100 gf/cm = 98.1 N/m of tension.
"""

from __future__ import annotations

FABRICS: dict[str, dict[str, float]] = {
    "cotton": {  # plain shirting
        "membrane_stiffness": 3000.0, "weft_stiffness": 2000.0, "poisson_ratio": 0.2, "shear_stiffness": 60.0,
        "bending_rigidity": 1e-5, "weft_bending_rigidity": 6e-6, "bending_hysteresis": 1.5e-4, "compression_ratio": 0.05,
        "damping_time": 1e-3, "bending_damping_time": 2e-2, "area_density": 0.13, "thickness": 3e-4,
    },
    "silk": {  # light plain silk
        "membrane_stiffness": 2500.0, "weft_stiffness": 1500.0, "poisson_ratio": 0.2, "shear_stiffness": 15.0,
        "bending_rigidity": 1.5e-6, "weft_bending_rigidity": 1e-6, "bending_hysteresis": 1.5e-5, "compression_ratio": 0.05,
        "damping_time": 5e-4, "bending_damping_time": 2e-2, "area_density": 0.07, "thickness": 1.5e-4,
    },
    "denim": {  # rigid denim of 12 ounces
        "membrane_stiffness": 6000.0, "weft_stiffness": 3000.0, "poisson_ratio": 0.2, "shear_stiffness": 130.0,
        "bending_rigidity": 8e-5, "weft_bending_rigidity": 4e-5, "bending_hysteresis": 7e-4, "compression_ratio": 0.05,
        "damping_time": 2e-3, "bending_damping_time": 2e-2, "area_density": 0.4, "thickness": 8e-4,
    },
    "wool": {  # worsted suiting
        "membrane_stiffness": 2500.0, "weft_stiffness": 1500.0, "poisson_ratio": 0.2, "shear_stiffness": 35.0,
        "bending_rigidity": 1e-5, "weft_bending_rigidity": 8e-6, "bending_hysteresis": 1.5e-4, "compression_ratio": 0.05,
        "damping_time": 1e-3, "bending_damping_time": 2e-2, "area_density": 0.2, "thickness": 5e-4,
    },
    "linen": {  # plain dress linen
        "membrane_stiffness": 4000.0, "weft_stiffness": 3000.0, "poisson_ratio": 0.2, "shear_stiffness": 40.0,
        "bending_rigidity": 3e-5, "weft_bending_rigidity": 2e-5, "bending_hysteresis": 4e-4, "compression_ratio": 0.05,
        "damping_time": 1e-3, "bending_damping_time": 2e-2, "area_density": 0.17, "thickness": 4e-4,
    },
    "polyester": {  # filament lining
        "membrane_stiffness": 4000.0, "weft_stiffness": 2500.0, "poisson_ratio": 0.2, "shear_stiffness": 30.0,
        "bending_rigidity": 4e-6, "weft_bending_rigidity": 3e-6, "bending_hysteresis": 4e-5, "compression_ratio": 0.05,
        "damping_time": 5e-4, "bending_damping_time": 2e-2, "area_density": 0.09, "thickness": 1.5e-4,
    },
    "jersey": {  # interlock of 60 % cotton, 40 % polyester
        "membrane_stiffness": 110.0, "weft_stiffness": 335.0, "poisson_ratio": 0.22, "shear_stiffness": 32.0,
        "bending_rigidity": 5e-6, "weft_bending_rigidity": 4e-6, "bending_hysteresis": 1e-4, "compression_ratio": 0.1,
        "damping_time": 2e-3, "bending_damping_time": 2e-2, "area_density": 0.187, "thickness": 7e-4,
    },
    "leather": {  # garment leather
        "membrane_stiffness": 8000.0, "weft_stiffness": 6000.0, "poisson_ratio": 0.4, "shear_stiffness": 2500.0,
        "bending_rigidity": 2e-4, "weft_bending_rigidity": 1.5e-4, "bending_hysteresis": 1.5e-3, "compression_ratio": 0.3,
        "damping_time": 5e-3, "bending_damping_time": 2e-2, "area_density": 0.55, "thickness": 8e-4,
    },
    "paper": {  # copy paper
        "membrane_stiffness": 5e5, "weft_stiffness": 2.5e5, "poisson_ratio": 0.3, "shear_stiffness": 1.4e5,
        "bending_rigidity": 4e-4, "weft_bending_rigidity": 2e-4, "crease_curvature": 200.0, "compression_ratio": 0.3,
        "damping_time": 1e-4, "bending_damping_time": 2e-3, "area_density": 0.08, "thickness": 1e-4,
    },
    "rubber-sheet": {  # natural rubber
        "membrane_stiffness": 750.0, "poisson_ratio": 0.49, "bending_rigidity": 2e-5, "compression_ratio": 1.0,
        "damping_time": 5e-3, "bending_damping_time": 2e-2, "area_density": 0.55, "thickness": 5e-4,
    },
}  # fmt: skip

SPRINGS: dict[str, dict[str, float]] = {
    "cotton": {
        "membrane_stiffness": 1000.0, "shear_stiffness": 100.0, "bending_rigidity": 2e-5, "bending_hysteresis": 4e-4,
        "damping_time": 1e-3, "bending_damping_time": 2e-2,
    },
    "silk": {
        "membrane_stiffness": 600.0, "shear_stiffness": 40.0, "bending_rigidity": 2e-6, "bending_hysteresis": 2e-5,
        "damping_time": 5e-4, "bending_damping_time": 2e-2,
    },
    "denim": {
        "membrane_stiffness": 4000.0, "shear_stiffness": 500.0, "bending_rigidity": 1e-4, "bending_hysteresis": 1e-3,
        "damping_time": 2e-3, "bending_damping_time": 2e-2,
    },
    "rubber-sheet": {
        "membrane_stiffness": 500.0, "shear_stiffness": 170.0, "bending_rigidity": 4e-5, "compression_ratio": 1.0,
        "damping_time": 5e-3, "bending_damping_time": 2e-2,
    },
}  # fmt: skip
"""The same for mass-spring cloth, whose stiffness is that of no direction: the numbers of the papers' scenes."""
