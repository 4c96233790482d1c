"""The README's example and commands are what a new user tries first."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from signorini.cli.main import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len([line for line in example.splitlines() if line and not line.startswith("import")]) <= 10
    exec(compile(example.replace("seconds=1.0", "seconds=0.1"), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "0.10 s: " in printed and "(2500, 3)" in printed


def test_every_command_exists_and_has_help():
    for command in set(re.findall(r"^signorini (\w+)", README, flags=re.MULTILINE)):
        result = CliRunner().invoke(app, [command, "--help"])
        assert result.exit_code == 0, result.output


def test_every_link_leads_to_a_file():
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
