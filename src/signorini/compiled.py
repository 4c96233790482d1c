"""Compilation of kernels: the one place that says how Numba compiles the loops of this package."""

# Numba's attributes are made at run time:
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false, reportGeneralTypeIssues=false

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba.core import config, types
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from signorini.compilation.announcement import watch_compilation
from signorini.compilation.code_digest import kernel_digest
from signorini.compilation.kernel_cache import KernelCache

OPTIONS = {"nopython": True, "boundscheck": None, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
"""Kernels release the GIL, divide by zero as NumPy does (inf or nan), and need no second entry for callers written in C."""

KERNELS: dict[str, Kernel] = {}
"""All kernels by module and name; the copies that `specialised` makes without their digest."""
REQUESTED: list[tuple[Kernel, Any]] = []
"""The kernels that modules of this package have called in this process, with the types of their arguments."""


class Kernel(CPUDispatcher):
    """A loop over arrays that Numba compiles at its first call for each combination of argument types, or finds on disk."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        super().__init__(function, targetoptions={**OPTIONS, **options})
        self._cache = self.cache = KernelCache(self)
        KERNELS[f"{function.__module__}:{function.__qualname__}"] = self
        watch_compilation()

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Called by Numba for argument types that are new; remembers those of calls from this package."""
        known = set(self.overloads)
        caller = str(sys._getframe(1).f_globals.get("__name__"))
        try:
            return super()._compile_for_args(*args, **kws)
        finally:
            if caller.startswith("signorini."):
                REQUESTED.extend((self, signature) for signature in self.overloads if signature not in known)

    def compile(self, sig: Any) -> Any:
        """Load or compile the version for a signature; other processes that need it wait until this one has it, or fails."""
        try:
            return super().compile(sig)
        except BaseException:
            self.cache.give_up(sig)
            raise

    def enable_caching(self) -> None:
        """Part of Numba's protocol: kernels are always kept."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The version for a call from another kernel: one for all integers, whatever their width and value."""
        return super().get_call_template([_widened(a) for a in args], {k: _widened(a) for k, a in kws.items()})


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop over arrays, at its first call or from the cache on disk.

    Kernels release the GIL, and divide by zero as NumPy does (inf or nan): they raise nothing.
    """
    return function if config.DISABLE_JIT else Kernel(function)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Compile a few lines that are copied into each kernel which calls them, where a call would cost more than they do."""
    return function if config.DISABLE_JIT else Kernel(function, inline="always")


def instruction(function: Callable[..., Any]) -> Any:
    """Make an instruction of the processor for kernels, from a function that gives its type and generates its code."""
    return intrinsic(function)


def specialised(template: Callable[..., Any], name: str, **functions: Any) -> Any:
    """Compile a copy of `template`, a plain function, in which the given names stand for the given kernels.

    A loop over elements becomes one kernel for each material in this way, as fast as if it had been written for it. A digest of
    the kernels in its name keeps two materials of the same name apart.
    """
    digest = hashlib.sha256("".join(kernel_digest(functions[key]) for key in sorted(functions)).encode())
    label = f"{template.__name__}_{name}_{digest.hexdigest()[:12]}"
    scope = {**template.__globals__, **functions}
    copy = FunctionType(template.__code__, scope, label, template.__defaults__)
    copy.__qualname__, copy.__doc__, copy.__module__ = label, template.__doc__, template.__module__
    made = kernel(copy)
    KERNELS[f"{template.__module__}:{template.__name__}_{name}"] = made
    return made


def _widened(kind: Any) -> Any:
    """The type that stands for this one in calls between kernels: a 64-bit integer for constants and shorter signed integers.

    Numba would compile a kernel anew for each constant that it is called with, and for each mixture of widths.
    """
    plain = types.unliteral(kind)
    if isinstance(plain, types.Integer) and plain.signed and plain.bitwidth < 64:
        return types.int64
    return plain
