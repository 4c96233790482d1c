"""Shared words of threads: reads, writes and sums that other threads see in order, and ways to wait."""

from __future__ import annotations

import os
import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from signorini.compiled import instruction

_WORD = ir.IntType(64)
_PAUSES = platform.machine() in ("x86_64", "AMD64")
_YIELD = "SwitchToThread" if os.name == "nt" else "sched_yield"


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    index = context.cast(builder, arguments[1], signature.args[1], types.intp)
    return builder.gep(context.make_array(signature.args[0])(context, builder, arguments[0]).data, [index])


@instruction
def read(typingctx: Any, words: Any, index: Any) -> Any:
    """A word of an int64 array; what its writer wrote before it is seen after it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_pointer(context, builder, signature, arguments), ordering="acquire", align=8)

    return types.int64(words, index), generate


@instruction
def write(typingctx: Any, words: Any, index: Any, value: Any) -> Any:
    """Write a word of an int64 array, after everything that was written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = context.cast(builder, arguments[2], signature.args[2], types.int64)
        builder.store_atomic(value, _pointer(context, builder, signature, arguments), ordering="release", align=8)
        return context.get_dummy_value()

    return types.void(words, index, value), generate


@instruction
def add(typingctx: Any, words: Any, index: Any, value: Any) -> Any:
    """Add to a word of an int64 array; returns what it was before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = context.cast(builder, arguments[2], signature.args[2], types.int64)
        return builder.atomic_rmw("add", _pointer(context, builder, signature, arguments), value, "acq_rel")

    return types.int64(words, index, value), generate


@instruction
def exchange(typingctx: Any, words: Any, index: Any, expected: Any, value: Any) -> Any:
    """Write a word if it is as expected; returns whether it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        expected = context.cast(builder, arguments[2], signature.args[2], types.int64)
        value = context.cast(builder, arguments[3], signature.args[3], types.int64)
        pointer = _pointer(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(pointer, expected, value, "acq_rel", "acquire"), 1)

    return types.boolean(words, index, expected, value), generate


@instruction
def pause(typingctx: Any) -> Any:
    """Let the other thread of a core go first for a moment."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _PAUSES:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), generate


@instruction
def give_way(typingctx: Any) -> Any:
    """Let another thread that waits for this core run."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), []), _YIELD)
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate
