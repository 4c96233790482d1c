"""Documentation of parameters and fields, read from the docstrings beside them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any, get_args, get_type_hints


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


def options_of(call: Callable[..., Any]) -> Any:
    """The `TypedDict` of the further keyword arguments `**options: Unpack[...]` of a call; None if it has none."""
    parameters = inspect.signature(call).parameters.values()
    hints = get_type_hints(call) if any(p.kind is p.VAR_KEYWORD for p in parameters) else {}
    found = [get_args(hints[p.name])[0] for p in parameters if p.kind is p.VAR_KEYWORD]
    return found[0] if found else None


def option_docs(options: Any) -> dict[str, str]:
    """Keys of a `TypedDict` and their documentation, those of its bases included."""
    # A TypedDict does not know its bases before Python 3.12: they are those of its module whose keys it has.
    others = vars(inspect.getmodule(options)).values()
    bases = [
        k for k in others if hasattr(k, "__total__") and k.__annotations__.keys() <= options.__annotations__.keys()
    ]
    return {key: text for base in bases for key, text in parameter_docs(base.__doc__ or "").items()}


def docs_of(source: type | Callable[..., Any]) -> dict[str, str]:
    """Documentation of the fields of a class, or of the parameters of a call; both if a class documents both."""
    own = parameter_docs(source.__doc__ or "")
    if isinstance(source, type):
        return field_docs(source) | own
    options = options_of(source)
    return own if options is None else own | option_docs(options)
