"""`signorini reproduce`: the registry, the files of a target, the command, and the ways in which targets measure."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from typer.testing import CliRunner

from reference.problems import random_mlcp
from reference.soft_between_boxes import soft_between_boxes
from signorini.cli.main import app
from signorini.errors import InputError
from signorini.methods.report import StepReport
from signorini.settings import SolverSettings
from signorini.simulation.simulation import Simulation
from signorini.solvers import solve_full_anticipation, solve_ica
from signorini.solvers.stop_rule_kernels import NOISE
from signorini.studies.reproduction import letter_meshes
from signorini.studies.reproduction.constraint_levels import LevelSolver
from signorini.studies.reproduction.inner_iterations import PAPER, sweeps_of_iterations
from signorini.studies.reproduction.letter_costs import solve_anticipated
from signorini.studies.reproduction.measured_run import MeasuredRun
from signorini.studies.reproduction.page import write_page
from signorini.studies.reproduction.results import Result, read_result
from signorini.studies.reproduction.rigid_costs import measure
from signorini.studies.reproduction.target import PAPERS, Number, Outcome, Target
from signorini.studies.reproduction.targets import TARGETS, find_targets

PAGE = Path(__file__).parents[3] / "docs" / "reproduction.md"
FIGURES = {
    "otaduy2009": "fig-1 fig-2 fig-4 fig-5 fig-6-left fig-6-right fig-7 refinements inner-iterations constraint-levels",
    "otaduy2010": "fig-1 fig-4 fig-6",
    "hong2004": "fig-3 fig-4 fig-5 frame-rate",
    "sifakis2008": "fig-1 fig-2 fig-3 fig-4",
}
IN_THE_SUITE = ("otaduy2009-fig-2", "sifakis2008-fig-1", "hong2004-frame-rate")
"""Targets that take a second or two."""


def command(*arguments: str):
    return CliRunner().invoke(app, ["reproduce", *arguments])


def done(quick, progress) -> Outcome:
    progress(1.0, "done")
    return Outcome([Number("a", "1", "2", "because", True)], lambda figure: figure.subplots().plot([0, 1]))


def interrupted(quick, progress) -> Outcome:
    raise KeyboardInterrupt


def test_every_figure_of_the_papers_is_a_target():
    wanted = {f"{paper}-{figure}" for paper, figures in FIGURES.items() for figure in figures.split()}
    assert set(TARGETS) == wanted
    for name, target in TARGETS.items():
        assert target.name == name and target.paper in PAPERS and name.startswith(target.paper.lower())
        assert target.figure and target.claim.endswith(".") and 0.0 < target.minutes[0] <= target.minutes[1]
    assert sum(target.minutes[0] for target in TARGETS.values()) <= 8.0


def test_targets_are_found_by_name_by_paper_and_all():
    assert find_targets(["all"]) == list(TARGETS.values())
    assert [t.name for t in find_targets(["hong2004"])] == [n for n in TARGETS if n.startswith("hong2004")]
    with pytest.raises(InputError, match="did you mean 'otaduy2009-fig-2'"):
        find_targets(["otaduy2009-fig2"])


@pytest.mark.parametrize("empty", range(4))
def test_a_table_has_no_empty_cell(empty):
    cells = ["what", "paper", "ours", "why"]
    cells[empty] = " "
    with pytest.raises(InputError, match="needs"):
        Number(*cells, agrees=True)


@pytest.mark.parametrize("name", IN_THE_SUITE)
def test_a_target_writes_its_plot_its_numbers_and_its_page(name, tmp_path):
    result = command(name, "--quick", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    directory = tmp_path / name
    assert (directory / "plot.png").stat().st_size > 5000 and (directory / "plot.svg").exists()
    stored = json.loads((directory / "numbers.json").read_text())
    assert stored["quick"] and stored["target"] == name
    assert not [n["what"] for n in stored["numbers"] if n["agrees"] is False]
    assert "paper" in (directory / "report.html").read_text()
    read = read_result(tmp_path, name)
    assert read is not None and len(read.numbers) == len(stored["numbers"])
    again = command(name, "--quick", "--missing", "--out", str(tmp_path), "--markdown", str(tmp_path / "page.md"))
    assert again.exit_code == 0 and "CPU s" not in again.output, "it is there already"
    assert name in (tmp_path / "page.md").read_text()


def test_interruption_keeps_what_is_done(tmp_path, monkeypatch):
    for name, run in (("hong2004-fig-3", done), ("hong2004-fig-4", interrupted)):
        monkeypatch.setitem(TARGETS, name, Target(name, "Hong2004", "Fig.", "A claim.", run, (0.1, 0.1)))
    result = command("hong2004-fig-3", "hong2004-fig-4", "--out", str(tmp_path))
    assert result.exit_code == 130
    assert read_result(tmp_path, "hong2004-fig-3") is not None and read_result(tmp_path, "hong2004-fig-4") is None


def test_without_matplotlib_there_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = command("hong2004-fig-3", "--out", str(tmp_path))
    assert result.exit_code == 2 and result.output.count("\n") == 1 and "signorini[bench]" in result.output


def test_bad_arguments_are_one_sentence_each(tmp_path):
    for arguments in (
        (),
        ("nothing",),
        ("all", "--markdown", "page.txt"),
        ("--markdown", "p.md", "--out", str(tmp_path)),
    ):
        result = command(*arguments)
        assert result.exit_code == 2 and result.output.count("\n") == 1, result.output


def test_the_list_names_all_targets():
    output = command("--list").output
    assert all(name in output for name in TARGETS)


def test_a_page_has_a_row_for_every_number(tmp_path):
    numbers = [Number(f"number {k}", "1", "2", "because", (True, False, None)[k]) for k in range(3)]
    (tmp_path / "hong2004-fig-3").mkdir()
    (tmp_path / "hong2004-fig-3" / "plot.png").write_bytes(b"png")
    page = write_page(
        tmp_path / "page.md", TARGETS, {"hong2004-fig-3": Result("hong2004-fig-3", True, "s", 1.0, numbers)}, tmp_path
    )
    text = page.read_text()
    assert all(f"| number {k} | 1 | 2 |" in text for k in range(3)) and "does not hold" in text
    assert (tmp_path / "images" / "reproduction" / "hong2004-fig-3.png").exists()


def test_a_page_keeps_what_it_says_of_targets_that_are_not_there(tmp_path):
    page, names = tmp_path / "page.md", ("otaduy2009-fig-2", "hong2004-fig-3", "hong2004-fig-4")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "plot.png").write_bytes(name.encode())
    one, other = Number("a", "1", "2", "because", True), Number("b", "1", "3", "because", False)
    results = {name: Result(name, True, "small", 1.2, [one]) for name in names}
    write_page(page, TARGETS, results, tmp_path)
    write_page(page, TARGETS, {names[1]: Result(names[1], False, "large", 7.0, [one, other])}, tmp_path)
    kept = page.read_text(encoding="utf-8")
    whole = tmp_path / "whole.md"
    write_page(whole, TARGETS, {**results, names[1]: Result(names[1], False, "large", 7.0, [one, other])}, tmp_path)
    assert kept == whole.read_text(encoding="utf-8")
    assert "| **all** | | | 9 | **3** | **1** | **0** |" in kept and "Full size: large." in kept


def test_steps_in_which_everything_sleeps_are_no_refinements():
    reports = [SimpleNamespace(refinements=n) for n in (1, 1, 4, 2, 0, 0, 0, 0)]
    run = MeasuredRun(cast(Simulation, None), reports=cast("list[StepReport]", reports))
    assert run.few_refinements == pytest.approx(3 / 4)
    assert run.refinements == {1: 2, 2: 1, 4: 1}


def test_the_published_page_has_every_target_and_no_empty_cell():
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"### {name}" in text for name in TARGETS)
    rows = [line for line in text.splitlines() if line.startswith("| ") and line.count("|") == 6]
    assert len(rows) > 60
    assert not [line for line in rows if any(not cell.strip() for cell in line.strip("|").split("|"))]
    for name in TARGETS:
        assert (PAGE.parent / "images" / "reproduction" / f"{name}.png").exists()


def test_full_anticipation_to_a_tolerance_finds_the_impulses_of_the_oracle():
    problem = random_mlcp(np.random.default_rng(5), rows=6, columns=6, contacts=40)
    lam, _ = solve_anticipated(problem, 1e-9)
    exact = solve_full_anticipation(problem, SolverSettings(name="full-anticipation"))
    forces = problem.jacobian().T @ np.pad(lam[:, None], ((0, 0), (0, 2))).ravel()
    assert forces == pytest.approx(problem.jacobian().T @ exact.impulse.ravel(), abs=1e-6 * np.abs(forces).max())


def test_a_step_of_the_letters_costs_its_rest_and_its_contact_problems():
    course = letter_meshes.watch(2, 40, 0.18, lambda done, what: None)
    assert course.tetrahedra == pytest.approx(40, rel=0.3)
    assert len(course.contacts) == len(course.rest) == len(course.problems) == len(course.solve) == 6
    at = int(np.argmax(course.contacts))
    assert course.contacts[at] > 0 and course.problems[at] > 0 and course.iterations[at] > 0
    assert course.steps()[at] == pytest.approx(course.rest[at] + course.problems[at] * course.solve[at])
    assert min(course.rest) > 0.0


def test_outer_iterations_one_by_one_are_those_of_one_solve():
    problem = random_mlcp(np.random.default_rng(7), rows=8, columns=8, contacts=80, friction=0.3, stiffness=30.0)
    counts, whole = sweeps_of_iterations(problem, None, NOISE * PAPER.residual), solve_ica(problem, PAPER)
    assert len(counts) == whole.outer_iterations > 3
    assert counts.sum() == whole.inner_iterations
    assert counts.min() >= 2, "a change of 5 % takes two sweeps"
    coarse = sweeps_of_iterations(problem, None, 1e3 * NOISE * PAPER.residual)
    assert coarse.sum() < counts.sum(), "a floor ends sweeps sooner"


def test_constraints_on_velocities_leave_the_gap_and_those_on_positions_do_not():
    problem = random_mlcp(np.random.default_rng(2), rows=6, columns=6, contacts=40)
    problem.gap[:] = np.abs(problem.gap) + 1e-5
    settings, position, velocity = SolverSettings(tolerance=1e-9), LevelSolver(False), LevelSolver(True)
    position(problem, settings, None)
    velocity(problem, settings, None)
    assert np.abs(position.gaps).max() < 1e-8
    assert velocity.gaps.min() > 0.9e-5


def test_rigid_refinement_gives_the_impulses_of_the_standard_way():
    row = measure(soft_between_boxes(np.random.default_rng(0), contacts=200))
    assert row is not None and row["difference"] < 1e-10
    assert row["standard_blocks"] > 5 * row["refined_blocks"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TARGETS if name not in IN_THE_SUITE])
def test_every_target_runs_in_its_quick_size(name, tmp_path):
    result = command(name, "--quick", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert read_result(tmp_path, name) is not None
