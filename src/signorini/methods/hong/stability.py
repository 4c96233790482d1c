"""The longest stable step of the explicit integrator: Runge-Kutta 4 is stable for |h λ| < 2.6.

λ is the largest eigenvalue of the linearised motion. Single elements bound it from above, cheaply and in the present shape;
the bound is too high by a factor that is found once, at rest, from the highest frequency of the whole.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from signorini.methods.hong import forces_kernels
from signorini.methods.hong import stability_kernels as kernels
from signorini.methods.hong.blocks import build_blocks
from signorini.methods.hong.step_data import ModelData

Floats = NDArray[np.float64]

STABLE = 2.6
"""|h λ| of a half disc inside the region in which Runge-Kutta 4 is stable."""
SAFETY = 0.95
"""Part of the stable step that is taken: large deformation may add to the frequencies beyond the estimate."""
POWER_ITERATIONS = 6
"""Of the power iteration for the stiffest wave of one element."""
PRECISION = 1e-3
"""Relative, of the highest frequency squared."""


def stable_step(data: ModelData, q: Floats, ratio: float) -> float:
    """The longest stable step [s] at positions q (n, 3) [m]; `ratio` is the `frequency_ratio` of the model."""
    tets = data.solids
    rate = kernels.highest_rate(
        tets.nodes, tets.rest_inverse, tets.lame_mu, tets.lame_lambda, tets.stiffness_damping, tets.neo_hookean,
        data.density, q, ratio, POWER_ITERATIONS,
    )  # fmt: skip
    return SAFETY * STABLE / (rate + float(data.model.drag.max()))


def frequency_ratio(data: ModelData) -> float:
    """The highest frequency of all bodies at rest over the bound by single elements; at most 1."""
    model, tets = data.model, data.solids
    t, n = len(tets), model.node_count
    none, plain = np.zeros(t), np.zeros(t, np.uint8)
    bound = kernels.highest_rate(
        tets.nodes, tets.rest_inverse, tets.lame_mu, tets.lame_lambda, none, plain, data.density, np.zeros((n, 3)), 1.0,
        POWER_ITERATIONS,
    )  # fmt: skip
    unturned, unloaded = np.tile(np.eye(3), (t, 1, 1)), np.zeros((t, 3, 3))
    size, a = np.sqrt(model.mass)[:, None], np.empty((n, 3))
    b = build_blocks(replace(tets, stiffness_damping=np.ones(t)))

    def times(u: Floats) -> Floats:
        """M^-½ K M^-½ u: the forces of damping with β = 1 s are those of the stiffness at rest."""
        forces_kernels.accelerate(
            b.nodes, b.order, b.constants, b.counts, b.damped, unturned, unloaded, u.reshape(n, 3) / size,
            1.0 / model.mass, np.zeros(3), np.zeros(n), a,
        )  # fmt: skip
        return (-a * size).ravel()

    stiffness = LinearOperator((3 * n, 3 * n), matvec=times, dtype=np.float64)  # type: ignore[reportCallIssue]
    start = np.random.default_rng(0).standard_normal(3 * n)
    try:
        highest = eigsh(stiffness, 1, which="LM", v0=start, tol=PRECISION, return_eigenvectors=False)[0]  # type: ignore[reportArgumentType]
    except ArpackNoConvergence:
        return 1.0
    return min(1.0, float(np.sqrt(highest)) / bound)
