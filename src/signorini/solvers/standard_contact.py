"""The standard solver that Otaduy2010 compares with: all of B assembled, also where rigid bodies make it dense.

Implements: Otaduy2010 §3 (Eq. 3), projected Gauss-Seidel (Eq. 5)
"""

from __future__ import annotations

import numpy as np

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.settings import SolverSettings
from signorini.solvers.ica import SETTINGS
from signorini.solvers.named_solvers import named_solver
from signorini.solvers.rigid_refinement import solve_with_system


@named_solver("standard-contact", reads=SETTINGS)
def solve_standard_contact(problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None) -> Response:
    """Solve the contact problem with B = G D_A^-1 G' assembled, O(n²) to build and to sweep for n contacts on a rigid body.

    The baseline of rigid response refinement: the same sweeps, outer iterations, stop rules and friction as
    `solve_rigid_refinement`, with the rigid nodes in the matrix.
    """
    return solve_with_system(problem, settings, warm_start, np.zeros(problem.node_count, dtype=np.bool_))
