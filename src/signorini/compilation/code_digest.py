"""Digests of kernels: what the machine code of a kernel depends on, as one short string.

A compiled kernel contains the code of every kernel that it calls, and the values of the global names that it reads. Its digest
covers all of them, and nothing else: after a change of one kernel only that one and its callers are compiled again, and copies
of the package in several places share what they have in common.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np

DIGEST_LENGTH = 32
"""Hexadecimal digits of a digest: 128 bits, so that two different kernels never share one."""


@functools.cache
def kernel_digest(kernel: Any) -> str:
    """The digest of a kernel (a Numba dispatcher), of the kernels that it calls, and of the constants that they read."""
    digest = hashlib.sha256()
    waiting, seen = [kernel], {id(kernel)}
    while waiting:
        text, called = _own_content(waiting.pop())
        digest.update(text.encode())
        for other in called:
            if id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)
    return digest.hexdigest()[:DIGEST_LENGTH]


@functools.cache
def _own_content(kernel: Any) -> tuple[str, list[Any]]:
    """The code of a kernel or a Python function with the values of its global names, and the functions that it calls."""
    function: Callable[..., Any] = getattr(kernel, "py_func", kernel)
    called: list[Any] = []
    options = sorted((key, repr(value)) for key, value in getattr(kernel, "targetoptions", {}).items())
    parts = [function.__module__, function.__qualname__, repr(options), _described(function.__defaults__, called)]
    cells = function.__closure__ or ()
    parts += [_described(cell.cell_contents, called) for cell in cells]
    for code in _nested(function.__code__):
        constants = [_described(value, called) for value in code.co_consts if not isinstance(value, CodeType)]
        parts += [code.co_code.hex(), repr((code.co_names, code.co_varnames, code.co_freevars)), *constants]
        parts += [f"{name}={_described(value, called)}" for name, value in _global_values(code, function.__globals__)]
    return "\n".join(parts), called


def _nested(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside of it (comprehensions)."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _nested(value)


def _global_values(code: CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The global names that code reads, also as attributes of modules of Python source (`frames.ANGLE`), with their values."""
    for name in code.co_names:
        if name in scope:
            value = scope[name]
            yield name, value
            if isinstance(value, ModuleType) and not _is_library(value):
                for attribute in code.co_names:
                    if hasattr(value, attribute):
                        yield f"{name}.{attribute}", getattr(value, attribute)


def _is_library(module: ModuleType) -> bool:
    """Whether a module belongs to Python, NumPy or Numba: its version is part of the place of the cache."""
    return module.__name__.split(".")[0] in {"math", "numpy", "numba", "cmath", "operator", "builtins"}


def _described(value: Any, called: list[Any]) -> str:
    """A constant as text that differs whenever the compiled code would; a function is added to `called` and named."""
    if isinstance(value, (list, tuple)):
        return f"{type(value).__qualname__}({','.join(_described(item, called) for item in value)})"
    if isinstance(value, np.ndarray):
        return f"array({value.dtype.str},{value.shape},{hashlib.sha256(value.tobytes()).hexdigest()})"
    if isinstance(value, ModuleType):
        return f"module({value.__name__})"
    if isinstance(value, type):
        fields = getattr(value, "_fields", None) or list(getattr(value, "__members__", {}).items())
        return f"class({value.__module__}.{value.__qualname__},{fields!r})"
    if hasattr(value, "py_func") or hasattr(value, "__code__"):
        called.append(value)
        return f"function({value.__module__}.{value.__qualname__})"
    if callable(value) and hasattr(value, "__name__"):
        return f"built-in({value.__name__})"
    return f"{type(value).__qualname__}({value!r})"
