"""Write plain Python values as TOML: what tomllib reads back is equal to what was written.

This is not tomli-w, which writes each number of a vector on a line of its own and each table inside a body under a heading of
its own: a pinned cloth takes five lines here and more than twenty there, and a pin of a thousand vertices a thousand more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(document: Mapping[str, Any]) -> str:
    """A TOML document. Values that are None are left out; tables inside the entries of a list are inline."""
    lines: list[str] = []
    _write_table(document, (), lines)
    return "\n".join(lines).strip() + "\n"


def _write_table(table: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    later: list[tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, Mapping) or _is_table_list(value):
            later.append((key, value))
        elif value is not None:
            lines.append(f"{_key(key)} = {toml_value(value)}")
    for key, value in later:
        name = ".".join(_key(k) for k in (*path, key))
        if isinstance(value, Mapping):
            lines += ["", f"[{name}]"]
            _write_table(value, (*path, key), lines)
            continue
        for entry in value:
            lines += ["", f"[[{name}]]"]
            lines += [f"{_key(k)} = {toml_value(v)}" for k, v in entry.items() if v is not None]


def _is_table_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def toml_value(value: Any) -> str:
    """A value as it stands after the equals sign."""
    match value:
        case bool() | np.bool_():
            return "true" if bool(value) else "false"
        case int() | np.integer():
            return str(int(value))
        case float() | np.floating():
            return _float(float(value))
        case str():
            return _string(value)
        case Mapping():
            return "{ " + ", ".join(f"{_key(k)} = {toml_value(v)}" for k, v in value.items() if v is not None) + " }"
        case list() | tuple() | np.ndarray():
            return "[" + ", ".join(toml_value(v) for v in value) + "]"
    raise TypeError(f"cannot write {type(value).__name__} to TOML")


def _float(value: float) -> str:
    """The shortest digits that read back as the same number; TOML spells infinity and NaN as Python does."""
    return repr(value)


def _string(value: str) -> str:
    # JSON escapes are TOML escapes; only DEL is allowed in JSON and not in TOML.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
