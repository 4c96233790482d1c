"""Whatever stands in a scene file: it is simulated, or refused by one sentence; never a traceback."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.files.scenes.toml_writer import toml_text
from support.wrong_values import VALUES, base_scene, changed, places

CASES = [(f"{name} = {label}", scene, path, value) for name, scene, path in places() for label, value in VALUES.items()]
LONGEST_MESSAGE = 1000
"""Characters; what a user gave may be of any length, and is cut."""


def outcome(tmp_path: Path, document: dict[str, Any]) -> str:
    """The message with which a scene is refused, or nothing."""
    file = tmp_path / "scene.toml"
    file.write_text(toml_text(document), encoding="utf-8")
    try:
        loaded = sg.load_scene(file)
        sg.Simulation(loaded.scene, dt=loaded.dt, settings=loaded.settings)
    except sg.InputError as error:
        return str(error)
    return ""


def check_all(tmp_path: Path, cases: list[Any]) -> None:
    assert outcome(tmp_path, base_scene()) == ""
    problems = []
    for label, scene, path, value in cases:
        try:
            message = outcome(tmp_path, changed(scene, path, value))
            if len(message) > LONGEST_MESSAGE:
                problems.append(f"{label}: a message of {len(message)} characters")
        except Exception as error:  # any other exception is a failure
            problems.append(f"{label}: {type(error).__name__}: {str(error)[:80]}")
    assert not problems


@pytest.mark.parametrize("part", range(4))
def test_some_wrong_values_of_every_table_are_refused(tmp_path: Path, part: int) -> None:
    small = [case for case in CASES if " = three" not in case[0] and " = many" not in case[0]]
    check_all(tmp_path, small[part * 7 :: 97])


@pytest.mark.slow
def test_all_wrong_values_are_refused(tmp_path: Path) -> None:
    check_all(tmp_path, CASES)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("kinematic", 0, "mesh", "shape"), ["grid"], ["kinematic[0].mesh.shape", "unknown shape"]),
        (("cloth", 0, "pins", 0, "vertices"), [2**70], ["vertices must be integers", "1180591620717411303424"]),
        (("cloth", 0, "pins", 0, "vertices"), [2**40], ["vertex 1099511627776 does not exist"]),
        (("attachment", 0, "vertices"), [2**70], ["vertices must be integers"]),
        (
            ("kinematic", 0, "mesh"),
            {"shape": "text", "string": "I", "height": 1, "depth": 1, "font": 3},
            ["font", "path"],
        ),
        (("scene", "gravity"), [0.0, 0.0, 1e300], ["gravity", "at most 1e+06"]),
        (("kinematic", 0, "motion"), {"kind": "rotate", "rate": 1e300}, ["rate of a Rotate", "at most 1e+06"]),
        (("cloth", 0, "mesh", "cells"), 7000000, ["98,000,000,000,000 triangles", "GB", "fewer cells"]),
        (("soft_solid", 0, "tets", "cells"), 20000, ["tetrahedra", "GB", "fewer cells"]),
        (("simulation", "dt"), 1e9, ["dt must be between", "1e+09 s"]),
        (("scene", "name"), "x" * 100_000, []),
        (("cloth", 0, "material"), "x" * 100_000, ["unknown"]),
        (("x" * 100_000,), 1, ["unknown key"]),
    ],
)
def test_a_wrong_value_is_named_in_a_short_sentence(tmp_path: Path, path: Any, value: Any, words: list[str]) -> None:
    message = outcome(tmp_path, changed(base_scene(), path, value))
    assert all(word in message for word in words), message
    assert len(message) <= LONGEST_MESSAGE


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 5000 + "]" * 5000, "a = " + "9" * 5000, "[scene]\ngravity = [1e400, 0, 0]", "a" + ".a" * 5000],
)
def test_files_that_no_reader_survives_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "scene.toml"
    file.write_text(text)
    with pytest.raises(sg.InputError) as caught:
        sg.load_scene(file)
    assert len(str(caught.value)) <= LONGEST_MESSAGE


@pytest.mark.parametrize("name", ["vertices", "triangles", "positions"])
def test_arrays_of_text_in_a_mesh_file_are_refused(tmp_path: Path, name: str) -> None:
    grid = sg.shapes.grid(0.3, 0.3, cells=2)
    arrays = {"vertices": grid.vertices, "triangles": grid.triangles, "positions": grid.vertices}
    np.savez(tmp_path / "mesh.npz", **arrays | {name: np.array([["a", "b", "c"]])})
    message = outcome(tmp_path, changed(base_scene(), ("cloth", 0, "mesh"), {"file": "mesh.npz"}))
    assert name in message


@pytest.mark.parametrize("scale", [1e-60, 1e-7, 1e7, 1e300])
@pytest.mark.parametrize("kind", ["cloth", "rigid", "kinematic", "soft_solid", "rod"])
def test_bodies_of_nonsense_sizes_are_refused(scale: float, kind: str) -> None:
    scene = sg.Scene()
    with warnings.catch_warnings(), pytest.raises(sg.InputError):
        warnings.simplefilter("error")
        match kind:
            case "soft_solid":
                scene.add_soft_solid(sg.shapes.box_tets(scale, scale, scale))
            case "rod":
                scene.add_rod(scale * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
            case "cloth":
                scene.add_cloth(sg.shapes.grid(scale, scale, cells=2))
            case "rigid":
                scene.add_rigid(sg.shapes.box(scale, scale, scale), density=1.0)
            case _:
                scene.add_kinematic(sg.shapes.box(scale, scale, scale))
