"""Compilation of kernels: the one place that says how Numba compiles the loops of this package."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import CodeType, FunctionType
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


def specialised(template: Callable[..., Any], name: str, **functions: Any) -> Any:
    """Compile a copy of `template`, a plain function, in which the given names stand for the given kernels.

    A loop over elements becomes one kernel for each material in this way, as fast as if it had been written for it. Numba
    finds a cached kernel by the name of its function and by the source around it, and would not notice that a kernel which is
    called has changed: a digest of the kernels' code in the name makes the cache follow them.
    """
    digest = hashlib.sha256()
    for key in sorted(functions):
        _add_code(digest, functions[key].py_func, set())
    label = f"{template.__name__}_{name}_{digest.hexdigest()[:12]}"
    scope = {**template.__globals__, **functions}
    copy = FunctionType(template.__code__, scope, label, template.__defaults__)
    copy.__qualname__, copy.__doc__, copy.__module__ = label, template.__doc__, template.__module__
    return kernel(copy)


def _add_code(digest: Any, function: Callable[..., Any], seen: set[int]) -> None:
    """Add the code, the constants and, recursively, the kernels that a function calls by a global name."""
    if id(function) in seen:
        return
    seen.add(id(function))
    code: CodeType = function.__code__
    digest.update(code.co_code + repr((code.co_consts, code.co_names)).encode())
    for name in code.co_names:
        used: Any = function.__globals__.get(name)
        if hasattr(used, "py_func"):
            _add_code(digest, used.py_func, seen)
        elif isinstance(used, (int, float)):
            digest.update(f"{name}={used!r}".encode())
