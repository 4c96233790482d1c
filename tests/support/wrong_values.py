"""Scene tables with one wrong value each: every key of every table, with values of all kinds and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from signorini.files.scenes.json_schema import shape_tables
from signorini.files.scenes.mesh_tables import SURFACES, VOLUMES
from signorini.files.scenes.motion_schema import MOTION_TABLES
from signorini.files.scenes.scene_schema import BODY_TABLES, AttachmentTable, SceneTable, SettingsTable, SimulationTable
from signorini.files.scenes.table_builder import dataclass_table
from signorini.files.scenes.table_types import Role

KeyPath = tuple[str | int, ...]

DEEP: Any = []
for _ in range(300):
    DEEP = [DEEP]
VALUES: dict[str, Any] = {
    "nan": float("nan"),
    "infinite": float("inf"),
    "huge": 1e300,
    "largest": 1.7e308,
    "minus huge": -1e300,
    "tiny": 1e-300,
    "small": 1e-60,
    "minus one": -1,
    "minus half": -0.5,
    "zero": 0,
    "three": 3,
    "many": 7000,
    "huge integer": 2**70,
    "true": True,
    "text": "grid",
    "empty text": "",
    "empty list": [],
    "list of text": ["grid"],
    "list of numbers": [1.0, 2.0, 3.0],
    "list with nan": [float("nan"), 0.0, 0.0],
    "list of huge": [1e300, 1e300, 1e300],
    "list of integers": [2**70, 1, 1],
    "list of rows": [[0.0, 0.0, 0.0], [1e300, 0.0, 0.0]],
    "ragged rows": [[0.0], [1.0, 2.0]],
    "deep": DEEP,
    "empty table": {},
    "table": {"shape": "grid"},
    "table of a list": {"shape": ["grid"], "file": 3},
    "file": {"file": "missing.npz"},
    "strange motion": {"kind": ["chain"], "motions": [{"kind": "rotate", "rate": 1e300}]},
}

MESHES: dict[str, dict[str, Any]] = {
    "grid": {"width": 0.3, "depth": 0.3, "cells": 2},
    "box": {"width": 0.1, "depth": 0.1, "height": 0.1},
    "sphere": {"radius": 0.1, "subdivisions": 2},
    "cylinder": {"radius": 0.1, "height": 0.1, "edge": 0.1},
    "capsule": {"radius": 0.1, "height": 0.1, "edge": 0.1},
    "torus": {"major_radius": 0.1, "minor_radius": 0.03, "edge": 0.05},
    "text": {"string": "I", "height": 0.1, "depth": 0.05},
    "box_tets": {"width": 0.1, "depth": 0.1, "height": 0.1},
    "sphere_tets": {"radius": 0.1, "edge": 0.1},
    "cylinder_tets": {"radius": 0.1, "height": 0.1, "edge": 0.1},
    "lattice": {"cell": 0.05},
}
MOTIONS: dict[str, dict[str, Any]] = {
    "translate": {"velocity": [0.0, 0.0, 0.1]},
    "rotate": {"rate": 1.0},
    "turn": {"angle": 1.0, "duration": 1.0},
    "keyframes": {"times": [0.0, 1.0], "translations": [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]},
    "frames": {"file": "missing.npz"},
    "sequence": {"files": "missing_*.obj", "fps": 30.0},
    "bones": {"file": "missing.npz"},
    "chain": {"motions": [{"kind": "rotate", "rate": 1.0}]},
    "script": {},
}


def base_scene() -> dict[str, Any]:
    """A scene with a body of each kind, apart from each other."""
    tets = {"shape": "box_tets", **MESHES["box_tets"]}
    return {
        "scene": {},
        "simulation": {"dt": 0.004, "seconds": 0.1, "fps": 30.0},
        "settings": {},
        "cloth": [{"name": "sheet", "mesh": {"shape": "grid", **MESHES["grid"]}, "pins": [{"vertices": [0]}]}],
        "rod": [{"name": "rope", "points": [[0.0, 0.0, 1.0], [0.1, 0.0, 1.0]], "pins": [{"vertices": [0]}]}],
        "soft_solid": [{"name": "jelly", "tets": tets, "position": [1.0, 0.0, 0.0], "pins": [{"vertices": [0]}]}],
        "rigid": [
            {"name": "block", "mesh": {"shape": "box", **MESHES["box"]}, "density": 100.0, "position": [2.0, 0, 0]}
        ],
        "kinematic": [{"name": "hand", "mesh": {"shape": "box", **MESHES["box"]}, "position": [3.0, 0.0, 0.0]}],
        "ground": [{"name": "floor", "height": -1.0}],
        "attachment": [{"body": "sheet", "vertices": [1], "to": "hand"}],
    }


def places() -> Iterator[tuple[str, dict[str, Any], KeyPath]]:
    """A name, a scene that has a table, and the path of one of the table's keys, for all keys of all tables."""
    plain = base_scene()
    for section, table in (("scene", SceneTable), ("simulation", SimulationTable), ("settings", SettingsTable)):
        for key in table.model_fields:
            yield f"{section}.{key}", plain, (section, key)
    for section in ("solver", "collision_loop", "hong"):
        for key in SettingsTable.model_fields[section].annotation.model_fields:
            yield f"settings.{section}.{key}", plain, ("settings", section, key)
    for kind, table in (*BODY_TABLES.items(), ("attachment", AttachmentTable)):
        for key in table.model_fields:
            yield f"{kind}.{key}", plain, (kind, 0, key)
    for kind in ("cloth", "rod", "soft_solid"):
        for key in ("vertices", "motion", "release_time"):
            yield f"{kind}.pins.{key}", plain, (kind, 0, "pins", 0, key)
    yield from _mesh_places()
    for table in MOTION_TABLES:
        name = str(table.model_fields["kind"].annotation.__args__[0])
        scene = base_scene()
        scene["kinematic"][0]["motion"] = {"kind": name, **MOTIONS[name]}
        for key in table.model_fields:
            yield f"{name}.{key}", scene, ("kinematic", 0, "motion", key)
    for name, cls in Role.materials.items():
        body = "cloth" if "Cloth" in name else "soft_solid"
        for key in dataclass_table(cls).model_fields:
            yield f"{name}.{key}", plain, (body, 0, "material", key)
    for section in ("unknown", "cloth", "scene", "ground"):
        yield section, plain, (section,)


def _mesh_places() -> Iterator[tuple[str, dict[str, Any], KeyPath]]:
    for shapes, body, key in ((SURFACES, "kinematic", "mesh"), (VOLUMES, "soft_solid", "tets")):
        for name, table in shape_tables(shapes).items():
            scene = base_scene()
            scene[body][0][key] = {"shape": name, **MESHES[name]}
            if name == "lattice":
                scene[body][0]["surface"] = {"shape": "sphere", **MESHES["sphere"]}
            for argument in ("shape", *table.model_fields):
                yield f"{name}.{argument}", scene, (body, 0, key, argument)
        scene = base_scene()
        scene[body][0][key] = {"file": "missing.npz"}
        for argument in ("file", "scale"):
            yield f"{body} {argument}", scene, (body, 0, key, argument)


def changed(scene: dict[str, Any], path: KeyPath, value: Any) -> dict[str, Any]:
    """A copy of the scene with another value at a path."""
    document = deepcopy(scene)
    table: Any = document
    for part in path[:-1]:
        table = table[part] if isinstance(part, int) else table.setdefault(part, {})
    table[path[-1]] = deepcopy(value)
    return document
