"""The export format that docs/output-files.md shows works as it is typed."""

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
