"""JSON Schema of a scene file (draft 2020-12), for editors that complete and check TOML."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from signorini.files.scenes.mesh_tables import SURFACES, VOLUMES, MeshFileTable
from signorini.files.scenes.scene_schema import Document
from signorini.files.scenes.scene_table import Table
from signorini.files.scenes.table_builder import call_table, dataclass_table, describe
from signorini.files.scenes.table_docs import first_sentence
from signorini.files.scenes.table_types import Role, presets

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DROPPED = ("title", "discriminator")
"""Keywords of pydantic that say nothing to an editor of TOML."""


def scene_json_schema() -> dict[str, Any]:
    """The JSON Schema of a whole scene file, with descriptions and defaults."""
    schema = table_json_schema(Document)
    definitions = schema.pop("$defs")
    for name, cls in Role.materials.items():
        definitions[f"{name}Table"] = table_json_schema(dataclass_table(cls))
    for name, shapes in (("SurfaceTable", SURFACES), ("VolumeTable", VOLUMES)):
        variants = [_shape(shape, shapes[shape], table) for shape, table in shape_tables(shapes).items()]
        definitions[name] = {"oneOf": [*variants, table_json_schema(MeshFileTable)]}
    return {"$schema": DIALECT, "title": "Signorini scene file", **schema, "$defs": dict(sorted(definitions.items()))}


def table_json_schema(table: type[Table]) -> dict[str, Any]:
    """The JSON Schema of one table, with the tables that it refers to under `$defs`."""
    schema = _cleaned(table.model_json_schema())
    tables = {each.__name__: each for each in Table.__subclasses__()}
    for name, node in [(table.__name__, schema), *schema.get("$defs", {}).items()]:
        texts = describe(tables[name])
        for key, entry in node.get("properties", {}).items():
            if texts.get(key):
                entry["description"] = _sentence(texts[key])
    return schema


def shape_tables(shapes: Mapping[str, Callable[..., Any]]) -> dict[str, type[Table]]:
    """The tables of the arguments of shapes; the surface of a lattice stands beside it in the file."""
    return {name: call_table(name, shape, left_out=("surface",)) for name, shape in shapes.items()}


def _cleaned(node: Any) -> Any:
    """The schema as TOML needs it: no null, no infinite defaults, and marks replaced by what they stand for."""
    if isinstance(node, list):
        return [_cleaned(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    if "role" in node:
        rest = {key: value for key, value in node.items() if key not in ("role", "of", "title")}
        return {**_cleaned(rest), **_marked(node["role"], node.get("of", ""))}
    found = {key: _cleaned(value) for key, value in node.items() if key not in _DROPPED or key == "properties"}
    if "properties" in node:
        found["properties"] = {key: _cleaned(value) for key, value in node["properties"].items()}
    if "anyOf" in found:
        members = [entry for entry in found.pop("anyOf") if entry != {"type": "null"}]
        found = {**members[0], **found} if len(members) == 1 else {"anyOf": members, **found}
    default = found.get("default", ...)
    if default is None or (isinstance(default, float) and not math.isfinite(default)):
        del found["default"]
    return found


def _marked(role: str, of: str) -> dict[str, Any]:
    """The schema of a key that is checked after its table."""
    if role == "preset":
        return {"enum": list(presets(Role.materials[of]))}
    return {"$ref": f"#/$defs/{of or role.capitalize()}Table"}


def _sentence(text: str) -> str:
    """The text with a capital; Greek letters are symbols and stay."""
    return text[0].upper() + text[1:] if text[0].isascii() else text


def _shape(name: str, shape: Callable[..., Any], table: type[Table]) -> dict[str, Any]:
    schema = table_json_schema(table)
    return {
        **schema,
        "description": first_sentence(shape),
        "properties": {"shape": {"const": name}, **schema.get("properties", {})},
        "required": ["shape", *schema.get("required", [])],
    }
