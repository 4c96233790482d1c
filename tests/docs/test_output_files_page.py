"""What docs/output-files.md shows works as it is typed, and a checkpoint contains what it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import signorini
from signorini.files.exports import registry
from signorini.files.exports.export import export

PAGE = Path(__file__).parents[2] / "docs/output-files.md"


def test_the_format_of_your_own(tmp_path: Path, monkeypatch) -> None:
    scene = signorini.Scene()
    scene.add_cloth(signorini.shapes.grid(0.2, 0.2, cells=2), position=(0, 0, 1), name="sheet")
    signorini.run(scene, tmp_path / "run", dt=0.01, seconds=0.1, fps=20)
    monkeypatch.setattr(registry, "_EXPORTERS", dict(registry._EXPORTERS))
    (example,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
        if "exporter" in block
    )
    exec(compile(example, "output-files.md", "exec"), {})
    export(tmp_path / "run", tmp_path / "top.heights")
    np.testing.assert_allclose(np.loadtxt(tmp_path / "top.heights")[0], [0.0, 1.0])


def test_a_checkpoint_contains_what_the_page_says(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8").split("## Checkpoint\n")[1].split("\n## ")[0]
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict = {"signorini": signorini}
    exec(compile(example, "output-files.md", "exec"), names)
    table, _, after = text.partition("Arrays under `progress/`")
    named = set(re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in re.findall(r"^\| `.*", table, re.M))))
    assert {"elements_0", "memory_impulse", "collision_loops"} < named
    for method, own in (("cmr", r"memory_\w+"), ("impulses", "collision_loops")):
        settings = signorini.Settings(method=method)  # pyright: ignore[reportArgumentType]
        sim = signorini.Simulation(names["scene"], dt=4e-3, settings=settings)
        signorini.run(sim, tmp_path / method, seconds=0.008, fps=125)
        with np.load(tmp_path / method / "checkpoint" / "state.npz") as file:
            found = set(file.files)
        state = {name.removeprefix("state/") for name in found if name.startswith("state/")}
        fixed = {name for name in named if not re.match(r"elements_|memory_|collision_loops", name)}
        expected = fixed | {name for name in named if re.fullmatch(own, name)}
        assert {name for name in state if not name.startswith("elements_")} == expected
        assert "elements_0" in state
        progress = {name.removeprefix("progress/") for name in found if name.startswith("progress/")}
        assert progress <= set(re.findall(r"`(\w+)`", after.split("\n\n")[0]))
