"""The digest of a kernel changes with everything that its machine code depends on, and with nothing else."""

from __future__ import annotations

import types
from collections.abc import Callable

import pytest

from signorini.compilation import code_digest
from signorini.compiled import kernel, specialised

SOURCE = """
import math
from typing import NamedTuple
import numpy as np
from signorini.compiled import kernel, inlined_kernel

FACTOR = 2.0
TABLE = np.array([1.0, 2.0])
PAIR = (1, 2.5)

class Point(NamedTuple):
    x: float
    y: float

@{inner}
def inner(x):
    return x + {constant}

@kernel
def outer(x, y=1.0):
    total = FACTOR * inner(x) * TABLE[0] + PAIR[1] + y
    return sum([total for _ in range(2)]) + math.sqrt(Point(x, y).x)
"""


def digest(source: str = SOURCE, *, constant: str = "1.0", inner: str = "kernel") -> str:
    """The digest of `outer` in a module that is made of the source."""
    module = types.ModuleType("digest_sample")
    exec(compile(source.format(constant=constant, inner=inner), "digest_sample.py", "exec"), module.__dict__)
    return code_digest.kernel_digest(module.outer)


def test_the_same_source_has_the_same_digest() -> None:
    assert digest() == digest()


def test_comments_and_lines_change_nothing() -> None:
    assert digest("# a comment\n\n\n" + SOURCE) == digest()


@pytest.mark.parametrize(
    "change",
    [
        lambda: digest(constant="1.5"),
        lambda: digest(inner="inlined_kernel"),
        lambda: digest(SOURCE.replace("FACTOR = 2.0", "FACTOR = 3.0")),
        lambda: digest(SOURCE.replace("[1.0, 2.0]", "[1.0, 2.5]")),
        lambda: digest(SOURCE.replace("(1, 2.5)", "(1, 2)")),
        lambda: digest(SOURCE.replace("y=1.0", "y=2.0")),
        lambda: digest(SOURCE.replace("    y: float", "    z: float")),
        lambda: digest(SOURCE.replace("range(2)", "range(3)")),
        lambda: digest(SOURCE.replace("sqrt", "cbrt")),
    ],
    ids=["callee", "option", "number", "array", "tuple", "default", "field", "comprehension", "attribute"],
)
def test_a_change_is_noticed(change: Callable[[], str]) -> None:
    assert change() != digest()


def test_names_read_through_a_module_are_covered() -> None:
    numbers = types.ModuleType("numbers_of_mine")
    numbers.__dict__.update(ANGLE=0.1)

    def read(x):
        return numbers_of_mine.ANGLE * x  # noqa: F821  # pyright: ignore[reportUndefinedVariable]

    def of(angle: float) -> str:
        numbers.__dict__.update(ANGLE=angle)
        copy = types.FunctionType(read.__code__, {"numbers_of_mine": numbers}, "read")
        copy.__module__ = __name__
        return code_digest.kernel_digest(kernel(copy))

    assert of(0.1) == of(0.1)
    assert of(0.2) != of(0.1)


def test_specialised_kernels_differ_by_what_is_put_in() -> None:
    @kernel
    def double(x):
        return 2.0 * x

    @kernel
    def triple(x):
        return 3.0 * x

    def template(x):
        return inside(x)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]

    first, second = specialised(template, "sample", inside=double), specialised(template, "sample", inside=triple)
    assert code_digest.kernel_digest(first) != code_digest.kernel_digest(second)
    assert (first(1.0), second(1.0)) == (2.0, 3.0)
