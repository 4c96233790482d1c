"""A sweep as a whole: going on, failing, full disks, bad input and the page."""

from __future__ import annotations

import csv
import errno
import json
import os
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.errors import DiskFullError, InputError
from signorini.studies.sweep import one_run, sweep_runs
from signorini.studies.sweep.journal import Journal, read_journal
from support.sweeps import EXAMPLE, InlineEngine, slope_file, unmeasured

SHORT = {"seconds": 0.02, "fps": 100.0}
FRICTIONS = [0.1, 0.5, 0.9]


@pytest.fixture(autouse=True)
def inline(monkeypatch):
    """Runs are done in this process."""
    monkeypatch.setattr(sweep_runs, "_engine", InlineEngine)


@pytest.fixture
def counted(monkeypatch):
    """Counts the runs that are simulated."""
    done, simulate = [], one_run._simulate

    def count(job, planned, *rest):
        done.append(planned.id)
        return simulate(job, planned, *rest)

    monkeypatch.setattr(one_run, "_simulate", count)
    return done


def command(*arguments):
    return CliRunner().invoke(app, ["sweep", *map(str, arguments)])


def test_the_same_command_goes_on(tmp_path, counted):
    file, out = slope_file(tmp_path), tmp_path / "sweep"
    first = sg.sweep(file, {"friction": FRICTIONS[:2]}, out=out, **SHORT)
    assert len(counted) == 2
    assert sg.sweep(file, {"friction": FRICTIONS[:2]}, out=out, **SHORT).rows == first.rows
    assert len(counted) == 2
    more = sg.sweep(file, {"friction": FRICTIONS}, out=out, **SHORT)
    assert len(counted) == 3 and more.rows[:2] == first.rows
    assert unmeasured(more) == unmeasured(sg.sweep(file, {"friction": FRICTIONS}, out=tmp_path / "anew", **SHORT))


@pytest.mark.parametrize("cut", [1, 40, 10_000])
def test_a_line_that_a_kill_cut_off_costs_one_run(tmp_path, counted, cut):
    file, out = slope_file(tmp_path), tmp_path / "sweep"
    whole = sg.sweep(file, {"friction": FRICTIONS}, out=out, keep_runs=False, **SHORT)
    journal = out / "journal.jsonl"
    content = journal.read_bytes()
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    journal.write_bytes(content[: min(last + cut, len(content) - 1)])
    again = sg.sweep(file, {"friction": FRICTIONS}, out=out, keep_runs=False, **SHORT)
    assert unmeasured(again) == unmeasured(whole)
    assert len(counted) == 4
    assert len(read_journal(journal)) == 3


def test_a_run_that_is_on_the_disk_but_not_in_the_journal_is_not_done_again(tmp_path, counted):
    file, out = slope_file(tmp_path), tmp_path / "sweep"
    whole = sg.sweep(file, {"friction": FRICTIONS}, out=out, **SHORT)
    (out / "journal.jsonl").write_bytes(b"")
    assert unmeasured(sg.sweep(file, {"friction": FRICTIONS}, out=out, **SHORT)) == unmeasured(whole)
    assert len(counted) == 3


