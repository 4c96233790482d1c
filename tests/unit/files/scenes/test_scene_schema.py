"""The tables of scene files: from the signatures and docstrings of the calls, as JSON Schema and as a page."""

from __future__ import annotations

import inspect
import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from numpy.typing import ArrayLike

from signorini.errors import InputError
from signorini.files.scenes import scene_schema
from signorini.files.scenes.json_schema import scene_json_schema
from signorini.files.scenes.motion_schema import PLAIN_MOTIONS
from signorini.files.scenes.reference_page import scene_reference
from signorini.files.scenes.scene_file import load_scene, save_scene
from signorini.files.scenes.scene_table import MOTION_KINDS, Table, checked
from signorini.files.scenes.table_builder import call_table, dataclass_table, describe
from signorini.files.scenes.table_docs import field_docs, options_of, parameter_docs
from signorini.files.scenes.table_types import Role
from signorini.gallery import SCENES
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import PRESETS, ClothMaterial
from signorini.scene.kinds import KINDS
from signorini.scene.scene import Scene
from signorini.settings import Settings

PAGE = Path(__file__).parents[4] / "docs/scene-reference.md"
MESH = 'mesh = { shape = "grid", width = 1, depth = 1, cells = 2 }\n'
CLOTH = f'[[cloth]]\nname = "sheet"\n{MESH}'
TABLES = [
    scene_schema.SceneTable,
    scene_schema.SimulationTable,
    scene_schema.SettingsTable,
    scene_schema.AttachmentTable,
    *scene_schema.BODY_TABLES.values(),
    *scene_schema.PIN_TABLES.values(),
    *scene_schema.MOTION_TABLES,
    *(dataclass_table(cls) for cls in Role.materials.values()),
    *(dataclass_table(f.default_factory) for f in fields(Settings) if isinstance(f.default_factory, type)),
]


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json.loads(json.dumps(scene_json_schema(), allow_nan=False))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def calls() -> list[tuple[Callable[..., Any], type[Table], set[str]]]:
    """Calls, their tables, and the keys that only the tables have."""
    found: list[tuple[Callable[..., Any], type[Table], set[str]]] = [(Scene.__init__, TABLES[0], {"order"})]
    for kind in KINDS:
        own = {"pins"} if hasattr(kind, "pin") else set()
        found.append((getattr(Scene, f"add_{kind.kind}"), scene_schema.BODY_TABLES[kind.kind], own))
    found += [(kind.pin, scene_schema.PIN_TABLES[kind.kind], set()) for kind in KINDS if hasattr(kind, "pin")]  # type: ignore[attr-defined]
    motions = zip(PLAIN_MOTIONS.values(), scene_schema.MOTION_TABLES, strict=False)
    return [*found, (Scene.attach, scene_schema.AttachmentTable, set()), *((m, t, {"kind"}) for m, t in motions)]


@pytest.mark.parametrize(("call", "table", "own"), calls(), ids=lambda value: getattr(value, "__qualname__", ""))
def test_tables_have_the_keys_and_defaults_of_the_calls(call, table, own) -> None:
    parameters = {n: p.default for n, p in inspect.signature(call).parameters.items() if n != "self"}
    if "mesh" in parameters or "tets" in parameters:
        parameters.pop("initial_vertices", None)  # it is in the file of the mesh
    if parameters.pop("options", None) is not None:
        parameters |= dict.fromkeys(options_of(call).__annotations__)
    assert set(parameters) == set(table.model_fields) - own
    for name, default in parameters.items():
        field = table.model_fields[name]
        assert field.is_required() == (default is inspect.Parameter.empty), name
        if not field.is_required():
            assert field.default == (list(default) if isinstance(default, tuple) else default), name


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_key_is_documented_by_a_sentence(table) -> None:
    assert table.__doc__ and table.__doc__.rstrip().endswith((".", ")"))
    for key, text in describe(table).items():
        assert key == "kind" or text.endswith((".", ")")), f"{key}: {text!r}"


def test_kinds_of_motions_are_those_of_the_errors() -> None:
    kinds = [table.model_fields["kind"].annotation.__args__[0] for table in scene_schema.MOTION_TABLES]
    assert tuple(kinds) == MOTION_KINDS


def test_a_call_becomes_a_table() -> None:
    def add_rope(
        self: Scene,
        mesh: TriangleMesh,
        points: ArrayLike,
        *,
        stiffness: float = 2.0,
        material: str | ClothMaterial = "silk",
        direction: Sequence[float] = (0.0, 0.0, 1.0),
        name: str | None = None,
        initial_vertices: ArrayLike | None = None,
    ) -> None:
        """Add a rope.

        Parameters:
            mesh: its surface.
            stiffness: force per strain [N], a text
                of two lines.
            direction: where it points.

        And more.
        """

    table = call_table("RopeTable", add_rope)
    assert list(table.model_fields) == ["mesh", "points", "stiffness", "material", "direction", "name"]
    assert describe(table)["stiffness"] == "force per strain [N], a text of two lines."
    assert table.__doc__ == "Add a rope."
    rope = checked(table, {"mesh": {"shape": "box"}, "points": [[0, 0, 1.5]]}, where="here")
    assert (rope.stiffness, rope.material, rope.direction, rope.name) == (2.0, "silk", [0.0, 0.0, 1.0], None)
    for wrong in ({"stiffness": "high"}, {"direction": [1.0]}, {"points": [[1.0]]}, {"stifness": 1.0}):
        with pytest.raises(InputError, match=r"^here: "):
            checked(table, {"mesh": {}, "points": [], **wrong}, where="here")


