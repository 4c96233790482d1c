"""Tables of a scene file from what they stand for: a call, or a dataclass.

Names, types and defaults of the keys are those of the parameters or fields; their documentation is read from the docstrings
when it is asked for (`describe`). So each stands in one place only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, get_type_hints

from pydantic import Field, create_model

from signorini.files.scenes.scene_table import Table
from signorini.files.scenes.table_docs import docs_of, first_sentence, options_of
from signorini.files.scenes.table_types import LEFT_OUT, table_type

Key = tuple[Any, Any]
"""Type and default of a key, as pydantic takes them."""


def call_table(
    name: str,
    call: Callable[..., Any],
    *,
    documented_in: Any = None,
    left_out: Collection[str] = (),
    types: Mapping[str, Any] | None = None,
    further: Mapping[str, Key] | None = None,
) -> type[Table]:
    """The table of a function or method: a key for each parameter that a file can give, and some `further` ones.

    `types` replaces types of parameters; `documented_in` has the docstring, if it is not that of the call.
    """
    hints = get_type_hints(call)
    keys: dict[str, Key] = {}
    for key, parameter in inspect.signature(call).parameters.items():
        if key == "self" or key in left_out:
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            keys |= {name: (table_type(hint), None) for name, hint in get_type_hints(options_of(call)).items()}
            continue
        kind = (types or {}).get(key) or table_type(hints[key])
        if kind is not LEFT_OUT:
            keys[key] = (kind, ... if parameter.default is parameter.empty else _plain(parameter.default))
    return table_from(name, documented_in or call, {**keys, **(further or {})})


@cache
def dataclass_table(cls: type) -> type[Table]:
    """The table of a dataclass: a key for each field; fields that are dataclasses are tables inside of it."""
    return table_from(f"{cls.__name__}Table", cls, dataclass_keys(cls))


def dataclass_keys(cls: type, *, types: Mapping[str, Any] | None = None) -> dict[str, Key]:
    """Types and defaults of the keys of a dataclass; `types` replaces some types, with None it leaves a field out."""
    hints = get_type_hints(cls)
    given = dict(types or {})
    keys: dict[str, Key] = {}
    for f in fields(cls):
        inner = nested_dataclass(f)
        if not f.init or given.get(f.name, ...) is None:
            continue
        if f.name in given:
            keys[f.name] = (given[f.name], _default(f))
        elif inner is not None:
            table = dataclass_table(inner)
            keys[f.name] = (table, Field(default_factory=table))
        else:
            keys[f.name] = (table_type(hints[f.name]), _default(f))
    return keys


def nested_dataclass(f: Any) -> type | None:
    """The dataclass that makes the default of a field, if one does."""
    return f.default_factory if isinstance(f.default_factory, type) and is_dataclass(f.default_factory) else None


def describe(table: type[Table]) -> dict[str, str]:
    """The documentation of the keys of a table."""
    found = {} if table.source is None else docs_of(table.source)
    own = {key: field.description for key, field in table.model_fields.items() if field.description}
    return {key: (own | found).get(key, "") for key in table.model_fields}


def table_from(name: str, source: Any, keys: dict[str, Any], *, text: str = "") -> type[Table]:
    """A table with these keys, which the docstrings of `source` document, and the table too if there is no `text`."""
    table = create_model(name, __base__=Table, __doc__=text or first_sentence(source), **keys)
    table.source = source
    return table


def _default(f: Any) -> Any:
    return ... if f.default is MISSING else _plain(f.default)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
