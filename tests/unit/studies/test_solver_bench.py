"""The solver bench on a handful of small problems: complete rows, honest figures, and a default solver that converges."""

from __future__ import annotations

import json
import math
import sys

import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.errors import InputError
from signorini.studies.problems.collection import StoredProblem, load_collection, make_problem, save_problem
from signorini.studies.problems.recipes import Recipe, recipes
from signorini.studies.problems.references import Reference
from signorini.studies.problems.soft_cubes import CubePile, make_cubes
from signorini.studies.solver_bench import TOLERANCES, relative_error, run_bench
from signorini.studies.solver_bench_plots import draw_plots
from signorini.studies.solver_bench_summary import (
    error_ratios,
    performance_profile,
    summarise,
    time_ratios,
    times_to_error,
)

KEYS = {
    "problem", "solver", "friction", "contacts", "nodes", "residual", "relative_error", "iterations", "cpu_ms",
    "converged", "tolerance", "start", "kind", "dynamics_residual",
}  # fmt: skip
PILE = CubePile(count=6, side=2, young=1e5, dt=0.01, friction=0.3)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    directory = tmp_path_factory.mktemp("problems")
    chosen = [r for r in recipes() if r.name in ("boxes-tower-10", "masses-tower-1e6", "pinched-1-mu0")]
    chosen.append(Recipe("cubes-small", "cubes", 0.3, PILE.stiffness_ratio, True, lambda: make_cubes(PILE)))
    for recipe in chosen:
        save_problem(directory, make_problem(recipe))
    return directory


@pytest.fixture(scope="module")
def rows(collection):
    return run_bench(load_collection(collection), tolerances=(1e-3, 1e-4), max_seconds=0.2)


def test_rows_are_complete(rows):
    assert all(set(row) >= KEYS for row in rows)
    assert {row["solver"] for row in rows} == {
        "augmented-lagrangian", "ica-pyramid", "ica-cone", "ica-paper", "full-anticipation"
    }  # fmt: skip
    assert {row["start"] for row in rows} == {"cold", "warm"}
    for row in rows:
        assert row["cpu_ms"] >= 0.0 and row["residual"] >= 0.0
        assert not row["converged"] or max(row["residual"], row["dynamics_residual"]) <= row["tolerance"]


def test_the_default_solver_reaches_every_feasible_problem(rows):
    """What it was asked for, within the rounding of its own test: the bench measures with another scaling of contacts."""
    mine = [row for row in rows if row["solver"] == "augmented-lagrangian" and row["tolerance"] == 1e-4]
    assert len(mine) == 8
    for row in mine:
        assert row["claimed"] == row["feasible"], row
        if row["feasible"]:
            assert max(row["residual"], row["dynamics_residual"]) <= 1e-4, row
            assert row["relative_error"] < 0.05, row
        else:
            assert not row["converged"]


def test_solvers_agree_with_the_references_of_their_model(rows):
    """On deformable bodies; the friction torque on rigid boxes is not unique."""
    for row in rows:
        if row["kind"] == "cubes" and row["converged"] and row["tolerance"] <= 1e-4:
            assert row["relative_error"] < 1e-2, row


def test_relative_error_is_that_of_the_motion(collection):
    stored = load_collection(collection)[0]
    reference = stored.references["cone"]
    assert relative_error(stored.problem, reference.dv, reference) == 0.0
    assert relative_error(stored.problem, 1.1 * reference.dv, reference) == pytest.approx(0.1)
    assert relative_error(stored.problem, 0.0 * reference.dv, Reference(0.0 * reference.dv, 0.0)) == 0.0
    assert math.isnan(relative_error(stored.problem, reference.dv, None))


def row(problem, solver, ms, *, converged=True, iterations=10):
    return {
        "problem": problem, "start": "cold", "solver": solver, "tolerance": 1e-3, "cpu_ms": ms, "converged": converged,
        "iterations": iterations, "feasible": True,
    }  # fmt: skip


