"""The solver bench where there is no collection, and collections whose files do not belong together."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.errors import InputError
from signorini.studies.problems.collection import SMALL_PROBLEMS, load_collection
from signorini.studies.problems.recipes import recipes

PROBLEMS = Path(__file__).parents[3] / "problems"


@pytest.mark.parametrize("own", [False, True])
def test_without_a_collection_small_problems_are_made(tmp_path, monkeypatch, own):
    """As from an installed wheel, in any directory; one called `problems` that holds something else is no collection."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("signorini.studies.problems.collection.SMALL_PROBLEMS", ("boxes-tower-10",))
    if own:
        (tmp_path / "problems").mkdir()
    arguments = ["bench", "solvers", "--quick", "--solver", "augmented-lagrangian", "--json", "rows.json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert {row["problem"] for row in json.loads((tmp_path / "rows.json").read_text())} == {"boxes-tower-10"}


def test_small_problems_are_in_the_collection():
    assert set(SMALL_PROBLEMS) <= {recipe.name for recipe in recipes()}


def test_an_extra_file_of_another_problem_is_refused(tmp_path):
    shutil.copy(PROBLEMS / "boxes-tower-10.npz", tmp_path / "a.npz")
    shutil.copy(PROBLEMS / "redundant-tower.extra.npz", tmp_path / "a.extra.npz")
    with pytest.raises(InputError, match="does not belong to the contact problem beside it"):
        load_collection(tmp_path)
