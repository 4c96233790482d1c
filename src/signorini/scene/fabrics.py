"""Fabrics: the numbers of the presets of cloth materials, in SI units.

They are rounded from what fabric testing (KES-F tensile, shear and bending tests) reports; real fabric varies by a
factor of two and differs between warp and weft, which these isotropic presets do not.
"""

from __future__ import annotations

FABRICS: dict[str, dict[str, float]] = {
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
