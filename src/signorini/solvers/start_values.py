"""Start values of the contact solvers, from a warm start or zero."""

from __future__ import annotations

import numpy as np

from signorini.contact.friction_cone_kernels import limit_impulses
from signorini.contact.mlcp import Floats, Mlcp, WarmStart
from signorini.errors import InputError
from signorini.settings import FrictionCone


def start_values(problem: Mlcp, warm_start: WarmStart | None, friction_cone: FrictionCone) -> tuple[Floats, Floats]:
    """Fresh arrays dv (n, 3) and impulse (m, 3) to start from, the impulses inside their pyramids or cones."""
    if warm_start is None:
        return np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3))
    check_start(problem, warm_start)
    dv, impulse = warm_start.dv.copy(), warm_start.impulse.copy()
    limit_impulses(impulse, problem.friction, friction_cone == "cone")
    impulse[np.diff(problem.jacobian_indptr) == 0] = 0.0
    return dv, impulse


def check_start(problem: Mlcp, warm_start: WarmStart) -> None:
    """Refuse a warm start of another problem."""
    n, m = problem.node_count, problem.contact_count
    if warm_start.dv.shape != (n, 3) or warm_start.impulse.shape != (m, 3):
        raise InputError(
            f"warm start has dv {warm_start.dv.shape} and impulse {warm_start.impulse.shape}, "
            f"but the problem has {n} nodes and {m} contacts"
        )
