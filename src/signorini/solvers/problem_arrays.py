"""Arrays of a contact problem, as the kernels of the solvers take them."""

from __future__ import annotations

from typing import NamedTuple

from signorini.contact.mlcp import Floats, Ints, Mlcp
from signorini.contact.residuals import LocalResponse
from signorini.solvers.ica_kernels import find_diagonal


class ProblemArrays(NamedTuple):
    """A contact problem; G in the names of `Mlcp` without its prefix."""

    A_indptr: Ints
    A_indices: Ints
    A_data: Floats
    diagonal: Ints
    """(n,) where the diagonal blocks of A are in A_data."""
    D: Floats
    """(n, 3, 3) these blocks side by side: between the rows of a large A each would have to be waited for."""
    D_inv: Floats
    indptr: Ints
    nodes: Ints
    blocks: Floats
    response: Floats
    """(k, 3, 3) D_A^-1 G_k' of every block of G."""
    local: Floats
    """(m, 10) of `LocalResponse`."""
    bias: Floats
    """(m, 3) u_free with gap/dt added to the normal [m/s]."""
    mu: Floats
    mass: float
    """`BlockMatrix.mass_norm`: an error of the impulses below a velocity times this moves no body faster, however stiff it is."""


def problem_arrays(problem: Mlcp, prepared: LocalResponse) -> ProblemArrays:
    """The arrays of a problem."""
    A = problem.A
    return ProblemArrays(
        A.indptr, A.indices, A.data, find_diagonal(A.indptr, A.indices), A.diagonal_blocks(), prepared.D_inv,
        problem.jacobian_indptr, problem.jacobian_nodes, problem.jacobian_blocks, prepared.response, prepared.local,
        prepared.bias, problem.friction, A.mass_norm(),
    )  # fmt: skip
