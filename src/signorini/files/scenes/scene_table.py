"""Base class of the tables of a scene file, and their errors, which name the key path and the nearest key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from signorini.errors import InputError, short, suggestion

Vector = Annotated[list[float], Field(min_length=3, max_length=3)]
PYTHON_CODE = "python"
"""Table of a scene file that names what the scene had of Python code: a file that has it cannot be read."""
PYTHON_SOLVER = "python"
"""Key of `[settings.solver]` that names a contact solver which is Python code: such a file cannot be run by itself."""
MOTION_KINDS = ("translate", "rotate", "turn", "keyframes", "frames", "sequence", "bones", "chain", "script")


class Table(BaseModel):
    """A table that rejects keys it does not know and suggests the nearest one it does."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: ClassVar[Any] = None
    """The call or the dataclass that the table stands for; its docstrings document the keys."""

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            for key in data:
                if key not in cls.model_fields:
                    raise PydanticCustomError("unknown_key", "{text}", {"text": unknown_key(key, cls.model_fields)})
        return data


def unknown_key(key: str, known: Iterable[str]) -> str:
    """The sentence for a key that does not exist."""
    names, key = list(known), short(key).strip("'") if len(str(key)) > 60 else key
    return f"unknown key {key!r}: {suggestion(key, names)}The keys here are {', '.join(names)}"


def checked(table: type[Table], data: Any, *, where: str, path: tuple[str | int, ...] = ()) -> Any:
    """`data` as an instance of `table`; the first thing wrong with it becomes an `InputError`."""
    try:
        return table.model_validate(data)
    except ValidationError as error:
        raise InputError(_sentence(error, where, path)) from None
    except RecursionError:
        raise InputError(
            f"{where}: {key_path(path) or 'the document'}: tables and lists are nested too deeply"
        ) from None


def key_path(path: Iterable[str | int]) -> str:
    """`("cloth", 0, "pins")` as `cloth[0].pins`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _sentence(error: ValidationError, where: str, path: tuple[str | int, ...]) -> str:
    problems = error.errors(include_url=False)
    first = problems[0]
    # pydantic inserts the tag of a discriminated union and the names of union members into the path
    parts = [p for p in first["loc"] if p not in MOTION_KINDS and not str(p).startswith(("dict[", "list["))]
    at = key_path((*path, *parts)) or "the document"
    more = f" ({len(problems) - 1} more problems)" if len(problems) > 1 else ""
    match first["type"]:
        case "unknown_key":
            return f"{where}: {at}: {first['msg']}{more}"
        case "missing":
            return f"{where}: {at}: this key is required{more}"
        case "union_tag_invalid":
            given = short(str(first.get("ctx", {}).get("tag"))).strip("'")
            hint = suggestion(given, MOTION_KINDS)
            return f"{where}: {at}.kind: {given!r} is unknown: {hint}There are {', '.join(MOTION_KINDS)}"
        case "union_tag_not_found":
            return f"{where}: {at}: the key 'kind' is required, one of {', '.join(MOTION_KINDS)}"
    expected = first["msg"].replace("Input should be", "expected").replace("List should have", "expected")
    return f"{where}: {at} = {short(first['input'])}: {expected}{more}"
