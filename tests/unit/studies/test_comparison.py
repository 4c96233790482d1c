"""`signorini compare`: rows, failures, frame by frame, the page."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.reports.line_plot import Line, line_plot
from signorini.simulation.penetration import deepest_penetration
from signorini.studies import comparison as comparing
from signorini.studies.comparison import Comparison, run_frame_by_frame, run_in_turn
from signorini.studies.comparison_directory import write_comparison
from signorini.studies.comparison_methods import METHODS, check_methods, method_dt
from signorini.studies.comparison_page import table_rows

ROW = {
    "method", "frames", "intersecting_frames", "failsafe_steps", "failed_frames", "cpu_seconds", "max_penetration",
}  # fmt: skip


def sheet_on_ground() -> sg.Scene:
    scene = sg.Scene(friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=4), position=(0, 0, 0.02), name="sheet")
    scene.add_ground()
    return scene


def ball_on_ground() -> sg.Scene:
    scene = sg.Scene(friction=0.0)
    scene.add_soft_solid(
        sg.shapes.box_tets(0.1, 0.1, 0.1, cells=(2, 2, 2)),
        young=2e4, poisson=0.3, density=1000.0, model="neo-hookean", position=(0, 0, 0.055), name="block",
    )  # fmt: skip
    scene.add_ground()
    return scene


def finished(comparison, method, out=None):
    return list(run_in_turn(comparison, method, out))[-1]


@pytest.mark.parametrize("method", ["cmr", "cmr-ica", "volume", "impulses"])
def test_every_method_of_cloth_runs_to_the_end_without_intersection(method, tmp_path):
    run = finished(Comparison(sheet_on_ground, dt=4e-3, seconds=0.2, fps=30.0), method, tmp_path / method)
    row = run.row()
    assert set(row) >= ROW
    assert (row["frames"], row["failed_frames"], row["intersecting_frames"], row["failsafe_steps"]) == (6, 0, 0, 0)
    assert row["max_penetration"] == 0.0
    assert row["max_contacts"] > 0
    assert row["cpu_seconds"] > 0.0
    trajectory = sg.Trajectory.open(tmp_path / method)
    assert trajectory.frame_count == 7
    assert np.allclose(trajectory.times, np.arange(7) / 30.0)


def test_hong_runs_a_soft_solid_and_refuses_a_cloth(tmp_path):
    solid = finished(Comparison(ball_on_ground, dt=4e-3, seconds=0.1, fps=30.0), "hong").row()
    assert (solid["frames"], solid["failed_frames"]) == (3, 0)
    cloth = finished(Comparison(sheet_on_ground, dt=4e-3, seconds=0.1, fps=30.0), "hong", tmp_path / "hong")
    assert cloth.records == []
    assert "sheet" in cloth.reason
    assert (cloth.directory, list(tmp_path.iterdir())) == (None, [])


def test_the_table_says_that_a_method_refused_the_scene():
    comparison = Comparison(sheet_on_ground, dt=4e-3, seconds=0.1, fps=30.0)
    headings, (done, refused) = table_rows([finished(comparison, "cmr"), finished(comparison, "hong")])
    cells = dict(zip(headings, refused, strict=True))
    assert (cells["time step"], dict(zip(headings, done, strict=True))["time step"]) == ("–", "3.7 ms")
    assert (cells["outcome"], cells["frames"], cells["failed"], cells["CPU"]) == ("refused", "3", "3", "–")
    assert dict(zip(headings, done, strict=True))["outcome"] == "completed"
    row = finished(comparison, "hong").row()
    assert (row["outcome"], row["frames"], row["failed_frames"]) == ("refused", 3, 3)


def test_the_table_shows_the_energy_of_every_method():
    comparison = Comparison(ball_on_ground, dt=4e-3, seconds=0.1, fps=30.0)
    runs = [finished(comparison, "cmr"), finished(comparison, "hong")]
    runs[1].records[-1] = replace(runs[1].records[-1], total_energy=5.0 * runs[0].records[-1].total_energy)
    headings, (first, second) = table_rows(runs)
    first, second = dict(zip(headings, first, strict=True)), dict(zip(headings, second, strict=True))
    assert (first["energy at the start"], second["energy at the start"]) == ("540 mJ", "540 mJ")  # 1 kg at 0.055 m
    assert (first["end over that of cmr"], second["end over that of cmr"]) == ("1", "5")
    assert second["largest energy"] == second["energy at the end"]


def test_the_table_counts_steps_and_solves_of_the_frame_that_failed_too():
    run = finished(Comparison(pressed_sheet, dt=4e-3, seconds=0.3, fps=30.0), "cmr")
    row, cells = run.row(), dict(zip(*(lambda h, c: (h, c[0]))(*table_rows([run])), strict=True))
    assert row["outcome"] == cells["outcome"] == "stopped"
    assert row["steps"] == sum(r.steps for r in run.records) > 0
    assert cells["steps"] == str(row["steps"])
    assert row["solves"] == sum(r.solves for r in run.records) > 0
    assert cells["solved"] == f"{row['solves_converged']} / {row['solves']}"


def test_the_step_of_cmr_fits_into_a_frame():
    assert method_dt("cmr", 4e-3, 1.0 / 60.0) == pytest.approx(1.0 / 300.0)
    assert method_dt("cmr", 1.0 / 240.0, 1.0 / 60.0) == pytest.approx(1.0 / 240.0)
    assert method_dt("volume", 4e-3, 1.0 / 60.0) == 1.0 / 60.0


def pressed_sheet() -> sg.Scene:
    """A plate comes down on a sheet that lies on the ground and cannot yield: no method can go on."""
    scene = sg.Scene(friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=4), position=(0, 0, 0.01), name="sheet")
    scene.add_kinematic(
        sg.shapes.box(0.5, 0.5, 0.1),
        motion=sg.motions.Translate(velocity=(0, 0, -0.5)),
        position=(0, 0, 0.1),
        name="plate",
    )
    scene.add_ground()
    return scene


def test_frames_after_a_failure_count_as_failed():
    run = finished(Comparison(pressed_sheet, dt=4e-3, seconds=0.3, fps=30.0), "cmr")
    row = run.row()
    assert row["frames"] == 9
    assert 0 < row["failed_frames"] < 9
    assert "plate" in run.reason
    failed = [record.failed for record in run.records]
    assert failed == sorted(failed)


def test_frame_by_frame_starts_every_frame_from_the_first_method():
    comparison = Comparison(sheet_on_ground, dt=4e-3, seconds=0.2, fps=30.0)
    runs = list(run_frame_by_frame(comparison, ["volume", "cmr"]))[-1]
    alone = finished(comparison, "volume")
    assert [r.total_energy for r in runs[0].records] == [r.total_energy for r in alone.records]
    # Free fall is the same for both, so that energies of single frames agree though their own courses drift apart.
    assert len(runs[1].records) == 6
    assert not any(r.failed for r in runs[1].records)
    assert all(r.time == pytest.approx(s.time) for r, s in zip(runs[0].records, runs[1].records, strict=True))
    first, own = runs[1].records[3].total_energy, finished(comparison, "cmr").records[3].total_energy
    assert first != own


@pytest.mark.parametrize(
    ("names", "message"),
    [(["cmr", "bullet"], "no method 'bullet'"), (["cmr", "cmr"], "'cmr' is given twice"), ([], "at least one method")],
)
def test_bad_methods(names, message):
    with pytest.raises(sg.InputError, match=message):
        check_methods(names)


def test_penetration_of_a_vertex_in_a_box_and_below_the_ground():
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.1, 0.1, cells=1), position=(0, 0, 1.0), name="sheet")
    scene.add_kinematic(sg.shapes.box(0.4, 0.4, 0.2), position=(0, 0, 0.5), name="box")
    scene.add_ground()
    sim = sg.Simulation(scene, dt=4e-3)
    assert deepest_penetration(sim) == 0.0
    moment = sim._moment
    x = moment.surface_positions
    x[0] = (0.15, 0.0, 0.45)  # 0.05 m from two faces of the box
    assert deepest_penetration(sim) == pytest.approx(0.05)
    x[1] = (3.0, 0.0, -0.07)
    assert deepest_penetration(sim) == pytest.approx(0.07)


def test_the_command_writes_rows_page_and_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["compare", "falling-cloth", "--methods", "cmr,impulses", "--seconds", "0.1", "--resolution", "6"]
    result = CliRunner().invoke(app, [*arguments, "--no-film", "--json", "rows.json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(Path("rows.json").read_text())
    assert [row["method"] for row in rows] == ["cmr", "impulses"]
    assert all(set(row) >= ROW for row in rows)
    page = Path("comparisons/falling-cloth/comparison.html").read_text()
    assert page.count("<svg") == 7
    assert "36 vertices (sheet 36)" in page and "friction 0.3" in page and "dt = " in page and "Signorini 0." in page
    assert "No films were made." in page
    assert "impulses" in page
    again = CliRunner().invoke(app, [*arguments, "--no-film"])
    assert again.exit_code == 2
    assert "--force" in again.output
    forced = CliRunner().invoke(app, [*arguments, "--no-film", "--force", "--quiet"])
    assert forced.exit_code == 0


def test_the_page_has_its_films_inside_and_says_which_are_missing(tmp_path):
    comparison = Comparison(sheet_on_ground, dt=4e-3, seconds=0.1, fps=30.0)
    runs = [finished(comparison, name, tmp_path / name) for name in ("cmr", "hong")]
    page = write_comparison(tmp_path, "two", comparison, runs).read_text()
    assert page.count('<video src="data:video/mp4;base64,') == 1
    page = re.sub(r"base64,[^\"]*", "", page)
    assert ".mp4" not in page, "no film is a link"
    assert "No film of hong: it refused the scene." in page and "The films: slowed down " in page
    assert page.count("</th>") == 3, "a column for each method"
    assert "e+0" not in page


@pytest.mark.parametrize("mode", [[], ["--frame-by-frame"]])
def test_an_interrupt_keeps_what_was_done(tmp_path, monkeypatch, mode):
    """Ctrl-C during the third frame: that frame is completed, and the rows and the page are written."""
    calls = []
    advance = comparing.advance_frame

    def advance_and_interrupt(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return advance(*arguments)

    monkeypatch.setattr(comparing, "advance_frame", advance_and_interrupt)
    out = tmp_path / "out"
    arguments = ["compare", "falling-cloth", "--methods", "cmr,impulses", "--seconds", "0.3", "--resolution", "6"]
    result = CliRunner().invoke(app, [*arguments, "--quiet", "-o", str(out), *mode])
    assert result.exit_code == 130
    assert str(out) in result.output
    rows = json.loads((out / "comparison.json").read_text())
    assert rows[0]["frames"] == (2 if mode else 3)
    assert (out / "comparison.html").is_file()


def test_a_missing_directory_of_the_rows_is_found_before_anything_is_run(tmp_path):
    arguments = ["compare", "falling-cloth", "--json", str(tmp_path / "no" / "rows.json"), "-o", str(tmp_path / "out")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "does not exist" in result.output
    assert not (tmp_path / "out").exists()


def test_the_command_names_an_unknown_method():
    result = CliRunner().invoke(app, ["compare", "falling-cloth", "--methods", "cmr,foo"])
    assert result.exit_code == 2
    assert "'foo'" in result.output
    assert all(name in result.output for name in METHODS)


def test_a_plot_leaves_holes_and_marks_failures():
    line = Line("a", "#000", [0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, None, 4.0, 5.0], failures=[2.0])
    svg = line_plot("t & u", [line], x_label="x", y_label="y")
    assert svg.count("<polyline") == 2
    assert svg.count('class="cross"') == 1
    assert "t &amp; u" in svg
    flat = Line("b", "#111", [0.0, 1.0], [0.0, 0.0], failures=[1.0])
    zeros = line_plot("zeros", [flat], x_label="x", y_label="y")
    assert "0 throughout" in zeros and "<polyline" not in zeros and "-0.4" not in zeros and zeros.count("cross") == 1
    dashed = line_plot("two", [line, replace(line, label="c", dash="3 3")], x_label="x", y_label="y")
    assert dashed.count('stroke-dasharray="3 3"') == 3, "twice in the plot, once beside its name"
    assert line_plot("empty", [], x_label="x", y_label="y", logarithmic=True).startswith("<svg")