def test_other_damage_of_the_journal_is_named(tmp_path):
    file, out = slope_file(tmp_path), tmp_path / "sweep"
    sg.sweep(file, {"friction": FRICTIONS}, out=out, keep_runs=False, **SHORT)
    lines = (out / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (out / "journal.jsonl").write_bytes(lines[0] + b"{x\n" + lines[2])
    with pytest.raises(InputError, match="is damaged in line 2"):
        sg.sweep(file, {"friction": FRICTIONS}, out=out, keep_runs=False, **SHORT)


def test_csv_and_parquet_have_the_same_rows(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = sg.sweep(slope_file(tmp_path), {"friction": FRICTIONS}, out=tmp_path / "sweep", **SHORT)
    with (tmp_path / "sweep/runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    stored = parquet.read_table(tmp_path / "sweep/runs.parquet").to_pylist()
    assert [row["run"] for row in stored] == [0, 1, 2] and list(stored[0]) == list(rows[0]) == table.columns
    for row, text, given in zip(stored, rows, table.rows, strict=True):
        assert row == {name: given.get(name) for name in table.columns}
        assert float(text["friction"]) == row["friction"] and float(text["min_distance"]) == row["min_distance"]
        assert text["scene_hash"] == row["scene_hash"] and len(row["scene_hash"]) == 64
    assert table["friction"].tolist() == FRICTIONS
    with pytest.raises(InputError, match="the table has no column 'frict'"):
        table["frict"]


def test_a_run_that_fails_is_a_row_and_can_be_done_again(tmp_path, counted, monkeypatch):
    out = tmp_path / "sweep"
    (tmp_path / "fragile_metrics.py").write_text(
        "import pathlib\n\ndef mended(run):\n    if not pathlib.Path('mended').exists():\n"
        "        raise OSError('not yet')\n    return 1\n"
    )
    monkeypatch.chdir(tmp_path)
    arguments = [
        slope_file(tmp_path),
        "--vary",
        "friction=-1,0.5",
        "--seconds",
        0.02,
        "--metric",
        "fragile_metrics:mended",
    ]
    result = command(*arguments, "-o", out)
    assert result.exit_code == 2 and "friction" in result.output and not (out / "runs.csv").exists()
    arguments[2] = "friction=0.5,-1"  # only the first is tried beforehand
    result = command(*arguments, "-o", out)
    assert result.exit_code == 1
    assert "run 0 (completed): metric 'mended' raised OSError: not yet" in result.output
    assert "run 1 (failed): " in result.output and "1 of 2 runs failed" in result.output
    done = len(counted)
    (tmp_path / "mended").touch()
    result = command(*arguments, "-o", out)
    assert len(counted) == done, "runs that have ended are not done again"
    result = command(*arguments, "-o", out, "--retry-failed")
    assert len(counted) == done + 2 and "run 0" not in result.output


def test_a_full_disk_loses_nothing(tmp_path, counted, monkeypatch):
    file, out = slope_file(tmp_path), tmp_path / "sweep"
    add = Journal.add

    def full(self, outcome):
        if len(self.outcomes) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        add(self, outcome)

    monkeypatch.setattr(Journal, "add", full)
    with pytest.raises(
        DiskFullError, match=r"the disk is full: the runs that are finished stay in .* same command again"
    ):
        sg.sweep(file, {"friction": FRICTIONS}, out=out, keep_runs=False, **SHORT)
    assert len(read_journal(out / "journal.jsonl")) == 2
    monkeypatch.setattr(Journal, "add", add)
    assert (
        sg.sweep(file, {"friction": FRICTIONS}, out=out, keep_runs=False, **SHORT)["status"].tolist()
        == ["completed"] * 3
    )
    assert len(counted) == 4


@pytest.mark.parametrize("moment", ["before", "during"])
def test_a_disk_that_is_full_for_a_run_ends_the_sweep_without_a_row(tmp_path, monkeypatch, moment):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    if moment == "during":
        monkeypatch.setattr(one_run.RunDirectory, "create", full)
    else:  # a run says beforehand how much room it needs
        monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1000))
    result = command(slope_file(tmp_path), "--vary", "friction=0.1,0.2", "-o", tmp_path / "sweep")
    assert result.exit_code == 2 and result.output.count("\n") == 1
    assert "the disk is full: the runs that are finished stay" in result.output
    assert read_journal(tmp_path / "sweep/journal.jsonl") == {}


def test_a_line_on_a_full_disk_is_taken_back(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.add(one_run.Outcome("a", "completed"))

    def fail(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        journal.add(one_run.Outcome("b", "completed"))
    assert list(read_journal(tmp_path / "journal.jsonl")) == ["a"]


def test_ctrl_c_keeps_what_is_finished(tmp_path, monkeypatch):
    outcomes = InlineEngine.outcomes

    def interrupted(self, runs):
        yield from outcomes(self, runs[:2])
        raise KeyboardInterrupt

    monkeypatch.setattr(InlineEngine, "outcomes", interrupted)
    arguments = [slope_file(tmp_path), "--vary", "friction=0:1:4", "--seconds", 0.02, "-o", tmp_path / "sweep"]
    result = command(*arguments)
    assert result.exit_code == 130 and "the same command goes on with the others" in result.output
    assert len((tmp_path / "sweep/runs.csv").read_text().splitlines()) == 3
    monkeypatch.setattr(InlineEngine, "outcomes", outcomes)
    assert "4 of 4 runs: 4 completed" in command(*arguments).output


def test_ctrl_c_in_the_middle_of_a_line_of_the_journal(tmp_path, monkeypatch):
    """The row is in the table if its line is in the journal."""
    through, calls = os.fsync, []

    def interrupted(descriptor):
        through(descriptor)
        calls.append(descriptor)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("signorini.studies.sweep.journal.os.fsync", interrupted)
    arguments = [slope_file(tmp_path), "--vary", "friction=0:1:3", "--seconds", 0.02, "-o", tmp_path / "sweep"]
    result = command(*arguments, "--no-runs")
    assert result.exit_code == 130
    rows = (tmp_path / "sweep/runs.csv").read_text().splitlines()
    assert len(rows) - 1 == len(read_journal(tmp_path / "sweep/journal.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vary", "frction=0:1:3"], "has no parameter 'frction': did you mean 'friction'?"),
        (["--vary", "friction=0:1:0"], "the range is empty"),
        (["--vary", "friction"], "must have the form NAME=VALUES"),
        (["--vary", "friction=0:1:3", "--vary", "friction=2"], "given twice"),
        ([], "nothing is varied"),
        (["--vary", "friction=0:1"], "does not say how many values"),
        (["--vary", "friction=0:1", "--random", "3", "--latin", "3"], "exclude each other"),
        (["--vary", "friction=1,2", "--metric", "hight"], "there is no metric 'hight'"),
        (["--vary", "friction=1,2", "--memory-limit", "much"], "must be a size such as 500M or 2G"),
        (["--vary", "friction=1,2", "--time-limit", "0"], "--time-limit must be positive"),
        (["--vary", "friction=1,2", "--set", "max_refinments=3"], "did you mean 'max_refinements'"),
        (["--rows", "none.csv"], "cannot be read"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(tmp_path, arguments, message):
    result = command(slope_file(tmp_path), *arguments, "-o", tmp_path / "sweep")
    assert result.exit_code == 2, result.output
    assert message in result.output and result.output.count("\n") == 1
    assert not (tmp_path / "sweep").exists()


def test_a_directory_of_something_else_is_left_alone(tmp_path):
    arguments = [slope_file(tmp_path), "--vary", "friction=0.5", "--seconds", 0.02, "-o"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other/thesis.tex").touch()
    assert "holds 'thesis.tex', which is not of a sweep" in command(*arguments, tmp_path / "other").output
    assert "holds 'thesis.tex'" in command(*arguments, tmp_path / "other", "--force").output
    assert command(*arguments, tmp_path / "sweep").exit_code == 0
    about = json.loads((tmp_path / "sweep/sweep.json").read_text())
    (tmp_path / "sweep/sweep.json").write_text(json.dumps({**about, "scene": "drape"}))
    assert "holds a sweep of 'drape'" in command(*arguments, tmp_path / "sweep").output
    assert command(*arguments, tmp_path / "sweep", "--force").exit_code == 0


def test_a_function_that_does_the_run(tmp_path):
    from support.sweeps import block_on_slope

    def heights(sim):
        return {"before": sim.bodies["block"].center[2], "after": [sim.step() for _ in range(3)][-1].time}

    table = sg.sweep(
        block_on_slope, [{"friction": 0.1}, {"friction": 0.2}], out=tmp_path / "sweep", run=heights, dt=5e-3
    )
    assert table["after"].tolist() == [0.015, 0.015] and table["before"][0] == 0.0464
    assert (tmp_path / "sweep/index.html").exists()
    with pytest.raises(InputError, match="metrics and a data set are of the usual run"):
        sg.sweep(block_on_slope, {"friction": [1]}, out=tmp_path / "s", run=heights, metrics=["extent"])


def test_the_slope_finds_its_angle_and_the_page_shows_it(tmp_path, monkeypatch):
    """tan 25° = 0.466 is between the last friction at which the block slides and the first at which it holds."""
    monkeypatch.chdir(EXAMPLE)
    arguments = ["slope.toml", "--vary", "friction=0.4:0.5:5", "--seconds", 0.25, "--metric", "slope_metrics:slid"]
    result = command(*arguments, "--dataset", "--check", "-o", tmp_path / "sweep")
    assert result.exit_code == 0, result.output
    with (tmp_path / "sweep/runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    slides = [float(row["friction"]) for row in rows if float(row["slid"]) > 1e-3]
    holds = [float(row["friction"]) for row in rows if float(row["slid"]) <= 1e-3]
    assert max(slides) == 0.45 < 0.4663 < min(holds) == 0.475
    page = (tmp_path / "sweep/index.html").read_text()
    assert page.count("<figure>") == 2 + 5 and page.count("<circle") == 10
    for row in rows:
        assert (
            f'href="runs/{row["id"]}/"' in page
            and (tmp_path / "sweep/pictures" / f"{row['id']}.png").stat().st_size > 500
        )
