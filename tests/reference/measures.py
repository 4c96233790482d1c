"""Distances between solutions of a contact problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp


def relative_error(problem: Mlcp, dv: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    """|dv - exact|_A / |exact|_A."""
    A = problem.A.to_scipy()
    e, x = (dv - exact).ravel(), exact.ravel()
    return float(np.sqrt(e @ (A @ e)) / max(np.sqrt(x @ (A @ x)), 1e-300))
