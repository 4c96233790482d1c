"""The version stands in one place, `signorini.__version__`, and everything else reads it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app

ROOT = Path(__file__).parents[2]


def test_the_build_takes_the_version_from_the_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["dynamic"] == ["version"] and "version" not in settings["project"]
    assert settings["tool"]["hatch"]["version"]["path"] == "src/signorini/__init__.py"


def test_the_command_line_prints_it() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"signorini {sg.__version__}\n"


def test_no_other_file_states_it() -> None:
    """Only the changelog, which tells the releases apart, may name the number."""
    files = [*ROOT.glob("*.toml"), *ROOT.glob("*.cff"), *ROOT.glob("*.md"), *(ROOT / "src").rglob("*.py")]
    found = [file.name for file in files if f'"{sg.__version__}"' in file.read_text(encoding="utf-8")]
    assert found == ["__init__.py"]
    assert "version:" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8").replace("cff-version:", "")


def test_the_changelog_begins_with_this_release() -> None:
    releases = re.findall(
        r"^## \[?([\d.]+)\]?", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert releases[0] == sg.__version__
