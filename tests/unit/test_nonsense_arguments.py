"""Public calls with arguments of a wrong kind: each is refused by one sentence in one line, whatever the value is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import signorini as sg

NONSENSE: dict[str, Any] = {
    "an object": object(),
    "an integer": 3,
    "bytes": b"x",
    "a null byte": "a\0b",
    "no text": "",
    "a list": ["a"],
    "no numbers": np.zeros((0, 3)),
    "rows of nan": np.full((4, 3), np.nan),
    "ragged rows": [[0.0, 1.0], [1.0]],
}


def scene() -> sg.Scene:
    """A sheet above a box."""
    found = sg.Scene()
    found.add_cloth(sg.shapes.grid(0.3, 0.3, cells=3), name="sheet", position=(0, 0, 1))
    found.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, name="box")
    return found


GRID = sg.shapes.grid(0.3, 0.3, cells=3)
POINTS = np.array([[0.0, 0.0, 2.0], [0.1, 0.0, 2.0]])
CALLS: dict[str, Callable[[Any], object]] = {
    "load_mesh": lambda value: sg.load_mesh(value),
    "load_tets": lambda value: sg.load_tets(value),
    "load_scene": lambda value: sg.load_scene(value),
    "load_bvh": lambda value: sg.load_bvh(value),
    "load_mesh_sequence": lambda value: sg.load_mesh_sequence(value, fps=30.0),
    "run: scene": lambda value: sg.run(value, "out"),
    "run: out": lambda value: sg.run(object(), value),  # type: ignore[arg-type]
    "run: settings": lambda value: sg.run(scene(), "out", settings=value),
    "resume": lambda value: sg.resume(value),
    "record": lambda value: sg.record(value, "out"),
    "Recording: sim": lambda value: sg.Recording(value, "out", fps=30.0, force=False, contacts=False, fields=False),
    "Trajectory.open": lambda value: sg.Trajectory.open(value),
    "export: source": lambda value: sg.export(value, "out.obj"),
    "export: file": lambda value: sg.export("missing", value),
    "view": lambda value: sg.view(value, browser=False),
    "write_report": lambda value: sg.write_report(value),
    "check: source": lambda value: sg.check(value),
    "check: up": lambda value: sg.check(GRID, up=value),
    "repair: source": lambda value: sg.repair(value),
    "repair: target": lambda value: sg.repair(GRID, value),
    "save_scene: scene": lambda value: sg.save_scene("out/scene.toml", value),
    "save_scene: seconds": lambda value: sg.save_scene("out/scene.toml", scene(), seconds=value),
    "save_scene: settings": lambda value: sg.save_scene("out/scene.toml", scene(), settings=value),
    "sweep: build": lambda value: sg.sweep(value, {"friction": [0.1]}, out="out"),
    "sweep: parameters": lambda value: sg.sweep("drape", value, out="out"),
    "shapes.grid: width": lambda value: sg.shapes.grid(value, 0.3, cells=3),
    "shapes.grid: diagonals": lambda value: sg.shapes.grid(0.3, 0.3, cells=3, diagonals=value),
    "shapes.text: font": lambda value: sg.shapes.text("I", height=0.1, depth=0.02, font=value),
    "shapes.lattice": lambda value: sg.shapes.lattice(value, cell=0.1),
    "shapes.from_tetwild": lambda value: sg.shapes.from_tetwild(value, edge_length=0.1),
    "add_cloth: model": lambda value: sg.Scene().add_cloth(GRID, model=value),
    "add_cloth: finish": lambda value: sg.Scene().add_cloth(GRID, finish=value),
    "add_cloth: warp": lambda value: sg.Scene().add_cloth(GRID, warp=value),
    "add_rod: closed": lambda value: sg.Scene().add_rod(POINTS, closed=value),
    "add_joint": lambda value: scene().add_joint(value, "box"),
    "lock": lambda value: scene().lock("box", translation="x", frame=value),
    "motions.Turn": lambda value: sg.motions.Turn(angle=1.0, duration=1.0, then=value),
    "motions.Keyframes": lambda value: sg.motions.Keyframes(times=(0, 1), translations=POINTS, interpolation=value),
    "procedural_dancer: radii": lambda value: sg.procedural_dancer(radii=value),
    "Skeleton.surface": lambda value: sg.procedural_dancer().surface(body=value),
    "SolidMaterial": lambda value: sg.SolidMaterial(density=1000.0, young=1e5, poisson=0.3, element=value),
    "Settings: method": lambda value: sg.Settings(method=value),
    "Settings: sleep": lambda value: sg.Settings(sleep=value),
    "SolverSettings": lambda value: sg.SolverSettings(name=value),
    "SolverSettings: outer": lambda value: sg.SolverSettings(max_outer=value),
    "CollisionLoopSettings": lambda value: sg.CollisionLoopSettings(integrator=value),
}
HARMLESS = {
    ("SolverSettings: outer", "an integer"),
    ("save_scene: seconds", "an integer"),
    ("shapes.grid: width", "an integer"),
}
"""What is no nonsense."""


@pytest.mark.parametrize("call", CALLS)
def test_nonsense_is_refused_in_one_line(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, value in NONSENSE.items():
        if (call, kind) in HARMLESS:
            continue
        with pytest.raises(sg.InputError) as refusal:
            CALLS[call](value)
        assert "\n" not in str(refusal.value), kind
    assert not list(tmp_path.iterdir())
