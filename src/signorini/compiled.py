"""Compilation of kernels: the one place that says how Numba compiles the loops of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop over arrays, at its first call or from the cache on disk.

    Kernels release the GIL, and divide by zero as NumPy does (inf or nan): they raise nothing.
    """
    return njit(cache=True, nogil=True, error_model="numpy")(function)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Compile a few lines that are copied into each kernel which calls them, where a call would cost more than they do."""
    return njit(cache=True, nogil=True, error_model="numpy", inline="always")(function)
