"""Random scenes: the same for a seed, free of intersection at the start, and judged by what happens in them."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.studies.random_scenes import study
from signorini.studies.random_scenes.expected import Expected
from signorini.studies.random_scenes.generator import LONGEST_STEP, RECIPES, SHORTEST_STEP, random_scene
from signorini.studies.random_scenes.outcome import Outcome
from signorini.studies.random_scenes.shrink import shrink
from signorini.studies.random_scenes.summary import COLUMNS, absurd_lines, failure_kinds, table_rows
from support.watched_steps import watched

SAMPLE = (
    380, 361, 402, 323, 344, 425, 66, 247, 48, 269, 370, 271, 32, 193, 54, 395, 436, 217, 278, 19,
)  # fmt: skip
"""A scene of each recipe that takes little time; solvers and integrators of all kinds are among them."""


def report(**values):
    return sg.StepReport(solves=1, solves_converged=1, **values)


def outcome(*reports, squeezes=False, conserves=False):
    case = replace(random_scene(1, 0), expected=Expected(squeezes=squeezes, conserves=conserves))
    found = Outcome(case, mass=1.0)
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


@pytest.mark.parametrize("index", SAMPLE)
def test_a_scene_runs_without_failure(index):
    """Watched by ipctk after every step, and on the true path of every sub-step."""
    found = study.run_scene(random_scene(1, index), stepper=watched)
    assert (found.ending, found.failures) == ("done", [])
    assert found.steps == found.case.steps
    assert found.contacts > 0


def test_the_sample_has_every_recipe():
    assert [index % len(RECIPES) for index in SAMPLE] == list(range(len(RECIPES)))


def test_energy_from_nothing_is_absurd():
    assert outcome(report(kinetic_energy=1.005)).absurd == []
    assert outcome(report(kinetic_energy=0.5, potential_energy=0.5)).absurd == []
    assert outcome(report(kinetic_energy=3.0, potential_energy=-2.0)).absurd == []
    assert outcome(report(kinetic_energy=1.5)).absurd == ["energy + 50 %"]
    assert outcome(report(kinetic_energy=0.2), report(kinetic_energy=0.3)).absurd == ["energy + 10 %"]


def test_what_touches_nothing_loses_nothing():
    assert outcome(report(kinetic_energy=0.999), conserves=True).absurd == []
    assert outcome(report(kinetic_energy=0.5), conserves=True).absurd == ["energy - 50 %, although nothing touches"]


def test_work_explains_growth():
    assert outcome(report(kinetic_energy=9.0, script_work=4.0, load_work=4.0)).absurd == []
    assert outcome(report(kinetic_energy=9.0, pin_work=1.0)).absurd == ["energy + 350 %"]


def test_growth_that_a_fail_safe_of_a_squeeze_declares_is_a_remark():
    declared = report(kinetic_energy=9.0, energy_surplus=8.0, failsafe_substeps=1)
    assert outcome(declared).failures == ["energy + 800 %"]
    found = outcome(declared, squeezes=True)
    assert found.failures == []
    assert "declared in fail-safe steps of a squeeze" in found.remarks[0]


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
    assert not outcome(*reports, report(kinetic_energy=1.0, budget_used=1.0)).absurd
    found = outcome(*reports, report(kinetic_energy=1.0, budget_used=2.7))
    assert found.absurd == ["a step did 2.7 times the work of its budget"]


def test_errors_are_recorded(monkeypatch):
    def broken(sim):
        raise IndexError("no such thing")

    found = study.run_scene(random_scene(1, 1), stepper=broken)
    assert found.ending == "traceback"
    assert "IndexError in test_random_scenes.py" in found.absurd[0]
    assert absurd_lines([found.row()])[0].startswith("1 crossfire: traceback")


def test_a_campaign_is_resumed_and_makes_a_page(tmp_path):
    """Scenes by their numbers: lines of a CSV that are not made again, tables of a page, and scene files that can be run."""
    file, page = tmp_path / "rows.csv", tmp_path / "page.md"
    page.write_text("before\n<!-- begin of the campaign's tables -->\n<!-- end of the campaign's tables -->\nafter\n")
    arguments = ["bench", "random", "--only", "8", "--csv", str(file)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    (row,) = csv.DictReader(file.open())
    assert (row["index"], row["recipe"], row["ending"], row["failures"]) == ("8", "rotor", "done", "")
    written = file.read_text()
    with file.open("a") as torn:
        torn.write("5,slot,eul")  # killed while it wrote
    result = CliRunner().invoke(app, [*arguments, "--page", str(page), "--save", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert file.read_text().startswith(written)
    assert "1 scenes of seed 1" in page.read_text()
    assert page.read_text().startswith("before\n")
    assert page.read_text().endswith("after\n")
    assert list(sg.load_scene(tmp_path / "random-1-8.toml").scene.bodies) == list(random_scene(1, 8).scene.bodies)


def test_the_tables_have_all_columns():
    row = outcome(report(kinetic_energy=9.0)).row()
    numbers = {
        key: float(value) if isinstance(value, str) and value[:1].isdigit() else value for key, value in row.items()
    }
    assert all(len(cells) == len(COLUMNS) for cells in table_rows([numbers]))
    assert failure_kinds(row) == {"energy from nothing"}


@pytest.mark.parametrize(("index", "recipe"), [(106, "bore"), (169, "dragged"), (276, "bore")])
def test_scenes_that_were_absurd_are_no_longer(index: int, recipe: str) -> None:
    """Two pins that were welded to their bores, and a sheet dragged by its pins that gained 1.3 % of energy."""
    outcome = study.run_scene(random_scene(7, index, recipe=recipe, plain=True))
    assert outcome.ending == "done"
    assert outcome.surplus < 0.01
    assert outcome.lost < 0.01 or not outcome.case.expected.conserves


def test_a_scene_shrinks_to_what_fails():
    """Energy from nothing, planted in one body of several: that body is left, for one step."""

    def broken(sim):
        def step():
            report = sim.step()
            return replace(report, kinetic_energy=1e9) if "culprit" in sim.bodies else report

        return step

    case = random_scene(1, 380)
    case.scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=100, position=(50, 0, 50), name="culprit")
    smallest = shrink(case, cpu_limit=20.0, stepper=broken)
    assert list(smallest.scene.bodies) == ["culprit"]
    assert smallest.steps == 1


def test_rigid_bodies_alone_need_no_coarse_space():
    """Scene 279 of the first campaign: nothing couples nodes, and wind slows conjugate gradients. It was a ValueError."""
    found = study.run_scene(replace(random_scene(1, 279), steps=12))
    assert (found.ending, found.failures) == ("done", [])
