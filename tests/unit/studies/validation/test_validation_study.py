"""The frame of the validation: verdicts, records on disk, cases that break off, the page, Markdown and the command."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.errors import InputError
from signorini.studies.validation import collection, study
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of
from signorini.studies.validation.collection import CASES, find_cases
from signorini.studies.validation.markdown import write_markdown
from signorini.studies.validation.study import run_case, stored_records, validate
from signorini.studies.validation.table import failings, measurement_cells, outcome_sentence


def good(quick: bool, progress: Progress) -> Measurements:
    part_of(progress, 1, 2)(0.5)
    row = Measurement("length", 1.01, 1.0, "m", 0.02)
    lines = [Series("measured", [0.0, 1.0], [0.0, 1.01]), Series("theory", [0.0, 1.0], [0.0, 1.0], theory=True)]
    return Measurements([row], [Curve("A line <&>", "x", "y", lines)], ["quick" if quick else "full"])


def known(quick: bool, progress: Progress) -> Measurements:
    return Measurements([Measurement("a | b", 2.0, 1.0, "", 0.5, reason="it is so")])


def wrong(quick: bool, progress: Progress) -> Measurements:
    return Measurements([Measurement("force", math.nan, 1.0, "N", 0.5)])


def broken(quick: bool, progress: Progress) -> Measurements:
    raise ZeroDivisionError("by nothing")


def interrupted(quick: bool, progress: Progress) -> Measurements:
    raise KeyboardInterrupt


def cases(*names: str) -> tuple[Case, ...]:
    runs = {"good": good, "known": known, "wrong": wrong, "broken": broken, "interrupted": interrupted}
    return tuple(Case(name, f"The {name} case", "theory", "source", runs[name]) for name in names)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch):
    """Replace the list of cases by short ones."""

    def choose(*names: str) -> None:
        for module in (collection, study):
            monkeypatch.setattr(module, "CASES", cases(*names))

    return choose


@pytest.mark.parametrize(
    ("measured", "expected", "bound", "absolute", "reason", "verdict"),
    [
        (1.02, 1.0, 0.02000001, False, "", "inside"),
        (-1.03, -1.0, 0.02, False, "", "outside"),
        (-1.03, -1.0, 0.02, False, "why", "known"),
        (1e-8, 0.0, 1e-7, True, "", "inside"),
        (1e-8, 0.0, 1e-7, False, "", "outside"),
        (math.nan, 0.0, 1.0, True, "", "outside"),
        (math.inf, 1.0, 1.0, False, "", "outside"),
        (3.0, 3.0, 0.0, True, "", "inside"),
    ],
)
def test_verdict_of_a_measurement(measured, expected, bound, absolute, reason, verdict) -> None:
    row = Measurement("q", measured, expected, "m", bound, absolute=absolute, reason=reason)
    assert row.verdict == verdict
    assert len(measurement_cells(row)) == 6


def test_a_case_that_breaks_off_is_a_failure_and_the_others_are_run(few, tmp_path: Path) -> None:
    few("broken", "good")
    first, second = validate(output=tmp_path)
    assert (first.verdict, first.error) == ("outside", "ZeroDivisionError: by nothing")
    assert second.verdict == "inside"
    assert [record.name for record in stored_records(tmp_path)] == ["broken", "good"]
    assert "broke off" in failings([first])[0]


def test_records_survive_the_disk_and_earlier_cases_stay_on_the_page(few, tmp_path: Path) -> None:
    few("good", "known", "wrong")
    for name in ("good", "known"):
        validate([name], quick=True, output=tmp_path)
    stored = stored_records(tmp_path)
    assert [record.name for record in stored] == ["good", "known"]
    assert stored[0].found.rows[0] == Measurement("length", 1.01, 1.0, "m", 0.02)
    assert stored[0].found.curves[0].series[1].theory
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "A line &lt;&amp;&gt;" in page and "it is so" in page and "<svg" in page and "src=" not in page
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert [(row["case"], row["verdict"]) for row in rows] == [("good", "inside"), ("known", "known")]
    assert outcome_sentence(stored).startswith("1 of 2 measurements of 2 cases")


def test_markdown_has_tables_plots_and_what_is_not_right(few, tmp_path: Path) -> None:
    few("good", "known")
    validate(output=tmp_path / "out")
    text = write_markdown(tmp_path / "v.md", stored_records(tmp_path / "out")).read_text(encoding="utf-8")
    assert "| length | 1 m | 1.01 m | +1 % | ± 2 % | inside |" in text
    assert "a \\| b" in text and "it is so" in text and "images/validation/good-1.svg" in text
    svg = (tmp_path / "images" / "validation" / "good-1.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg") and 'xmlns="http://www.w3.org/2000/svg"' in svg and "<style>" in svg


@pytest.mark.parametrize(("names", "code"), [(("good", "known"), 0), (("good", "wrong"), 1), (("good", "broken"), 1)])
def test_exit_code_of_the_command(few, tmp_path: Path, names: tuple[str, ...], code: int) -> None:
    few(*names)
    result = CliRunner().invoke(app, ["validate", "-o", str(tmp_path)])
    assert result.exit_code == code, result.output
    assert "measurements of" in result.output and str(tmp_path) in result.output


def test_ctrl_c_keeps_what_is_finished(few, tmp_path: Path) -> None:
    few("good", "interrupted", "known")
    result = CliRunner().invoke(app, ["validate", "-o", str(tmp_path)])
    assert result.exit_code == 130
    assert "the finished cases are in" in result.output
    assert [record.name for record in stored_records(tmp_path)] == ["good"]
    assert "The good case" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_the_command_prints_rows_as_json(few, tmp_path: Path) -> None:
    few("wrong")
    result = CliRunner().invoke(app, ["validate", "--json", "-o", str(tmp_path)])
    assert json.loads(result.stdout)[0]["measured"] is None


def test_unknown_names_and_damaged_records_are_one_sentence(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["validate", "slop"])
    assert result.exit_code == 2
    assert "there is no validation case 'slop': choose from" in result.output
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / f"{CASES[0].name}.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is not the record of a validation case"):
        stored_records(tmp_path)


def test_the_list_names_every_case_once() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names) >= 16
    result = CliRunner().invoke(app, ["validate", "--list"])
    assert result.exit_code == 0
    assert all(name in result.output for name in names)
    assert [case.name for case in find_cases(["slope", "free-fall"])] == ["free-fall", "slope"]


@pytest.mark.parametrize("name", ["free-fall", "cards", "dominoes", "collisions"])
def test_quick_cases_are_inside_their_bounds(name: str) -> None:
    """The others are run by `signorini validate --quick`, and by the tests of physics that share their scenes."""
    (case,) = find_cases([name])
    seen: list[float] = []
    record = run_case(case, quick=True, progress=seen.append)
    assert record.verdict == "inside", failings([record])
    assert seen == sorted(seen) and 0.0 < seen[-1] <= 1.0