def test_profile_and_ratios_of_known_times():
    rows = [
        row("a", "augmented-lagrangian", 10.0),
        row("a", "ica-cone", 20.0),
        row("b", "augmented-lagrangian", 10.0),
        row("b", "ica-cone", 8.0),
        row("c", "augmented-lagrangian", 10.0),
        row("c", "ica-cone", 1.0, converged=False),
        row("d", "ica-cone", 1.0, converged=False),
    ]
    profile = {solver: dict(points) for solver, points in performance_profile(rows, 1e-3).items()}
    assert profile["augmented-lagrangian"][1.0] == pytest.approx(0.5)
    assert profile["augmented-lagrangian"][1.5] == pytest.approx(0.75)
    assert profile["ica-cone"][1.0] == pytest.approx(0.25)
    assert profile["ica-cone"][100.0] == pytest.approx(0.5)
    ratio = time_ratios(rows, 1e-3)["ica-cone"]
    assert (ratio["reached"], ratio["both"]) == (2, 2)
    assert ratio["geometric_mean"] == pytest.approx(math.sqrt(2.0 * 0.8))
    assert ratio["easy_worst_slowdown"] == pytest.approx(1.25)


def test_times_are_compared_at_equal_error():
    rows = []
    for tolerance, default, ica in ((1e-3, (1.0, 5e-3), (1.0, 5e-2)), (1e-4, (3.0, 5e-4), (9.0, 5e-4))):
        for solver, (ms, error) in (("augmented-lagrangian", default), ("ica-cone", ica)):
            rows.append(row("a", solver, ms) | {"tolerance": tolerance, "relative_error": error, "kind": "cloth"})
    assert error_ratios(rows, 1e-2)["ica-cone"]["geometric_mean"] == pytest.approx(9.0)
    assert error_ratios(rows, 1e-3)["ica-cone"]["geometric_mean"] == pytest.approx(3.0)
    assert error_ratios(rows, 1e-5)["ica-cone"]["reached"] == 0


def test_easy_problems_at_equal_error_are_those_that_ica_solves_soon():
    rows = []
    for problem, default, ica, iterations in (("a", 2.0, 1.0, 50), ("b", 3.0, 2.5, 20), ("c", 9.0, 1.0, 51)):
        rows.append(row(problem, "augmented-lagrangian", default) | {"relative_error": 1e-4})
        rows.append(row(problem, "ica-cone", ica, iterations=iterations) | {"relative_error": 1e-4})
    found = error_ratios(rows, 1e-3)["ica-cone"]
    assert (found["both"], found["easy"], found["easy_slowest"]) == (3, 2, "a cold")
    assert found["easy_worst_slowdown"] == pytest.approx(2.0)
    assert found["geometric_mean"] == pytest.approx((0.5 * 2.5 / 3.0 / 9.0) ** (1.0 / 3.0))


def test_times_to_an_error_come_from_rows_that_were_measured():
    """Not from those that repeat a missed solve, nor from problems without a reference."""
    fast = row("a", "ica-cone", 1.0) | {"relative_error": 1e-4, "repeated": True}
    slow = row("a", "ica-cone", 5.0) | {"relative_error": 1e-4, "repeated": False}
    unknown = row("b", "ica-cone", 1.0) | {"relative_error": math.nan}
    found = times_to_error([fast, slow, unknown], 1e-3)["ica-cone"]
    assert {instance: r and r["cpu_ms"] for instance, r in found.items()} == {("a", "cold"): 5.0}
    assert times_to_error([slow], 1e-5)["ica-cone"] == {("a", "cold"): None}


def test_the_ladder_of_tolerances_is_as_fine_as_asked(collection):
    stored = load_collection(collection)[0]
    rows = run_bench([stored], solvers=["augmented-lagrangian", "ica-paper"], max_seconds=0.1)
    assert [r["tolerance"] for r in rows if r["solver"] == "ica-paper"] == [1e-3, 1e-3]
    mine = [r for r in rows if r["solver"] == "augmented-lagrangian" and r["start"] == "cold"]
    assert [r["tolerance"] for r in mine] == list(TOLERANCES)
    assert mine[-1]["residual"] < mine[0]["residual"]


def test_a_solver_that_ran_out_of_time_is_not_asked_again(collection):
    """ICA at a few iterations: its later rows repeat the first one that it missed."""
    stored = next(s for s in load_collection(collection) if s.name == "pinched-1-mu0")
    rows = [r for r in run_bench([stored], solvers=["ica-cone"], max_seconds=1e-3) if r["start"] == "cold"]
    assert [r["repeated"] for r in rows] == [False] + [True] * (len(TOLERANCES) - 1)
    assert len({r["cpu_ms"] for r in rows}) == 1


