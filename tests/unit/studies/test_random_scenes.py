"""Random scenes: the same for a seed, free of intersection at the start, and judged by what happens in them."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from reference.ipc_check import IpcCheck
from signorini.cli.main import app
from signorini.studies.random_scenes import study
from signorini.studies.random_scenes.generator import LONGEST_STEP, SHORTEST_STEP, random_scene
from signorini.studies.random_scenes.outcome import Outcome
from signorini.studies.random_scenes.recipes import RECIPES, Expected
from signorini.studies.random_scenes.summary import COLUMNS, absurd_lines, table_rows


def report(**values):
    return sg.StepReport(solves=1, solves_converged=1, **values)


def outcome(*reports, squeezes=False, conserves=False, scripted=False):
    case = replace(random_scene(1, 0), expected=Expected(squeezes=squeezes, conserves=conserves))
    found = Outcome(case, mass=1.0, scripted=scripted)
    found.add_energy(report(kinetic_energy=1.0))
    for one in reports:
        found.add_step(one, cpu=0.01, intersections=0)
    return found


def test_a_scene_is_the_same_on_every_call():
    a, b, c = random_scene(1, 7), random_scene(1, 7), random_scene(2, 7)
    assert (a.dt, a.steps, list(a.scene.bodies)) == (b.dt, b.steps, list(b.scene.bodies))
    for name, body in a.scene.bodies.items():
        if hasattr(body, "positions"):
            np.testing.assert_array_equal(body.positions, b.scene.bodies[name].positions)
    assert a.dt != c.dt


@pytest.mark.parametrize("index", range(2 * len(RECIPES)))
def test_scenes_start_free_of_intersection(index):
    case = random_scene(1, index)
    assert SHORTEST_STEP <= case.dt <= LONGEST_STEP
    assert sg.Simulation(case.scene, dt=case.dt).intersections() == 0


@pytest.mark.parametrize("index", [1, 8, 24])
def test_a_scene_runs(index):
    """Some steps, watched by ipctk."""
    checks = []

    def watched(sim):
        checks.append(IpcCheck(sim))
        return checks[0].step

    case = replace(random_scene(1, index), steps=8)
    found = study.run_scene(case, stepper=watched)
    assert (found.ending, found.steps) == ("done", 8)
    assert found.finite
    assert found.intersections == 0
    checks[0].assert_clean()


def test_energy_from_nothing_is_absurd():
    assert outcome(report(kinetic_energy=1.005)).absurd == []
    assert outcome(report(kinetic_energy=0.5, potential_energy=0.5)).absurd == []
    assert outcome(report(kinetic_energy=3.0, potential_energy=-2.0)).absurd == []
    assert outcome(report(kinetic_energy=1.5)).absurd == ["energy + 50 %"]
    assert outcome(report(kinetic_energy=0.2), report(kinetic_energy=0.3)).absurd == ["energy + 10 %"]


def test_what_touches_nothing_loses_nothing():
    assert outcome(report(kinetic_energy=0.999), conserves=True).absurd == []
    assert outcome(report(kinetic_energy=0.5), conserves=True).absurd == ["energy - 50 %, although nothing touches"]


def test_scripts_do_work():
    """Without a balance of the report, nothing can be said."""
    assert outcome(report(kinetic_energy=9.0), scripted=True).absurd == []


def test_an_unsolved_problem_must_be_named():
    unsolved = replace(report(), solves_converged=0, infeasible_contacts=2)
    assert outcome(unsolved, squeezes=True).absurd == []
    assert outcome(unsolved).absurd == ["2 contacts called infeasible without a squeeze"]
    (phrase,) = outcome(replace(report(), solves_converged=0)).absurd
    assert phrase == "1 of 1 solves failed and nothing is named"


def test_only_a_squeeze_may_stop():
    for squeezes, count in ((True, 0), (False, 1)):
        found = outcome(squeezes=squeezes)
        found.ending, found.message = "stopped", "no room"
        assert len(found.absurd) == count


def test_a_step_over_its_budget_is_absurd():
    reports = [report(kinetic_energy=1.0)] * 4
    assert not outcome(*reports, report(kinetic_energy=1.0, budget_used=1.6)).absurd
    found = outcome(*reports, report(kinetic_energy=1.0, budget_used=2.7))
    assert found.absurd == ["a step did 2.7 times the work of its budget"]


def test_errors_are_recorded(monkeypatch):
    def broken(sim):
        raise IndexError("no such thing")

    found = study.run_scene(random_scene(1, 1), stepper=broken)
    assert found.ending == "traceback"
    assert "IndexError in test_random_scenes.py" in found.absurd[0]
    assert absurd_lines([found])[0].startswith("1 crossfire: traceback")
    assert all(len(row) == len(COLUMNS) for row in table_rows([found]))


def test_the_command(tmp_path):
    """A scene by its number: a table, a CSV and a scene file that can be run."""
    file = tmp_path / "rows.csv"
    arguments = ["bench", "random", "--only", "8", "--csv", str(file), "--save", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    (row,) = csv.DictReader(file.open())
    assert (row["index"], row["recipe"], row["ending"]) == ("8", "rotor", "done")
    assert list(sg.load_scene(tmp_path / "random-1-8.toml").scene.bodies) == list(random_scene(1, 8).scene.bodies)


@pytest.mark.parametrize(("index", "recipe"), [(106, "bore"), (169, "dragged"), (276, "bore")])
def test_scenes_that_were_absurd_are_no_longer(index: int, recipe: str) -> None:
    """Two pins that were welded to their bores, and a sheet dragged by its pins that gained 1.3 % of energy."""
    outcome = study.run_scene(random_scene(7, index, recipe=recipe))
    assert outcome.ending == "done"
    assert outcome.surplus < 0.01
    assert outcome.lost < 0.01 or not outcome.case.expected.conserves
