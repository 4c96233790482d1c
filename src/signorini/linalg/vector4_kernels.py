"""Vectors of four float64 in one register, for kernels over 3x3 blocks.

Numba does not turn the nine products of a block into vector instructions by itself. Here a row of a block (three numbers, and
the one behind them) is one value: it is loaded, multiplied and added at once. The fourth lane carries whatever lies in memory and
is never read. Arrays need one number behind their last row for that (`padded_blocks`), or rows of four (`(n, 4)`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import register_model
from numpy.typing import NDArray

from signorini.compiled import instruction

_REGISTER = ir.VectorType(ir.DoubleType(), 4)
_INT = ir.IntType(32)


class Vector4(types.Type):
    """Numba's type of four float64 in a register."""

    def __init__(self) -> None:
        super().__init__(name="Vector4")


vector4 = Vector4()


@register_model(Vector4)
class _Vector4Model(PrimitiveModel):
    """The register itself, on the stack and in arguments of kernels."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _REGISTER)


def padded_blocks(count: int) -> NDArray[np.float64]:
    """Room for `count` 3x3 blocks as (9 count + 1,) numbers, so that the last row of the last block can be loaded."""
    return np.zeros(9 * count + 1)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _REGISTER.as_pointer())


@instruction
def load(typingctx: Any, array: Any, index: Any) -> Any:
    """Four numbers of a flat contiguous array, from `index` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        index = context.cast(builder, arguments[1], signature.args[1], types.intp)
        loaded = builder.load(_pointer(context, builder, signature.args[0], arguments[0], index))
        loaded.align = 8
        return loaded

    return vector4(array, index), generate


@instruction
def store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Write four numbers to a flat contiguous array, from `index` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        index = context.cast(builder, arguments[1], signature.args[1], types.intp)
        stored = builder.store(arguments[2], _pointer(context, builder, signature.args[0], arguments[0], index))
        stored.align = 8
        return context.get_dummy_value()

    return types.void(array, index, value), generate


@instruction
def spread(typingctx: Any, number: Any) -> Any:
    """One number in all lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.cast(builder, arguments[0], signature.args[0], types.float64)
        one = builder.insert_element(ir.Constant(_REGISTER, ir.Undefined), number, ir.Constant(_INT, 0))
        return builder.shuffle_vector(
            one, ir.Constant(_REGISTER, ir.Undefined), ir.Constant(ir.VectorType(_INT, 4), [0] * 4)
        )

    return vector4(number), generate


@instruction
def lane(typingctx: Any, value: Any, index: Any) -> Any:
    """One of the four numbers; `index` is a literal."""
    if not isinstance(index, types.IntegerLiteral):
        return None
    which = index.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(arguments[0], ir.Constant(_INT, which))

    return types.float64(value, index), generate


@instruction
def plus_product(typingctx: Any, total: Any, a: Any, b: Any) -> Any:
    """total + a b, in one instruction where the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total, a, b = arguments
        kind = ir.FunctionType(_REGISTER, [_REGISTER] * 3)
        multiply_add = cgutils.get_or_insert_function(builder.module, kind, "llvm.fmuladd.v4f64")
        return builder.call(multiply_add, [a, b, total])

    return vector4(total, a, b), generate


@instruction
def difference(typingctx: Any, a: Any, b: Any) -> Any:
    """a - b."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fsub(arguments[0], arguments[1])

    return vector4(a, b), generate


@instruction
def plus(typingctx: Any, a: Any, b: Any) -> Any:
    """a + b."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(arguments[0], arguments[1])

    return vector4(a, b), generate


@instruction
def minus(typingctx: Any, a: Any) -> Any:
    """-a."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fneg(arguments[0])

    return vector4(a), generate


@instruction
def first_three(typingctx: Any, a: Any) -> Any:
    """a with a zero in the fourth lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.insert_element(arguments[0], ir.Constant(ir.DoubleType(), 0.0), ir.Constant(_INT, 3))

    return vector4(a), generate


@instruction
def row_sums(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """The sums of the first three lanes of a, of b and of c, in the first three lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b, c = arguments

        def pick(first: Any, second: Any, lanes: list[int]) -> Any:
            return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INT, 4), lanes))

        # The transpose of the three rows, column by column.
        ab, cd = pick(a, b, [0, 4, 1, 5]), pick(a, b, [2, 6, 2, 6])  # a0 b0 a1 b1, a2 b2 a2 b2
        x = pick(ab, c, [0, 1, 4, 4])
        y = pick(ab, c, [2, 3, 5, 5])
        z = pick(cd, c, [0, 1, 6, 6])
        return builder.fadd(builder.fadd(x, y), z)

    return vector4(a, b, c), generate
