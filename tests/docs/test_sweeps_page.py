"""What docs/sweeps.md shows works as it is typed."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli import sweep as command
from signorini.cli.main import app
from signorini.studies.sweep import sweep_runs
from signorini.studies.sweep.metrics import BUILT_IN
from support.sweeps import EXAMPLE, InlineEngine

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/sweeps.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def block_with(text):
    (found,) = (block for block in BLOCKS if text in block)
    return found


def test_the_python_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sweep_runs, "_engine", InlineEngine)
    monkeypatch.chdir(tmp_path)
    example = block_with("def build").replace("seconds=0.5", "seconds=0.02").replace('"0:1:5"', '"0:1:2"')
    exec(compile(example, "<sweeps.md>", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith("[0. 0. 1. 1.]")


def test_the_metric_is_that_of_the_example_directory():
    names = {}
    exec(compile(block_with("def slid"), "sweeps.md", "exec"), names)
    scene = sg.load_scene(EXAMPLE / "slope.toml").scene
    record = sg.RunRecord(sg.Simulation(scene, dt=5e-3), {}, [], [])
    assert names["slid"](record) == pytest.approx(0.0215)


def test_every_metric_and_every_option_is_documented():
    for name in BUILT_IN:
        assert f"| `{name}` |" in PAGE
    table = (ROOT / "docs/command-line.md").read_text(encoding="utf-8").split("## sweep")[1].split("\n## ")[0]
    shown = set(re.findall(r"--([a-z][a-z-]*)", table))
    spelled = {"assign": "set", "runs": "no-runs"}
    options = {spelled.get(name, name.replace("_", "-")) for name in inspect.signature(command.sweep).parameters}
    assert options - {"scene"} == shown
    assert "--vary" in CliRunner().invoke(app, ["sweep", "--help"]).output


def test_the_pytorch_data_set_is_that_of_the_example_and_has_30_lines():
    block = block_with("class NextFrame")
    assert len(block.strip().splitlines()) <= 30
    body = block[block.index("class NextFrame") :]
    assert body in (EXAMPLE / "learn_cloth.py").read_text(encoding="utf-8")


def test_the_pytorch_data_set_reads_a_sweep(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is no dependency: pip install torch")
    pytest.importorskip("xarray")
    monkeypatch.setattr(sweep_runs, "_engine", InlineEngine)
    parameters = {"friction": [0.1, 0.9], "stiffness": [0.5, 1.0, 2.0], "resolution": [5]}
    sg.sweep("drape", parameters, out=tmp_path / "sweep", seconds=0.1, dt=1e-2, dataset=True, keep_runs=False)
    names = {}
    exec(compile(block_with("class NextFrame"), "sweeps.md", "exec"), names)
    dataset = names["NextFrame"](tmp_path / "sweep/dataset.zarr", [0, 2, 5])
    states, steps = next(iter(torch.utils.data.DataLoader(dataset, batch_size=len(dataset))))
    assert states.shape == (3 * 3, 2 * 75 + 2) and steps.shape == (9, 75)
    np.testing.assert_allclose(states[:, -2:].numpy()[::3], [[0.1, 0.5], [0.1, 2.0], [0.9, 2.0]], rtol=1e-6)
    np.testing.assert_allclose(states[1, :75] - states[0, :75], steps[0], atol=1e-6)
