"""Bound on an unsolved contact response: it must not add energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.contact.mlcp import Mlcp, Response


def bounded_response(problem: Mlcp, response: Response) -> Response:
    """placeholder until the branch of the solver is merged"""
    Adv = problem.A.times(response.dv)
    size = float((response.dv * Adv).sum())
    s = float(np.clip(-(response.impulse * problem.free_velocity).sum() / size, 0.0, 1.0)) if size > 0 else 0.0
    return replace(response, dv=s * response.dv, impulse=s * response.impulse)
