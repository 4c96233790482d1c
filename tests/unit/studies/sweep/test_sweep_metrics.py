"""Metrics against closed forms, and metrics that go wrong."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.studies.sweep.metrics import BUILT_IN, RunRecord, cells, find_metrics, measured
from signorini.studies.sweep.shadow import shadow_area
from support.sweeps import block_on_slope


def record(scene, steps=0):
    sim = sg.Simulation(scene, dt=5e-3)
    reports = [sim.step() for _ in range(steps)]
    return RunRecord(sim, {}, reports, [])


def sheet_on_table(height=0.02):
    """A sheet of 0.4 m flat above a table of 0.2 m."""
    scene = sg.Scene(name="table")
    scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=4), position=(0, 0, height), name="sheet")
    scene.add_kinematic(sg.shapes.box(0.2, 0.2, 0.02), position=(0, 0, 0), name="table")
    return scene


def test_shadows():
    square = (np.array([[0.0, 0, 0], [2, 0, 1], [2, 1, 5], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]], np.int32))
    assert shadow_area([square]) == pytest.approx(2.0, rel=5e-3)
    assert shadow_area([square, square]) == shadow_area([square])
    ball = sg.shapes.sphere(0.3, edge=0.02)
    assert shadow_area([(ball.vertices, ball.triangles)]) == pytest.approx(np.pi * 0.09, rel=5e-3)
    upright = (np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 2]]), np.array([[0, 1, 2]], np.int32))
    assert shadow_area([upright]) == shadow_area([]) == 0.0


def test_metrics_of_a_flat_sheet():
    run = record(sheet_on_table())
    assert BUILT_IN["drape_coefficient"](run) == pytest.approx(1.0, abs=0.01)
    assert BUILT_IN["final_height"](run) == pytest.approx(0.02)
    assert BUILT_IN["extent"](run) == pytest.approx({"extent_x": 0.4, "extent_y": 0.4, "extent_z": 0.0})
    assert BUILT_IN["contact_force"](run) == 0.0


def test_the_drape_coefficient_of_a_sheet_that_hangs_down_is_zero():
    run = record(sheet_on_table())
    sheet = run.simulation.bodies["sheet"]
    x = sheet.positions.copy()
    x[:, 2] -= np.maximum(np.abs(x[:, :2]) - 0.1, 0.0).sum(axis=1)
    x[:, :2] = np.clip(x[:, :2], -0.1, 0.1)
    views = {
        "sheet": SimpleNamespace(positions=x, triangles=sheet.triangles, kind="cloth"),
        "table": run.simulation.bodies["table"],
    }
    bent = SimpleNamespace(bodies=views, scene=run.simulation.scene)
    assert BUILT_IN["drape_coefficient"](RunRecord(bent, {}, [], [])) == pytest.approx(0.0, abs=0.01)


def test_metrics_of_a_block_at_rest():
    run = record(block_on_slope(friction=0.8), steps=30)
    assert BUILT_IN["contact_force"](run) == pytest.approx(0.5 * 9.81 * np.cos(np.deg2rad(25.0)), rel=0.05)
    assert BUILT_IN["drape_coefficient"](run) is None
    assert BUILT_IN["final_height"](run) == run.simulation.bodies["block"].positions[:, 2].max()


@pytest.mark.parametrize(
    ("speeds", "expected"),
    [([0.5, 0.2, 0.001, 0.002], 0.2), ([0.5, 0.001, 0.3], None), ([0.001, 0.0], 0.0), ([0.5, 0.001, 0.5, 0.0], 0.3)],
)
def test_the_rest_time_is_that_of_the_last_motion(speeds, expected):
    reports = [SimpleNamespace(time=0.1 * (k + 1), max_speed=v) for k, v in enumerate(speeds)]
    found = BUILT_IN["rest_time"](SimpleNamespace(reports=reports))
    assert found == (None if expected is None else pytest.approx(expected))


def test_metrics_of_a_module(tmp_path, monkeypatch):
    (tmp_path / "own_sweep_metrics.py").write_text(
        "def twice(run):\n    return {'a': 1, 'b': 2.5}\n\ndef wrong(run):\n    raise ValueError('no\\nblock')\n\n"
        "def list_of(run):\n    return [1, 2]\n"
    )
    names = ["own_sweep_metrics:twice", "own_sweep_metrics:wrong", "own_sweep_metrics:list_of", "final-height"]
    functions = find_metrics(names, tmp_path)
    values, problems = measured(functions, record(block_on_slope()))
    assert list(values) == ["a", "b", "wrong", "list_of", "final_height"]
    assert (values["a"], values["b"], values["wrong"]) == (1, 2.5, None)
    assert problems == [
        "metric 'wrong' raised ValueError: no block",
        "metric 'list_of' raised TypeError: list_of must be a number, a text, true or false, got [1, 2]",
    ]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["final_hight"], "there is no metric 'final_hight': did you mean 'final_height'"),
        (["none_such_module:f"], "metric 'none_such_module:f': there is no module"),
        (["math:pie"], "module 'math' has no 'pie'"),
        (["math:pi"], "must be a function"),
        (["extent", "extent"], "two metrics are called 'extent'"),
    ],
)
def test_metrics_that_do_not_exist(tmp_path, names, message):
    with pytest.raises(InputError, match=message):
        find_metrics(names, tmp_path)


def test_cells_are_plain_values():
    assert cells("x", np.float64(1.5)) == {"x": 1.5}
    assert cells("x", {"a": np.int64(3), "b": None}) == {"a": 3, "b": None}
