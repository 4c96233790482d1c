"""The measurements of performance: what they count, what they check, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.gallery import SCENES
from signorini.studies.performance import kernel_times, scaling, scene_times
from signorini.studies.performance.measure import best_time, measured_steps
from signorini.studies.performance.peers import run_signorini
from signorini.studies.performance.peers.comparison import check_frames, compare_peers, over
from signorini.studies.performance.peers.run_signorini import build
from signorini.studies.performance.peers.scenes import SECONDS, scene_arrays, write_scene
from signorini.studies.performance.peers.stepping_loop import run_steps
from signorini.studies.performance.tables import COLUMNS, cells, headings


def test_steps_are_timed_with_their_accuracy() -> None:
    sim = sg.Simulation(scene_times._scene("box"), dt=4e-3)
    row = measured_steps(sim, 12)
    assert sim.step_index == 12
    assert row["nodes"] == 2
    assert row["solved"] == row["solves"] > 0
    assert row["residual"] <= row["tolerance"]
    assert row["intersections"] == 0
    assert row["mean_wall_ms"] == pytest.approx(sum(row["phases_ms"].values()))
    assert row["phases_ms"]["rest"] > 0.0
    shown = dict(zip(headings("scenes"), cells("scenes", {"scene": "box", "dt_ms": 4.0, **row}), strict=True))
    assert shown["solved"] == f"{row['solves']}/{row['solves']}"
    assert shown["nodes"] == "2"


def test_a_whole_run_has_the_step_and_the_length_of_its_scene() -> None:
    (row,) = scene_times.time_whole_runs(["two-cylinders"], seconds=0.04)
    assert row["dt_ms"] == pytest.approx(1e3 * SCENES["two-cylinders"].dt)
    assert row["steps"] == round(0.04 / SCENES["two-cylinders"].dt)
    assert row["mean_wall_ms"] * row["steps"] >= row["wall_ms"]
    assert row["mean_cpu_ms"] > 0.0
    assert row["solved"] == row["solves"]


def test_a_time_is_that_of_the_fastest_call() -> None:
    calls = []
    assert best_time(lambda: calls.append(0), seconds=0.01) < 1e-3
    assert len(calls) > 2


@pytest.mark.parametrize("kind", COLUMNS)
def test_missing_values_leave_cells_empty(kind: str) -> None:
    row = {"phases_ms": {}, "solved": 0, "solves": 0}
    assert len(cells(kind, row)) == len(headings(kind))


def test_the_machine_computes_and_copies() -> None:
    machine = kernel_times.measure_machine()
    assert 1e8 < machine.flops < 1e12
    assert 0.0 < machine.copy_seconds(1e4) < machine.copy_seconds(1e8)


def test_an_exponent_is_that_of_the_power_law() -> None:
    a, b = ({"nodes": n, "wall_ms": 3.0 * n**1.3} for n in (100, 900))
    assert scaling._exponent(a, b, "wall_ms") == pytest.approx(1.3)


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "scenes", "no-such"],
        ["bench", "scenes", "no-such", "--whole"],
        ["bench", "scaling", "no-such"],
        ["bench", "peers", "--scene", "S9"],
        ["bench", "peers", "--peer", "no-such"],
    ],
)
def test_unknown_names_are_answered_with_those_that_there_are(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "there are" in result.output or "there are" in (result.stderr or "")


def test_the_length_of_a_run_needs_a_whole_run() -> None:
    result = CliRunner().invoke(app, ["bench", "scenes", "box", "--seconds", "1"])
    assert result.exit_code == 2
    assert "--whole" in result.output + (result.stderr or "")


def test_the_scenes_of_the_comparison_start_free_of_contact() -> None:
    for name in SECONDS:
        arrays = scene_arrays(name)
        assert np.isfinite(arrays["x"]).all()
        scene = build(name)
        assert len(scene.bodies) == {"S1": 2, "S2": 27 + 5, "S3": 2}[name]
    sim = sg.Simulation(build("S3"), dt=1e-2)
    assert sim.intersections() == 0
    assert sim.bodies["ball"].positions[:, 2].min() > 1.19


def write_frames(out: Path, frames: list[np.ndarray]) -> None:
    """Frames and times as a simulator leaves them."""
    left = list(frames[1:])
    current = [frames[0]]

    def step() -> None:
        current[0] = left.pop(0)

    run_steps(
        str(out), step, lambda: current[0], dt=1 / 30, seconds=(len(frames) - 1) / 30, cpu_limit=9.0, about={"a": 1}
    )


def test_frames_of_a_simulator_are_checked(tmp_path: Path) -> None:
    x = scene_arrays("S1")["x"]
    folded = x.copy()
    folded[:, 2] = np.abs(folded[:, 2] - 0.5)
    folded[:, 1] = 0.01 * np.sin(40.0 * x[:, 2])
    sunk = x - (0.0, 0.0, 0.06)
    write_frames(tmp_path / "peer", [x, sunk, folded])
    times = json.loads((tmp_path / "peer.json").read_text(encoding="utf-8"))
    assert times["status"] == "ok"
    assert times["simulated_s"] == pytest.approx(2 / 30)
    row = check_frames("S1", tmp_path / "peer")
    assert row["frames"] == 3
    assert row["below_ground_mm"] == pytest.approx(10.0, abs=1e-6)
    pytest.importorskip("ipctk")
    assert row["intersecting"] == 1


def test_runs_are_compared_up_to_the_frame_where_one_of_them_ended(tmp_path: Path) -> None:
    for name, spent in (("ours", [0.0, 1.0, 2.0, 30.0]), ("peer", [0.0, 2.0, 8.0]), ("none", [0.0])):
        np.savez(tmp_path / f"{name}.npz", frames=np.zeros(len(spent)), spent=np.column_stack([spent, spent]))
    assert over(tmp_path / "peer", tmp_path / "ours") == {"compared_s": 2 / 30, "ratio": 4.0, "cpu_ratio": 4.0}
    assert over(tmp_path / "none", tmp_path / "ours") == {"compared_s": 0.0}


def test_our_run_of_a_scene_is_as_long_as_its_file_says(tmp_path: Path) -> None:
    run_signorini.main(str(write_scene("S3", tmp_path, 0.05)), str(tmp_path / "ours"), 60.0)
    times = json.loads((tmp_path / "ours.json").read_text(encoding="utf-8"))
    assert times["simulated_s"] == pytest.approx(0.05) and times["status"] == "ok"
    with np.load(tmp_path / "ours.npz") as found:
        assert len(found["frames"]) == len(found["spent"]) == 2
        assert found["spent"][1, 0] > 0.0


def test_a_simulator_that_explodes_or_takes_too_long_is_ended(tmp_path: Path) -> None:
    x = np.zeros((3, 3))
    write_frames(tmp_path / "exploded", [x, x + 99.0, x])
    assert "exploded at 0.03" in json.loads((tmp_path / "exploded.json").read_text(encoding="utf-8"))["status"]
    run_steps(
        str(tmp_path / "slow"), lambda: sum(range(200_000)), lambda: x, dt=0.01, seconds=9.0, cpu_limit=0.02, about={}
    )
    assert "of CPU time" in json.loads((tmp_path / "slow.json").read_text(encoding="utf-8"))["status"]


def test_nothing_is_installed_for_a_wrong_name(tmp_path: Path) -> None:
    with pytest.raises(sg.InputError, match="no scene 'S7'"):
        next(compare_peers(tmp_path / "none", scenes=["S7"], peers=["mujoco"], cpu_limit=1.0))
    assert not (tmp_path / "none").exists()
