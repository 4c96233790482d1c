"""Boxes as eight float32 in one register, for kernels of the broad phase.

A packed box is (x, y, z, 0) of its lower corner and (−x, −y, −z, 0) of its upper one. The box around two boxes is the smaller
number of each lane, and two boxes meet if no lane of one plus the other half of the other is positive. The sum of two float32
never has the wrong sign. Arrays of packed boxes are (k, 8) and contiguous.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import register_model

from signorini.compiled import instruction

_REGISTER = ir.VectorType(ir.FloatType(), 8)
_LANES = ir.VectorType(ir.IntType(32), 8)
_OTHER_HALF = (4, 5, 6, 7, 0, 1, 2, 3)


class PackedBox(types.Type):
    """Numba's type of a packed box."""

    def __init__(self) -> None:
        super().__init__(name="PackedBox")


packed_box = PackedBox()


@register_model(PackedBox)
class _PackedBoxModel(PrimitiveModel):
    """The register itself, on the stack and in arguments of kernels."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _REGISTER)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, row: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(builder.bitcast(data, _REGISTER.as_pointer()), [row])


def _meeting(builder: Any, sums: Any) -> Any:
    """Whether no lane is positive; false if one is nan."""
    lanes = builder.fcmp_ordered("<=", sums, ir.Constant(_REGISTER, [0.0] * 8))
    return builder.icmp_unsigned("==", builder.bitcast(lanes, ir.IntType(8)), ir.Constant(ir.IntType(8), 255))


def _sums(builder: Any, a: Any, b: Any) -> Any:
    swapped = builder.shuffle_vector(b, ir.Constant(_REGISTER, ir.Undefined), ir.Constant(_LANES, _OTHER_HALF))
    return builder.fadd(a, swapped)


@instruction
def box_at(typingctx: Any, boxes: Any, row: Any) -> Any:
    """The packed box in a row of an array (k, 8)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = context.cast(builder, arguments[1], signature.args[1], types.intp)
        loaded = builder.load(_pointer(context, builder, signature.args[0], arguments[0], row))
        loaded.align = 4
        return loaded

    return packed_box(boxes, row), generate


@instruction
def put_box(typingctx: Any, boxes: Any, row: Any, box: Any) -> Any:
    """Write a packed box to a row of an array (k, 8)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = context.cast(builder, arguments[1], signature.args[1], types.intp)
        stored = builder.store(arguments[2], _pointer(context, builder, signature.args[0], arguments[0], row))
        stored.align = 4
        return context.get_dummy_value()

    return types.void(boxes, row, box), generate


@instruction
def around(typingctx: Any, a: Any, b: Any) -> Any:
    """The box around two boxes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b = arguments
        return builder.select(builder.fcmp_ordered("<", a, b), a, b)

    return packed_box(a, b), generate


@instruction
def meet_boxes(typingctx: Any, a: Any, b: Any) -> Any:
    """Whether two boxes overlap."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _meeting(builder, _sums(builder, *arguments))

    return types.boolean(a, b), generate


@instruction
def meet_swept(typingctx: Any, a: Any, b: Any, sweep: Any) -> Any:
    """Whether box a overlaps box b somewhere in a sweep: (−x, −y, −z, 0) of its farthest displacement, (x, y, z, 0) of its least.

    The sweep must be larger than the true one by 1e-6 of itself, for the rounding of the first sum.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b, sweep = arguments
        return _meeting(builder, builder.fadd(_sums(builder, a, b), sweep))

    return types.boolean(a, b, sweep), generate


@instruction
def squared_gap(typingctx: Any, a: Any, b: Any) -> Any:
    """The squared distance of two boxes, a float32; zero if they overlap or a number is nan."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sums, zero = _sums(builder, *arguments), ir.Constant(_REGISTER, [0.0] * 8)
        gaps = builder.select(builder.fcmp_ordered(">", sums, zero), sums, zero)
        squares = builder.fmul(gaps, gaps)
        total = _sums(builder, squares, squares)
        x, y, z = (builder.extract_element(total, ir.Constant(ir.IntType(32), k)) for k in range(3))
        return builder.fadd(builder.fadd(x, y), z)

    return types.float32(a, b), generate