def test_a_type_without_a_place_in_files_is_an_error_of_the_programmer() -> None:
    def add_odd(self: Scene, *, odd: np.random.Generator) -> None: ...

    with pytest.raises(TypeError, match="Generator"):
        call_table("OddTable", add_odd)


def test_documentation_of_fields_and_parameters() -> None:
    @dataclass
    class Example:
        """A class."""

        a: float
        """The first,
        on two lines."""
        b: int = 3
        c: int = 4
        """The last."""

    assert field_docs(Example) == {"a": "The first, on two lines.", "c": "The last."}
    assert parameter_docs("No parameters.") == {}


@pytest.mark.parametrize("name", SCENES)
def test_saved_scenes_of_the_gallery_satisfy_the_schema(name: str, tmp_path: Path, validator: Any) -> None:
    entry = SCENES[name]
    file = save_scene(tmp_path / "scene.toml", entry.build(), dt=entry.dt, seconds=entry.seconds, fps=entry.fps)
    validator.validate(tomllib.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "text",
    [
        "[scene]\ngravty = [0, 0, -9.81]\n",
        "[secne]\n",
        "[scene]\ngravity = [0, 0]\n",
        '[scene]\nfriction = "high"\n',
        "[settings]\nmax_refinement = 3\n",
        "[settings]\nmax_refinements = 1.5\n",
        '[settings.solver]\nname = "icca"\n',
        "[[cloth]]\n",
        "[[cloth]]\nmesh = {}\n",
        '[[cloth]]\nmesh = { shape = "gird" }\n',
        '[[cloth]]\nmesh = { shape = "grid", widht = 1 }\n',
        '[[cloth]]\nmesh = { shape = "grid", width = 1 }\n',
        '[[cloth]]\nmesh = { file = "a.obj", scael = 2 }\n',
        CLOTH + 'material = "coton"\n',
        CLOTH + "material = { membrane_stifness = 3 }\n",
        CLOTH + "pins = [{ vertices = [0.5] }]\n",
        CLOTH + "pins = [{ vertexes = [0] }]\n",
        CLOTH + 'pins = [{ vertices = [0], motion = { kind = "rotat" } }]\n',
        CLOTH + "pins = [{ vertices = [0], motion = { rate = 1 } }]\n",
        CLOTH.replace("cloth", "kinematic") + 'motion = { kind = "rotate", rate = "fast" }\n',
        '[[soft_solid]]\ntets = { shape = "box_tets", width = 1, depth = 1, height = 1 }\nmodel = "neohookean"\n',
        "scene = 3\n",
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(text: str, tmp_path: Path, validator: Any) -> None:
    (tmp_path / "scene.toml").write_text(text)
    with pytest.raises(InputError):
        load_scene(tmp_path / "scene.toml")
    assert not validator.is_valid(tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        CLOTH
        + 'material = "silk"\npins = [{ vertices = [0], motion = { kind = "translate", velocity = [0, 0, 1] } }]\n',
        CLOTH.replace("cells = 2", "cells = [2, 3]"),
        '[[soft_solid]]\ntets = { shape = "lattice", cell = 0.1 }\nsurface = { shape = "sphere", radius = 0.3 }\n',
        '[settings]\nmethod = "volume"\n[settings.collision_loop]\nouter = 2\n[[ground]]\nheight = -1\n',
    ],
)
def test_what_the_reader_takes_the_schema_takes(text: str, tmp_path: Path, validator: Any) -> None:
    (tmp_path / "scene.toml").write_text(text)
    load_scene(tmp_path / "scene.toml")
    validator.validate(tomllib.loads(text))


def test_descriptions_and_defaults_reach_the_schema() -> None:
    cloth = scene_json_schema()["$defs"]["ClothTable"]["properties"]
    assert cloth["model"]["default"] == "continuum"
    assert cloth["model"]["enum"] == ["continuum", "mass-spring"]
    assert cloth["area_density"]["description"].startswith("Mass per area [kg/m²]")
    assert cloth["material"]["anyOf"][0]["enum"] == list(PRESETS)
    assert "default" not in scene_json_schema()["$defs"]["ClothPinTable"]["properties"]["release_time"]


def test_the_page_in_the_documentation_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == scene_reference(), (
        "run `signorini schema --markdown > docs/scene-reference.md`"
    )