def test_summary_counts_feasible_problems_only(rows):
    summary = summarise(rows)
    solved = summary["solved"]["0.0001"]["augmented-lagrangian"]
    assert solved["tried"] == 6
    assert {r["problem"] for r in summary["infeasible"]} == {"pinched-1-mu0"}


def test_plots_are_written(rows, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = draw_plots(rows, tmp_path)
    assert [path.name for path in drawn] == ["solver-profile.png", "solver-error.png", "solver-speedup.png"]
    for path in drawn:
        assert path.stat().st_size > 1000
    only = [row for row in rows if row["solver"] == "ica-cone"]
    assert len(draw_plots(only, tmp_path)) == 2


def test_command_writes_rows_as_json(collection, tmp_path):
    arguments = ["bench", "solvers", "--problems", collection, "--quick", "--solver", "ica-cone", "--solver"]
    arguments += ["augmented-lagrangian", "--json", tmp_path / "rows.json"]
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output
    assert "ica-cone" in result.stdout
    written = json.loads((tmp_path / "rows.json").read_text())
    assert len(written) == 4 * 2 * 2 * 2
    assert all(set(row) >= KEYS for row in written)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--problems", "nowhere"], "make problems"),
        (["--solver", "icaa"], "ica-pyramid"),
        (["--max-seconds", "0"], "max-seconds"),
    ],
)
def test_bad_options_are_one_sentence(collection, options, words):
    arguments = ["bench", "solvers", *([] if "--problems" in options else ["--problems", str(collection)]), *options]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_help_has_an_example():
    result = CliRunner().invoke(app, ["bench", "solvers", "--help"])
    assert result.exit_code == 0
    assert "Example" in result.output


def test_an_unknown_solver_is_refused():
    with pytest.raises(InputError, match="full-anticipation"):
        run_bench([], solvers=["nothing"])


def test_problems_without_warm_start_have_cold_rows_only(collection):
    stored = load_collection(collection)[0]
    bare = StoredProblem("bare", stored.problem)
    rows = run_bench([bare], solvers=["ica-cone"], tolerances=(1e-3,), max_seconds=0.1)
    assert [(r["start"], math.isnan(r["relative_error"])) for r in rows] == [("cold", True)]


MINE = """
import signorini as sg
from signorini.solvers import solve_ica

limit = 3
broken = sg.Response

def mine(problem, settings, warm_start):
    return solve_ica(problem, sg.SolverSettings(name="ica", tolerance=settings.tolerance), warm_start)
"""


def test_a_solver_of_the_user_is_measured(collection, tmp_path, monkeypatch):
    """From the current directory, at the tolerances that are asked, and against the solvers of the package."""
    (tmp_path / "bench_mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)
    arguments = [
        "bench",
        "solvers",
        "--problems",
        collection,
        "--quick",
        "--json",
        "rows.json",
        "--solver",
        "bench_mine:mine",
    ]
    arguments += ["--solver", "augmented-lagrangian"]
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output
    assert "bench_mine:mine" in result.stdout
    rows = json.loads((tmp_path / "rows.json").read_text())
    mine = [row for row in rows if row["solver"] == "bench_mine:mine" and row["kind"] == "cubes"]
    assert len(mine) == 4 and all(max(row["residual"], row["dynamics_residual"]) <= row["tolerance"] for row in mine)
    assert sys.path == path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_such_module:mine", "there is no module 'no_such_module' in"),
        ("bench_wrong:nothing", "has no 'nothing'; it has solve_ica, broken, mine"),
        ("bench_wrong:", "has no ''; it has solve_ica, broken, mine"),
        ("bench_wrong:limit", "or a function of a problem, settings and a warm start, got 3"),
        ("bench_wrong:broken", "is the class Response: give an instance"),
        ("bench_damaged:mine", "cannot be imported: No module named 'no_such_thing'"),
    ],
)
def test_a_wrong_solver_of_the_user_is_one_sentence(collection, tmp_path, monkeypatch, name, words):
    (tmp_path / "bench_wrong.py").write_text(MINE)
    (tmp_path / "bench_damaged.py").write_text("import no_such_thing")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["bench", "solvers", "--problems", str(collection), "--solver", name])
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
