"""Names and paths are printed as they are: brackets are no markup, colons no emoji, and a message is one line."""

from __future__ import annotations

import os

import pytest
from typer.testing import CliRunner

from signorini.cli import summary_table
from signorini.cli.errors import say
from signorini.cli.main import app

SCENE = """
[scene]
name = "[/red] :warning:"
[simulation]
dt = 0.01
seconds = 0.02
[[cloth]]
name = "sheet [bold]"
mesh = { shape = "grid", width = 0.3, depth = 0.3, cells = 1 }
position = [0, 0, 0.05]
"""


@pytest.mark.parametrize("name", ["a[/red]b", "[bold]", "x :warning: y", "[link=x", "ü 漢"])
def test_run_and_export_print_the_name(tmp_path, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    (tmp_path / "s.toml").write_text(SCENE)
    out = tmp_path / name
    result = CliRunner().invoke(app, ["run", str(tmp_path / "s.toml"), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert str(out) in result.stdout
    result = CliRunner().invoke(app, ["export", str(out), str(tmp_path / "e" / f"{name}.npz")])
    assert result.stdout == f"{tmp_path}/e/{name}.npz\n"
    result = CliRunner().invoke(app, ["resume", str(out)])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert str(out) in result.stderr


def test_the_progress_bar_shows_the_name_of_the_scene(tmp_path, capsys, monkeypatch):
    from signorini.files.runs.runner import run_to_directory
    from support.fake_simulation import FakeSimulation, small_scene

    scene = small_scene()
    scene.name = "[/red] :warning:"
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich draws the bar as on a terminal
    run_to_directory(FakeSimulation(scene, dt=0.01), seconds=0.02, out=tmp_path / "out", progress=True)
    assert "[/red] :warning:" in capsys.readouterr().err


def test_a_name_that_is_no_text_is_printed(capsys):
    say(os.fsdecode(b"a\xffb\nc"))
    assert capsys.readouterr().out == "a\\udcffb c\n"


def test_a_summary_with_brackets(capsys, tmp_path, monkeypatch):
    from support.runs import run

    monkeypatch.setenv("COLUMNS", "400")
    summary = run(tmp_path / "out", seconds=0.01)
    summary_table.print_summary(summary, tmp_path / os.fsdecode(b"[/b]\xff"), quiet=False, as_json=False)
    assert "[/b]" in capsys.readouterr().out
