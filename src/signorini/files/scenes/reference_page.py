"""The page docs/scene-reference.md: every table and key of a scene file, from the JSON Schema."""

from __future__ import annotations

from typing import Any

from signorini.files.scenes.json_schema import scene_json_schema
from signorini.files.scenes.motion_schema import MOTION_TABLES
from signorini.files.scenes.toml_writer import toml_value
from signorini.scene.kinds import KINDS

HEAD = """# Reference of scene files

Every table and key of a [scene file](scene-files.md). SI units, z is up. This page is written by `signorini schema --markdown`
from the docstrings of the Python calls: edit those, not the page.
"""


def scene_reference() -> str:
    """The text of the page."""
    schema = scene_json_schema()
    tables = schema["$defs"]
    parts = [HEAD]
    for key, entry in schema["properties"].items():
        name = (entry.get("items") or entry)["$ref"].rpartition("/")[2]
        is_body = key in {kind.kind for kind in KINDS}
        call = f"`scene.add_{key}(...)`. " if is_body else ""
        parts.append(_section(f"[[{key}]]" if "items" in entry else f"[{key}]", tables[name], before=call))
        for inner, sub in tables[name]["properties"].items():
            if sub.get("$ref", "").endswith("SettingsTable"):
                parts.append(_section(f"[{key}.{inner}]", tables[sub["$ref"].rpartition("/")[2]]))
            if inner == "pins":
                parts.append(_section(f"[[{key}.pins]]", tables[sub["items"]["$ref"].rpartition("/")[2]]))
    for name in tables:
        if name.endswith("MaterialTable"):
            parts.append(_section(name.removesuffix("Table"), tables[name], code=False))
    parts.append("## Meshes\n\nA table with `shape` and its keys, or with `file`.\n")
    for name in ("SurfaceTable", "VolumeTable"):
        parts += [_variant(variant, "shape", "file") for variant in tables[name]["oneOf"]]
    parts.append("## Motions\n\nA table with `kind` and its keys.\n")
    parts += [_variant(tables[table.__name__], "kind", "") for table in MOTION_TABLES]
    return "\n".join(dict.fromkeys(parts))


def _section(title: str, table: dict[str, Any], *, before: str = "", code: bool = True) -> str:
    heading = f"`{title}`" if code else title
    return f"## {heading}\n\n{before}{table['description']}\n\n{_keys(table)}"


def _variant(table: dict[str, Any], tag: str, otherwise: str) -> str:
    """The keys of one shape or motion; `tag` is the key that names it."""
    name = table["properties"].get(tag, {}).get("const", otherwise)
    rest = {**table, "properties": {key: entry for key, entry in table["properties"].items() if key != tag}}
    return f"### `{name}`\n\n{table['description']}\n\n{_keys(rest)}"


def _keys(table: dict[str, Any]) -> str:
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for key, entry in table["properties"].items():
        default = f"`{toml_value(entry['default'])}`" if "default" in entry else ""
        needed = "required" if key in table.get("required", []) else default
        meaning = entry.get("description", "").replace("|", "\\|")
        rows.append(f"| `{key}` | {_type(entry)} | {needed} | {meaning} |")
    return "\n".join(rows) + "\n"


def _type(entry: dict[str, Any]) -> str:
    if "anyOf" in entry:
        return " or ".join(_type(member) for member in entry["anyOf"])
    if "enum" in entry:
        return ", ".join(f"`{value}`" for value in entry["enum"])
    if "$ref" in entry:
        return {"SurfaceTable": "mesh", "VolumeTable": "mesh"}.get(entry["$ref"].rpartition("/")[2], "table")
    if "oneOf" in entry:
        return "motion"
    if entry.get("type") == "array":
        inner = _type(entry["items"])
        return (
            f"{entry['minItems']} numbers"
            if "minItems" in entry
            else f"list of {inner if inner.endswith('s') else inner + 's'}"
        )
    return entry["type"]
