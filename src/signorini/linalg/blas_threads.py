"""Number of threads of the BLAS library in the small dense systems of contact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Dense linear algebra on one thread, and on as many as before afterwards (40 µs).

    Systems of some hundred unknowns are not faster on more threads: the Cholesky factor of 560 unknowns takes 5 ms on one thread,
    10 to 15 on two, and 400 if the second core is busy, because threads of OpenBLAS spin while they wait. With one thread the
    last bits of a result also do not depend on the number of cores.
    """
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> ThreadpoolController:
    """The BLAS libraries of this process, which NumPy and SciPy load when they are imported."""
    import scipy.linalg  # noqa: F401  (SciPy brings a BLAS library of its own)

    return ThreadpoolController()
