"""Documentation of parameters and fields, read from the docstrings beside them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any


def first_sentence(thing: Any) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def parameter_docs(text: str) -> dict[str, str]:
    """Parameters and their documentation, from the lines `name: text` under `Parameters:` in a docstring."""
    _, _, block = inspect.cleandoc(text).partition("Parameters:\n")
    found: dict[str, str] = {}
    name = ""
    for line in block.splitlines():
        if not line.startswith("    "):
            break
        match = re.match(r" {4}(\w+): (.*)", line)
        if match:
            name = match[1]
            found[name] = match[2]
        else:
            found[name] += " " + line.strip()
    return found


def field_docs(cls: type) -> dict[str, str]:
    """Fields of a class and their documentation, from the strings that follow them in its source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for field, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
            and isinstance(after.value.value, str)
        ):
            found[field.target.id] = " ".join(after.value.value.split())
    return found


def docs_of(source: type | Callable[..., Any]) -> dict[str, str]:
    """Documentation of the fields of a class, or of the parameters of a call; both if a class documents both."""
    own = parameter_docs(source.__doc__ or "")
    return field_docs(source) | own if isinstance(source, type) else own
