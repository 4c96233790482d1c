"""The commands that show results: view, report, render, and `run --view`."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from signorini.cli import run as run_command
from signorini.cli import view as view_command
from signorini.cli.main import app
from support.runs import run


@pytest.fixture(scope="module")
def out(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("seeing") / "run"
    run(path, seconds=0.1)
    return path


def command(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.output


@pytest.fixture
def visits(monkeypatch) -> list[str]:
    """The pages that were found at the addresses that browsers were asked to open, once Ctrl-C is waited for."""
    opened, pages = [], []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url))

    def visit() -> None:
        pages.extend(urllib.request.urlopen(url, timeout=5).read().decode() for url in opened)

    monkeypatch.setattr(view_command, "wait_for_interrupt", visit)
    monkeypatch.setattr(run_command, "wait_for_interrupt", visit)
    return pages


def test_view_serves_a_run_until_ctrl_c(out: Path, visits: list[str]) -> None:
    code, printed = command("view", out)
    assert code == 0 and "http://127.0.0.1:" in printed
    assert len(visits) == 1 and "<title>small</title>" in visits[0]


def test_view_writes_one_page(out: Path, tmp_path: Path) -> None:
    assert command("view", out, "--html", tmp_path / "page.html") == (0, f"{tmp_path / 'page.html'}\n")
    assert (tmp_path / "page.html").read_text().count('id="frame-') == 4


def test_report_writes_its_page(out: Path, tmp_path: Path) -> None:
    assert command("report", out, "--no-film", "-o", tmp_path / "r.html") == (0, f"{tmp_path / 'r.html'}\n")
    assert "No film was asked for." in (tmp_path / "r.html").read_text()


def test_a_run_is_shown_while_it_goes_on(tmp_path: Path, visits: list[str]) -> None:
    options = ("--resolution", 5, "--seconds", 0.02, "-o", tmp_path / "run", "--view", "--contacts", "--quiet")
    code, printed = command("run", "falling-cloth", *options)
    assert code == 0, printed
    assert len(visits) == 1 and "<title>falling-cloth</title>" in visits[0]
    assert (tmp_path / "run/contacts/000000.npz").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("view", "{out}", "--every", 2), "--every is for --html"),
        (("view", "{out}/nothing"), "there is no run in"),
        (("view", "{out}", "--html", "page.txt"), "must end in .html"),
        (("report", "{out}/nothing"), "there is no run in"),
        (("render", "{out}", "--camera", "1,2"), "--camera must be three numbers"),
        (("render", "{out}", "--orbit", 90), "--orbit is for --film"),
        (("render", "{out}", "--contacts", "-o", "{out}/picture.png"), "has no contacts"),
    ],
)
def test_mistakes_are_one_sentence(out: Path, arguments, message: str) -> None:
    code, printed = command(*(str(a).format(out=out) for a in arguments))
    assert code == 2
    assert message in " ".join(printed.split())
